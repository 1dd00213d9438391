package sim

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tickwheel/tickwheel/tick"
)

func onVirtual(t *testing.T) (*tick.Loop, *Virtual) {
	t.Helper()
	clock := &Virtual{}
	loop, err := tick.New(tick.Config{Clock: clock, Seed: 1, Executor: tick.Inline(), OnPanic: func(p tick.PanicInfo) {
		t.Errorf("%v\n%s", p.Value, p.Stack)
	}})
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, loop.Stop(context.Background())) })
	return loop, clock
}

// ticks drives loop as runVirtual does.
func ticks(loop *tick.Loop, clock *Virtual, n int) {
	for end := loop.Now() + tick.Tick(n); loop.Now() < end; {
		next, ok := loop.RunDue()
		if !ok {
			return
		}
		clock.Sleep(next, nil)
	}
}

func TestV09_CallbacksUseTheVirtualClock(t *testing.T) {
	loop, clock := onVirtual(t)
	var log []string
	var order []tick.Tick
	var first, second tick.Timer
	var err error
	second, err = loop.Root().AfterFunc(200*ms, func() { log = append(log, "second"); order = append(order, loop.Now()) })
	require.NoError(t, err)
	first, err = loop.Root().AfterFunc(100*ms, func() {
		log = append(log, "first")
		order = append(order, loop.Now())
		before := loop.Time()
		clock.Burn(7 * ms) // what a callback spends is seen at once
		assert.Equal(t, before+7*ms, loop.Time())
		assert.True(t, second.Reset(300*ms))
		_, err := loop.Root().AfterFunc(0, func() { log = append(log, "third"); order = append(order, loop.Now()) })
		assert.NoError(t, err)
		assert.False(t, first.Stop(), "its callback has begun")

		// To drive the loop from a callback is refused, not a deadlock.
		assert.Panics(t, func() { loop.RunDue() })
		assert.Panics(t, func() { loop.Step() })
		assert.Panics(t, func() { _ = loop.Run(context.Background()) })
		assert.ErrorIs(t, loop.Call(context.Background(), func() {}), tick.ErrInTick)
	})
	require.NoError(t, err)
	ticks(loop, clock, 12)
	assert.Equal(t, []string{"first", "third", "second"}, log)
	// 100 ms is tick 2 (the loop was made before tick 0, so tick 0 is "now");
	// 107 ms + 300 ms rounds up to tick 9.
	assert.Equal(t, []tick.Tick{2, 3, 9}, order)
	assert.False(t, first.Stop())
	assert.False(t, second.Reset(time.Second), "a timer that fired is not revived")
}

// Goroutines may post while the clock moves; -race watches.
func TestV09_PostsWhileTheClockMoves(t *testing.T) {
	loop, clock := onVirtual(t)
	const n = 200
	ran, done := 0, make(chan struct{})
	go func() {
		defer close(done)
		for range n {
			assert.NoError(t, loop.Post(func() { ran++ }))
		}
	}()
	ticks(loop, clock, 50)
	<-done
	ticks(loop, clock, 1)
	assert.Equal(t, n, ran)
}

func TestVirtualClock(t *testing.T) {
	var c Virtual
	assert.Zero(t, c.Now())
	c.Sleep(50*ms, nil)
	assert.Equal(t, 50*ms, c.Now())
	c.Sleep(20*ms, nil)
	assert.Equal(t, 50*ms, c.Now(), "never back")
	c.Burn(ms)
	assert.NoError(t, c.Block(context.Background(), ms))
	assert.Equal(t, 52*ms, c.Now())
	assert.Equal(t, time.Date(2000, 1, 1, 0, 0, 0, int(52*ms), time.UTC), c.Wall())
}

// Nearest rank: of n sorted values the one at rank ceil(p*n).
func TestDurationsAreNearestRank(t *testing.T) {
	for _, c := range []struct {
		n    int
		want Quantiles
	}{
		{1, Quantiles{1, 1, 1, 1, 1}},
		{2, Quantiles{1, 2, 2, 2, 2}},
		{10, Quantiles{5, 9, 10, 10, 10}},
		{100, Quantiles{50, 90, 99, 100, 100}},
		{1_000, Quantiles{500, 900, 990, 999, 1_000}},
		{3_000, Quantiles{1_500, 2_700, 2_970, 2_997, 3_000}},
	} {
		var r Recording
		for i := range c.n { // from the longest to the shortest
			r.Ticks = append(r.Ticks, TickRecord{TickInfo: tick.TickInfo{Duration: time.Duration(c.n - i)}})
		}
		assert.Equal(t, c.want, r.Durations(), "%d ticks", c.n)
		assert.Equal(t, 0, r.Worst())
	}
}
