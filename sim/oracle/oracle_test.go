package oracle_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tickwheel/tickwheel/sim/oracle"
	"github.com/tickwheel/tickwheel/timers"
)

func newWheel(budget int) *oracle.Wheel {
	return oracle.New(oracle.Config{Horizon: 1 << 40, Max: 100, Budget: budget, Normal: 1.0 / 4, Bulk: 1.0 / 8, Units: 10})
}

// fire is a firing in tick n of a timer that is due there.
func fire(id int, n timers.Tick) oracle.Firing { return oracle.Firing{ID: id, Tick: n, Deadline: n} }

func TestWheelNamesTheRule(t *testing.T) {
	for _, c := range []struct {
		name string
		fire func(w *oracle.Wheel) error
		want oracle.Rule
	}{
		{"before its time", func(w *oracle.Wheel) error { _, err := w.Fire(fire(3, 1)); return err }, oracle.Early},
		{"nobody's", func(w *oracle.Wheel) error { _, err := w.Fire(fire(9, 1)); return err }, oracle.Once},
		{"out of turn", func(w *oracle.Wheel) error { _, err := w.Fire(fire(2, 1)); return err }, oracle.Order},
		{"the wrong lane", func(w *oracle.Wheel) error { _, err := w.Fire(fire(4, 1)); return err }, oracle.Lanes},
		{"not at all", func(w *oracle.Wheel) error { return w.End() }, oracle.Lost},
		{"twice", func(w *oracle.Wheel) error {
			_, err := w.Fire(fire(1, 1))
			require.NoError(t, err)
			_, err = w.Fire(fire(1, 1))
			return err
		}, oracle.Once},
		{"over the cap", func(w *oracle.Wheel) error {
			for _, id := range []int{1, 2} {
				_, err := w.Fire(fire(id, 1))
				require.NoError(t, err)
			}
			f := fire(4, 1)
			f.Lane = timers.Bulk
			_, err := w.Fire(f)
			return err
		}, oracle.Cap},
		{"with the wrong lateness", func(w *oracle.Wheel) error {
			f := fire(1, 1)
			f.Late = 1
			_, err := w.Fire(f)
			return err
		}, oracle.Carried},
	} {
		w := newWheel(2)
		g := &oracle.Group{}
		w.Add(1, 1, timers.Normal, g)
		w.Add(2, 1, timers.Normal, g)
		w.Add(3, 2, timers.Normal, g)
		w.Add(4, 1, timers.Bulk, g)
		w.Begin(1)
		var broken *oracle.Broken
		require.ErrorAs(t, c.fire(w), &broken, c.name)
		assert.Equal(t, c.want, broken.Rule, c.name)
	}
}

func TestWheelCountsWhatAPeriodicMissed(t *testing.T) {
	w := newWheel(1)
	p := w.Add(1, 2, timers.Bulk, nil)
	w.Repeat(p, 2, 15, 0, false) // at ticks 2, 3.5, 5, 6.5, 8
	for id := 2; id < 6; id++ {
		w.Add(id, 2, timers.Urgent, nil)
	}
	for n := timers.Tick(2); n < 6; n++ {
		w.Begin(n)
		_, err := w.Fire(oracle.Firing{ID: int(n), Tick: n, Deadline: 2, Late: timers.Span(n - 2), Lane: timers.Urgent})
		require.NoError(t, err)
		require.NoError(t, w.End())
	}
	w.Begin(6)
	_, err := w.Fire(oracle.Firing{ID: 1, Tick: 6, Deadline: 2, Late: 4, Missed: 2, Lane: timers.Bulk})
	require.NoError(t, err)
	require.NoError(t, w.End())
	assert.Equal(t, timers.Tick(7), p.Deadline, "6.5, rounded up")
}

// The picture in the pacer's own comment: a stall of 8 intervals, 5 to catch up.
func TestGridAfterAStall(t *testing.T) {
	ms := time.Millisecond
	g := oracle.Grid{Interval: 100 * ms, CatchUp: 5}
	g.Start(0)
	start, late, shed, err := g.Tick(100 * ms)
	require.NoError(t, err)
	assert.Equal(t, []any{100 * ms, time.Duration(0), int64(0)}, []any{start, late, shed})
	ticks, _ := g.After(950*ms, 100*ms)
	assert.Equal(t, timers.Tick(7), ticks, "3 of the 8 intervals will not be run")
	start, late, shed, err = g.Tick(950 * ms)
	require.NoError(t, err)
	assert.Equal(t, []any{500 * ms, 450 * ms, int64(3)}, []any{start, late, shed})
	assert.Equal(t, int64(3), g.Shed())
	_, _, _, err = g.Tick(550 * ms)
	assert.Error(t, err, "before its start")
}

func TestGridRoundsUp(t *testing.T) {
	g := oracle.Grid{Interval: 50 * time.Millisecond, CatchUp: 5}
	for _, c := range []struct {
		d     time.Duration
		ticks timers.Tick
		lead  int64
	}{
		{-1, 1, 0}, {0, 1, 0}, {1, 1, int64(50*time.Millisecond) - 1},
		{50 * time.Millisecond, 1, 0}, {70 * time.Millisecond, 2, int64(30 * time.Millisecond)},
		{1<<63 - 1, 184467440738, 45224193},
	} {
		ticks, lead := g.After(0, c.d)
		assert.Equal(t, c.ticks, ticks, c.d)
		assert.Equal(t, c.lead, lead, c.d)
	}
}

func TestJobsOfADeadOwner(t *testing.T) {
	tree := oracle.NewTree(newWheel(0))
	jobs := oracle.Jobs{Room: 2}
	s := tree.Child(tree.Root, "ann")
	a, b := jobs.Offload(1, "k", s), jobs.Offload(2, "k", s)
	assert.Nil(t, jobs.Offload(3, "k", s), "no room")
	require.NoError(t, jobs.Start(a))
	assert.ErrorContains(t, jobs.Start(b), "while job 1 of it runs")
	tree.Close(s, "logout")
	require.NoError(t, tree.Tell("ann", "logout"))
	assert.ErrorContains(t, tree.Tell("ann", "logout"), "which nobody brought about")
	assert.ErrorContains(t, jobs.Start(b), "has ended")
	jobs.Deliver(a, oracle.JobDone)
	assert.ErrorContains(t, jobs.Idle(), "has not come to its end")
	require.NoError(t, jobs.End(1, oracle.JobStale))
	require.NoError(t, jobs.End(2, oracle.JobDropped))
	assert.ErrorContains(t, jobs.End(2, oracle.JobDropped), "twice")
	assert.ErrorContains(t, jobs.Apply(a), "has ended")
	require.NoError(t, jobs.Idle())
}
