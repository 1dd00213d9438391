package timers_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tickwheel/tickwheel/timers"
)

func TestW25_EqualDeadlinesRunInSchedulingOrder(t *testing.T) {
	w := newRig(t, room)
	var want []int
	for i := range 10 {
		w.at(7, i)
		want = append(want, i)
	}
	require.Equal(t, want, w.to(7))
}

func TestW25_OverdueRunByDeadlineNotByCreation(t *testing.T) {
	w := newRig(t, room)
	for i, d := range []timers.Tick{30, 10, 20, 10, 300, 5, 30} {
		w.at(d, i)
	}
	require.Equal(t, []int{5, 1, 3, 2, 0, 6, 4}, w.to(1000))
}

func TestW25_OrderHoldsAcrossDistances(t *testing.T) {
	w := newRig(t, room)
	const due = 1000
	w.at(due, 0) // far
	w.to(500)
	w.at(due, 1) // far, nearer
	w.to(due - 64)
	w.at(due, 2) // at the rim
	w.to(due - 63)
	w.at(due, 3) // in the ring
	w.to(due - 1)
	w.at(due, 4) // next tick
	w.after(0, 5)
	require.Equal(t, []int{0, 1, 2, 3, 4, 5}, w.to(due))
}

func TestW25_ManyBlocksKeepOrder(t *testing.T) {
	w := newRig(t, room)
	var want []int
	for i := range 1000 {
		h := w.at(200, i)
		if i%3 == 1 || i >= 400 && i < 440 {
			require.True(t, w.Cancel(h))
			continue
		}
		want = append(want, i)
	}
	require.Equal(t, want, w.tickTo(200))
}

func TestLanesOfOneTickRunUrgentNormalBulk(t *testing.T) {
	w := newRig(t, room)
	for i, l := range []timers.Lane{timers.Bulk, timers.Normal, timers.Urgent, timers.Bulk, timers.Urgent, timers.Normal} {
		w.at(9, i, timers.Spec{Lane: l})
	}
	w.at(8, 6, timers.Spec{Lane: timers.Bulk})
	require.Equal(t, []int{6, 2, 4, 1, 5, 0, 3}, w.to(9))
}

func TestResetTakesANewPlaceInLine(t *testing.T) {
	w := newRig(t, room)
	h := w.at(5, 0)
	w.at(5, 1)
	_, ok := w.Reset(h, 5)
	require.True(t, ok)
	w.at(5, 2)
	require.Equal(t, []int{1, 0, 2}, w.to(5))
}

func TestT09_ZeroDelayRearmLeavesTheTick(t *testing.T) {
	w := newRig(t, room)
	w.on(1, func(f timers.Firing[int]) { w.after(0, 1) })
	w.on(2, func(f timers.Firing[int]) { w.at(w.Now(), 3) })
	w.on(3, func(f timers.Firing[int]) { w.at(w.Now()-5, 2) })
	w.on(4, func(f timers.Firing[int]) {
		_, ok := w.Reset(f.Handle, w.Now())
		require.True(t, ok)
	})
	w.after(0, 1)
	w.after(0, 2)
	w.after(0, 4)
	for range 1000 {
		require.Len(t, w.to(w.Now()+1), 3)
	}
	n := len(w.log)
	w.to(w.Now() + 100) // in one Advance, too: once a tick
	require.Len(t, w.ids(n), 300)
	require.Equal(t, 3, w.Len())
}

func TestW26_InsertIntoTheTickInHand(t *testing.T) {
	w := newRig(t, room)
	laps := []timers.Tick{64, 128, 63, 65, 4096, 1}
	w.on(0, func(f timers.Firing[int]) {
		for i, d := range laps { // slots that share the mask of the one being emptied
			w.at(f.Deadline+d, 10+i)
		}
	})
	for i := range 20 {
		w.at(3, i%2*5) // payloads 0 and 5
	}
	require.Len(t, w.to(3), 20)
	require.Equal(t, 10*len(laps), w.Len())
	w.to(3 + 5000)
	for i, f := range w.log[20:] {
		require.Equal(t, 3+laps[f.Payload-10], w.when[20+i])
	}
	require.Zero(t, w.Len())
}

func TestAdvanceGivesTheTickInHand(t *testing.T) {
	w := newRig(t, room)
	for _, d := range []timers.Tick{3, 64, 65, 700} {
		w.at(d, int(d))
		w.on(int(d), func(f timers.Firing[int]) {
			require.EqualValues(t, f.Payload, w.Now())
			w.after(1, 1) // runs within this very Advance, one tick on
		})
	}
	require.Equal(t, []int{3, 1, 64, 65, 1, 1, 700, 1}, w.to(900))
}

func TestAdvanceToNowRunsNothing(t *testing.T) {
	w := newRig(t, room)
	w.to(5)
	w.after(0, 1)
	rep := w.Advance(5, w.fire)
	require.Equal(t, timers.Report{From: 5, To: 5}, rep)
	require.Empty(t, w.log)
	require.Panics(t, func() { w.Advance(4, w.fire) })
	require.Equal(t, []int{1}, w.to(6))
}

func TestSameCallsSameFirings(t *testing.T) {
	play := func(seed uint64) []timers.Firing[int] {
		c := room
		c.Seed, c.Budget = seed, 7
		w := newRig(t, c)
		g := w.group()
		for i := range 500 {
			w.after(timers.Span(i%90), i, timers.Spec{Group: []timers.Group{{}, g}[i%2], Lane: timers.Lane(i % 3),
				Jitter: timers.Jitter{Late: 20}, Choices: uint8(i % 5)})
		}
		w.tickTo(30)
		w.Pause(g)
		w.tickTo(60)
		w.Resume(g)
		w.tickTo(300)
		require.Len(t, w.log, 500)
		return w.log
	}
	require.Equal(t, play(1), play(1))
	require.NotEqual(t, play(1), play(2), "the seed has no influence")
}
