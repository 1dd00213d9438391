package sim

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

// The sum in docs/simulation.md: 100,000 respawns of 10 µs.
func TestTheSumIsPlain(t *testing.T) {
	const second, cap = time.Second, 4_000
	base := SpawnStorm().Costs.Tick.Lo

	t.Run("nothing is a second in one tick", func(t *testing.T) {
		r := play(t, storm(100_000), policy(t, "nothing"), Options{})
		assert.Equal(t, second, kind(t, r, "respawn").Time)
		worst := r.Ticks[r.Worst()]
		assert.Equal(t, second+base, worst.Duration)
		assert.Equal(t, respawnAt(r.Scenario), worst.Start, "exactly when they are meant to be back")
		assert.Equal(t, 1, r.Overruns())
	})
	t.Run("a cap of 4,000 is 40 ms in 25 ticks", func(t *testing.T) {
		r := play(t, storm(100_000), policy(t, "cap"), Options{})
		assert.Equal(t, second, kind(t, r, "respawn").Time)
		assert.Equal(t, 40*ms+base, r.Ticks[r.Worst()].Duration)
		full := 0
		for _, k := range r.Ticks {
			if k.Fired == cap {
				full++
			}
		}
		assert.Equal(t, 25, full, "ticks with 4,000 callbacks")
		assert.Equal(t, 96_000, r.BacklogMax())
		assert.Equal(t, int64(24), r.TimerLate().Max, "lateness of the last: backlog over cap")
		assert.Zero(t, r.Overruns())
	})
	t.Run("jitter of 2 s is 41 ticks of 24.4 ms", func(t *testing.T) {
		r := play(t, storm(100_000), policy(t, "jitter"), Options{})
		assert.Equal(t, second, kind(t, r, "respawn").Time)
		busy, most := 0, 0
		for _, k := range r.Ticks {
			if k.Fired > 0 {
				busy, most = busy+1, max(most, k.Fired)
			}
		}
		assert.Equal(t, 41, busy, "ticks with respawns")
		assert.InDelta(t, 2_440, most, 25, "most respawns in a tick: least-loaded choice evens them out")
		assert.Zero(t, r.TimerLate().Max, "jitter is no lateness")
	})
	t.Run("the kill is 10 ms", func(t *testing.T) {
		r := play(t, storm(100_000), policy(t, "nothing"), Options{})
		at := int(killAt(r.Scenario)/r.Scenario.Interval) - 1
		assert.Equal(t, 10*ms+base, r.Ticks[at].Duration)
	})
}

// The last of a backlog waits for backlog over cap ticks, rounded up.
func TestLatenessIsBacklogOverCap(t *testing.T) {
	for _, c := range []struct{ monsters, cap, backlog, late int }{
		{1_000, 1_000, 0, 0},
		{1_001, 1_000, 1, 1},
		{2_000, 1_000, 1_000, 1},
		{2_001, 1_000, 1_001, 2},
		{1_000, 7, 993, 142},
		{50, 1, 49, 49},
	} {
		r := play(t, storm(c.monsters), Policy{Name: "cap", Cap: c.cap}, Options{})
		assert.Equal(t, c.backlog, r.BacklogMax(), "%+v: backlog", c)
		assert.Equal(t, int64(c.late), r.TimerLate().Max, "%+v: ticks late", c)
		assert.Equal(t, uint64(c.monsters), r.Stats.Fired, "%+v: fired, none lost", c)
		assert.Equal(t, c.monsters, int(kind(t, r, "respawn").Fired), "%+v: respawns", c)
	}
}

// A storm of 4 s in a run of 20 s, by hand: ticks of 50 ms, an empty one takes
// 0.1 ms. The storm tick begins at 12 s and ends at 16.0001 s, the next was meant
// for 12.05 s: 80 are overdue, 5 catch up, 75 are given up. Lateness is 3,950.1,
// 3,900.1, … 250.1 ms for those, then 200.1, 150.2, 100.3, 50.4 and 0.5 for those
// that catch up: 80 of 400 samples, so p50 is 0, p90 the 41st largest, p99 the
// 5th, p99.9 the largest.
func TestV08_AStallShowsInThePercentiles(t *testing.T) {
	r := play(t, storm(400_000), policy(t, "nothing"), Options{})
	assert.Equal(t, int64(75), r.Stats.Shed)
	assert.Len(t, r.Ticks, 400-75)
	assert.Equal(t, uint64(400), r.Stats.StartLate.Count(), "a sample for each interval of the run")
	q := r.StartLate()
	assert.Equal(t, int64(0), q.P50)
	near := func(want float64, got int64, what string) {
		assert.InEpsilon(t, want*1e6, float64(got), 0.016, what)
	}
	near(1_950.1, q.P90, "p90")
	near(3_750.1, q.P99, "p99")
	assert.Equal(t, int64(3_950_100_000), q.P999, "p99.9 is the largest of 400")
	assert.Equal(t, int64(3_950_100_000), q.Max)
	near((75*(3_950.1+250.1)/2+200.1+150.2+100.3+50.4+0.5)/400, int64(r.Stats.StartLate.Mean()), "mean")

	behind := r.Ticks[240:246] // ticks 241 to 246
	assert.Equal(t, int64(75), behind[0].Shed)
	for i, want := range []time.Duration{200_100, 150_200, 100_300, 50_400, 500, 0} {
		assert.Equal(t, want*time.Microsecond, behind[i].StartLate, "tick %d", behind[i].Tick)
	}
	assert.Equal(t, 15_800*ms, behind[0].Start, "meant for where tick 316 was")
}

// What the default run must show.
func TestDefaultRun(t *testing.T) {
	interval := SpawnStorm().Interval
	nothing, all := defaultRun(t, "nothing"), defaultRun(t, "jitter+cap+workers")

	assert.Equal(t, int64(3_000), SpawnStorm().Ticks())
	worst := nothing.Ticks[nothing.Worst()]
	assert.Greater(t, worst.Duration, 20*interval, "nothing: the storm is one tick of over a second")
	assert.Equal(t, 90*time.Second, worst.Start)
	assert.Positive(t, nothing.Overruns())
	assert.Positive(t, nothing.Stats.Shed)
	assert.Zero(t, all.Overruns(), "jitter+cap+workers: no tick overruns")
	assert.Zero(t, all.Stats.Shed)
	assert.Equal(t, len(all.Ticks), 3_000)
	assert.Positive(t, all.Stats.Jobs.Run)
	assert.Zero(t, all.Stats.Jobs.Rejected)

	for _, name := range PolicyNames() {
		r := defaultRun(t, name)
		assert.False(t, r.Interrupted, name)
		assert.Equal(t, 100_000, int(kind(t, r, "respawn").Fired), "%s: every monster is back", name)
		assert.Equal(t, time.Second, kind(t, r, "respawn").Time, "%s: the sum of the storm", name)
		assert.Zero(t, r.Stats.Unhandled, name)
		assert.Zero(t, r.Stats.Refused, name)
		assert.Zero(t, r.Stats.Panics, name)
		assert.Positive(t, r.Stats.Cancelled, "%s: the mass logout cancels", name)
		assert.Equal(t, int64(len(r.Ticks))+r.Stats.Shed, r.Scenario.Ticks(), "%s: ticks and shed intervals are the run", name)
		for i := range r.Ticks { // no assert: 15,000 of them take seconds under -race
			k := &r.Ticks[i]
			sum := time.Duration(0)
			for _, p := range k.Phase {
				sum += p
			}
			if int(k.Tick) != i+1 || k.Moved != 0 {
				t.Fatalf("%s: tick %d is %+v", name, i+1, k)
			}
			if k.Duration != sum {
				t.Fatalf("%s: tick %d took %v, its phases %v: only modelled work takes time", name, k.Tick, k.Duration, sum)
			}
			if limit := r.Policy.Cap; limit > 0 && k.Fired > limit {
				t.Fatalf("%s: tick %d ran %d callbacks", name, k.Tick, k.Fired)
			}
		}
	}
	assert.Less(t, defaultRun(t, "cap").Ticks[defaultRun(t, "cap").Worst()].Duration, worst.Duration/5)
	assert.Greater(t, defaultRun(t, "cap").BacklogMax(), 90_000)
}

// Everybody is in after two seconds, plays until the mass logout and is gone five
// seconds later, in whatever size of world and tick.
func TestPlayersComeAndGo(t *testing.T) {
	for _, c := range []struct {
		players  int
		interval time.Duration
	}{{1, 50 * ms}, {5, 50 * ms}, {300, 50 * ms}, {300, ms}, {300, 200 * ms}, {20, 10 * time.Second}} {
		sc := small()
		sc.Players, sc.Interval, sc.Storm, sc.Duration = c.players, c.interval, 0, 40*time.Second
		if c.interval > time.Second {
			sc.Duration = 40 * c.interval
		}
		most, last := 0, -1
		play(t, sc, policy(t, "workers"), Options{Progress: nil, prepare: func(w *world) {
			w.loop.OnTick(func(time.Duration) {
				last = w.reg.Len() + w.reg.Closing()
				most = max(most, last)
				if now := w.loop.Time(); now > 2*time.Second+c.interval && now < logoutAt(sc) {
					assert.Equal(t, c.players, w.reg.Len(), "%+v: online at %v", c, now)
				}
			})
		}})
		assert.Equal(t, c.players, most, "%+v: most online", c)
		assert.Zero(t, last, "%+v: left at the end", c)
	}
}

// Few players act as often as many do: a rate is not rounded to whole inputs a
// tick.
func TestInputsKeepTheirRate(t *testing.T) {
	for _, players := range []int{1, 7, 19, 40, 1_000} {
		for _, interval := range []time.Duration{ms, 50 * ms, 333 * ms, 4 * time.Second} {
			sc := SpawnStorm()
			sc.Interval, sc.Duration, sc.Players, sc.Storm = interval, 40*interval, players, 0
			inputs := 0
			r := play(t, sc, policy(t, "workers"), Options{prepare: func(w *world) {
				w.loop.OnInput(func(v any) {
					if _, ok := v.(actionInput); ok {
						inputs++
					}
				})
			}})
			end := r.Scenario.Interval * 40 // the inputs of the last interval wait for a tick that does not come
			assert.InDelta(t, float64(players)*end.Seconds(), inputs, 1, "%d players, %v", players, interval)
		}
	}
}

// Clients do not wait for a server that is stuck: after a stall of a second the
// inputs of a second are there.
func TestInputsOfAStallComeInAHeap(t *testing.T) {
	sc := storm(100_000)
	sc.Players = 1_000
	r := play(t, sc, policy(t, "nothing"), Options{})
	worst := r.Worst()
	assert.InDelta(t, 50, r.Ticks[worst-2].Inbox, 2, "inputs of a usual tick")
	assert.InDelta(t, 1_050, r.Ticks[worst+1].Inbox, 60, "inputs behind the storm")
}
