package timers_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tickwheel/tickwheel/timers"
)

func TestZeroConfigIsAWorld(t *testing.T) {
	w := newRig(t, timers.Config{})
	require.Zero(t, w.Now())
	require.Zero(t, w.Budget())
	w.after(1<<44, 1)
	_, err := w.After(1<<44+1, 1, timers.Spec{})
	require.ErrorIs(t, err, timers.ErrHorizon)
}

func TestConfigIsTakenOrRefusedNeverBent(t *testing.T) {
	for _, c := range []struct {
		field string // named in the error; "" if fine
		cfg   timers.Config
	}{
		{"", timers.Config{NearTicks: 64, ChunkBlocks: 4, MaxTimers: 1, MaxGroups: 1, Horizon: 1}},
		{"", timers.Config{NearTicks: 1 << 17, ChunkBlocks: 2048, Horizon: 1 << 61, Start: 1 << 62, TickUnits: 1 << 40}},
		{"NearTicks is 32", timers.Config{NearTicks: 32}},
		{"NearTicks is 100", timers.Config{NearTicks: 100}},
		{"NearTicks is -64", timers.Config{NearTicks: -64}},
		{"NearTicks is 262144", timers.Config{NearTicks: 1 << 18}},
		{"ChunkBlocks is 2", timers.Config{ChunkBlocks: 2}},
		{"ChunkBlocks is 12", timers.Config{ChunkBlocks: 12}},
		{"MaxTimers is -1", timers.Config{MaxTimers: -1}},
		{fmt.Sprintf("MaxTimers is %d", math.MaxInt), timers.Config{MaxTimers: math.MaxInt}},
		{"MaxGroups is -1", timers.Config{MaxGroups: -1}},
		{"Horizon is -1", timers.Config{Horizon: -1}},
		{"Horizon is 2305843009213693953", timers.Config{Horizon: 1<<61 + 1}},
		{"Start is -1", timers.Config{Start: -1}},
		{"Start is 4611686018427387905", timers.Config{Start: 1<<62 + 1}},
		{"Budget is -1", timers.Config{Budget: -1}},
		{"Shares is {Normal: 0.5, Bulk: 0.5}", timers.Config{Shares: timers.Shares{Normal: .5, Bulk: .5}}},
		{"Shares is {Normal: -0.1", timers.Config{Shares: timers.Shares{Normal: -.1}}},
		{"Shares is {Normal: NaN", timers.Config{Shares: timers.Shares{Normal: math.NaN()}}},
		{"TickUnits is -1", timers.Config{TickUnits: -1}},
	} {
		w, err := timers.New[int](c.cfg)
		if c.field == "" {
			require.NoError(t, err, "%+v", c.cfg)
			require.Equal(t, c.cfg.Start, w.Now())
			continue
		}
		require.ErrorContains(t, err, "timers: Config."+c.field)
		require.Nil(t, w)
	}
}

func TestConfigErrorsComeAllAtOnce(t *testing.T) {
	_, err := timers.New[int](timers.Config{NearTicks: 3, ChunkBlocks: 5, MaxTimers: -1, Start: -7, TickUnits: -1})
	require.Error(t, err)
	require.Len(t, strings.Split(err.Error(), "\n"), 5, "%v", err)
}

func TestHandlesAreSmallAndComparable(t *testing.T) {
	require.Equal(t, timers.Handle{}, *new(timers.Handle))
	w := newRig(t, room)
	byHandle := map[timers.Handle]int{}
	for i := range 100 {
		byHandle[w.after(timers.Span(i), i)] = i
	}
	require.Len(t, byHandle, 100)
	w.on(0, func(timers.Firing[int]) {})
	w.to(200)
	for _, f := range w.log {
		require.Equal(t, byHandle[f.Handle], f.Payload)
	}
}

func TestLanesHaveNames(t *testing.T) {
	require.Equal(t, "urgent normal bulk", timers.Urgent.String()+" "+timers.Normal.String()+" "+timers.Bulk.String())
	require.Equal(t, "Lane(7)", timers.Lane(7).String())
	var zero timers.Lane
	require.Equal(t, timers.Normal, zero)
}
