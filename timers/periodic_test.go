package timers_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tickwheel/tickwheel/timers"
)

func TestP17_PeriodsUnderATickAreRefused(t *testing.T) {
	c := room
	c.TickUnits = 50_000_000 // 50 ms in ns
	w := newRig(t, c)
	const unit = 50_000_000
	for _, r := range []timers.Repeat{
		{Period: 0}, {Period: -1}, {Period: 1}, {Period: unit / 3}, {Period: unit - 1}, {Period: math.MinInt64},
		{Period: unit, Lead: -1}, {Period: unit, Lead: unit}, {Period: unit, Lead: math.MaxInt64},
	} {
		_, err := w.Every(10, r, 1, timers.Spec{})
		require.ErrorIs(t, err, timers.ErrPeriod, "%+v", r)
		r.Delay = true
		_, err = w.Every(10, r, 1, timers.Spec{})
		require.ErrorIs(t, err, timers.ErrPeriod, "%+v", r)
	}
	require.Zero(t, w.Len())
	_, err := w.Every(10, timers.Repeat{Period: unit, Lead: unit - 1}, 1, timers.Spec{})
	require.NoError(t, err)

	c.TickUnits, c.Horizon = 1, 1000
	w = newRig(t, c)
	for _, p := range []int64{1001, math.MaxInt64} {
		_, err = w.Every(10, timers.Repeat{Period: p}, 1, timers.Spec{})
		require.ErrorIs(t, err, timers.ErrPeriod, "%d ticks, over the horizon", p)
	}
	_, err = w.Every(10, timers.Repeat{Period: 1000}, 1, timers.Spec{})
	require.NoError(t, err)
}

func TestP18_CancelOnTheThirdRun(t *testing.T) {
	for _, again := range []bool{false, true} {
		w := newRig(t, room)
		h := w.every(4, 1)
		w.on(1, func(timers.Firing[int]) {
			if len(w.log) == 3 {
				require.True(t, w.Cancel(h))
				if again { // before what would have been the next run
					h = w.every(3, 1)
				}
			}
		})
		w.to(30)
		want := []timers.Tick{4, 8, 12}
		if again {
			want = append(want, 15, 18, 21, 24, 27, 30)
		}
		require.Equal(t, want, w.when)
	}
}

func TestP18_NewPeriodOnTheThirdRun(t *testing.T) {
	w := newRig(t, room)
	h := w.every(4, 1)
	w.on(1, func(timers.Firing[int]) {
		if len(w.log) == 3 { // the wheel's way to another period
			require.True(t, w.Cancel(h))
			h = w.every(8, 1)
		}
	})
	w.to(40)
	require.Equal(t, []timers.Tick{4, 8, 12, 20, 28, 36}, w.when)
	require.Equal(t, 1, w.Len())
}

func TestP18_ResetMovesTheGrid(t *testing.T) {
	w := newRig(t, room)
	h := w.every(4, 1)
	w.on(1, func(timers.Firing[int]) {
		if len(w.log) == 3 {
			same, ok := w.Reset(h, w.Now()+10)
			require.True(t, ok)
			require.Equal(t, h, same)
		}
	})
	w.to(35)
	require.Equal(t, []timers.Tick{4, 8, 12, 22, 26, 30, 34}, w.when)
	for _, f := range w.log {
		require.Zero(t, f.Missed)
		require.Equal(t, h, f.Handle, "the handle stays from run to run")
	}
}

func TestP19_RearmingTwiceIsOneChain(t *testing.T) {
	w := newRig(t, room)
	var regen timers.Handle
	start := func() { // what a caller does who may or may not have one pending
		w.Cancel(regen)
		regen = w.every(5, 1)
	}
	start()
	start()
	w.on(2, func(timers.Firing[int]) { start() })
	w.at(7, 2)
	w.to(27)
	require.Equal(t, 1, w.Len())
	var runs []timers.Tick
	for i, f := range w.log {
		if f.Payload == 1 {
			runs = append(runs, w.when[i])
		}
	}
	require.Equal(t, []timers.Tick{5, 12, 17, 22, 27}, runs)

	h := w.after(9, 3)
	for range 5 { // Reset never adds a chain
		var ok bool
		h, ok = w.Reset(h, w.Now()+2)
		require.True(t, ok)
	}
	require.Equal(t, 2, w.Len())
}

func TestP20_StallIsOneRunWithMissed(t *testing.T) {
	// What runs each tick in one Advance has missed nothing: time is discrete.
	w := newRig(t, room)
	w.every(1, 1)
	require.Len(t, w.to(1000), 1000)

	// Held back by the budget it is coalesced.
	w = capped(t, 1)
	w.every(1, 1)
	w.on(1, func(f timers.Firing[int]) {})
	require.Equal(t, []int{1}, w.to(1000))
	require.Zero(t, w.log[0].Missed)
	require.Equal(t, []int{1}, w.to(1001))
	f := w.log[1]
	require.EqualValues(t, 2, f.Deadline)
	require.EqualValues(t, 999, f.Late)
	require.EqualValues(t, 999, f.Missed, "heal*(1+Missed) adds up")
	require.Equal(t, []int{1}, w.to(1002))
	require.Zero(t, w.log[2].Missed)
	require.Zero(t, w.log[2].Late)
}

func TestMissedCountsGridPointsUpToTheRun(t *testing.T) {
	w := capped(t, 1)
	w.every(10, 1) // 10, 20, 30 …
	for i := range 35 {
		w.at(9, 100+i) // hold it back from 10 to 44
	}
	w.tickTo(60)
	var runs []timers.Firing[int]
	var at []timers.Tick
	total := int64(0)
	for i, f := range w.log {
		if f.Payload == 1 {
			runs, at = append(runs, f), append(at, w.when[i])
			total += 1 + f.Missed
		}
	}
	require.Equal(t, []timers.Tick{44, 50, 60}, at)
	require.EqualValues(t, 3, runs[0].Missed, "20, 30 and 40 passed")
	require.EqualValues(t, 34, runs[0].Late)
	require.EqualValues(t, 6, total, "every grid point is accounted for")
}

func TestDelayCountsFromTheRunBefore(t *testing.T) {
	w := capped(t, 1)
	_, err := w.Every(10, timers.Repeat{Period: 10, Delay: true}, 1, timers.Spec{})
	require.NoError(t, err)
	for i := range 35 {
		w.at(9, 100+i)
	}
	w.tickTo(70)
	var at []timers.Tick
	for i, f := range w.log {
		if f.Payload == 1 {
			at = append(at, w.when[i])
			require.Zero(t, f.Missed)
		}
	}
	require.Equal(t, []timers.Tick{44, 54, 64}, at)
}

func TestPeriodOfAFractionOfATickKeepsItsGrid(t *testing.T) {
	c := room
	c.TickUnits = 50
	for _, start := range []timers.Tick{0, 1 << 40, 1 << 62} {
		c.Start = start
		w := newRig(t, c)
		// 70 ms at 50 ms: points 70, 140, 210 … fall in ticks 2, 3, 5, 6, 7 …
		_, err := w.Every(start+2, timers.Repeat{Period: 70, Lead: 30}, 1, timers.Spec{})
		require.NoError(t, err)
		w.to(start + 7_000)
		require.Len(t, w.when, 5000)
		for k, at := range w.when {
			point := timers.Tick(70 * (k + 1))
			require.Equal(t, start+(point+49)/50, at, "run %d", k)
		}
	}
}

func TestW10_RoundingIsUpNeverEarlyNeverTwice(t *testing.T) {
	const unit = 1000
	for _, period := range []int64{unit, unit + 1, unit*2 - 1, unit * 3 / 2, 7 * unit, 7*unit + 333} {
		for _, lead := range []int64{0, 1, unit / 2, unit - 1} {
			c := room
			c.TickUnits = unit
			w := newRig(t, c)
			_, err := w.Every(3, timers.Repeat{Period: period, Lead: lead}, 1, timers.Spec{})
			require.NoError(t, err)
			w.tickTo(500)
			point := int64(3*unit) - lead
			for k, at := range w.when {
				require.GreaterOrEqual(t, int64(at)*unit, point, "run %d of period %d is early", k, period)
				require.Less(t, int64(at-1)*unit, point, "run %d of period %d is a tick late", k, period)
				point += period
			}
			require.EqualValues(t, (500*unit-3*unit+lead)/period+1, len(w.when))
		}
	}
}

func TestFirstRunInThePastIsTheNextTick(t *testing.T) {
	w := newRig(t, room)
	w.to(50)
	_, err := w.Every(20, timers.Repeat{Period: 7}, 1, timers.Spec{})
	require.NoError(t, err)
	w.to(66)
	require.Equal(t, []timers.Tick{51, 58, 65}, w.when)
	require.Zero(t, w.log[0].Missed)
}

func TestPeriodicIsRearmedBeforeItsCallback(t *testing.T) {
	w := newRig(t, room)
	h := w.every(6, 1)
	w.on(1, func(f timers.Firing[int]) {
		left, ok := w.Remaining(f.Handle)
		require.True(t, ok)
		require.EqualValues(t, 6, left)
		require.Equal(t, 1, w.Len())
	})
	require.Len(t, w.to(60), 10)
	require.True(t, w.Cancel(h))
}

func TestPausedPeriodicMissesNothing(t *testing.T) {
	w := newRig(t, room)
	g := w.group()
	w.every(10, 1, timers.Spec{Group: g})
	w.to(14) // runs at 10; 6 remain
	w.Pause(g)
	w.to(1000)
	w.Resume(g)
	w.to(1030)
	require.Equal(t, []timers.Tick{10, 1006, 1016, 1026}, w.when)
	for _, f := range w.log {
		require.Zero(t, f.Missed)
	}
}
