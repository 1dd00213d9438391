package timers_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tickwheel/tickwheel/timers"
)

// fill schedules timers of g everywhere a timer can be: carried, near, far, in
// every lane, periodic. The wheel's budget must be 1 and the group empty.
func fill(w *rig, g timers.Group) (n int) {
	w.t.Helper()
	for _, l := range []timers.Lane{timers.Urgent, timers.Normal, timers.Bulk} {
		s := timers.Spec{Group: g, Lane: l}
		for _, d := range []timers.Span{1, 1, 1, 2, 30, 63, 64, 65, 500, 100_000} {
			w.after(d, 100+n, s)
			n++
		}
		w.every(3, 100+n, s)
		n++
	}
	w.to(w.Now() + 1)
	return n - 1 // one has run
}

func TestS01_NothingRunsAfterCloseGroup(t *testing.T) {
	c := room
	c.Budget = 1
	for _, paused := range []bool{false, true} {
		w := newRig(t, c)
		g, other := w.group(), w.group()
		keep := w.at(300, 1, timers.Spec{Group: other})
		n := fill(w, g)
		if paused {
			require.True(t, w.Pause(g))
		}
		require.Equal(t, n, w.GroupLen(g))
		require.Equal(t, n+1, w.Len())
		require.Equal(t, n, w.CloseGroup(g))
		require.Zero(t, w.CloseGroup(g), "closed twice")
		require.Zero(t, w.GroupLen(g))
		require.Equal(t, 1, w.Len())
		require.Zero(t, w.Backlog(timers.Urgent)+w.Backlog(timers.Normal)+w.Backlog(timers.Bulk))
		left, ok := w.Remaining(keep)
		require.True(t, ok)
		require.EqualValues(t, 299, left)
		require.NoError(t, w.Check())
		require.Equal(t, []int{1}, w.tickTo(2000))
		require.Empty(t, w.to(200_000))
	}
}

func TestS03_CloseInsideACallbackStopsSiblings(t *testing.T) {
	for _, own := range []bool{true, false} {
		for _, due := range []timers.Tick{1, 64, 65, 700} {
			w := newRig(t, room)
			g := w.group()
			s := timers.Spec{Group: g}
			closer := timers.Spec{}
			if own {
				closer = s
			}
			w.at(due, 1, closer)
			w.at(due, 2, s)
			w.at(due, 3, timers.Spec{Group: g, Lane: timers.Bulk})
			w.at(due, 4)
			w.at(due+1, 5, s)
			w.on(1, func(timers.Firing[int]) { require.Equal(t, 3, w.CloseGroup(g)) })
			require.Equal(t, []int{1, 4}, w.to(due+100))
			require.Zero(t, w.Len())
		}
	}
}

func TestS04_ClosedGroupRefusesTimers(t *testing.T) {
	w := newRig(t, room)
	g := w.group()
	s := timers.Spec{Group: g}
	w.at(1, 1, s)
	w.on(1, func(f timers.Firing[int]) {
		require.Zero(t, w.CloseGroup(g))
		_, err := w.After(1, 2, s)
		require.ErrorIs(t, err, timers.ErrClosed)
		_, err = w.Every(5, timers.Repeat{Period: 1}, 2, s)
		require.ErrorIs(t, err, timers.ErrClosed)
		_, ok := w.Reset(f.Handle, 9)
		require.False(t, ok, "its group is closed")
	})
	require.Equal(t, []int{1}, w.to(50))
	require.Zero(t, w.Len())
	require.False(t, w.Pause(g))
	require.False(t, w.Resume(g))
	require.False(t, w.Paused(g))
}

func TestS04_ReusedGroupInheritsNothing(t *testing.T) {
	c := room
	c.MaxGroups = 1
	w := newRig(t, c)
	old := w.group()
	_, err := w.NewGroup()
	require.ErrorIs(t, err, timers.ErrFull)
	w.at(5, 1, timers.Spec{Group: old})
	w.Pause(old)
	w.CloseGroup(old)
	g := w.group() // in the same place
	require.NotEqual(t, old, g)
	require.False(t, w.Paused(g))
	require.Zero(t, w.GroupLen(g))
	w.at(5, 2, timers.Spec{Group: g})
	require.Zero(t, w.CloseGroup(old))
	require.Zero(t, w.CancelGroup(old))
	require.False(t, w.Pause(old))
	_, err = w.At(5, 3, timers.Spec{Group: old})
	require.ErrorIs(t, err, timers.ErrClosed)
	require.Equal(t, []int{2}, w.to(10))
}

// A group keeps a list of its timers. Whatever way they end, it must not grow
// with those that were, also when they follow each other at one address.
func TestS10_GroupIsAsBigAsItsLiveTimers(t *testing.T) {
	for name, cycle := range map[string]func(w *rig, s timers.Spec, i int){
		"armed and cancelled": func(w *rig, s timers.Spec, i int) {
			require.True(w.t, w.Cancel(w.after(timers.Span(1+i%100), i, s)))
		},
		"fired": func(w *rig, s timers.Spec, i int) {
			w.after(1, i, s)
			w.Advance(w.Now()+1, func(timers.Firing[int]) {})
		},
		"fired over time": func(w *rig, s timers.Spec, i int) {
			w.after(timers.Span(1+i*7%90), i, s)
			w.Advance(w.Now()+timers.Tick(i%2), func(timers.Firing[int]) {})
		},
		"re-armed in its callback": func(w *rig, s timers.Spec, i int) {
			if w.Len() == 1 {
				w.after(1, i, s)
			}
			w.Advance(w.Now()+1, func(f timers.Firing[int]) {
				_, ok := w.Reset(f.Handle, 0)
				require.True(w.t, ok)
			})
		},
		"reset": func(w *rig, s timers.Spec, i int) {
			h, ok := w.Reset(w.after(1, i, s), w.Now()+timers.Tick(1+i%70))
			require.True(w.t, ok)
			require.True(w.t, w.Cancel(h))
		},
		"periodic": func(w *rig, s timers.Spec, i int) {
			h := w.every(1, i, s)
			w.Advance(w.Now()+1, func(timers.Firing[int]) {})
			require.True(w.t, w.Cancel(h))
		},
		"paused and cancelled": func(w *rig, s timers.Spec, i int) {
			h := w.after(5, i, s)
			w.Pause(s.Group)
			fresh := w.after(5, i, s)
			require.True(w.t, w.Cancel(h))
			w.Resume(s.Group)
			require.True(w.t, w.Cancel(fresh))
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := newRig(t, room)
			s := timers.Spec{Group: w.group()}
			keep := w.at(1<<40, 0, s)
			n := 30_000
			if *long {
				n = 1_000_000
			}
			var base int64
			for i := range n {
				cycle(w, s, i)
				require.Equal(t, w.Len(), w.GroupLen(s.Group))
				if i == 2000 {
					base = w.Stats().Bytes
				}
			}
			require.LessOrEqual(t, w.Stats().Bytes, base+16<<10, "grows with what was, not with what is")
			require.NoError(t, w.Check())
			require.True(t, w.Cancel(keep))
			require.Equal(t, w.Len(), w.CloseGroup(s.Group))
			require.Zero(t, w.Len())
		})
	}
}

func TestCancelGroupKeepsTheGroup(t *testing.T) {
	w := newRig(t, room)
	g := w.group()
	s := timers.Spec{Group: g}
	w.at(5, 1, s)
	w.every(2, 2, s)
	require.Equal(t, 2, w.CancelGroup(g))
	require.Zero(t, w.CancelGroup(g))
	w.at(6, 3, s)
	require.Equal(t, 1, w.GroupLen(g))
	require.Equal(t, []int{3}, w.to(10))
}

func TestGroupOfAPeriodicCancelsItselfFromItsCallback(t *testing.T) {
	w := newRig(t, room)
	g := w.group()
	w.every(2, 1, timers.Spec{Group: g})
	w.at(90, 2, timers.Spec{Group: g})
	w.on(1, func(timers.Firing[int]) {
		if len(w.log) == 3 {
			require.Equal(t, 2, w.CancelGroup(g), "its next run counts")
		}
	})
	require.Equal(t, []int{1, 1, 1}, w.to(100))
}

func TestPauseKeepsWhatRemains(t *testing.T) {
	w := newRig(t, room)
	g := w.group()
	s := timers.Spec{Group: g}
	near, far := w.at(10, 1, s), w.at(1000, 2, s)
	w.at(10, 3)
	w.to(4)
	require.True(t, w.Pause(g))
	require.False(t, w.Pause(g), "paused already")
	require.True(t, w.Paused(g))
	fresh := w.after(3, 4, s) // starts frozen
	require.Equal(t, []int{3}, w.to(5000))
	for h, want := range map[timers.Handle]timers.Span{near: 6, far: 996, fresh: 3} {
		left, ok := w.Remaining(h)
		require.True(t, ok)
		require.Equal(t, want, left)
	}
	require.Equal(t, 3, w.Len())
	_, ok := w.Next()
	require.False(t, ok, "paused timers don't count")
	require.True(t, w.Resume(g))
	require.False(t, w.Resume(g), "runs already")
	next, ok := w.Next()
	require.True(t, ok)
	require.EqualValues(t, 5003, next)
	require.Equal(t, []int{4, 1, 2}, w.to(9000))
	require.Equal(t, []timers.Tick{10, 5003, 5006, 5996}, w.when)
	require.Zero(t, w.log[2].Late)
}

func TestPauseCarriedTimersKeepTheirOrder(t *testing.T) {
	c := room
	c.Budget = 1
	w := newRig(t, c)
	g := w.group()
	s := timers.Spec{Group: g}
	w.at(2, 1, s)
	w.at(1, 2, s)
	w.at(1, 3)
	w.at(2, 4)
	w.at(1, 5, s)
	require.Equal(t, []int{2}, w.to(1))
	require.Equal(t, []int{3}, w.to(2))
	require.True(t, w.Pause(g))
	require.Equal(t, 1, w.Backlog(timers.Normal))
	require.Equal(t, []int{4}, w.tickTo(20))
	require.True(t, w.Resume(g))
	w.after(1, 6)
	require.Equal(t, []int{5, 1, 6}, w.tickTo(30), "longest overdue first, all before newer ones")
	require.Equal(t, timers.Tick(21), w.log[3].Deadline, "lateness starts afresh")
	require.Equal(t, []timers.Tick{21, 22, 23}, w.when[3:])
}

func TestPausedTimersCanBeCancelledAndReset(t *testing.T) {
	w := newRig(t, room)
	g := w.group()
	s := timers.Spec{Group: g}
	a, b := w.at(10, 1, s), w.at(20, 2, s)
	p := w.every(7, 3, s)
	w.Pause(g)
	require.True(t, w.Cancel(a))
	b, ok := w.Reset(b, 5)
	require.True(t, ok)
	_, ok = w.Reset(p, 3)
	require.True(t, ok)
	require.Empty(t, w.to(100))
	left, ok := w.Remaining(b)
	require.True(t, ok)
	require.EqualValues(t, 5, left)
	w.Resume(g)
	require.Equal(t, []int{3, 2, 3}, w.to(111))
	require.Equal(t, []timers.Tick{103, 105, 110}, w.when)
}

func TestResetWhilePausedTakesANewPlaceInLine(t *testing.T) {
	w := newRig(t, room)
	g := w.group()
	s := timers.Spec{Group: g}
	a := w.at(10, 1, s)
	p := w.every(10, 2, s)
	w.at(10, 3, s)
	w.Pause(g)
	w.at(10, 4, s)
	_, ok := w.Reset(p, 10)
	require.True(t, ok)
	_, ok = w.Reset(a, 10)
	require.True(t, ok)
	w.at(10, 5, s)
	w.Resume(g)
	require.Equal(t, []int{3, 4, 2, 1, 5}, w.to(10))
}

func TestPauseFromACallbackHoldsSiblings(t *testing.T) {
	w := newRig(t, room)
	g := w.group()
	s := timers.Spec{Group: g}
	w.at(5, 1)
	w.at(5, 2, s)
	w.at(5, 3)
	w.at(6, 4, s)
	w.on(1, func(timers.Firing[int]) { w.Pause(g) })
	w.on(3, func(timers.Firing[int]) { w.Resume(g) })
	require.Equal(t, []int{1, 3}, w.to(5))
	require.Equal(t, []int{2, 4}, w.to(6), "resumed in tick 5: due at the next")
}

func TestBulkCancelOfManyGroups(t *testing.T) {
	w := newRig(t, room)
	var gs []timers.Group
	for i := range 40 {
		g := w.group()
		gs = append(gs, g)
		for k := range 300 {
			w.after(timers.Span(1+(i*300+k)*7919%2000), i, timers.Spec{Group: g, Lane: timers.Lane(k % 3)})
		}
	}
	w.to(700)
	left := w.Len()
	for i, g := range gs {
		n := w.GroupLen(g)
		require.Equal(t, n, w.CloseGroup(g))
		left -= n
		require.Equal(t, left, w.Len(), "after group %d", i)
	}
	require.Zero(t, left)
	require.Zero(t, w.Stats().Blocks, "all memory came back")
	require.NoError(t, w.Check())
}
