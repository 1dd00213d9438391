package timers_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tickwheel/tickwheel/timers"
)

func TestW01_FarDelayNeverWraps(t *testing.T) {
	for _, start := range []timers.Tick{0, 1e9, 1 << 40, 1 << 62} {
		for _, d := range []timers.Span{math.MaxInt64, math.MaxInt64 - 1, 1 << 62, 1<<61 + 1, 1 << 61, 1<<44 + 1, 1 << 44} {
			for _, horizon := range []timers.Span{0, 1 << 61} {
				c := room
				c.Start, c.Horizon = start, horizon
				w := newRig(t, c)
				name := fmt.Sprintf("Start %d, Horizon %d, After(%d)", start, horizon, d)
				h, err := w.After(d, 1, timers.Spec{})
				if limit := max(horizon, 1<<44); d > limit && !(horizon == 0 && d <= 1<<44) {
					require.ErrorIs(t, err, timers.ErrHorizon, name)
					require.Zero(t, w.Len(), name)
					continue
				}
				require.NoError(t, err, name)
				require.Empty(t, w.tickTo(start+200), name)
				require.Empty(t, w.to(start+1e6), name)
				require.Equal(t, 1, w.Len(), name)
				left, ok := w.Remaining(h)
				require.True(t, ok, name)
				require.Equal(t, d-1e6, left, name)
				require.True(t, w.Cancel(h), name)
				require.Zero(t, w.Len(), name)
			}
		}
	}
}

func TestW01_FarTimerFiresOnItsTick(t *testing.T) {
	c := room
	c.Start, c.Horizon = 1<<62, 1<<61
	w := newRig(t, c)
	due := timers.Tick(1<<62 + 1<<61 - 1<<22)
	w.at(due, 1)
	require.Empty(t, w.to(due-1))
	require.Equal(t, []int{1}, w.to(due))
}

func TestW02_NegativeDelayIsTheNextTick(t *testing.T) {
	for _, now := range []timers.Tick{0, 1, 2, 62, 63, 64, 65, 127, 128, 4095, 4096, 16383, 16384} {
		for _, d := range []timers.Span{-1, 0, -46, -64, -100, math.MinInt64, math.MinInt64 + 1} {
			w := newRig(t, room)
			w.to(now)
			w.after(d, 1)
			w.at(now+timers.Tick(max(d, -100)), 2)
			require.Equal(t, []int{1, 2}, w.to(now+1), "After(%d) at tick %d", d, now)
			for _, f := range w.log {
				require.Equal(t, now+1, f.Deadline, "deadline of %d", f.Payload)
				require.Zero(t, f.Late)
			}
		}
	}
}

func TestW03_DeadlineEqualToNowIsTheNextTick(t *testing.T) {
	w := newRig(t, room)
	w.to(77)
	h := w.at(100, 1)
	h, ok := w.Reset(h, 77)
	require.True(t, ok)
	w.at(77, 2)
	inner := w.at(500, 3)
	w.on(1, func(timers.Firing[int]) {
		require.EqualValues(t, 78, w.Now())
		_, ok := w.Reset(inner, w.Now())
		require.True(t, ok)
		w.at(w.Now(), 4)
	})
	require.Equal(t, []int{1, 2}, w.to(78))
	require.Equal(t, []int{3, 4}, w.to(79))
	require.False(t, w.Cancel(h))
}

func TestW05_DelayLongerThanTheWheelIsExact(t *testing.T) {
	c := room
	c.NearTicks = 512
	w := newRig(t, c)
	w.to(200)
	w.after(600, 1)
	require.Empty(t, w.tickTo(799))
	require.Equal(t, []int{1}, w.to(800))

	c.NearTicks = 64
	for cursor := timers.Tick(0); cursor < 130; cursor += 3 {
		w := newRig(t, c)
		w.to(cursor)
		for d := 1; d <= 300; d++ {
			w.after(timers.Span(d), d)
		}
		for d := 1; d <= 300; d++ {
			require.Equal(t, []int{d}, w.to(cursor+timers.Tick(d)), "cursor %d, delay %d", cursor, d)
		}
	}
}

func TestW05_RearmedTimerDoesNotSlip(t *testing.T) {
	c := room
	c.NearTicks = 128 // 200 ticks are more than a lap
	w := newRig(t, c)
	w.after(200, 1)
	w.on(1, func(timers.Firing[int]) { w.after(200, 1) })
	require.Len(t, w.tickTo(30*200), 30)
	for i, at := range w.when {
		require.EqualValues(t, 200*(i+1), at)
	}
}

func TestW06_EverySpanIsReached(t *testing.T) {
	spans := []timers.Span{64, 64 * 64, 64 * 64 * 64, 1 << 24, 1 << 30, 1 << 36}
	for _, s := range spans {
		for _, d := range []timers.Span{s - 1, s, s + 1} {
			w := newRig(t, room)
			w.after(d, 1)
			require.Empty(t, w.to(timers.Tick(d-1)), "After(%d)", d)
			require.Equal(t, []int{1}, w.to(timers.Tick(d)), "After(%d)", d)
			require.Empty(t, w.to(timers.Tick(2*d)), "After(%d) fires again", d)

			w = newRig(t, room)
			w.after(d, 1)
			require.Equal(t, []int{1}, w.to(timers.Tick(3*d)), "After(%d) in one Advance", d)
			require.EqualValues(t, d, w.when[0])

			if d <= timers.Span(scale(1<<20)) {
				w = newRig(t, room)
				w.after(d, 1)
				require.Equal(t, []int{1}, w.tickTo(timers.Tick(d+70)), "After(%d) tick by tick", d)
				require.EqualValues(t, d, w.when[0])
			}
		}
	}
}

func TestW07_OldWheelTakesShortTimers(t *testing.T) {
	for _, age := range []timers.Tick{1 << 24, 1 << 30, 1 << 36, 1 << 44, 1 << 61, 1 << 62} {
		for _, off := range []timers.Tick{-1, 0, 1} {
			w := newRig(t, room)
			w.at(5, 0) // used before
			w.to(age + off)
			w.after(200, 1)
			w.after(timers.Span(1<<44), 2)
			now := w.Now()
			require.Empty(t, w.tickTo(now+199), "age %d", age+off)
			require.Equal(t, []int{1}, w.to(now+200), "age %d", age+off)
			require.Equal(t, []int{2}, w.to(now+1<<44), "age %d", age+off)
		}
	}
	w := newRig(t, room)
	_, err := w.After(1<<44+1, 1, timers.Spec{})
	require.ErrorIs(t, err, timers.ErrHorizon, "the span limits the delay, not the age")
}

func TestW09_TicksAre64Bit(t *testing.T) {
	delays := []timers.Span{1, 0x20, 0x7FFFFFFF, 0xFFFFFF00, 0x100, 0xFFFFFFFF, 0x100000001}
	type run struct {
		id int
		in timers.Span
	}
	play := func(start timers.Tick, stride timers.Tick) (runs []run) {
		c := room
		c.Start = start
		w := newRig(t, c)
		for i, d := range delays {
			w.after(d, i)
		}
		w.tickTo(start + 0x120) // past the wrap of a 32-bit counter, tick by tick
		for w.Len() > 0 {
			w.to(w.Now() + stride)
		}
		for i, f := range w.log {
			require.Zero(t, f.Late)
			runs = append(runs, run{f.Payload, timers.Span(w.when[i] - start)})
		}
		return runs
	}
	want := play(0, 1<<20)
	require.Len(t, want, len(delays))
	for _, r := range want {
		require.Equal(t, delays[r.id], r.in)
	}
	for _, start := range []timers.Tick{0xFFFFFFF0, 1<<31 - 16, 1<<32 - 1, 1 << 32, 1<<40 - 7, 1 << 62} {
		require.Equal(t, want, play(start, 1<<21), "start %#x", start)
	}
}

func TestW11_DueOnTheFirstTickReached(t *testing.T) {
	for _, stride := range []timers.Tick{1, 2, 3, 7, 10, 63, 64, 65, 128} {
		for d := timers.Tick(1); d < 200; d++ {
			w := newRig(t, room)
			w.at(d, 1)
			for w.Now()+stride < d {
				require.Empty(t, w.to(w.Now()+stride))
			}
			require.Equal(t, []int{1}, w.to(w.Now()+stride), "deadline %d, %d ticks an Advance", d, stride)
			require.Equal(t, d, w.when[0], "Now is the tick in hand")
		}
	}
}

func TestW12_OneAdvanceHandlesEveryTick(t *testing.T) {
	w := newRig(t, room)
	var want []int
	for i := 1; i <= 40; i++ {
		w.at(timers.Tick(i), i)
		if i <= 37 {
			want = append(want, i)
		}
	}
	require.Equal(t, want, w.to(37))
	require.Equal(t, 3, w.Len())
	for i, at := range w.when {
		require.EqualValues(t, i+1, at)
	}
}

func TestW27_LongGapIsNotWalked(t *testing.T) {
	w := newRig(t, timers.Config{})
	n := scale(1_000_000)
	for i := range n {
		w.at(timers.Tick(1<<43)+timers.Tick(i%4096), i)
	}
	// A wheel that looks at every tick or lap of this gap does not come back.
	rep := w.Advance(1<<43-1, w.fire)
	assert.Equal(t, timers.Report{To: 1<<43 - 1}, rep)
	require.Len(t, w.to(1<<43+4096), n)
}

// Each delay at which some wheel goes wrong, from each position of the cursor.
func TestSeedDelaysFromEveryCursor(t *testing.T) {
	const n = 64
	seeds := []timers.Span{math.MinInt64, -1, 0, 1, 2, n - 1, n, n + 1, 2 * n, n*n - 1, n * n, n*n + 1,
		1 << 31, 1 << 32, 1 << 44, 1<<44 + 1, math.MaxInt64}
	for cursor := timers.Tick(0); cursor <= 2*n; cursor++ {
		w := newRig(t, room)
		w.to(cursor)
		var due []timers.Tick
		for i, d := range seeds {
			h, err := w.After(d, i, timers.Spec{Lane: timers.Lane(cursor % 3)})
			if d > 1<<44 {
				require.ErrorIs(t, err, timers.ErrHorizon)
				continue
			}
			require.NoError(t, err)
			due = append(due, cursor+timers.Tick(max(d, 1)))
			left, ok := w.Remaining(h)
			require.True(t, ok)
			require.Equal(t, max(d, 1), left)
		}
		for w.Len() > 0 {
			next, ok := w.Next()
			require.True(t, ok)
			require.Empty(t, w.to(next-1), "cursor %d", cursor)
			require.NotEmpty(t, w.to(next), "cursor %d: Next() was wrong", cursor)
		}
		require.Equal(t, due, w.when, "cursor %d", cursor)
		require.NoError(t, w.Check())
	}
}

func TestBoundariesOfTheRing(t *testing.T) {
	for _, c := range []struct {
		name     string
		now, due timers.Tick
		want     timers.Tick
	}{
		{"next tick", 0, 1, 1},
		{"last tick of the ring", 0, 63, 63},
		{"one lap", 0, 64, 64},
		{"first far tick", 0, 65, 65},
		{"last tick of the ring, cursor inside", 37, 100, 100},
		{"one lap, cursor inside", 37, 101, 101},
		{"cursor at the end", 63, 64, 64},
		{"lap and cursor at the end", 63, 127, 127},
		{"two laps", 63, 191, 191},
		{"past is the next tick", 10, 3, 11},
		{"negative is the next tick", 10, -3, 11},
	} {
		w := newRig(t, room)
		w.to(c.now)
		h := w.at(c.due, 1)
		next, ok := w.Next()
		require.True(t, ok, c.name)
		require.Equal(t, c.want, next, c.name)
		left, ok := w.Remaining(h)
		require.True(t, ok, c.name)
		require.EqualValues(t, c.want-c.now, left, c.name)
		require.Empty(t, w.to(c.want-1), c.name)
		require.Equal(t, []int{1}, w.to(c.want), c.name)
	}
}
