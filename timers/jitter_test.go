package timers_test

import (
	"errors"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tickwheel/tickwheel/timers"
)

func TestJ01_JitterZeroTinyNegative(t *testing.T) {
	w := newRig(t, room)
	w.to(9)
	for _, s := range []timers.Spec{{Jitter: timers.Jitter{Early: -1}}, {Jitter: timers.Jitter{Late: -1}}, {Choices: 17}, {Choices: 255},
		{Jitter: timers.Jitter{Late: 5}, Choices: 17}, {Jitter: timers.Jitter{Early: math.MinInt64, Late: 1}}} {
		_, err := w.After(5, 1, s)
		require.ErrorIs(t, err, timers.ErrJitter, "%+v", s)
		_, err = w.Every(20, timers.Repeat{Period: 9}, 1, s)
		require.ErrorIs(t, err, timers.ErrJitter, "%+v", s)
	}
	require.Zero(t, w.Len())
	for _, d := range []timers.Span{0, 1, 2} {
		for _, s := range []timers.Spec{{}, {Jitter: timers.Jitter{Late: 1}}, {Jitter: timers.Jitter{Early: 1}},
			{Jitter: timers.Jitter{Early: 1, Late: 1}}, {Choices: 1}, {Choices: 4}, {Jitter: timers.Jitter{Late: 1}, Choices: 16}} {
			h, err := w.After(d, 1, s)
			require.NoError(t, err, "%+v", s)
			left, ok := w.Remaining(h)
			require.True(t, ok)
			require.GreaterOrEqual(t, left, max(max(d, 1)-s.Jitter.Early, 1), "After(%d), %+v", d, s)
			require.LessOrEqual(t, left, max(d, 1)+s.Jitter.Late, "After(%d), %+v", d, s)
		}
	}
}

func TestJ02_JitterNeverOverflows(t *testing.T) {
	for _, start := range []timers.Tick{0, 1 << 62} {
		c := room
		c.Start, c.Horizon = start, 1<<61
		w := newRig(t, c)
		for _, d := range []timers.Span{1, 1 << 60, 1<<61 - 1, 1 << 61, 1 << 62, math.MaxInt64} {
			for _, e := range []timers.Span{0, 1, 1 << 61, 1 << 62, math.MaxInt64} {
				for _, l := range []timers.Span{0, 1, 1 << 60, 1 << 61, 1 << 62, math.MaxInt64} {
					h, err := w.After(d, 1, timers.Spec{Jitter: timers.Jitter{Early: e, Late: l}, Choices: 2})
					if err != nil {
						require.True(t, errors.Is(err, timers.ErrHorizon) || errors.Is(err, timers.ErrJitter))
						require.True(t, d > 1<<61-l || e > 1<<61-l, "After(%d) with {%d, %d}: %v", d, e, l, err)
						continue
					}
					left, ok := w.Remaining(h)
					require.True(t, ok)
					require.GreaterOrEqual(t, left, max(d-e, 1))
					require.LessOrEqual(t, left, d+l)
					require.True(t, w.Cancel(h))
				}
			}
		}
		require.Zero(t, w.Len())
	}
}

func TestJ03_SymmetricJitterIsNeverEarlyForTheTick(t *testing.T) {
	w := newRig(t, room)
	for range 2000 {
		for _, d := range []timers.Span{0, 1, 2, 5} {
			w.after(d, int(d), timers.Spec{Jitter: timers.Jitter{Early: 3, Late: 3}})
		}
		now := w.Now()
		n := len(w.log)
		w.to(now + 1)
		for _, f := range w.log[n:] {
			require.Greater(t, f.Deadline, now)
		}
	}
}

func TestJ03_NotBeforeTimersOnlyRunLater(t *testing.T) {
	w := newRig(t, room)
	for i := range 5000 {
		w.at(100, i, timers.Spec{Jitter: timers.Jitter{Late: 30}, Choices: uint8(i % 5)})
	}
	require.Empty(t, w.to(99))
	require.Len(t, w.to(130), 5000)
}

func TestJ03_JitterOnAPeriodicNeverWalks(t *testing.T) {
	w := newRig(t, room)
	const period, early, late = 50, 10, 10
	_, err := w.Every(period, timers.Repeat{Period: period}, 1, timers.Spec{Jitter: timers.Jitter{Early: early, Late: late}})
	require.NoError(t, err)
	n := scale(1_000_000)
	w.to(timers.Tick(n*period + late))
	require.Len(t, w.when, n)
	sum := int64(0)
	for k, at := range w.when {
		off := int64(at) - int64((k+1)*period)
		require.GreaterOrEqual(t, off, int64(-early), "run %d", k)
		require.LessOrEqual(t, off, int64(late), "run %d", k)
		require.Zero(t, w.log[k].Missed)
		sum += off
	}
	mean := float64(sum) / float64(n)
	require.InDelta(t, 0, mean, 6*6.1/math.Sqrt(float64(n)), "the mean displacement is unbiased")
}

func TestJ03_JitterMustBeSmallerThanThePeriod(t *testing.T) {
	c := room
	c.TickUnits = 10
	w := newRig(t, c)
	for _, x := range []struct {
		period      int64
		early, late timers.Span
		ok          bool
	}{
		{50, 0, 4, true}, {50, 0, 5, false}, {50, 2, 2, true}, {50, 2, 3, false}, {50, 5, 0, false},
		{51, 0, 5, true}, {51, 0, 6, false}, {10, 0, 0, true}, {10, 1, 0, false},
	} {
		j := timers.Jitter{Early: x.early, Late: x.late}
		_, err := w.Every(100, timers.Repeat{Period: x.period}, 1, timers.Spec{Jitter: j})
		if x.ok {
			require.NoError(t, err, "%+v", x)
		} else {
			require.ErrorIs(t, err, timers.ErrJitter, "%+v", x)
		}
	}
}

func TestJitterFlattensAStormOnTopOfAnother(t *testing.T) {
	peak := func(choices uint8) (top int) {
		c := timers.Config{Seed: 7}
		w := newRig(t, c)
		for i := range 20_000 { // the earlier storm covers a part of the window
			w.at(timers.Tick(600+i%40), i)
		}
		for i := range 100_000 {
			w.at(600, i, timers.Spec{Lane: timers.Bulk, Jitter: timers.Jitter{Late: 79}, Choices: choices})
		}
		for tick := timers.Tick(600); tick < 680; tick++ {
			top = max(top, w.Load(tick))
		}
		return top
	}
	const mean = 120_000 / 80
	uniform, two, four := peak(1), peak(2), peak(4)
	require.Greater(t, uniform, mean*115/100)
	require.Less(t, two, uniform)
	require.Less(t, four, mean*103/100, "least loaded of four is within a few per cent of the mean")
}

func TestJitterDrawsFollowSeedAndCallOrder(t *testing.T) {
	draw := func(seed uint64) (ds []timers.Span) {
		c := room
		c.Seed = seed
		w := newRig(t, c)
		for i := range 200 {
			h := w.after(10, i, timers.Spec{Jitter: timers.Jitter{Late: 1000}, Choices: uint8(i % 6)})
			left, _ := w.Remaining(h)
			ds = append(ds, left)
		}
		return ds
	}
	require.Equal(t, draw(0), draw(0))
	require.NotEqual(t, draw(0), draw(1))
}

func TestResetDrawsNoNewJitter(t *testing.T) {
	w := newRig(t, room)
	h := w.after(10, 1, timers.Spec{Jitter: timers.Jitter{Late: 50}})
	for range 20 {
		var ok bool
		h, ok = w.Reset(h, 30)
		require.True(t, ok)
		left, _ := w.Remaining(h)
		require.EqualValues(t, 30, left)
	}
}
