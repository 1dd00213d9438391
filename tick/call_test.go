package tick_test

import (
	"context"
	"errors"
	"log/slog"
	"runtime"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/tickwheel/tickwheel/tick"
)

// run starts l under Run and returns a function that stops it.
func run(t *testing.T, l *tick.Loop) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() { defer close(done); assert.NoError(t, l.Run(ctx)) }()
	return func() { cancel(); <-done }
}

func TestCallRunsOnTheTickGoroutineAndWaits(t *testing.T) {
	l := must(tick.New(tick.Config{Interval: ms, OnPanic: quiet, Logger: slog.New(slog.DiscardHandler)}))
	stop := run(t, l)
	state := 0 // touched on the tick goroutine only
	var g sync.WaitGroup
	for range 8 {
		g.Go(func() {
			for range 20 {
				assert.NoError(t, l.Call(t.Context(), func() { state++ }))
			}
		})
	}
	g.Wait()
	var got int
	assert.NoError(t, l.Call(t.Context(), func() { got = state }))
	assert.Equal(t, 160, got)

	boom := errors.New("boom")
	assert.ErrorIs(t, l.Call(t.Context(), func() { panic(boom) }), boom)
	var p *tick.PanicError
	assert.ErrorAs(t, l.Call(t.Context(), func() { runtime.Goexit() }), &p)
	assert.True(t, p.Goexit)
	stop()
	assert.ErrorIs(t, l.Call(t.Context(), func() {}), tick.ErrStopped)
}

// If Call returns an error of its own, f has not run and never will.
func TestCallGivesUpForGood(t *testing.T) {
	l := must(tick.New(tick.Config{})) // nobody drives it yet
	why := errors.New("why")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(why)
	ran := false
	assert.ErrorIs(t, l.Call(ctx, func() { ran = true }), why)
	l.Step()
	assert.False(t, ran)

	waits := make(chan error)
	go func() { waits <- l.Call(context.Background(), func() { ran = true }) }()
	for l.Stats().InboxDepth == 0 {
		runtime.Gosched()
	}
	assert.NoError(t, l.Stop(t.Context()))
	assert.ErrorIs(t, <-waits, tick.ErrStopped)
	assert.False(t, ran)
}

// From a callback or a job, of this loop or another, Call would wait for itself.
func TestCallFromInsideIsRefused(t *testing.T) {
	l, other := must(tick.New(tick.Config{})), must(tick.New(tick.Config{}))
	refused := func() {
		assert.ErrorIs(t, l.Call(t.Context(), func() {}), tick.ErrInTick)
		assert.ErrorIs(t, other.Call(t.Context(), func() {}), tick.ErrInTick)
	}
	must(l.Root().AfterFunc(0, refused))
	assert.NoError(t, tick.Offload(l.Root(), tick.Job[int]{Run: func(context.Context) (int, error) { refused(); return 0, nil }}, nil))
	deep := func(n int, f func()) { f() }
	deep = func(n int, f func()) {
		if n == 0 {
			f()
			return
		}
		func() { deep(n-1, f) }()
	}
	must(l.Root().AfterFunc(0, func() { deep(200, refused) }))
	l.Step()
	assert.NoError(t, l.Stop(t.Context()))
	assert.NoError(t, other.Stop(t.Context()))
}

// Cancel right behind schedule, from outside: both travel by the inbox, in order.
func TestW24_ScheduleAndCancelFromOutside(t *testing.T) {
	l := must(tick.New(tick.Config{Interval: ms}))
	stop := run(t, l)
	var g sync.WaitGroup
	for range 4 {
		g.Go(func() {
			for range size(1_000, 25_000) {
				var tm tick.Timer
				for l.Post(func() { tm = must(l.Root().AfterFunc(60*ms, func() { t.Error("fired") })) }) != nil {
					runtime.Gosched()
				}
				for l.Post(func() { assert.True(t, tm.Stop()) }) != nil {
					runtime.Gosched()
				}
			}
		})
	}
	g.Wait()
	var left int
	assert.NoError(t, l.Call(t.Context(), func() { left = l.Timers() }))
	assert.Zero(t, left)
	stop()
	assert.Zero(t, l.Stats().InboxDepth)
}

// Foreign goroutines cancel by Post at the very tick of firing: every timer
// either ran or was stopped, never both, never neither.
func TestS08_StopTellsWhetherTheCallbackRan(t *testing.T) {
	l := must(tick.New(tick.Config{Interval: ms}))
	stop := run(t, l)
	n := size(20_000, 1_000_000)
	ran, stopped := 0, 0 // of the tick goroutine
	var g sync.WaitGroup
	for range 4 {
		g.Go(func() {
			for range n / 4 {
				var tm tick.Timer
				did := false
				for l.Post(func() { tm = must(l.Root().AfterFunc(ms, func() { ran++; did = true })) }) != nil {
					runtime.Gosched()
				}
				for l.Post(func() {
					was := did
					if tm.Stop() {
						stopped++
						assert.False(t, was)
					} else {
						assert.True(t, was)
					}
				}) != nil {
					runtime.Gosched()
				}
			}
		})
	}
	g.Wait()
	for range 3 {
		assert.NoError(t, l.Call(t.Context(), func() {}))
	}
	stop()
	assert.Equal(t, n, ran+stopped)
}
