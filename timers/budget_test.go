package timers_test

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tickwheel/tickwheel/timers"
)

func capped(t *testing.T, budget int) *rig {
	c := room
	c.Budget = budget
	return newRig(t, c)
}

func TestJ04_StormIsHeldToTheBudget(t *testing.T) {
	w := capped(t, 200)
	var want []int
	for i := range 10_000 {
		w.at(5, i)
		want = append(want, i)
	}
	w.to(4)
	for tick := range 50 {
		n := len(w.log)
		rep := w.Advance(w.Now()+1, w.fire)
		require.Equal(t, 200, rep.Fired)
		require.Equal(t, 10_000-200*(tick+1), rep.Carried)
		require.Equal(t, rep.Carried, w.Backlog(timers.Normal))
		for _, f := range w.log[n:] {
			require.EqualValues(t, tick, f.Late)
		}
	}
	require.Equal(t, want, w.ids(0), "oldest first")
	require.Zero(t, w.Len())
}

func TestJ04_JitterSpreadsTheStorm(t *testing.T) {
	c := room
	c.Budget = 200
	w := newRig(t, c)
	for i := range 10_000 {
		w.at(5, i, timers.Spec{Jitter: timers.Jitter{Late: 99}, Choices: 4})
	}
	for w.Len() > 0 {
		rep := w.Advance(w.Now()+1, w.fire)
		require.LessOrEqual(t, rep.Fired, 120, "mean 100 a tick")
		require.Zero(t, rep.Carried)
	}
	require.EqualValues(t, 104, w.Now())
}

func TestJ05_CarriedTimersDoNotStarve(t *testing.T) {
	w := capped(t, 100)
	for i := range 250 {
		w.at(1, i)
	}
	for range 500 { // as many new ones as the budget, each tick
		for i := range 100 {
			w.after(1, 1000+i)
		}
		w.to(w.Now() + 1)
		require.LessOrEqual(t, w.BacklogAge(timers.Normal), timers.Span(3))
	}
	for _, f := range w.log {
		require.LessOrEqual(t, f.Late, timers.Span(4), "lateness is bounded by backlog ÷ budget")
	}
}

func TestJ05_LowerLanesKeepTheirShare(t *testing.T) {
	w := capped(t, 100)
	for _, l := range []timers.Lane{timers.Bulk, timers.Normal} {
		for i := range 1000 {
			w.at(1, i, timers.Spec{Lane: l})
		}
	}
	for range 20 {
		for i := range 200 { // urgent alone is twice the budget
			w.after(1, i, timers.Spec{Lane: timers.Urgent})
		}
		n := len(w.log)
		w.to(w.Now() + 1)
		var ran [timers.Lanes]int
		for _, f := range w.log[n:] {
			ran[f.Lane]++
		}
		require.Equal(t, [timers.Lanes]int{timers.Urgent: 63, timers.Normal: 25, timers.Bulk: 12}, ran)
	}
}

func TestJ05_UnusedSharesGoBackUpwards(t *testing.T) {
	w := capped(t, 100)
	for i := range 300 {
		w.at(1, i, timers.Spec{Lane: timers.Urgent})
	}
	for i := range 5 {
		w.at(1, 1000+i)
		w.at(1, 2000+i, timers.Spec{Lane: timers.Bulk})
	}
	w.to(1)
	count := func(lo int) (n int) {
		for _, id := range w.ids(0) {
			if id >= lo && id < lo+1000 {
				n++
			}
		}
		return n
	}
	require.Equal(t, []int{90, 5, 5}, []int{count(0), count(1000), count(2000)})
}

func TestJ05_TinyBudgetServesAStarvedLane(t *testing.T) {
	for _, budget := range []int{1, 2} {
		w := capped(t, budget)
		w.at(1, 1, timers.Spec{Lane: timers.Bulk})
		w.at(1, 2)
		for range 20 {
			for range 2 {
				w.after(1, 0, timers.Spec{Lane: timers.Urgent})
			}
			w.to(w.Now() + 1)
		}
		late := map[int]timers.Span{}
		for _, f := range w.log {
			late[f.Payload] = max(late[f.Payload], f.Late)
		}
		require.Contains(t, late, 1, "bulk ran")
		require.Contains(t, late, 2, "normal ran")
		require.EqualValues(t, 8, late[2], "budget %d: after 8 ticks without", budget)
		require.LessOrEqual(t, late[1], timers.Span(9), "budget %d", budget)
	}
}

func TestJ07_DeadEntriesDoNotUseTheBudget(t *testing.T) {
	w := capped(t, 100)
	var hs []timers.Handle
	var gs []timers.Group
	for i := range 10_000 {
		hs = append(hs, w.at(9, i))
	}
	for range 100 {
		g := w.group()
		gs = append(gs, g)
		for i := range 100 {
			w.at(9, i, timers.Spec{Group: g})
		}
	}
	w.at(9, -1)
	for _, h := range hs {
		require.True(t, w.Cancel(h))
	}
	for i, g := range gs {
		if i%2 == 0 {
			w.CloseGroup(g)
		} else {
			w.Pause(g)
		}
	}
	require.Equal(t, []int{-1}, w.to(9))
	require.Zero(t, w.Backlog(timers.Normal))
}

func TestJ07_TimersTheGateRefusesDoNotUseTheBudget(t *testing.T) {
	w := capped(t, 3)
	w.SetLive(func(id *int) bool { return *id >= 50 })
	g := w.group()
	for i := range 60 {
		s := timers.Spec{}
		if i%3 == 0 {
			s.Group = g
		}
		w.at(9, i, s)
		if i%7 == 0 && i < 50 {
			_, err := w.Every(9, timers.Repeat{Period: 1}, i-1000, s)
			require.NoError(t, err)
		}
	}
	require.Equal(t, []int{50, 51, 52}, w.to(9))
	require.Equal(t, 7, w.Len(), "refused ones are gone, periodic ones too")
	require.NoError(t, w.Check())
	w.SetLive(nil)
	require.Equal(t, []int{53, 54, 55, 56, 57, 58, 59}, w.tickTo(20))
}

func TestJ09_ClosingAGroupClearsItsBacklog(t *testing.T) {
	c := room
	c.Budget, c.MaxTimers = 10, 60
	w := newRig(t, c)
	g := w.group()
	for i := range 60 {
		w.at(1, i, timers.Spec{Group: g})
	}
	require.Len(t, w.to(1), 10)
	require.Equal(t, 50, w.Backlog(timers.Normal))
	require.Equal(t, 50, w.CloseGroup(g))
	require.Zero(t, w.Backlog(timers.Normal))
	require.Zero(t, w.BacklogAge(timers.Normal))
	for i := range 60 { // room for others at once
		w.after(1, 100+i)
	}
	require.Equal(t, []int{100, 101, 102, 103, 104, 105, 106, 107, 108, 109}, w.to(2))
}

func TestJ10_BudgetZeroIsNoLimit(t *testing.T) {
	_, err := timers.New[int](timers.Config{Budget: -1})
	require.ErrorContains(t, err, "Budget is -1")
	for _, budget := range []int{0, math.MaxInt} {
		w := capped(t, budget)
		require.Error(t, w.SetBudget(-1))
		require.Equal(t, budget, w.Budget(), "a refused budget changes nothing")
		for i := range 5000 {
			w.at(1, i, timers.Spec{Lane: timers.Lane(i % 3)})
		}
		require.Len(t, w.to(1), 5000)
	}
}

func TestBudgetChangesFromTheNextAdvance(t *testing.T) {
	w := capped(t, 2)
	for i := range 9 {
		w.at(1, i)
	}
	require.Equal(t, []int{0, 1}, w.to(1))
	require.NoError(t, w.SetBudget(3))
	require.Equal(t, []int{2, 3, 4}, w.to(2))
	require.NoError(t, w.SetBudget(0))
	require.Equal(t, []int{5, 6, 7, 8}, w.to(3))
}

func TestBudgetSpansAnAdvanceOfManyTicks(t *testing.T) {
	w := capped(t, 3)
	for i := range 10 {
		w.at(timers.Tick(1+i), i)
	}
	rep := w.Advance(8, w.fire)
	require.Equal(t, timers.Report{From: 0, To: 8, Fired: 3, Carried: 5}, rep)
	require.Equal(t, []timers.Tick{1, 2, 3}, w.when)
	require.EqualValues(t, 4, w.BacklogAge(timers.Normal))
	require.Equal(t, []int{3, 4, 5}, w.to(9))
	require.Equal(t, []int{6, 7, 8}, w.to(10))
	require.Equal(t, []int{9}, w.to(11))
	late := []timers.Span{}
	for _, f := range w.log {
		late = append(late, f.Late)
	}
	require.Equal(t, []timers.Span{0, 0, 0, 5, 4, 3, 3, 2, 1, 1}, late)
}

func TestBacklogGoesBeforeNewlyDueOfItsLane(t *testing.T) {
	w := capped(t, 1)
	w.at(1, 1)
	w.at(1, 2)
	w.at(2, 3)
	w.at(2, 4, timers.Spec{Lane: timers.Urgent})
	require.Equal(t, []int{1, 4, 2, 3}, w.tickTo(4))
}

func TestBreakCarriesTheRest(t *testing.T) {
	w := newRig(t, room)
	for i := range 6 {
		w.at(timers.Tick(1+i/3), i)
	}
	w.on(1, func(timers.Firing[int]) { w.Break() })
	rep := w.Advance(5, w.fire)
	require.Equal(t, timers.Report{From: 0, To: 5, Fired: 2, Carried: 4}, rep)
	require.Equal(t, []int{2, 3, 4, 5}, w.to(6), "first in line, in order")
	w.Break() // outside a callback: nothing
	w.after(1, 9)
	require.Equal(t, []int{9}, w.to(7))
}

func TestCarriedTimersCanBeCancelled(t *testing.T) {
	w := capped(t, 1)
	var hs []timers.Handle
	for i := range 20 {
		hs = append(hs, w.at(1, i))
	}
	w.to(1)
	for i := 1; i < 20; i++ {
		if i%4 != 0 {
			require.True(t, w.Cancel(hs[i]))
		}
	}
	require.Equal(t, 4, w.Backlog(timers.Normal))
	require.True(t, slices.Equal([]int{4, 8, 12, 16}, w.tickTo(40)))
}

// A mass logout leaves whole blocks of timers that the gate drops: more of them
// than the wheel queues for release at a time.
func TestGateDropsManyBlocksInATick(t *testing.T) {
	w := newRig(t, timers.Config{})
	n := scale(20_000)
	for i := range n {
		s := timers.Spec{Group: w.group(), Lane: timers.Lane(i % timers.Lanes)}
		w.after(1, i, s)
		_, err := w.Every(1, timers.Repeat{Period: 1}, n+i, s)
		require.NoError(t, err)
	}
	w.SetLive(func(*int) bool { return false })
	require.Empty(t, w.to(1))
	require.Zero(t, w.Len())
	require.NoError(t, w.Check())
}
