package tick_test

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/tickwheel/tickwheel/tick"
	"github.com/tickwheel/tickwheel/tick/ticktest"
)

// Stop races timers that are due and other goroutines: once it has returned
// nothing starts, everything is refused, nothing is left.
func TestT14_NothingRunsAfterStop(t *testing.T) {
	for range size(30, 1000) {
		l := must(tick.New(tick.Config{Interval: ms}))
		var stopped atomic.Bool
		var late atomic.Int64
		var handles []tick.Timer
		for range size(300, 10_000) {
			handles = append(handles, must(l.Root().AfterFunc(2*ms, func() {
				if stopped.Load() {
					late.Add(1)
				}
			})))
		}
		var g sync.WaitGroup
		g.Go(func() { assert.NoError(t, l.Run(context.Background())) })
		g.Go(func() {
			for l.Post(func() {
				if stopped.Load() {
					late.Add(1)
				}
			}) != tick.ErrStopped {
				continue
			}
		})
		g.Go(func() {
			for l.Now() < 1 {
				continue
			}
			assert.NoError(t, l.Stop(context.Background()))
			stopped.Store(true)
		})
		g.Wait()
		assert.Zero(t, late.Load())
		for i := range handles {
			assert.False(t, handles[i].Stop())
		}
		_, err := l.Root().AfterFunc(0, func() {})
		assert.ErrorIs(t, err, tick.ErrStopped)
		assert.ErrorIs(t, l.Input(1), tick.ErrStopped)
		assert.ErrorIs(t, l.Call(t.Context(), func() {}), tick.ErrStopped)
		assert.ErrorIs(t, tick.Offload(l.Root(), tick.Job[int]{Run: noJob}, nil), tick.ErrStopped)
		assert.False(t, l.Root().Child().Alive())
		assert.Equal(t, tick.Ended, l.Health().Condition)
		assert.Zero(t, l.Stats().Timers)
	}
}

// The end as the guide tells it: the tick in hand is finished, hooks, scopes with
// their hooks, root jobs; nobody's done runs.
func TestStopInOrder(t *testing.T) {
	var log []string
	say := func(s string) { log = append(log, s) }
	l := must(tick.New(tick.Config{}))
	s := l.Root().Child()
	save := func(name string) tick.Job[int] {
		return tick.Job[int]{Run: func(ctx context.Context) (int, error) { say(name); return 0, ctx.Err() }}
	}
	done := func(int, error) { say("done") }
	s.OnClose(func(reason error) {
		assert.Equal(t, tick.ErrStopped, reason)
		say("scope")
		_, err := s.AfterFunc(0, func() {})
		assert.ErrorIs(t, err, tick.ErrStopped)
		assert.NoError(t, tick.Offload(l.Root(), save("last save"), done), "the root takes jobs until the drain")
	})
	l.OnStop(func() {
		say("hook")
		assert.True(t, s.Alive())
		assert.ErrorIs(t, tick.Offload(s, save("owned"), done), tick.ErrStopped)
		assert.ErrorIs(t, l.Stop(t.Context()), tick.ErrInTick)
	})
	must(l.Root().AfterFunc(0, func() {
		assert.ErrorIs(t, l.Stop(t.Context()), tick.ErrInTick)
		_, err := l.Root().AfterFunc(0, func() {})
		assert.ErrorIs(t, err, tick.ErrStopped)
		assert.ErrorIs(t, l.Post(func() {}), tick.ErrStopped)
	}))
	must(l.Root().AfterFunc(0, func() { say("timer of the tick in hand") }))
	l.OnFlush(func() { say("flush") })
	assert.True(t, l.Step())
	assert.Equal(t, []string{"timer of the tick in hand", "flush", "hook", "scope", "last save"}, log)
	assert.False(t, l.Step())
	assert.NoError(t, l.Stop(t.Context()))
	assert.NoError(t, l.Run(t.Context()))
	assert.EqualValues(t, 1, l.Stats().Jobs.Run)
}

func TestT15_StopFromInside(t *testing.T) {
	places := map[string]func(l *tick.Loop, stop func()){
		"timer":  func(l *tick.Loop, stop func()) { must(l.Root().AfterFunc(0, stop)) },
		"post":   func(l *tick.Loop, stop func()) { _ = l.Post(stop) },
		"system": func(l *tick.Loop, stop func()) { l.OnTick(func(time.Duration) { stop() }) },
		"close hook": func(l *tick.Loop, stop func()) {
			s := l.Root().Child()
			s.OnClose(func(error) { stop() })
			must(l.Root().AfterFunc(0, func() { s.Close(nil) }))
		},
		"job": func(l *tick.Loop, stop func()) {
			_ = tick.Offload(l.Root(), tick.Job[int]{Run: func(context.Context) (int, error) { stop(); return 0, nil }}, nil)
		},
	}
	for name, put := range places {
		t.Run(name, func(t *testing.T) {
			l := must(tick.New(tick.Config{Interval: ms}))
			put(l, func() { assert.ErrorIs(t, l.Stop(context.Background()), tick.ErrInTick) })
			assert.NoError(t, l.Run(context.Background()))
			assert.Equal(t, tick.Ended, l.Health().Condition)
		})
	}
}

func TestT16_StopBeforeTwiceAndAtTheSameTime(t *testing.T) {
	t.Run("before", func(t *testing.T) {
		l := must(tick.New(tick.Config{}))
		hooks := 0
		l.OnStop(func() { hooks++ })
		assert.NoError(t, l.Stop(t.Context()))
		assert.NoError(t, l.Stop(t.Context()))
		assert.NoError(t, l.Run(t.Context()), "returns at once")
		assert.False(t, l.Step())
		_, ok := l.RunDue()
		assert.False(t, ok)
		assert.Equal(t, 1, hooks)
		assert.Zero(t, l.Stats().Ticks)
	})
	t.Run("racing Run", func(t *testing.T) {
		for range size(100, 1000) {
			l := must(tick.New(tick.Config{Interval: ms}))
			var hooks atomic.Int32
			l.OnStop(func() { hooks.Add(1) })
			var g sync.WaitGroup
			g.Go(func() { assert.NoError(t, l.Run(context.Background())) })
			for range 3 {
				g.Go(func() { assert.NoError(t, l.Stop(context.Background())) })
			}
			g.Wait()
			assert.EqualValues(t, 1, hooks.Load())
		}
	})
	t.Run("ctx ended before", func(t *testing.T) {
		l := must(tick.New(tick.Config{}))
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		assert.NoError(t, l.Run(ctx))
	})
}

// A callback that does not return can't be killed, but Stop is not held by it.
func TestStopGivesUpOnACallback(t *testing.T) {
	l := must(tick.New(tick.Config{Interval: ms}))
	in, out := make(chan struct{}), make(chan struct{})
	must(l.Root().AfterFunc(0, func() { close(in); <-out }))
	ran := make(chan struct{})
	go func() { defer close(ran); assert.NoError(t, l.Run(context.Background())) }()
	<-in
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	assert.ErrorIs(t, l.Stop(ctx), context.Canceled)
	close(out)
	<-ran
}

// A stuck job holds the end of the loop until its time is up, not longer.
func TestStopGivesUpOnAStuckJob(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := must(tick.New(tick.Config{Workers: 1, StopTimeout: 3 * time.Second}))
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		out := make(chan struct{})
		stuck := tick.Job[int]{Run: func(context.Context) (int, error) { <-out; return 0, nil }}
		assert.NoError(t, tick.Offload(l.Root(), stuck, nil))
		assert.NoError(t, tick.Offload(l.Root(), tick.Job[int]{Run: noJob}, nil))
		began := time.Now()
		assert.NoError(t, l.Run(ctx))
		assert.Equal(t, 4*time.Second, time.Since(began))
		assert.ErrorIs(t, l.Stop(t.Context()), context.DeadlineExceeded)
		assert.ErrorContains(t, l.Stop(t.Context()), "1 jobs running and 1 waiting")
		assert.EqualValues(t, 2, l.Stats().Jobs.Abandoned)
		close(out)
	})
}

// Used before Run, after Stop, and at the same time as Run: queued or refused.
func TestA02_UsedBeforeRun(t *testing.T) {
	l := must(tick.New(tick.Config{Interval: ms}))
	var ran atomic.Int32
	count := func() { ran.Add(1) }
	must(l.Root().AfterFunc(0, count))
	must(l.Root().Child().Every(ms, func(tick.Firing) { count() }))
	assert.NoError(t, l.Post(count))
	assert.NoError(t, tick.Offload(l.Root(), tick.Job[int]{Run: noJob}, func(int, error) { count() }))
	stop := run(t, l)
	var g sync.WaitGroup
	for range 4 {
		g.Go(func() {
			for range 50 {
				assert.NoError(t, l.Call(t.Context(), func() { must(l.Root().AfterFunc(0, count)) }))
			}
		})
	}
	g.Wait()
	for ran.Load() < 204 { // the last ones are due in the next tick
		assert.NoError(t, l.Call(t.Context(), func() {}))
	}
	stop()
	_, err := l.Root().AfterFunc(0, count)
	assert.ErrorIs(t, err, tick.ErrStopped)
}

// Loops come and go without a trace.
func TestA09_ALoopThatIsDroppedLeavesNothing(t *testing.T) {
	for range 100 {
		l := must(tick.New(tick.Config{NearTicks: 64, ChunkBlocks: 4}))
		must(l.Root().AfterFunc(time.Hour, func() {}))
		l.Step()
	}
	l := ticktest.New(t, tick.Config{})
	once, often := 0, 0
	must(l.Root().AfterFunc(interval, func() { once++ }))
	must(l.Root().Every(interval, func(tick.Firing) { often++ }))
	ticktest.Steps(l, 5)
	assert.Equal(t, []int{1, 5}, []int{once, often}, "AfterFunc is one shot, Every repeats")
}
