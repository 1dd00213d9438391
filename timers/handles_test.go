package timers_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tickwheel/tickwheel/timers"
)

func TestW14_CancelAfterTheWindowMoved(t *testing.T) {
	for _, d := range []timers.Tick{65, 128, 129, 300, 5000} {
		for _, before := range []timers.Tick{66, 65, 64, 63, 2, 1} {
			if before >= d {
				continue
			}
			w := newRig(t, room)
			h := w.at(d, 1) // filed as far
			keep := w.at(d, 2)
			w.to(d - before) // would be filed as near now
			require.True(t, w.Cancel(h), "deadline %d, cancelled %d ticks before", d, before)
			require.False(t, w.Cancel(h))
			require.Equal(t, 1, w.Len())
			left, ok := w.Remaining(keep)
			require.True(t, ok)
			require.EqualValues(t, before, left)
			require.Equal(t, []int{2}, w.to(d+100))
		}
	}
}

func TestW16_CallbackCancelsSiblingsOfItsTick(t *testing.T) {
	const a, b, c, d, e, f = 1, 2, 3, 4, 5, 6
	for _, due := range []timers.Tick{1, 64, 65, 700} {
		w := newRig(t, room)
		var h [7]timers.Handle
		for i := a; i <= f; i++ {
			h[i] = w.at(due, i)
		}
		require.True(t, w.Cancel(h[f]))
		w.on(a, func(timers.Firing[int]) {
			require.True(t, w.Cancel(h[b]))
			require.True(t, w.Cancel(h[d]))
			require.False(t, w.Cancel(h[a]), "a running one-shot cannot be cancelled")
			require.Equal(t, 2, w.Len())
		})
		require.Equal(t, []int{a, c, e}, w.to(due+200))
		require.Zero(t, w.Len())
	}
}

func TestW17_CancelSelfThenReadd(t *testing.T) {
	w := newRig(t, room)
	self := w.after(1, 1)
	w.on(1, func(timers.Firing[int]) {
		if w.Now() == 1 {
			require.False(t, w.Cancel(self))
			self = w.after(5, 1)
		}
	})
	require.Len(t, w.tickTo(100), 2)
	require.EqualValues(t, 6, w.when[1])
	require.Zero(t, w.Len())
}

func TestW17_ResetSelf(t *testing.T) {
	w := newRig(t, room)
	w.after(1, 1)
	w.on(1, func(f timers.Firing[int]) {
		if w.Now() != 1 {
			return
		}
		_, ok := w.Payload(f.Handle)
		require.False(t, ok, "a running one-shot is not pending")
		h, ok := w.Reset(f.Handle, w.Now()+5)
		require.True(t, ok)
		_, ok = w.Reset(f.Handle, w.Now()+9)
		require.False(t, ok, "re-armed once: the old handle is stale")
		require.False(t, w.Cancel(f.Handle))
		left, ok := w.Remaining(h)
		require.True(t, ok)
		require.EqualValues(t, 5, left)
	})
	require.Len(t, w.tickTo(100), 2)
	require.EqualValues(t, 6, w.when[1])
	_, ok := w.Reset(w.log[1].Handle, 200)
	require.False(t, ok, "after its callback a handle never revives")
}

func TestW17_PeriodicCancelsItself(t *testing.T) {
	w := newRig(t, room)
	h := w.every(2, 1)
	w.on(1, func(f timers.Firing[int]) {
		require.Equal(t, h, f.Handle)
		require.True(t, w.Cancel(f.Handle))
		require.False(t, w.Cancel(f.Handle))
	})
	require.Equal(t, []int{1}, w.tickTo(50))
	require.Zero(t, w.Len())
}

func TestW18_StaleHandleTouchesNoStranger(t *testing.T) {
	c := room
	c.MaxTimers = 1 // so that the same places are used again and again
	w := newRig(t, c)
	seen := map[timers.Handle]bool{}
	old := []timers.Handle{{}}
	use := func(h timers.Handle) timers.Handle {
		require.False(t, seen[h], "handle %v came back after %d armings", h, len(old))
		seen[h] = true
		old = append(old, h)
		return h
	}
	for i := range scale(500_000) {
		h := use(w.after(1, i))
		if i%2 == 0 {
			require.True(t, w.Cancel(h))
			use(w.after(2, i))
		}
		for _, o := range []timers.Handle{old[len(old)-2], old[i%(len(old)-1)]} {
			require.False(t, w.Cancel(o))
			_, ok := w.Reset(o, w.Now()+9)
			require.False(t, ok)
			_, ok = w.Remaining(o)
			require.False(t, ok)
		}
		require.Equal(t, []int{i}, w.to(w.Now()+2))
	}
}

func TestW18_BlocksRetireBeforeGenerationsWrap(t *testing.T) {
	c := room
	c.MaxTimers = 2
	w := newRig(t, c)
	w.LimitGenerations(256) // as if a generation had 8 bits
	seen := map[timers.Handle]bool{}
	g := w.group()
	for i := range 5000 {
		h := w.after(1, i)
		require.False(t, seen[h], "handle %v came back", h)
		seen[h] = true
		s := w.after(70, i, timers.Spec{Group: g})
		require.False(t, seen[s], "handle %v came back", s)
		seen[s] = true
		require.Equal(t, []int{i}, w.to(w.Now()+1))
		require.Equal(t, 1, w.CancelGroup(g))
	}
	require.Greater(t, w.Stats().Retired, 10)
	h := w.after(1, -1)
	for old := range seen {
		require.False(t, w.Cancel(old))
	}
	require.True(t, w.Cancel(h))
	require.NoError(t, w.Check())
}

func TestW18_HandlesOfAnotherWheelDoNoHarm(t *testing.T) {
	big := newRig(t, timers.Config{})
	small := newRig(t, room)
	for i := range 10_000 {
		h := big.at(timers.Tick(1+i), i, timers.Spec{Lane: timers.Lane(i % 3)})
		small.Cancel(h)
		small.Remaining(h)
		small.Payload(h)
	}
	g, err := big.NewGroup()
	require.NoError(t, err)
	require.Zero(t, small.CloseGroup(g))
	require.False(t, small.Pause(g))
	require.Zero(t, small.Len())
	p, err := big.Every(5, timers.Repeat{Period: 3}, 1, timers.Spec{})
	require.NoError(t, err)
	require.False(t, small.Cancel(p))
}

func TestW19_ResetOfAnExpiredTimer(t *testing.T) {
	w := newRig(t, room)
	w.to(10)
	h := w.at(3, 1) // the past: next tick
	h, ok := w.Reset(h, 40)
	require.True(t, ok)
	h, ok = w.Reset(h, 20)
	require.True(t, ok)
	require.True(t, w.Cancel(h))
	require.Empty(t, w.to(60))

	var b timers.Handle
	w.at(70, 1)
	b = w.at(70, 2)
	c := w.at(70, 3)
	w.on(1, func(timers.Firing[int]) {
		require.True(t, w.Cancel(b)) // expired, not yet run
		_, ok := w.Reset(c, 90)      // expired, moved on
		require.True(t, ok)
		w.at(70, 4)
	})
	require.Equal(t, []int{1}, w.to(70))
	require.Equal(t, []int{4}, w.to(71))
	require.Equal(t, []int{3}, w.to(100))
	require.Zero(t, w.Len())
}

func TestW19_ResetOfACarriedTimer(t *testing.T) {
	c := room
	c.Budget = 1
	w := newRig(t, c)
	w.at(1, 1)
	h := w.at(1, 2)
	w.at(1, 3)
	require.Equal(t, []int{1}, w.to(1))
	left, ok := w.Remaining(h)
	require.True(t, ok)
	require.Zero(t, left)
	h, ok = w.Reset(h, 10)
	require.True(t, ok)
	require.Equal(t, 1, w.Backlog(timers.Normal))
	require.Equal(t, []int{3}, w.to(2))
	require.Empty(t, w.tickTo(9))
	require.Equal(t, []int{2}, w.to(10))
	require.Zero(t, w.log[len(w.log)-1].Late, "lateness restarts")
	require.False(t, w.Cancel(h))
}

func TestW23_MoveThenRemove(t *testing.T) {
	w := newRig(t, room)
	k := w.after(8, 1)
	w.to(6)
	k, ok := w.Reset(k, w.Now()+7)
	require.True(t, ok)
	require.Empty(t, w.to(9))
	require.True(t, w.Cancel(k))
	require.Empty(t, w.to(200))

	k = w.after(8, 2)
	require.True(t, w.Cancel(k))
	w.after(8, 3) // the same slot
	require.Equal(t, []int{3}, w.to(300))

	k = w.after(8, 4)
	k, ok = w.Reset(k, w.Now()) // under a tick
	require.True(t, ok)
	require.True(t, w.Cancel(k))
	require.Empty(t, w.to(400))
}

func TestW24_CancelRightAfterSchedule(t *testing.T) {
	w := newRig(t, room)
	for i := range scale(10_000_000) {
		h := w.after(timers.Span(60+i%3), i)
		require.True(t, w.Cancel(h))
		h = w.after(1, i)
		h, ok := w.Reset(h, w.Now()+1)
		require.True(t, ok)
		require.True(t, w.Cancel(h))
	}
	require.Zero(t, w.Len())
	_, ok := w.Next()
	require.False(t, ok)
	require.Empty(t, w.to(1000))
	require.Less(t, w.Stats().Blocks, 10, "nothing is left behind")
}

func TestS07_CancelTwiceAndAfterCompletion(t *testing.T) {
	w := newRig(t, room)
	h := w.after(1, 1)
	require.True(t, w.Cancel(h))
	require.False(t, w.Cancel(h))
	h = w.after(1, 1)
	w.to(1)
	require.False(t, w.Cancel(h))
	g := w.group()
	h = w.after(5, 2, timers.Spec{Group: g})
	require.Equal(t, 1, w.CloseGroup(g))
	require.False(t, w.Cancel(h))
	p := w.every(1, 3)
	w.on(3, func(f timers.Firing[int]) { require.True(t, w.Cancel(p)) })
	w.to(20)
	require.False(t, w.Cancel(p))
	for _, h := range []timers.Handle{{}, h, p} {
		_, ok := w.Remaining(h)
		require.False(t, ok)
		_, ok = w.Payload(h)
		require.False(t, ok)
		_, ok = w.Reset(h, 50)
		require.False(t, ok)
	}
	require.Zero(t, w.Len())
}

func TestZeroHandleAndZeroGroup(t *testing.T) {
	require.True(t, timers.Handle{}.IsZero())
	require.True(t, timers.Group{}.IsZero())
	w := newRig(t, room)
	require.False(t, w.at(5, 1).IsZero())
	require.False(t, w.group().IsZero())
	require.False(t, w.Cancel(timers.Handle{}))
	require.Zero(t, w.CloseGroup(timers.Group{}))
	require.Zero(t, w.CancelGroup(timers.Group{}))
	require.Zero(t, w.GroupLen(timers.Group{}))
	require.False(t, w.Pause(timers.Group{}))
	require.False(t, w.Resume(timers.Group{}))
	require.Equal(t, 1, w.Len())
}
