package tick_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/tickwheel/tickwheel/tick"
	"github.com/tickwheel/tickwheel/tick/ticktest"
)

func noJob(context.Context) (int, error) { return 0, nil }

// heldJobs is an executor in the time of the loop: a job begins when it is ready
// and is delivered at the first tick that begins length later.
type heldJobs struct {
	length    time.Duration
	q         *tick.JobQueue
	held      []heldJob
	ran, most int
}

type heldJob struct {
	t     *tick.Task
	until time.Duration
}

func (x *heldJobs) Bind(q *tick.JobQueue) { x.q = q }
func (x *heldJobs) End(time.Duration)     {}

func (x *heldJobs) Ready(now time.Duration) {
	for t := x.q.Take(); t != nil; t = x.q.Take() {
		t.Run()
		x.ran++
		x.held = append(x.held, heldJob{t, now + x.length})
		x.most = max(x.most, len(x.held))
	}
}

func (x *heldJobs) Begin(now time.Duration) {
	rest := x.held[:0:0]
	for _, h := range x.held {
		if h.until > now && x.length > 0 {
			rest = append(rest, h)
			continue
		}
		h.t.Deliver()
	}
	x.held = append(rest, x.held[len(x.held):]...)
}

func (x *heldJobs) Drain(context.Context) {
	for len(x.held) > 0 {
		h := x.held[0]
		x.held = x.held[1:]
		h.t.Deliver()
	}
}

// onGoroutines returns a loop to Step, begun, whose jobs run on n goroutines.
func onGoroutines(t *testing.T, n int, c tick.Config) *tick.Loop {
	c.Executor, c.Workers = tick.Goroutines(n), n
	l := ticktest.New(t, c)
	l.Step() // jobs wait for the first tick
	return l
}

// until steps l, without a pause, until done reports true.
func until(l *tick.Loop, done func() bool) {
	for !done() {
		l.Step()
		runtime.Gosched()
	}
}

func TestK01_PanickingJobsDoNotUseUpTheWorkers(t *testing.T) {
	l := onGoroutines(t, 1, tick.Config{OnPanic: quiet})
	var failed, done int
	for range 5 {
		assert.NoError(t, tick.Offload(l.Root(), tick.Job[int]{Run: func(context.Context) (int, error) { panic("x") }},
			func(_ int, err error) {
				var p *tick.PanicError
				assert.ErrorAs(t, err, &p)
				failed++
			}))
	}
	assert.NoError(t, tick.Offload(l.Root(), tick.Job[string]{Run: func(context.Context) (string, error) { return "ok", nil }},
		func(s string, err error) { assert.Equal(t, "ok", s); done++ }))
	until(l, func() bool { return done == 1 })
	assert.Equal(t, 5, failed)
	assert.EqualValues(t, 5, l.Stats().Panics)
}

func TestK02_GoexitInAJob(t *testing.T) {
	l := onGoroutines(t, 1, tick.Config{})
	var exited, done int
	exit := tick.Job[int]{Key: "k", Run: func(context.Context) (int, error) { runtime.Goexit(); return 0, nil }}
	for range 3 {
		assert.NoError(t, tick.Offload(l.Root(), exit, func(_ int, err error) {
			var p *tick.PanicError
			assert.ErrorAs(t, err, &p)
			assert.True(t, p.Goexit)
			exited++
		}))
	}
	assert.NoError(t, tick.Offload(l.Root(), tick.Job[int]{Key: "k", Run: noJob}, func(int, error) { done++ }))
	until(l, func() bool { return done == 1 })
	assert.Equal(t, 3, exited)
	assert.EqualValues(t, 3, l.Stats().Jobs.Exited)
	for range 3 {
		assert.NoError(t, tick.Offload(l.Root(), exit, nil))
	}
	assert.NoError(t, l.Stop(t.Context()))
	assert.Zero(t, l.Stats().Jobs.Abandoned)
}

// Queue 8, workers that sleep, 1000 calls in a tick: nobody waits, and what does
// not fit is said, or kept.
func TestK03_AFullQueueDoesNotBlock(t *testing.T) {
	for _, keep := range []bool{false, true} {
		t.Run(fmt.Sprint("keep ", keep), func(t *testing.T) {
			c := tick.Config{Queue: 8, WhenFull: tick.Reject}
			if keep {
				c.WhenFull, c.Keep = tick.Keep, 100
			}
			l := onGoroutines(t, 2, c)
			wake := make(chan struct{})
			var order []int
			full := 0
			must(l.Root().AfterFunc(0, func() {
				for i := range 1000 {
					err := tick.Offload(l.Root(), tick.Job[int]{Run: func(context.Context) (int, error) { <-wake; return i, nil }},
						func(i int, _ error) { order = append(order, i) })
					if err != nil {
						assert.ErrorIs(t, err, tick.ErrQueueFull)
						full++
					}
				}
			}))
			l.Step()
			s := l.Stats()
			accepted := 8 + 2
			if keep {
				accepted += 100
				assert.EqualValues(t, 100, s.Jobs.Kept)
			}
			assert.Equal(t, 1000-accepted, full)
			assert.EqualValues(t, full, s.Jobs.Rejected)
			close(wake)
			until(l, func() bool { return len(order) == accepted })
			seen := map[int]bool{}
			for _, i := range order {
				seen[i] = true
			}
			assert.Len(t, seen, accepted)
			assert.EqualValues(t, accepted, l.Stats().Jobs.Done)
		})
	}
}

// Logout while the job is queued, running, or finished and not applied; then the
// same name logs in again, which gets nothing of it.
func TestK04_AJobOfAnEndedSession(t *testing.T) {
	why := errors.New("logout")
	t.Run("queued", func(t *testing.T) {
		l := onGoroutines(t, 1, tick.Config{})
		s := l.Root().Child()
		hold := make(chan struct{})
		assert.NoError(t, tick.Offload(l.Root(), tick.Job[int]{Run: func(context.Context) (int, error) { <-hold; return 0, nil }}, nil))
		assert.NoError(t, tick.Offload(s, tick.Job[int]{Run: func(context.Context) (int, error) { t.Error("ran"); return 0, nil }},
			func(int, error) { t.Error("done") }))
		s.Close(why)
		close(hold)
		until(l, func() bool { return l.Stats().Jobs.DroppedDead == 1 })
	})
	t.Run("running", func(t *testing.T) {
		l := onGoroutines(t, 1, tick.Config{})
		s := l.Root().Child()
		began := make(chan struct{})
		var cause atomic.Value
		assert.NoError(t, tick.Offload(s, tick.Job[int]{Run: func(ctx context.Context) (int, error) {
			close(began)
			<-ctx.Done()
			cause.Store(context.Cause(ctx))
			return 0, ctx.Err()
		}}, func(int, error) { t.Error("done") }))
		<-began
		s.Close(why)
		until(l, func() bool { return l.Stats().Jobs.DroppedDead == 1 })
		assert.Equal(t, why, cause.Load())
	})
	t.Run("finished", func(t *testing.T) {
		var outcomes []tick.Outcome
		l := ticktest.New(t, tick.Config{Observer: &tick.Observer{Job: func(j tick.JobInfo) { outcomes = append(outcomes, j.Outcome) }}})
		s := l.Root().Child()
		ran := false
		assert.NoError(t, tick.Offload(s, tick.Job[int]{Run: func(context.Context) (int, error) { ran = true; return 0, nil }},
			func(int, error) { t.Error("done") }))
		l.Step() // inline: it has run at the end of this tick
		assert.True(t, ran)
		s.Close(why)
		again := l.Root().Child()
		l.Step()
		assert.Equal(t, []tick.Outcome{tick.JobStale}, outcomes)
		assert.True(t, again.Alive())
		assert.ErrorIs(t, tick.Offload(s, tick.Job[int]{Run: noJob}, nil), tick.ErrClosed)
	})
}

// The last save belongs to the root under the player's key: behind the older
// save that runs, and not lost with the session.
func TestOwnerIsNotKey(t *testing.T) {
	l := onGoroutines(t, 4, tick.Config{})
	s := l.Root().Child()
	hold, began := make(chan struct{}), make(chan struct{})
	var mu sync.Mutex
	var log []string
	save := func(name string) tick.Job[int] {
		return tick.Job[int]{Key: "player/ann", Run: func(context.Context) (int, error) {
			if name == "autosave" {
				close(began)
				<-hold
			}
			mu.Lock()
			defer mu.Unlock()
			log = append(log, name)
			return 0, nil
		}}
	}
	finished := false
	assert.NoError(t, tick.Offload(s, save("autosave"), func(int, error) { t.Error("done of an ended session") }))
	<-began
	s.Close(nil)
	assert.NoError(t, tick.Offload(l.Root(), save("last save"), func(int, error) { finished = true }))
	l.Step()
	close(hold)
	until(l, func() bool { return finished })
	assert.Equal(t, []string{"autosave", "last save"}, log)
}

// Of one key one job at a time, in order; of different keys as many as there are
// workers, never more.
func TestK07_TheLimitHoldsForAllJobs(t *testing.T) {
	l := onGoroutines(t, 2, tick.Config{Queue: 4096})
	var running, most, keyed atomic.Int64
	var mu sync.Mutex
	order := map[string][]int{}
	work := func(key string, i int) tick.Job[int] {
		return tick.Job[int]{Key: key, Run: func(context.Context) (int, error) {
			n := running.Add(1)
			defer running.Add(-1)
			for m := most.Load(); n > m && !most.CompareAndSwap(m, n); m = most.Load() {
			}
			if key != "" {
				mu.Lock()
				order[key] = append(order[key], i)
				mu.Unlock()
			}
			keyed.Add(1)
			runtime.Gosched()
			return 0, nil
		}}
	}
	must(tick.OffloadEvery(l.Root(), tick.Spec{Every: interval}, tick.Parallel(5),
		func(tick.Firing) tick.Job[int] { return work("", 0) }, nil))
	n := size(500, 20_000)
	done := 0
	for i := range n {
		for _, key := range []string{"", "a", "b"} {
			for tick.Offload(l.Root(), work(key, i), func(int, error) { done++ }) != nil {
				l.Step()
			}
		}
	}
	until(l, func() bool { return done == 3*n })
	assert.LessOrEqual(t, most.Load(), int64(2))
	for _, key := range []string{"a", "b"} {
		assert.Len(t, order[key], n)
		for i, v := range order[key] {
			assert.Equal(t, i, v)
		}
	}
}

// Stop while jobs are delivering, many times: goleak looks at what is left.
func TestK05_NothingIsLeftBehind(t *testing.T) {
	for range size(100, 1000) {
		l := onGoroutines(t, 4, tick.Config{})
		s := l.Root().Child()
		var ran atomic.Int64
		for i := range 20 {
			o := l.Root()
			if i%2 == 0 {
				o = s
			}
			assert.NoError(t, tick.Offload(o, tick.Job[int]{Key: fmt.Sprint(i % 3), Run: func(context.Context) (int, error) {
				ran.Add(1)
				return 0, nil
			}}, func(int, error) {}))
		}
		l.Step()
		assert.NoError(t, l.Stop(t.Context()))
		st := l.Stats().Jobs
		assert.EqualValues(t, ran.Load(), st.Run)
		assert.GreaterOrEqual(t, ran.Load(), int64(10), "root jobs run to the end")
		assert.EqualValues(t, 20, st.Run+st.DroppedDead-st.Stale)
		assert.Equal(t, st.Run, st.Done)
	}
}

func TestJobTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := must(tick.New(tick.Config{}))
		ctx, cancel := context.WithCancel(t.Context())
		var got error
		var at time.Duration
		j := tick.Job[int]{Timeout: 3 * time.Second, Run: func(ctx context.Context) (int, error) {
			<-ctx.Done()
			return 0, ctx.Err()
		}}
		assert.NoError(t, tick.Offload(l.Root(), j, func(_ int, err error) { got, at = err, l.Time(); cancel() }))
		assert.NoError(t, l.Run(ctx))
		assert.ErrorIs(t, got, context.DeadlineExceeded)
		assert.InDelta(t, 3.0, at.Seconds(), 0.11)
		assert.EqualValues(t, 1, l.Stats().Jobs.TimedOut)
	})
}

// A stuck job shows by the age of the oldest one running.
func TestAStuckJobIsVisible(t *testing.T) {
	l := onGoroutines(t, 2, tick.Config{})
	began, out := make(chan struct{}), make(chan struct{})
	finished := false
	assert.NoError(t, tick.Offload(l.Root(), tick.Job[int]{Run: func(context.Context) (int, error) {
		close(began)
		<-out
		return 0, nil
	}}, func(int, error) { finished = true }))
	<-began
	ticktest.Steps(l, 100)
	s := l.Stats().Jobs
	assert.Equal(t, 1, s.Running)
	assert.Equal(t, 100*interval, s.OldestAge)
	close(out)
	until(l, func() bool { return finished })
	assert.Zero(t, l.Stats().Jobs.OldestAge)
}

// Results come in order of completion, before posts, in the tick after.
func TestResultsOfInlineJobs(t *testing.T) {
	l := ticktest.New(t, tick.Config{})
	var log []string
	for i := range 3 {
		assert.NoError(t, tick.Offload(l.Root(), tick.Job[int]{Run: func(context.Context) (int, error) {
			log = append(log, fmt.Sprint("run ", i))
			return i, errors.New("e")
		}}, func(i int, err error) { log = append(log, fmt.Sprint("done ", i, err)) }))
	}
	l.Step()
	assert.Equal(t, []string{"run 0", "run 1", "run 2"}, log)
	log = nil
	l.Step()
	assert.Equal(t, []string{"done 0 e", "done 1 e", "done 2 e"}, log)
	assert.EqualValues(t, 3, l.Stats().Jobs.Failed)
}
