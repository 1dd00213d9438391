package sim

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tickwheel/tickwheel/tick"
)

func TestTheSlowestTicksSayWhatTheyDid(t *testing.T) {
	sc := SpawnStorm()
	sc.Duration, sc.Players, sc.Storm = 20*time.Second, 200, 20_000
	r, err := Run(context.Background(), sc, Policy{Name: "cap", Cap: 4000}, Options{Seed: 7})
	require.NoError(t, err)
	require.Len(t, r.Slow, SlowTicks)
	assert.Equal(t, r.Worst(), r.Slow[0].Index)
	last := time.Duration(1 << 62)
	for _, s := range r.Slow {
		t1 := r.Ticks[s.Index]
		assert.LessOrEqual(t, t1.Duration, last)
		last = t1.Duration
		fired, spent := 0, time.Duration(0)
		for _, k := range s.Kinds {
			fired += k.Fired
			spent += k.Time
		}
		assert.Equal(t, t1.Fired, fired, "the kinds' timers are the tick's")
		assert.Equal(t, t1.Phase[tick.PhaseTimers], spent, "the kinds' time is the phase's")
	}
	longer := 0
	for _, x := range r.Ticks {
		if x.Duration > last {
			longer++
		}
	}
	assert.Less(t, longer, SlowTicks, "no longer tick was left out")

	late := [tick.Lanes]int32{}
	for _, x := range r.Ticks {
		for lane, n := range x.LateMax {
			late[lane] = max(late[lane], n)
		}
	}
	assert.EqualValues(t, r.TimerLate().Max, late[tick.Bulk], "the storm waits in the bulk lane")
	assert.Less(t, late[tick.Urgent], late[tick.Bulk])
}

func TestJobsAndShedsAreKept(t *testing.T) {
	sc := SpawnStorm()
	sc.Duration, sc.Players, sc.Storm = 40*time.Second, 200, 100_000
	r, err := Run(context.Background(), sc, Policy{Name: "workers", Workers: 1}, Options{Seed: 7})
	require.NoError(t, err)
	ended, ran := 0, time.Duration(0)
	for _, x := range r.Ticks {
		ended += int(x.JobsEnded)
		ran += x.JobsRan
	}
	assert.Positive(t, ended)
	assert.Positive(t, ran)
	shed := int64(0)
	for _, e := range r.Events {
		if e.Type == "shed" {
			shed += e.N
			assert.Positive(t, e.Time)
		}
	}
	assert.Positive(t, shed)
	assert.Equal(t, r.Stats.Shed, shed)
	assert.Zero(t, r.EventsDropped)
}

func TestEventsAreBounded(t *testing.T) {
	var d details
	for range MaxEvents + 5 {
		d.event(Event{Type: "guard"})
	}
	assert.Len(t, d.events, MaxEvents)
	assert.EqualValues(t, 5, d.dropped)
}
