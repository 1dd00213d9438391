package tick_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/tickwheel/tickwheel/tick"
	"github.com/tickwheel/tickwheel/tick/ticktest"
)

func TestPeriodsKeepTheirNanoseconds(t *testing.T) {
	tests := []struct {
		name string
		sp   tick.Spec
		want []tick.Tick
	}{
		{"70 ms at 50 ms", tick.Spec{Every: 70 * ms}, []tick.Tick{2, 3, 5, 6, 7, 9, 10, 12, 13, 14}},
		{"one tick", tick.Spec{Every: interval}, []tick.Tick{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14}},
		{"at once, then 100 ms", tick.Spec{After: 1, Every: 100 * ms}, []tick.Tick{1, 3, 5, 7, 9, 11, 13}},
		{"first at a tick", tick.Spec{At: 4, Every: 100 * ms}, []tick.Tick{4, 6, 8, 10, 12, 14}},
		{"fixed delay rounds each run up", tick.Spec{Every: 70 * ms, Delay: true}, []tick.Tick{2, 4, 6, 8, 10, 12, 14}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			l := ticktest.New(t, tick.Config{})
			var at []tick.Tick
			must(l.Root().Schedule(tt.sp, func(f tick.Firing) { at = append(at, f.Tick) }))
			ticktest.Steps(l, 14)
			assert.Equal(t, tt.want, at)
		})
	}
}

// In real time, too, a period drifts by nothing, whenever in a tick it began.
func TestPeriodsDoNotDrift(t *testing.T) {
	l, clock := paced(t, tick.Config{})
	var first time.Duration
	runs := 0
	must(l.Root().AfterFunc(interval, func() {
		clock.Advance(33 * ms)
		asked := l.Time()
		must(l.Root().Every(70*ms, func(f tick.Firing) {
			runs++
			at := time.Duration(f.Tick) * interval
			ideal := asked + time.Duration(runs)*70*ms
			assert.GreaterOrEqual(t, at, ideal)
			assert.Less(t, at, ideal+interval)
			if first == 0 {
				first = at
			}
		}))
	}))
	ticktest.Drive(l, clock, time.Minute)
	assert.InDelta(t, 60_000/70, runs, 2)
}

func TestP17_PeriodsBelowATickAreErrors(t *testing.T) {
	l := ticktest.New(t, tick.Config{})
	for _, d := range []time.Duration{0, -1, 1, interval / 3, interval - 1} {
		_, err := l.Root().Every(d, func(tick.Firing) {})
		assert.ErrorIs(t, err, tick.ErrPeriod, "%v", d)
		assert.ErrorContains(t, err, d.String())
	}
	_, err := tick.OffloadEvery(l.Root(), tick.Spec{}, tick.Skip, func(tick.Firing) tick.Job[int] { return tick.Job[int]{Run: noJob} }, nil)
	assert.ErrorIs(t, err, tick.ErrPeriod)
	assert.Zero(t, l.Timers())
	must(l.Root().Every(interval, func(tick.Firing) {}))
}

// In run 3: stop; move; stop and begin again. The last instruction wins, and one
// chain goes on.
func TestP18_ChangesFromInsideTheRun(t *testing.T) {
	tests := []struct {
		name string
		do   func(s *tick.Scope, tm *tick.Timer, f func(tick.Firing))
		want []tick.Tick
	}{
		{"stop", func(_ *tick.Scope, tm *tick.Timer, _ func(tick.Firing)) { tm.Stop() }, []tick.Tick{2, 4, 6}},
		{"move", func(_ *tick.Scope, tm *tick.Timer, _ func(tick.Firing)) { tm.Reset(3 * interval) }, []tick.Tick{2, 4, 6, 9, 11, 13}},
		{"another period", func(s *tick.Scope, tm *tick.Timer, f func(tick.Firing)) {
			tm.Stop()
			*tm = must(s.Every(4*interval, f))
		}, []tick.Tick{2, 4, 6, 10, 14}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			l := ticktest.New(t, tick.Config{})
			var at []tick.Tick
			var tm tick.Timer
			var f func(tick.Firing)
			f = func(fi tick.Firing) {
				if at = append(at, fi.Tick); len(at) == 3 {
					tt.do(l.Root(), &tm, f)
				}
			}
			tm = must(l.Root().Every(2*interval, f))
			ticktest.Steps(l, 14)
			assert.Equal(t, tt.want, at)
			assert.LessOrEqual(t, l.Timers(), 1)
		})
	}
}

// Started twice while pending, and once more from a late completion: one chain.
func TestP19_StartingTwiceMakesOneChain(t *testing.T) {
	l := ticktest.New(t, tick.Config{})
	monster := l.Root().Child()
	runs := 0
	regen := func() {
		assert.NoError(t, monster.Keyed("regen", tick.Spec{Every: interval}, func(tick.Firing) { runs++ }))
	}
	regen()
	regen()
	assert.NoError(t, tick.Offload(monster, tick.Job[int]{Run: noJob}, func(int, error) { regen() }))
	ticktest.Steps(l, 10)
	assert.Equal(t, 1, monster.Len())
	// Ticks 1 and 3 to 10: the completion in tick 2 began the period anew.
	assert.Equal(t, 9, runs)
}

// A backlog runs one call with the rest in Missed, never a call a period.
func TestP20_MissedRunsAreCounted(t *testing.T) {
	l := ticktest.New(t, tick.Config{Budget: 1})
	for range 1000 { // urgent work that takes every tick's budget
		must(l.Root().Schedule(tick.Spec{At: 1, Lane: tick.Urgent}, func(tick.Firing) {}))
	}
	healed, calls := int64(0), 0
	must(l.Root().Schedule(tick.Spec{Every: interval, Lane: tick.Bulk}, func(f tick.Firing) {
		calls++
		healed += 1 + f.Missed
	}))
	ticktest.Steps(l, 1000)
	assert.Less(t, calls, 200)
	assert.InDelta(t, 1000, healed, 10, "heal by amount*(1+Missed) comes out right")
}

// After a stall of the wall clock no period is run twice to catch up.
func TestP20_AStallMovesPeriodsNotRuns(t *testing.T) {
	l, clock := paced(t, tick.Config{})
	runs := 0
	must(l.Root().Every(interval, func(f tick.Firing) { runs++; assert.Zero(t, f.Missed) }))
	ticktest.Drive(l, clock, 10*interval)
	clock.Advance(1000 * interval)
	ticktest.Drive(l, clock, 10*interval)
	assert.Equal(t, l.Now(), tick.Tick(runs))
	assert.Less(t, runs, 30)
}

// Zero-delay re-arming runs once a tick, and the loop still comes to its end.
func TestT09_ZeroDelayReArmIsOncePerTick(t *testing.T) {
	l := ticktest.New(t, tick.Config{})
	var runs [3]int
	var a, b, c func()
	a = func() { runs[0]++; must(l.Root().AfterFunc(0, a)) }
	b = func() { runs[1]++; must(l.Root().AfterFunc(0, c)) }
	c = func() { runs[2]++; must(l.Root().AfterFunc(0, b)) }
	a()
	b()
	runs = [3]int{}
	ticktest.Steps(l, 1000)
	assert.Equal(t, [3]int{1000, 500, 500}, runs)
	assert.NoError(t, l.Stop(t.Context()))
}

// A job of 10 s each second for a minute: whatever the policy, nothing piles up.
func TestP15_RunsDoNotPileUp(t *testing.T) {
	tests := []struct {
		name         string
		o            tick.Overlap
		ran, skipped int
		most         int
	}{
		{"skip", tick.Skip, 6, 54, 1},
		{"queue one", tick.QueueOne, 6, 53, 1},
		{"parallel 3", tick.Parallel(3), 18, 42, 3},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			x := &heldJobs{length: 10 * time.Second}
			l := ticktest.New(t, tick.Config{Executor: x, Queue: 100, Workers: 8})
			done := 0
			tm := must(tick.OffloadEvery(l.Root(), tick.Spec{Every: time.Second}, tt.o,
				func(tick.Firing) tick.Job[int] { return tick.Job[int]{Run: noJob} },
				func(int, error) { done++ }))
			ticktest.Steps(l, 60*20)
			assert.Equal(t, tt.most, x.most)
			assert.InDelta(t, tt.ran, x.ran, 1)
			assert.InDelta(t, tt.skipped, float64(l.Stats().Jobs.Skipped), float64(tt.most))
			assert.True(t, tm.Stop())
			before := x.ran
			ticktest.Steps(l, 30*20)
			assert.Equal(t, before, x.ran, "no run after Stop, also not the one that waited")
		})
	}
	assert.Panics(t, func() { tick.Parallel(0) })
}

// The guard holds no goroutine and no memory however many runs it leaves out.
func TestP16_TheOverlapGuardDoesNotLeak(t *testing.T) {
	n := size(10_000, 100_000)
	x := &heldJobs{length: time.Duration(n) * interval}
	l := ticktest.New(t, tick.Config{Executor: x, OnPanic: quiet})
	s := l.Root().Child()
	must(tick.OffloadEvery(s, tick.Spec{Every: interval}, tick.Skip,
		func(tick.Firing) tick.Job[int] {
			return tick.Job[int]{Run: func(context.Context) (int, error) { panic("x") }}
		},
		func(int, error) { panic("done panics as well") }))
	ticktest.Steps(l, n)
	st := l.Stats()
	assert.Equal(t, 1, x.ran)
	assert.EqualValues(t, n-1, st.Jobs.Skipped)
	assert.Equal(t, 1, st.Last.Jobs)
	assert.Equal(t, 1, s.Len())
	x.length = 0
	ticktest.Steps(l, 100)
	assert.Greater(t, x.ran, 90, "a panic in the job or in done does not jam the guard")
	s.Close(nil)
	ticktest.Steps(l, 2)
	assert.Zero(t, l.Stats().Last.Jobs)
}

func TestOffloadEveryTellsAboutAFullQueue(t *testing.T) {
	x := &heldJobs{length: time.Hour}
	l := ticktest.New(t, tick.Config{Executor: x, Queue: 1, Workers: 1, WhenFull: tick.Reject})
	for range 2 {
		assert.NoError(t, tick.Offload(l.Root(), tick.Job[int]{Run: noJob}, nil))
	}
	var got []error
	must(tick.OffloadEvery(l.Root(), tick.Spec{Every: interval}, tick.Skip,
		func(tick.Firing) tick.Job[int] { return tick.Job[int]{Run: noJob} },
		func(_ int, err error) { got = append(got, err) }))
	ticktest.Steps(l, 3)
	if assert.Len(t, got, 3) {
		assert.ErrorIs(t, got[0], tick.ErrQueueFull)
	}
}

// A run that waits for the one before it is made right behind that one's result. If
// neither function returns, the loop hears of both.
func TestPanicsOfAResultAndOfTheRunBehindItAreBothTold(t *testing.T) {
	var told []any
	l := ticktest.New(t, tick.Config{
		Executor: &heldJobs{length: 2 * interval}, OnPanic: func(p tick.PanicInfo) { told = append(told, p.Value) },
	})
	made := 0
	must(tick.OffloadEvery(l.Root(), tick.Spec{Every: interval}, tick.QueueOne,
		func(tick.Firing) tick.Job[int] {
			if made++; made == 2 {
				panic("next")
			}
			return tick.Job[int]{Run: noJob}
		},
		func(int, error) {
			if made == 1 {
				panic("done")
			}
		}))
	ticktest.Steps(l, 5)
	assert.Equal(t, []any{"done", "next"}, told)
	assert.Equal(t, uint64(2), l.Stats().Panics)
	ticktest.Steps(l, 5)
	assert.Greater(t, made, 3, "the job goes on")
}
