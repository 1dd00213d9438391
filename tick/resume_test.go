package tick_test

import (
	"context"
	"fmt"
	"log/slog"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"

	"github.com/tickwheel/tickwheel/tick"
)

// Callbacks in every phase return, panic, or exit their goroutine at random: each
// runs once, in the order of a run in which all return.
func TestATickGoesOnBehindACallbackThatDoesNotReturn(t *testing.T) {
	type end int
	const (
		returns end = iota
		panics
		exits
	)
	world := func(ends []end) (log []string, ticks uint64) {
		l := must(tick.New(tick.Config{Budget: 3, OnPanic: quiet}))
		n := 0
		f := func(name string) func() {
			e := ends[n%len(ends)]
			n++
			return func() {
				log = append(log, fmt.Sprint(l.Now(), name))
				switch e {
				case panics:
					panic(name)
				case exits:
					runtime.Goexit()
				}
			}
		}
		for i := range 4 {
			_ = l.Post(f(fmt.Sprint("post", i)))
			in := f(fmt.Sprint("input", i))
			l.OnInput(func(any) { in() })
			sys := f(fmt.Sprint("system", i))
			l.OnTick(func(time.Duration) { sys() })
			l.OnFlush(f(fmt.Sprint("flush", i)))
			l.OnStop(f(fmt.Sprint("stop", i)))
			must(l.Root().AfterFunc(0, f(fmt.Sprint("timer", i))))
			every := f(fmt.Sprint("every", i))
			must(l.Root().Schedule(tick.Spec{Every: interval, Lane: tick.Urgent}, func(tick.Firing) { every() }))
			body, done := f(fmt.Sprint("job", i)), f(fmt.Sprint("done", i))
			_ = tick.Offload(l.Root(), tick.Job[int]{Run: func(context.Context) (int, error) { body(); return 0, nil }},
				func(int, error) { done() })
			s := l.Root().Child()
			s.OnClose(func(error) { log = append(log, fmt.Sprint("close", i)) })
		}
		_ = l.Input(1)
		_ = l.Input(2)
		// Each call on a goroutine of its own, since it may be ended.
		alone := func(f func()) {
			var g sync.WaitGroup
			g.Add(1)
			go func() { defer g.Done(); f() }()
			g.Wait()
		}
		for l.Now() < 4 {
			alone(func() { l.Step() })
		}
		for l.Health().Condition != tick.Ended {
			alone(func() { _ = l.Stop(context.Background()) })
		}
		return log, l.Stats().Ticks
	}
	want, _ := world([]end{returns})
	rapid.Check(t, func(rt *rapid.T) {
		ends := rapid.SliceOfN(rapid.SampledFrom([]end{returns, panics, exits}), 1, 40).Draw(rt, "ends")
		got, ticks := world(ends)
		if !assert.Equal(rt, want, got) {
			rt.FailNow()
		}
		assert.EqualValues(rt, 4, ticks)
	})
}

// Many goroutines post, offload and close while the loop runs and stops: every
// job that was accepted is accounted for, nothing is counted twice.
func TestJobsAreAccountedForUnderRun(t *testing.T) {
	for range size(20, 500) {
		l := must(tick.New(tick.Config{Interval: ms, Queue: 64, Workers: 3, OnPanic: quiet, Logger: slog.New(slog.DiscardHandler)}))
		stop := run(t, l)
		var g sync.WaitGroup
		accepted, dones := 0, 0 // of the tick goroutine
		for i := range 4 {
			g.Go(func() {
				for k := range 100 {
					_ = l.Post(func() {
						s := l.Root().Child()
						err := tick.Offload(s, tick.Job[int]{Key: fmt.Sprint(k % 5), Run: func(ctx context.Context) (int, error) {
							switch (i + k) % 9 {
							case 0:
								panic("job")
							case 1:
								runtime.Goexit()
							}
							return 0, ctx.Err()
						}}, func(int, error) { dones++ })
						if err == nil {
							accepted++
						}
						if k%3 == 0 {
							s.Close(nil)
						}
					})
				}
			})
		}
		g.Wait()
		stop()
		j := l.Stats().Jobs
		assert.EqualValues(t, accepted, j.Run+j.DroppedDead-j.Stale)
		assert.Equal(t, j.Run, j.Done+j.Failed+j.TimedOut+j.Panicked+j.Exited)
		assert.LessOrEqual(t, uint64(dones), j.Run-j.Stale)
		assert.Zero(t, j.Abandoned+uint64(j.Waiting+j.Running))
	}
}
