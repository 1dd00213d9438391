package tick_test

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/tickwheel/tickwheel/tick"
	"github.com/tickwheel/tickwheel/tick/ticktest"
)

// The four phases run in order; what a callback adds waits for a later tick.
func TestATickIsFourPhasesInOrder(t *testing.T) {
	l := ticktest.New(t, tick.Config{})
	var log []string
	say := func(s string) { log = append(log, s) }
	l.OnTick(func(time.Duration) { say("system 1") })
	l.OnTick(func(time.Duration) { say("system 2") })
	l.OnFlush(func() { say("flush") })
	l.OnInput(func(v any) { say("input " + v.(string)) })
	must(l.Root().AfterFunc(interval, func() {
		say("timer")
		assert.NoError(t, l.Post(func() { say("post of the timer") }))
		must(l.Root().AfterFunc(0, func() { say("timer of the timer") }))
	}))
	assert.NoError(t, l.Post(func() {
		say("post")
		assert.NoError(t, l.Post(func() { say("post of the post") }))
	}))
	assert.NoError(t, l.Input("a"))
	job := tick.Job[int]{Run: noJob}
	assert.NoError(t, tick.Offload(l.Root(), job, func(int, error) { say("result") }))
	l.Step()
	log = append(log, "|")
	l.Step()
	assert.Equal(t, []string{
		"post", "input a", "timer", "system 1", "system 2", "flush", "|",
		"result", "post of the post", "post of the timer", "timer of the timer", "system 1", "system 2", "flush",
	}, log)
}

// Input of a tick beats a timer of that tick.
func TestInputBeatsTheTimerOfItsTick(t *testing.T) {
	l := ticktest.New(t, tick.Config{})
	kicked := false
	idle := must(l.Root().AfterFunc(5*interval, func() { kicked = true }))
	ticktest.Steps(l, 4)
	assert.NoError(t, l.Post(func() { assert.True(t, idle.Reset(5*interval)) }))
	ticktest.Steps(l, 5)
	assert.False(t, kicked)
	l.Step()
	assert.True(t, kicked)
}

func TestInputGoesToEveryHandler(t *testing.T) {
	l := ticktest.New(t, tick.Config{})
	assert.NoError(t, l.Input(1))
	l.Step()
	assert.EqualValues(t, 1, l.Stats().Unhandled)
	sum := 0
	l.OnInput(func(v any) { sum += v.(int) })
	l.OnInput(func(v any) { sum += 10 * v.(int) })
	assert.NoError(t, l.Input(3))
	l.Step()
	assert.Equal(t, 33, sum)
}

func TestInboxIsBounded(t *testing.T) {
	l := ticktest.New(t, tick.Config{Inbox: 3})
	ran := 0
	for range 3 {
		assert.NoError(t, l.Post(func() { ran++ }))
	}
	assert.ErrorIs(t, l.Post(func() { ran++ }), tick.ErrInboxFull)
	assert.ErrorIs(t, l.Input(1), tick.ErrInboxFull)
	l.Step()
	assert.Equal(t, 3, ran)
	assert.NoError(t, l.Post(func() { ran++ }), "full passes with the tick")
	s := l.Stats()
	assert.EqualValues(t, 2, s.Refused)
	assert.Equal(t, 1, s.InboxDepth)
}

// Durations round up to the first tick that is no earlier, at least the next.
func TestDurationsRoundUp(t *testing.T) {
	l := ticktest.New(t, tick.Config{})
	for _, tt := range []struct {
		d    time.Duration
		want tick.Tick
	}{
		{math.MinInt64, 1}, {-46 * ms, 1}, {-1, 1}, {0, 1}, {1, 1}, {5, 1}, {interval - 1, 1}, {interval, 1},
		{interval + 1, 2}, {2 * interval, 2}, {time.Hour, 72_000},
		{math.MaxInt64, math.MaxInt64/tick.Tick(interval) + 1}, {1 << 62, 1<<62/tick.Tick(interval) + 1},
	} {
		tm := must(l.Root().AfterFunc(tt.d, func() {}))
		next, ok := l.Next()
		assert.True(t, ok)
		assert.Equal(t, tt.want, next, "%v", tt.d)
		assert.True(t, tm.Stop())
	}
}

// The reading at the call counts, wherever in the tick it is taken.
func TestW10_NeverEarlyAtAnyPhaseOfATick(t *testing.T) {
	for _, part := range []time.Duration{0, 1, interval / 100, interval / 2, interval * 99 / 100, interval - 1} {
		for _, d := range []time.Duration{-1, 0, 1, interval - 1, interval, interval + 1, 10 * interval} {
			l, clock := paced(t, tick.Config{})
			var asked, fired time.Duration
			must(l.Root().AfterFunc(3*interval, func() {
				clock.Advance(part)
				asked = l.Time()
				must(l.Root().AfterFunc(d, func() { fired = l.Time() }))
			}))
			ticktest.Drive(l, clock, 20*interval)
			late := fired - asked - max(d, 0)
			assert.GreaterOrEqual(t, late, time.Duration(0), "asked %v into a tick for %v", part, d)
			if d > 0 {
				assert.Less(t, late, interval, "asked %v into a tick for %v", part, d)
			}
		}
	}
}

// The stall in the middle of which a timer was armed does not count twice.
func TestATimerArmedAfterAStallIsNotDelayedByIt(t *testing.T) {
	l, clock := paced(t, tick.Config{})
	var asked, fired time.Duration
	must(l.Root().AfterFunc(interval, func() {
		clock.Advance(30 * time.Second)
		asked = l.Time()
		must(l.Root().AfterFunc(time.Second, func() { fired = l.Time() }))
	}))
	ticktest.Drive(l, clock, 40*time.Second)
	assert.GreaterOrEqual(t, fired-asked, time.Second)
	assert.Less(t, fired-asked, time.Second+interval)
}

func TestW02_NegativeDelayIsTheNextTick(t *testing.T) {
	l := ticktest.New(t, tick.Config{NearTicks: 64, ChunkBlocks: 4})
	for range 300 { // every position of the cursor, more than four laps
		at := tick.Tick(0)
		must(l.Root().AfterFunc(-46*ms, func() { at = l.Now() }))
		l.Step()
		assert.Equal(t, l.Now(), at)
	}
}

func TestW01_PracticallyNeverIsHonouredOrRefused(t *testing.T) {
	for _, far := range []time.Duration{math.MaxInt64, math.MaxInt64 - 1, 1 << 62, 1 << 33 * time.Second} {
		l := ticktest.New(t, tick.Config{})
		tm := must(l.Root().AfterFunc(far, func() { t.Error("fired early") }))
		ticktest.Steps(l, 1000)
		assert.Equal(t, 1, l.Timers())
		assert.True(t, tm.Stop())
		assert.Zero(t, l.Timers())
	}
	l := ticktest.New(t, tick.Config{Horizon: 1000})
	_, err := l.Root().AfterFunc(math.MaxInt64, func() {})
	assert.ErrorIs(t, err, tick.ErrHorizon)
	assert.Zero(t, l.Timers())
}

func TestStepIsExactlyOneTick(t *testing.T) {
	l := ticktest.New(t, tick.Config{})
	for n := tick.Tick(1); n <= 5; n++ {
		assert.True(t, l.Step())
		assert.Equal(t, n, l.Now())
		assert.Equal(t, time.Duration(n)*interval, l.Time())
		assert.Equal(t, time.Unix(0, 0).UTC().Add(l.Time()), l.Wall())
	}
}

// Driving from two places, or two ways, is a bug that must show.
func TestDrivingTwiceIsRefused(t *testing.T) {
	l := ticktest.New(t, tick.Config{})
	must(l.Root().AfterFunc(0, func() {
		assert.PanicsWithValue(t, "tick: Loop.Step: called from a callback, or while another goroutine drives the loop", func() { l.Step() })
	}))
	l.Step()
	assert.Panics(t, func() { l.RunDue() })
	assert.Panics(t, func() { _ = l.Run(t.Context()) })
	assert.True(t, l.Step(), "still whole")
}

// A clock that callbacks use and move is no trap: no lock is held over them.
func TestV09_CallbacksMayUseTheClock(t *testing.T) {
	l, clock := paced(t, tick.Config{})
	var order []string
	tm := must(l.Root().AfterFunc(time.Hour, func() {}))
	must(l.Root().AfterFunc(interval, func() {
		order = append(order, "first")
		_ = clock.Now()
		clock.Advance(10 * ms) // time passes inside a callback
		assert.True(t, tm.Reset(2*time.Hour))
		assert.True(t, tm.Stop())
		must(l.Root().AfterFunc(0, func() { order = append(order, "third") }))
		assert.Panics(t, func() { l.RunDue() }, "driving inside a callback is refused")
	}))
	must(l.Root().AfterFunc(interval, func() { order = append(order, "second") }))
	moved := make(chan struct{})
	go func() {
		defer close(moved)
		for range 100 {
			clock.Advance(0)
		}
	}()
	ticktest.Drive(l, clock, 5*interval)
	<-moved
	assert.Equal(t, []string{"first", "second", "third"}, order)
}

func TestNewReportsEveryBadField(t *testing.T) {
	_, err := tick.New(tick.Config{Interval: time.Microsecond, CatchUp: -1, Floor: 2, Budget: -1, Guard: -1, Inbox: -1,
		Workers: -1, Queue: -1, Keep: -1, Spin: -1, StopTimeout: -1, NearTicks: 3, Overrun: 9, WhenFull: 9})
	for _, field := range []string{"Interval is 1µs", "CatchUp is -1", "Floor is 2", "Budget is -1", "Guard is -1", "Inbox is -1",
		"Workers is -1", "Queue is -1", "Keep is -1", "Spin is -1", "StopTimeout is -1", "NearTicks is 3", "Overrun is 9", "WhenFull is 9"} {
		assert.ErrorContains(t, err, field)
	}
}

func TestJ10_BudgetZeroIsNoLimitAndNegativeAnError(t *testing.T) {
	_, err := tick.New(tick.Config{Budget: -1})
	assert.Error(t, err)
	for _, b := range []int{0, math.MaxInt} {
		l := ticktest.New(t, tick.Config{Budget: b})
		fired := 0
		for range 1000 {
			must(l.Root().AfterFunc(0, func() { fired++ }))
		}
		l.Step()
		assert.Equal(t, 1000, fired)
		assert.Error(t, l.SetBudget(-1))
	}
}

// The budget bounds callbacks a tick; the rest is carried, in order, countable.
func TestBudgetCarriesOver(t *testing.T) {
	l := ticktest.New(t, tick.Config{Budget: 3})
	var late []tick.Span
	for range 8 {
		must(l.Root().Schedule(tick.Spec{At: 1}, func(f tick.Firing) { late = append(late, f.Late) }))
	}
	ticktest.Steps(l, 3)
	assert.Equal(t, []tick.Span{0, 0, 0, 1, 1, 1, 2, 2}, late)
	s := l.Stats()
	assert.EqualValues(t, 5+2, s.Carried)
	assert.EqualValues(t, 2, s.TimerLate.Max())
	assert.EqualValues(t, 5, s.Carries.Max())
}

// The time guard ends a timer phase within 64 callbacks; nothing is lost.
func TestGuardEndsTheTimerPhase(t *testing.T) {
	var cuts []tick.GuardInfo
	l, clock := paced(t, tick.Config{Guard: 20 * ms, Observer: &tick.Observer{
		Guard: func(g tick.GuardInfo) { cuts = append(cuts, g) }}})
	fired := 0
	for range 200 {
		must(l.Root().AfterFunc(0, func() { fired++; clock.Advance(ms) }))
	}
	ticktest.Drive(l, clock, time.Second)
	assert.Equal(t, 200, fired)
	assert.Equal(t, []tick.GuardInfo{{Tick: 1, After: 64}, {Tick: 2, After: 64}, {Tick: 3, After: 64}}, cuts)
	assert.EqualValues(t, 3, l.Stats().Guarded)
}

func TestErrorsNameTheValue(t *testing.T) {
	l := ticktest.New(t, tick.Config{MaxTimers: 1, MaxScopes: 1})
	root := l.Root()
	must(root.AfterFunc(time.Hour, func() {}))
	_, err := root.AfterFunc(90*time.Second, func() {})
	assert.ErrorIs(t, err, tick.ErrFull)
	assert.ErrorContains(t, err, "1m30s")
	_, err = root.Child().AfterFunc(time.Second, func() {})
	assert.ErrorIs(t, err, tick.ErrFull)
	assert.ErrorContains(t, err, "MaxScopes")
	_, err = root.Schedule(tick.Spec{Jitter: tick.Jitter{Late: -1}}, func(tick.Firing) {})
	assert.ErrorIs(t, err, tick.ErrJitter)
	assert.Panics(t, func() { _, _ = root.Schedule(tick.Spec{Kind: 999}, func(tick.Firing) {}) })
	assert.Panics(t, func() { _, _ = root.Schedule(tick.Spec{Lane: 7}, func(tick.Firing) {}) })
	assert.Panics(t, func() { _, _ = root.Schedule(tick.Spec{At: 1, After: 1}, func(tick.Firing) {}) })
}

// In the inbox phase the wheel has not reached the tick yet; whoever schedules there
// must not notice.
func TestInboxPhaseCountsFromItsTick(t *testing.T) {
	l := ticktest.New(t, tick.Config{})
	l.Step()
	var ran []tick.Tick
	note := func(tick.Firing) { ran = append(ran, l.Now()) }
	assert.NoError(t, l.Post(func() {
		_, err := l.Root().Schedule(tick.Spec{At: l.Now()}, note)
		assert.NoError(t, err)
		timer, err := l.Root().Schedule(tick.Spec{After: 3 * interval}, note)
		assert.NoError(t, err)
		left, ok := timer.Remaining()
		assert.True(t, ok)
		assert.Equal(t, 3*interval, left)
	}))
	for range 5 {
		l.Step()
	}
	assert.Equal(t, []tick.Tick{3, 5}, ran, "scheduled in tick 2")
}
