package sim

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// blank is a world in which nothing happens: 20 s in ticks of 50 ms.
func blank() Scenario {
	return Scenario{Name: "blank", Interval: 50 * ms, Duration: 20 * time.Second}
}

func fired(t *testing.T, r *Recording, name string) int { return int(kind(t, r, name).Fired) }

func TestKinds(t *testing.T) {
	us := time.Microsecond
	for _, c := range []struct {
		name   string
		kind   Kind
		lo, hi int // firings
	}{
		{"periodic, first after a part of the period", Kind{Every: time.Second}, 19 * 10, 20 * 10},
		{"several at once", Kind{Every: time.Second, Count: 5}, 19 * 50, 20 * 50},
		{"one-shot", Kind{After: Dist{Lo: time.Second}}, 10, 10},
		{"one-shot at a moment", Kind{At: Moment{Percent: 50}}, 10, 10},
		{"one-shot past the end", Kind{After: Dist{Lo: time.Hour}}, 0, 0},
		{"again and again", Kind{After: Dist{Lo: 2 * time.Second}, Again: true}, 10 * 9, 10 * 10},
		{"of the server", Kind{Owner: "server", Every: time.Second, Count: 3}, 3 * 19, 3 * 20},
		{"period under a tick", Kind{Every: ms, After: Dist{Lo: 50 * ms}}, 10 * 395, 10 * 400},
		{"by action", Kind{On: "action", After: Dist{Lo: 100 * ms}}, 10 * 19, 10 * 20},
		{"by action, one at a time", Kind{On: "action", After: Dist{Lo: 5 * time.Second}, Single: true}, 10 * 2, 10 * 4},
		{"by action, each puts off the last", Kind{On: "action", After: Dist{Lo: 19 * time.Second}, Replace: true}, 0, 2},
		{"by action, all cancelled", Kind{On: "action", After: Dist{Lo: 5 * time.Second}, Cancel: 1_000_000}, 0, 0},
		{"half of the logins", Kind{After: Dist{Lo: time.Second}, Chance: 500_000}, 1, 9},
		{"of no storm", Kind{On: "storm", After: Dist{Lo: time.Second}}, 0, 0},
	} {
		sc := blank()
		sc.Players, sc.Actions = 10, Rate{1, time.Second}
		c.kind.Name, c.kind.Cost = "k", Dist{Lo: us}
		sc.Kinds = []Kind{c.kind}
		r := play(t, sc, policy(t, "nothing"), Options{Seed: 1})
		got := fired(t, r, "k")
		assert.True(t, got >= c.lo && got <= c.hi, "%s: %d firings, want %d to %d", c.name, got, c.lo, c.hi)
		assert.Equal(t, time.Duration(got)*us, kind(t, r, "k").Time, "%s: costs", c.name)
	}
}

// A kind may start with another one, by chance.
func TestKindsThatStartWithOthers(t *testing.T) {
	sc := blank()
	sc.Players, sc.Actions = 50, Rate{2, time.Second}
	sc.Kinds = []Kind{
		{Name: "a", On: "action", After: Dist{Lo: 100 * ms}},
		{Name: "all", On: "a", After: Dist{Lo: 100 * ms}},
		{Name: "some", On: "a", After: Dist{Lo: 100 * ms}, Chance: 250_000},
		{Name: "few", On: "some", After: Dist{Lo: 100 * ms}, Chance: 100_000},
	}
	r := play(t, sc, policy(t, "nothing"), Options{Seed: 1})
	n := fired(t, r, "a")
	assert.Equal(t, n, fired(t, r, "all"))
	assert.InDelta(t, float64(n)/4, fired(t, r, "some"), float64(n)/20)
	assert.InDelta(t, float64(n)/40, fired(t, r, "few"), float64(n)/60)
}

func online(at map[time.Duration]int) Options {
	return Options{Seed: 1, prepare: func(v *world) {
		v.loop.OnTick(func(time.Duration) { at[v.loop.Time()] = v.reg.Len() })
	}}
}

func TestPlayersLeaveAndComeBack(t *testing.T) {
	sc := blank()
	sc.Players, sc.Duration = 200, 60*time.Second
	sc.Sessions = Sessions{Length: Dist{Lo: 5 * time.Second, Hi: 10 * time.Second}}
	at := map[time.Duration]int{}
	r := play(t, sc, policy(t, "nothing"), online(at))
	assert.Equal(t, 200, at[5*time.Second-50*ms])
	assert.Zero(t, at[11*time.Second], "nobody comes back")
	assert.Zero(t, r.Stats.Refused)

	sc.Sessions.Returning, sc.Sessions.Pause = 1_000_000, Dist{Lo: time.Second}
	at = map[time.Duration]int{}
	play(t, sc, policy(t, "nothing"), online(at))
	for s := 20 * time.Second; s < 60*time.Second; s += time.Second {
		assert.InDelta(t, 200*7.5/8.6, at[s], 40, "online at %v", s)
	}

	sc.Sessions.Returning = 500_000
	at = map[time.Duration]int{}
	play(t, sc, policy(t, "nothing"), online(at))
	assert.Less(t, at[55*time.Second], 40, "each time half of them")
}

func TestArrivals(t *testing.T) {
	for _, process := range []string{"", "even", "poisson"} {
		sc := blank()
		sc.Players, sc.Arrivals = 400, Arrivals{Process: process, Over: Moment{After: 10 * time.Second}}
		at := map[time.Duration]int{}
		play(t, sc, policy(t, "nothing"), online(at))
		assert.InDelta(t, 200, at[5*time.Second], 45, "%q: half of them", process)
		assert.Equal(t, 400, at[11*time.Second], process)
	}
	sc := blank()
	sc.Players = 100
	at := map[time.Duration]int{}
	play(t, sc, policy(t, "nothing"), online(at))
	assert.Equal(t, 100, at[100*ms], "at once")
}

func TestStorms(t *testing.T) {
	sc := blank()
	sc.Players = 10
	sc.Kinds = []Kind{{Name: "loot", On: "storm", After: Dist{Lo: time.Second}, Count: 2}}
	sc.Storms = []Storm{
		{Do: StormLogin, At: Moment{After: 2 * time.Second}, Count: 30, Shape: "random", Over: time.Second},
		{Do: StormStart, Name: "loot", At: Moment{After: 4 * time.Second}},
		{Name: "even", At: Moment{After: 5 * time.Second}, Due: Moment{After: 6 * time.Second}, Count: 100, Shape: "even", Over: 5 * time.Second},
		{Name: "same", Due: Moment{Percent: 50}, Count: 100},
		{Name: "often", At: Moment{After: 10 * time.Second}, Every: time.Second, Due: Moment{After: 10*time.Second + 500*ms}, Count: 3},
		{Do: StormLogout, At: Moment{Percent: 90}},
	}
	at := map[time.Duration]int{}
	r := play(t, sc, policy(t, "nothing"), online(at))
	assert.Equal(t, 10, at[2*time.Second-50*ms])
	assert.Equal(t, 40, at[4*time.Second-50*ms], "with the newcomers")
	assert.Zero(t, at[19*time.Second], "after the logout")
	assert.Equal(t, 2*40, fired(t, r, "loot"), "two for each player online")
	assert.Equal(t, 100, fired(t, r, "even"))
	assert.Equal(t, 100, fired(t, r, "same"))
	assert.Equal(t, 3*10, fired(t, r, "often"))
	most := 0
	for _, k := range r.Ticks {
		if k.Start > 5*time.Second && k.Start < 9*time.Second {
			most = max(most, k.Fired)
		}
	}
	assert.LessOrEqual(t, most, 80, "loot is the most")
}

func TestStormsOfKindsAreSpread(t *testing.T) {
	for _, k := range []Kind{{Name: "k", At: Moment{Percent: 50}}, {Name: "k", On: "storm", After: Dist{Lo: time.Second}}} {
		sc := blank()
		sc.Players, sc.Kinds = 1_000, []Kind{k}
		if k.On == "storm" {
			sc.Storms = []Storm{{Do: StormStart, Name: "k", At: Moment{Percent: 30}}}
		}
		most := func(name string) (n int) {
			r := play(t, sc, policy(t, name), Options{Seed: 1})
			assert.Equal(t, 1_000, fired(t, r, "k"))
			for _, k := range r.Ticks {
				n = max(n, k.Fired)
			}
			return n
		}
		assert.Equal(t, 1_000, most("nothing"))
		assert.Less(t, most("jitter"), 50)
	}
}

func TestJobs(t *testing.T) {
	sc := blank()
	sc.Players = 10
	sc.Kinds = []Kind{{Name: "k", After: Dist{Lo: time.Second}, Job: "a"}}
	sc.Jobs = []Job{
		{Name: "a", Length: Dist{Lo: ms}},
		{Name: "b", Length: Dist{Lo: 2 * ms}, Rate: Rate{2, time.Second}, Fails: 500_000},
	}
	r := play(t, sc, policy(t, "workers"), Options{Seed: 1})
	assert.InDelta(t, 10+2*20, float64(r.Stats.Jobs.Run), 1)
	assert.InDelta(t, 20, float64(r.Stats.Jobs.Failed), 12)
	r = play(t, sc, policy(t, "nothing"), Options{Seed: 1})
	assert.Zero(t, r.Stats.Jobs.Run, "they block the tick")
	assert.GreaterOrEqual(t, r.Ticks[r.Worst()].Duration, 10*ms)
}

func TestStalls(t *testing.T) {
	beat := []Kind{{Name: "beat", Owner: "server", Every: 50 * ms, After: Dist{Lo: 50 * ms}}}
	with := func(s Stall) *Recording {
		sc := blank()
		sc.Kinds, sc.Stalls = beat, []Stall{s}
		return play(t, sc, policy(t, "nothing"), Options{Seed: 1})
	}
	r := with(Stall{Do: StallGC, At: Moment{Percent: 50}, For: 120 * ms})
	assert.Equal(t, 120*ms, r.Ticks[r.Worst()].Duration)
	assert.Equal(t, 1, r.Overruns())
	assert.Greater(t, r.StartLate().Max, int64(60*ms), "the next tick is late")

	r = with(Stall{Do: StallCallback, At: Moment{After: time.Second}, Every: 5 * time.Second, For: 400 * ms})
	assert.Equal(t, 4, r.Overruns())
	assert.Equal(t, 4, fired(t, r, "slow-callback"))
	assert.Equal(t, 1600*ms, kind(t, r, "slow-callback").Time)

	r = with(Stall{Do: StallSuspend, At: Moment{Percent: 50}, For: 5 * time.Second})
	assert.Zero(t, r.Overruns(), "no tick is long")
	assert.InDelta(t, 95, r.Stats.Shed, 1, "5 s are given up but for what catches up")
	assert.InEpsilon(t, float64(5*time.Second), float64(r.StartLate().Max), 0.02)
}

// The wall clock may jump: no timer and no tick notices.
func TestClockStepsChangeNothing(t *testing.T) {
	calm := play(t, small(), policy(t, "jitter+cap+workers"), Options{Seed: 1})
	for _, step := range []time.Duration{time.Hour, -time.Hour, -ms} {
		sc := small()
		sc.Stalls = []Stall{{Do: StallClock, At: Moment{Percent: 30}, Every: 2 * time.Second, For: step}}
		var walls []time.Time
		r := play(t, sc, policy(t, "jitter+cap+workers"), Options{Seed: 1, prepare: func(w *world) {
			w.loop.OnTick(func(time.Duration) { walls = append(walls, w.loop.Wall()) })
		}})
		assert.Equal(t, calm.Trace, r.Trace)
		assert.Equal(t, calm.Ticks, r.Ticks)
		moved := walls[len(walls)-1].Sub(walls[0])
		assert.InDelta(t, float64(8*step), float64(moved-sc.Duration), float64(step.Abs()+200*ms), "the wall clock did jump")
	}
}

// On a machine of half the speed everything but jobs takes twice as long.
func TestSpeed(t *testing.T) {
	sc := small()
	sc.Speed = 50
	slow, usual := play(t, sc, policy(t, "workers"), Options{Seed: 1}), play(t, small(), policy(t, "workers"), Options{Seed: 1})
	assert.Equal(t, 2*kind(t, usual, "respawn").Time, kind(t, slow, "respawn").Time)
	assert.InEpsilon(t, 2*float64(usual.Durations().P50), float64(slow.Durations().P50), 0.05)
	assert.Equal(t, small().Storms[0].Cost, SpawnStorm().Storms[0].Cost)
	assert.Equal(t, 10*time.Microsecond, sc.Storms[0].Cost.Lo, "the scenario is left as it was")
	sc.Speed = 100
	assert.Equal(t, usual.Trace, play(t, sc, policy(t, "workers"), Options{Seed: 1}).Trace)
}

func TestAgendaIsInOrder(t *testing.T) {
	var a agenda
	var got []int
	for i, at := range []time.Duration{5, 3, 5, 1, 3} {
		a.add(at, func() { got = append(got, i) })
	}
	a.run(4, func() bool { return false })
	assert.Equal(t, []int{3, 1, 4}, got)
	a.run(5, func() bool { return false })
	assert.Equal(t, []int{3, 1, 4, 0, 2}, got)
}

func TestTold(t *testing.T) {
	sc := SpawnStorm()
	assert.Equal(t, []string{"100,000 monsters die at 60 s and respawn at 90 s", "mass logout at 120 s"}, sc.Told())
	assert.Equal(t, []Mark{{60 * time.Second, "kill"}, {90 * time.Second, "respawn storm"}, {120 * time.Second, "mass logout"}}, sc.Marks())
	peak, ok := sc.Peak()
	assert.True(t, ok)
	assert.Equal(t, 90*time.Second, peak)
	sc.Players, sc.Storm = 0, 0
	assert.Empty(t, sc.Told())
	assert.Empty(t, sc.Marks())
	_, ok = sc.Peak()
	assert.False(t, ok)
	p, found := Preset("suspend-resume")
	require.True(t, found)
	assert.Equal(t, []string{"suspend of 20s at 36 s", "clock-step of 1h0m0s at 63 s"}, p.Scenario.Told())
	p, found = Preset("gc-pause")
	require.True(t, found)
	assert.Equal(t, []string{"gc of 120ms at 10 s and every 10 s from then on"}, p.Scenario.Told())
	p, found = Preset("mass-login")
	require.True(t, found)
	assert.Equal(t, []string{"20,000 players log in at 18 s"}, p.Scenario.Told())
}
