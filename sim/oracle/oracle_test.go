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
	a, b := &oracle.Job{ID: 1, Key: "k", Owner: s}, &oracle.Job{ID: 2, Key: "k", Owner: s}
	assert.True(t, jobs.Offload(a, 1))
	assert.True(t, jobs.Offload(b, 1))
	assert.False(t, jobs.Offload(&oracle.Job{ID: 3, Key: "k", Owner: s}, 1), "no room")
	require.NoError(t, jobs.Start(a, 3))
	assert.ErrorContains(t, jobs.Start(b, 3), "while job 1 of it runs")
	tree.Close(s, "logout")
	require.NoError(t, tree.Tell("ann", "logout"))
	assert.ErrorContains(t, tree.Tell("ann", "logout"), "which nobody brought about")
	assert.ErrorContains(t, jobs.Start(b, 4), "has ended")
	jobs.Deliver(a, oracle.JobDone, 7)
	assert.ErrorContains(t, jobs.Idle(), "has not come to its end")
	require.NoError(t, jobs.End(1, oracle.JobStale, 2, 4))
	require.NoError(t, jobs.End(2, oracle.JobDropped, 0, 0))
	assert.ErrorContains(t, jobs.End(2, oracle.JobDropped, 0, 0), "twice")
	assert.Equal(t, oracle.JobCount{Run: 1, Done: 1, Dead: 2, Stale: 1, Rejected: 1}, jobs.Count)
	assert.ErrorContains(t, jobs.Apply(a), "has ended")
	require.NoError(t, jobs.Idle())
}

// Ticks of twice the interval: the speed goes down by a twentieth a tick, to the
// floor, and comes back when the long ticks are out of the average.
func TestGridDilates(t *testing.T) {
	const ms = time.Millisecond
	g := oracle.Grid{Interval: 100 * ms, CatchUp: 5, Floor: 600_000}
	now := time.Duration(0)
	g.Start(now)
	tick := func(length time.Duration) {
		now = max(now, g.Next())
		_, _, _, err := g.Tick(now)
		require.NoError(t, err)
		now += length
		g.End(now)
	}
	tick(200 * ms)
	assert.Equal(t, int64(950_000), g.Speed())
	assert.Equal(t, 105263157*time.Nanosecond, g.Gap())
	for range 20 {
		tick(200 * ms)
	}
	assert.Equal(t, int64(600_000), g.Speed(), "the floor, not a half")
	given := g.ShedTime()
	tick(0)
	ticks, _ := g.After(now, 100*ms)
	assert.Greater(t, ticks, timers.Tick(1), "the loop is behind")
	for range 40 {
		tick(0)
	}
	assert.Equal(t, int64(1_000_000), g.Speed())
	assert.Equal(t, given, g.ShedTime())
	ticks, lead := g.After(now, 150*ms)
	assert.Equal(t, timers.Tick(2), ticks)
	assert.Equal(t, int64(50*ms), lead)
}

func TestRepeatedKeepsToItsOverlap(t *testing.T) {
	var jobs oracle.Jobs
	r := oracle.Repeated{Limit: 1, Queue: true}
	require.True(t, r.Due(&jobs))
	r.Accepted()
	require.False(t, r.Due(&jobs), "it waits")
	require.False(t, r.Due(&jobs), "it is left out")
	assert.Equal(t, uint64(1), jobs.Count.Skipped)
	assert.True(t, r.Ended(true), "the one that waited starts")
	r.Accepted()
	assert.False(t, r.Ended(true))
	require.True(t, r.Due(&jobs))
	r.Accepted()
	require.False(t, r.Due(&jobs))
	assert.False(t, r.Ended(false), "its timer was stopped")
}

func TestWatchDoubtsBeforeItIsSure(t *testing.T) {
	w := oracle.Watch{Limit: time.Second}
	w.Progress(time.Second)
	for _, c := range []struct {
		at   time.Duration
		want string
	}{
		{2 * time.Second, oracle.Healthy}, {3 * time.Second, oracle.Suspended}, {3500 * time.Millisecond, oracle.Suspended},
		{4 * time.Second, oracle.Stuck},
	} {
		got, age := w.Look(c.at)
		assert.Equal(t, c.want, got, c.at)
		assert.Equal(t, c.at-time.Second, age)
	}
	w.Progress(5 * time.Second)
	got, _ := w.Look(5 * time.Second)
	assert.Equal(t, oracle.Healthy, got)
}
