package tick_test

import (
	"context"
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

const (
	ms       = time.Millisecond
	interval = 50 * ms
)

// A 30 s stall is 600 missed ticks: 5 run back to back, the rest is given up,
// and the timers due meanwhile fire once each, in order.
func TestT01_AStallIsNotReplayed(t *testing.T) {
	l, clock := paced(t, tick.Config{})
	var fired []int
	for i := range 40 {
		must(l.Root().AfterFunc(time.Duration(i+2)*interval, func() { fired = append(fired, i) }))
	}
	must(l.Root().AfterFunc(interval, func() { clock.Advance(30 * time.Second) }))
	var starts []time.Duration
	l.OnTick(func(time.Duration) { starts = append(starts, clock.Now()) })
	ticktest.Drive(l, clock, 30*time.Second+10*interval)

	burst := 0
	for _, s := range starts[1:] {
		if s == starts[1] {
			burst++
		}
	}
	assert.Equal(t, 5, burst, "ticks at the instant the stall ended")
	s := l.Stats()
	assert.EqualValues(t, 595, s.Shed)
	assert.Equal(t, 595*interval, s.ShedTime)
	for i, f := range fired {
		assert.Equal(t, i, f)
	}
	assert.Equal(t, len(starts)-1, len(fired), "one timer a tick was due, none was skipped")
	assert.EqualValues(t, 0, s.TimerLate.Max())
}

// Ticks that always cost 1.2 intervals: no spiral, the loop sheds a steady part.
func TestT01_OverloadSheds(t *testing.T) {
	l, clock := paced(t, tick.Config{})
	l.OnTick(func(time.Duration) { clock.Advance(60 * ms) })
	ticktest.Drive(l, clock, 10*time.Second)
	s := l.Stats()
	assert.InDelta(t, 10_000/60, float64(s.Ticks), 2)
	assert.EqualValues(t, 200, int64(s.Ticks)+s.Shed+5, "ticks, shed and the 5 still owed are the time that passed")
	assert.LessOrEqual(t, time.Duration(s.StartLate.Max()), 5*interval+60*ms)
}

func TestT02_WorkDoesNotAddToThePeriod(t *testing.T) {
	l, clock := paced(t, tick.Config{})
	rnd := uint64(7)
	l.OnTick(func(time.Duration) {
		rnd = rnd*6364136223846793005 + 1442695040888963407
		clock.Advance(20*ms + time.Duration(rnd>>40)%(10*ms))
		assert.Less(t, clock.Now()-time.Duration(l.Now())*interval, interval, "drift in tick %d", l.Now())
	})
	n := size(2_000, 10_000)
	ticktest.Drive(l, clock, time.Duration(n)*interval)
	assert.EqualValues(t, n, l.Now())
}

// The number of ticks comes from readings of the clock, not from beats received:
// a tick of 3.4 intervals leaves nothing out.
func TestT03_TicksComeFromTheClock(t *testing.T) {
	l, clock := paced(t, tick.Config{})
	l.OnTick(func(time.Duration) {
		if l.Now() == 3 {
			clock.Advance(170 * ms)
		}
	})
	ticktest.Drive(l, clock, 20*interval)
	assert.EqualValues(t, 20, l.Now())
	assert.Zero(t, l.Stats().Shed)
}

// Ten minutes asleep must not expire every idle timer at once, before the
// heartbeats that wait in the inbox are read.
func TestT05_SuspendDoesNotExpireEverybody(t *testing.T) {
	for _, wallOnly := range []bool{false, true} {
		t.Run(fmt.Sprint("wall only ", wallOnly), func(t *testing.T) {
			var sheds []int64
			l, clock := paced(t, tick.Config{Observer: &tick.Observer{
				Shed: func(s tick.ShedInfo) { sheds = append(sheds, s.Intervals) }}})
			kicked := 0
			idle := make([]tick.Timer, size(1_000, 10_000))
			for i := range idle {
				idle[i] = must(l.Root().AfterFunc(30*time.Second, func() { kicked++ }))
			}
			ticktest.Drive(l, clock, 29*time.Second)
			for i := range idle {
				assert.NoError(t, l.Post(func() { idle[i].Reset(30 * time.Second) }))
			}
			if wallOnly {
				clock.Shift(10 * time.Minute)
			} else {
				clock.Advance(10 * time.Minute)
			}
			ticktest.Drive(l, clock, 29*time.Second)
			assert.Zero(t, kicked)
			if wallOnly {
				assert.Empty(t, sheds)
			} else {
				assert.Equal(t, []int64{600*20 - 5}, sheds, "the gap is recorded")
			}
			ticktest.Drive(l, clock, 2*time.Second)
			assert.Equal(t, len(idle), kicked)
		})
	}
}

// Coordinated omission: the intervals that a stall shed count as late ones.
func TestV08_AStallShowsInThePercentiles(t *testing.T) {
	l, clock := paced(t, tick.Config{})
	must(l.Root().AfterFunc(5*time.Second, func() { clock.Advance(15 * time.Second) }))
	ticktest.Drive(l, clock, 30*time.Second)
	h := l.Stats().StartLate
	assert.EqualValues(t, 600, h.Count())
	assert.InDelta(t, 3.75, h.Mean()/1e9, 0.1)
	assert.InDelta(t, 14.7, h.QuantileDuration(0.99).Seconds(), 0.4)
}

// Runtime latency: ticks come late by many periods at random, none is lost.
func TestT13_LateTicksAreNotLostOnes(t *testing.T) {
	l, clock := paced(t, tick.Config{CatchUp: 1000})
	rnd := uint64(3)
	for clock.Now() < time.Minute {
		rnd = rnd*6364136223846793005 + 1442695040888963407
		clock.Advance(time.Duration(rnd>>33) % (400 * ms)) // the scheduler was elsewhere
		for next, _ := l.RunDue(); next <= clock.Now(); next, _ = l.RunDue() {
			continue
		}
	}
	s := l.Stats()
	// Tick 0 is at the first RunDue, which came a little after the clock's 0.
	assert.EqualValues(t, l.Time()/interval, s.Ticks)
	assert.Zero(t, s.Shed)
	assert.Greater(t, s.StartLate.Max(), int64(200*ms))
}

// Real goroutines, every processor busy: what is late shows, what is lost is 0.
func TestT13_BusyProcessors(t *testing.T) {
	var done atomic.Bool
	var hogs sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		hogs.Go(func() {
			for !done.Load() {
				continue
			}
		})
	}
	l := must(tick.New(tick.Config{Interval: ms, CatchUp: 1000}))
	ctx, cancel := context.WithCancel(t.Context())
	n := size(100, 60_000)
	var seen int
	var last tick.Tick
	l.OnTick(func(time.Duration) {
		seen++
		assert.Equal(t, last+1, l.Now())
		if last = l.Now(); seen == n {
			cancel()
		}
	})
	assert.NoError(t, l.Run(ctx))
	done.Store(true)
	hogs.Wait()
	s := l.Stats()
	assert.EqualValues(t, seen, s.Ticks)
	assert.EqualValues(t, s.Ticks+uint64(s.Shed), s.StartLate.Count())
}

// Ten callbacks of a second on one tick: the tick names the culprit, the rules
// for stalls apply, others' timers come late but all come.
func TestT12_ASlowCallbackIsNamed(t *testing.T) {
	var worst tick.TickInfo
	var l *tick.Loop
	l, clock := paced(t, tick.Config{Observer: &tick.Observer{Tick: func(i *tick.TickInfo) {
		if i.Duration > worst.Duration {
			worst = *i
		}
	}}})
	slow, quick := l.Kind("pathfind"), l.Kind("buff")
	others := 0
	for range 10 {
		must(l.Root().Schedule(tick.Spec{At: 3, Kind: slow}, func(tick.Firing) { clock.Advance(time.Second) }))
		must(l.Root().Schedule(tick.Spec{At: 3, Kind: quick}, func(tick.Firing) { others++; clock.Advance(ms) }))
		must(l.Root().Schedule(tick.Spec{At: 5, Kind: quick}, func(tick.Firing) { others++ }))
	}
	ticktest.Drive(l, clock, 15*time.Second)
	assert.Equal(t, 20, others)
	assert.EqualValues(t, 3, worst.Tick)
	assert.Equal(t, "pathfind", l.KindName(worst.Slowest))
	assert.Equal(t, 10*time.Second, worst.SlowestTime)
	assert.Equal(t, 10*time.Second+10*ms, worst.Phase[tick.PhaseTimers])
	s := l.Stats()
	assert.Equal(t, 10*time.Second, s.Kinds[slow].Time)
	assert.EqualValues(t, 20, s.Kinds[quick].Fired)
	assert.EqualValues(t, 200-5, s.Shed)
}

// The interval is fixed; other rates are the game's own and touch no timer.
func TestT18_OtherRatesTouchNoTimer(t *testing.T) {
	l := ticktest.New(t, tick.Config{})
	broadcasts, fired := 0, false
	t1 := must(l.Root().Every(100*ms, func(tick.Firing) { broadcasts++ }))
	must(l.Root().AfterFunc(time.Second, func() { fired = true }))
	ticktest.Steps(l, 10)
	t1.Stop() // "rate 0"
	assert.NoError(t, l.SetBudget(0))
	ticktest.Steps(l, 10)
	assert.Equal(t, 5, broadcasts)
	assert.True(t, fired)
}

func TestRunKeepsPaceWithTheSystemClock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := must(tick.New(tick.Config{}))
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second+ms)
		defer cancel()
		began := time.Now()
		l.OnTick(func(time.Duration) {
			time.Sleep(20 * ms) // work, in the bubble's time
			assert.Equal(t, time.Duration(l.Now())*interval+20*ms, time.Since(began))
		})
		assert.NoError(t, l.Run(ctx))
		assert.EqualValues(t, 200, l.Now())
	})
}

// Spin replaces the last stretch of the sleep.
func TestRunWithSpin(t *testing.T) {
	l := must(tick.New(tick.Config{Interval: 2 * ms, Spin: ms}))
	ctx, cancel := context.WithCancel(t.Context())
	l.OnTick(func(time.Duration) {
		if l.Now() == 5 {
			cancel()
		}
	})
	assert.NoError(t, l.Run(ctx))
	assert.GreaterOrEqual(t, l.Stats().Ticks, uint64(5))
}

func TestDilationSlowsGameTimeDown(t *testing.T) {
	l, clock := paced(t, tick.Config{Overrun: tick.Dilate})
	l.OnTick(func(dt time.Duration) {
		assert.Equal(t, interval, dt, "game time a tick does not change")
		clock.Advance(100 * ms)
	})
	ticktest.Drive(l, clock, time.Minute)
	s := l.Stats()
	assert.EqualValues(t, 500_000, s.Last.Speed)
	assert.InDelta(t, 600, float64(s.Ticks), 5, "half speed")
	assert.Less(t, s.Shed, int64(20), "what dilation could not absorb at the beginning")
}

// A first tick that does not end is no better than a later one.
func TestHealthSeesAFirstTickThatDoesNotEnd(t *testing.T) {
	clock := ticktest.NewClock()
	l := must(tick.New(tick.Config{Clock: clock}))
	var seen []tick.Condition
	assert.NoError(t, l.Post(func() {
		for range 3 {
			seen = append(seen, l.Health().Condition)
			clock.Advance(2 * time.Second)
		}
	}))
	l.RunDue()
	clock.Advance(interval)
	l.RunDue()
	assert.Equal(t, []tick.Condition{tick.Healthy, tick.Suspended, tick.Stuck}, seen)
	assert.NoError(t, l.Stop(t.Context()))
}
