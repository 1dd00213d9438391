package timers_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tickwheel/tickwheel/timers"
)

// TestNothingIsAllocatedInSteadyState pins every cycle that runs each tick.
func TestNothingIsAllocatedInSteadyState(t *testing.T) {
	for name, c := range map[string]timers.Config{"world": {}, "room": room, "budget": {Budget: 300}} {
		w, err := timers.New[uint64](c)
		require.NoError(t, err)
		nop := func(timers.Firing[uint64]) {}
		var g timers.Group
		must := func(h timers.Handle, err error) timers.Handle {
			if err != nil {
				t.Fatal(err)
			}
			return h
		}
		advance := func(n timers.Tick) { w.Advance(w.Now()+n, nop) }
		spread := timers.Jitter{Late: 9}
		cycles := map[string]func(){
			"schedule, cancel": func() {
				for i := range 100 {
					h := must(w.After(timers.Span(i*i*7), 1, timers.Spec{Lane: timers.Lane(i % 3)}))
					w.Cancel(h)
				}
			},
			"schedule, fire": func() {
				for i := range 100 {
					must(w.After(timers.Span(i%20), 1, timers.Spec{Lane: timers.Lane(i % 3), Jitter: spread, Choices: 4}))
				}
				advance(40)
			},
			"far, fire": func() {
				for i := range 100 {
					must(w.After(timers.Span(20_000+i%20), 1, timers.Spec{}))
				}
				advance(20_040)
			},
			"reset": func() {
				h := must(w.After(9, 1, timers.Spec{}))
				for i := range 100 {
					h, _ = w.Reset(h, w.Now()+timers.Tick(i))
				}
				w.Cancel(h)
			},
			"group": func() {
				g, _ = w.NewGroup()
				for i := range 100 {
					must(w.After(timers.Span(i%40*i), 1, timers.Spec{Group: g}))
				}
				advance(5)
				w.CloseGroup(g)
			},
			"pause, resume": func() {
				g, _ = w.NewGroup()
				for i := range 100 {
					must(w.After(timers.Span(3+i), 1, timers.Spec{Group: g}))
				}
				w.Pause(g)
				advance(5)
				w.Resume(g)
				advance(50)
				w.CloseGroup(g)
			},
			"periodic": func() {
				h := must(w.Every(w.Now()+2, timers.Repeat{Period: 2}, 1, timers.Spec{Jitter: timers.Jitter{Late: 1}}))
				advance(60)
				w.Cancel(h)
			},
			"looking": func() {
				h := must(w.After(9, 1, timers.Spec{}))
				w.Remaining(h)
				w.Payload(h)
				w.Next()
				w.Load(w.Now() + 9)
				w.BacklogAge(timers.Bulk)
				w.Cancel(h)
			},
		}
		for what, cycle := range cycles {
			for range 200 { // until the wheel has held as many before
				cycle()
			}
			require.Zero(t, testing.AllocsPerRun(50, cycle), "%s: %s", name, what)
		}
		require.NoError(t, w.Check())
	}
}

func TestListingAllocatesLittle(t *testing.T) {
	w := newRig(t, room)
	for i := range 5000 {
		w.after(timers.Span(1+i), i)
	}
	n := 0
	require.LessOrEqual(t, testing.AllocsPerRun(10, func() {
		for range w.All() {
			n++
		}
	}), 20.0, "not in proportion to the timers")
	require.Equal(t, 11*5000, n)
}
