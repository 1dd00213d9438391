package timers_test

import (
	"errors"
	"fmt"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tickwheel/tickwheel/timers"
)

// advanceThrough advances to a tick as a loop does: it recovers and goes on
// with the same tick. It returns what was thrown and the last report.
func (r *rig) advanceThrough(to timers.Tick) (thrown []any, rep timers.Report) {
	for done := false; !done; {
		func() {
			defer func() {
				if !done {
					thrown = append(thrown, recover())
				}
			}()
			rep = r.Advance(to, r.fire)
			done = true
		}()
	}
	return thrown, rep
}

func tally(m map[int]int) { m[1]++ }

func TestT10_PanicLeavesTheWheelWhole(t *testing.T) {
	type custom struct{ n int }
	values := map[string]func(){
		"error":       func() { panic(errors.New("boom")) },
		"string":      func() { panic("boom") },
		"nil map":     func() { tally(nil) },
		"nil":         func() { panic(nil) },
		"custom type": func() { panic(custom{1}) },
	}
	for name, throw := range values {
		for position := 1; position <= 5; position++ { // first, middle, last of the tick
			w := newRig(t, room)
			g := w.group()
			for i := 1; i <= 5; i++ {
				w.at(3, i, timers.Spec{Group: []timers.Group{{}, g}[i%2]})
			}
			w.at(4, 6)
			w.on(position, func(timers.Firing[int]) { throw() })
			thrown, rep := w.advanceThrough(4)
			require.Len(t, thrown, 1, name)
			require.NotNil(t, thrown[0])
			require.Equal(t, []int{1, 2, 3, 4, 5, 6}, w.ids(0), "%s at %d: the rest of the tick runs, in order", name, position)
			require.Equal(t, timers.Report{From: 0, To: 4, Fired: 6}, rep, "the report covers both")
			require.Zero(t, w.Len())
			require.NoError(t, w.Check())
		}
	}
}

func TestT10_PanicDoesNotEndAPeriodic(t *testing.T) {
	w := newRig(t, room)
	h := w.every(5, 1)
	w.on(1, func(timers.Firing[int]) {
		if len(w.log) == 3 {
			panic("third run")
		}
	})
	thrown, _ := w.advanceThrough(50)
	require.Len(t, thrown, 1)
	require.Len(t, w.log, 10)
	require.True(t, w.Cancel(h))
}

func TestT10_BetweenPanicAndNextAdvanceTheRestIsFirstInLine(t *testing.T) {
	w := newRig(t, room)
	var hs [8]timers.Handle
	for i := range hs {
		hs[i] = w.at(3, i)
	}
	w.on(2, func(timers.Firing[int]) { panic("boom") })
	require.PanicsWithValue(t, "boom", func() { w.Advance(3, w.fire) })
	require.EqualValues(t, 3, w.Now())
	require.Equal(t, 5, w.Len())
	require.Equal(t, 5, w.Backlog(timers.Normal))
	_, ok := w.Reset(hs[2], 9)
	require.False(t, ok, "its callback is over")
	require.True(t, w.Cancel(hs[4]))
	_, ok = w.Reset(hs[6], 20)
	require.True(t, ok)
	w.after(0, 99)
	require.NoError(t, w.Check())
	require.Equal(t, []int{3, 5, 7}, w.to(3), "Advance to the same tick goes on with it")
	require.Empty(t, w.to(3), "and only once")
	require.Equal(t, []int{99}, w.to(4))
	require.Equal(t, []int{6}, w.to(20))
}

func TestT10_InterruptedAdvanceKeepsWhatIsLeftOfTheBudget(t *testing.T) {
	w := capped(t, 5)
	for i := range 20 {
		w.at(2, i, timers.Spec{Lane: []timers.Lane{timers.Urgent, timers.Bulk}[i%2]})
	}
	for _, i := range []int{0, 4} {
		w.on(i, func(timers.Firing[int]) { panic("boom") })
	}
	thrown, rep := w.advanceThrough(2)
	require.Len(t, thrown, 2)
	require.Equal(t, []int{0, 2, 4, 6, 1}, w.ids(0), "the shares of the tick hold, too")
	require.Equal(t, timers.Report{From: 0, To: 2, Fired: 5, Carried: 15}, rep)
}

func TestT10_PanicInManyTicksAtOnce(t *testing.T) {
	w := newRig(t, room)
	for i := range 300 {
		w.at(timers.Tick(1+i), i)
		if i%7 == 0 {
			w.on(i, func(timers.Firing[int]) { panic(i) })
		}
	}
	thrown, rep := w.advanceThrough(300)
	require.Len(t, thrown, 43)
	require.Equal(t, 300, rep.Fired)
	for i, at := range w.when {
		require.EqualValues(t, i+1, at)
	}
}

func TestT11_GoexitLeavesTheWheelWhole(t *testing.T) {
	w := newRig(t, room)
	for i := range 6 {
		w.at(3, i)
	}
	w.every(1, 10)
	w.on(2, func(timers.Firing[int]) { runtime.Goexit() })
	ended := make(chan bool)
	go func() {
		returned := false
		defer func() { ended <- returned }()
		w.Advance(3, w.fire)
		returned = true
	}()
	require.False(t, <-ended)
	require.Equal(t, []int{10, 10, 0, 1, 2}, w.ids(0))
	require.Equal(t, 4, w.Backlog(timers.Normal))
	require.NoError(t, w.Check())
	rep := w.Advance(3, w.fire) // on another goroutine: the wheel does not mind
	require.Equal(t, []int{3, 4, 5, 10}, w.ids(5))
	require.Equal(t, timers.Report{From: 0, To: 3, Fired: 9}, rep)
}

func TestAdvanceFromACallbackIsMisuse(t *testing.T) {
	w := newRig(t, room)
	w.at(1, 1)
	w.at(1, 2)
	w.on(1, func(timers.Firing[int]) { w.Advance(5, w.fire) })
	thrown, _ := w.advanceThrough(1)
	require.Len(t, thrown, 1)
	require.Contains(t, fmt.Sprint(thrown[0]), "timers: Advance")
	require.Equal(t, []int{1, 2}, w.ids(0))
	require.EqualValues(t, 1, w.Now())
}

func TestPanicInTheGateLosesNothing(t *testing.T) {
	w := newRig(t, room)
	calls := 0
	w.SetLive(func(id *int) bool {
		if calls++; calls == 2 {
			panic("gate")
		}
		return true
	})
	for i := range 4 {
		w.at(1, i)
	}
	thrown, rep := w.advanceThrough(1)
	require.Equal(t, []any{"gate"}, thrown)
	require.Equal(t, []int{0, 1, 2, 3}, w.ids(0))
	require.Equal(t, 4, rep.Fired)
}

func TestMisusePanicsWithPackageFunctionAndValue(t *testing.T) {
	w := newRig(t, room)
	w.to(5)
	for want, f := range map[string]func(){
		"timers: Advance(4)":              func() { w.Advance(4, w.fire) },
		"timers: At: Spec.Lane is 3":      func() { w.At(9, 1, timers.Spec{Lane: 3}) },
		"timers: Every: Spec.Lane is 200": func() { w.Every(9, timers.Repeat{Period: 1}, 1, timers.Spec{Lane: 200}) },
	} {
		func() {
			defer func() { require.Contains(t, fmt.Sprint(recover()), want) }()
			f()
		}()
	}
	require.Zero(t, w.Len())
}
