package sim

import (
	"context"
	"errors"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tickwheel/tickwheel/tick"
)

func TestScenariosAtTheEdge(t *testing.T) {
	change := func(f func(*Scenario, *Policy)) func(*Scenario, *Policy) { return f }
	for _, c := range []struct {
		name   string
		change func(*Scenario, *Policy)
		ticks  int
	}{
		{"no players", change(func(s *Scenario, _ *Policy) { s.Players = 0 }), 400},
		{"no storm", change(func(s *Scenario, _ *Policy) { s.Storm = 0 }), 400},
		{"nobody and nothing", change(func(s *Scenario, _ *Policy) { s.Players, s.Storm = 0, 0 }), 400},
		{"one tick", change(func(s *Scenario, _ *Policy) { s.Duration = s.Interval }), 1},
		{"shorter than the logins take", change(func(s *Scenario, _ *Policy) { s.Duration = 500 * ms }), 10},
		{"not a whole number of ticks", change(func(s *Scenario, _ *Policy) { s.Duration = 20*time.Second - 1 }), 399},
		{"shortest tick", change(func(s *Scenario, _ *Policy) { s.Interval, s.Duration = ms, time.Second }), 1_000},
		{"longest tick", change(func(s *Scenario, _ *Policy) { s.Interval, s.Duration = 10*time.Second, 200*time.Second }), 20},
		{"odd tick", change(func(s *Scenario, _ *Policy) { s.Interval = 33_333_333 }), 600},
		{"jitter longer than the time to respawn", change(func(_ *Scenario, p *Policy) { p.Jitter = time.Hour }), 400},
		{"jitter shorter than a tick", change(func(_ *Scenario, p *Policy) { p.Jitter = 1 }), 400},
		{"no jitter", change(func(_ *Scenario, p *Policy) { p.Jitter = 0 }), 400},
		{"no workers", change(func(_ *Scenario, p *Policy) { p.Workers = 0 }), 400},
		{"a worker", change(func(_ *Scenario, p *Policy) { p.Workers = 1 }), 400},
		{"most workers", change(func(_ *Scenario, p *Policy) { p.Workers = 4096 }), 400},
		{"no cap", change(func(_ *Scenario, p *Policy) { p.Cap = 0 }), 400},
		{"least cap", change(func(_ *Scenario, p *Policy) { p.Cap = 1 }), 400},
		{"largest cap", change(func(_ *Scenario, p *Policy) { p.Cap = math.MaxInt }), 400},
	} {
		for _, seed := range []uint64{0, math.MaxUint64} {
			sc, pol := small(), policy(t, "jitter+cap+workers")
			c.change(&sc, &pol)
			r := play(t, sc, pol, Options{Seed: seed})
			// Intervals that were given up are part of the run's length.
			assert.InDelta(t, c.ticks, int64(len(r.Ticks))+r.Stats.Shed, 0.5, "%s: ticks", c.name)
			assert.LessOrEqual(t, r.Ticks[len(r.Ticks)-1].Start, sc.Duration, "%s: last start", c.name)
			assert.False(t, r.Interrupted, c.name)
			assert.Zero(t, r.Stats.Refused, c.name)
			again := play(t, sc, pol, Options{Seed: seed})
			assert.Equal(t, r.Trace, again.Trace, c.name)
		}
	}
}

// Worlds of the largest sizes start; who waits for the inbox tries again.
func TestManyPlayers(t *testing.T) {
	sc := SpawnStorm()
	sc.Players, sc.Storm, sc.Duration, sc.Interval = 20_000, 0, 4*time.Second, 50*ms
	if *long {
		sc.Players = 1_000_000
	}
	online := 0
	play(t, sc, policy(t, "workers"), Options{prepare: func(w *world) {
		w.loop.OnTick(func(time.Duration) { online = max(online, w.reg.Len()) })
	}})
	assert.Equal(t, sc.Players, online)
}

// A cap below what comes due for good is a mistake of the policy. It ends the run
// with an error that says so, not with a process that grows for ever.
func TestTimersThatPileUpEndTheRun(t *testing.T) {
	sc := small()
	sc.Interval, sc.Duration, sc.Players, sc.Storm = 10*time.Second, 20*time.Hour, 5, 0
	r, err := Run(context.Background(), sc, Policy{Name: "cap", Cap: 1}, Options{})
	assert.Nil(t, r)
	require.ErrorIs(t, err, tick.ErrFull)
	assert.Contains(t, err.Error(), "cap of 1 callbacks")
	assert.Contains(t, err.Error(), "raise it")
}

func TestInterrupted(t *testing.T) {
	gone, cancel := context.WithCancel(context.Background())
	cancel()
	for _, real := range []bool{false, true} {
		r, err := Run(gone, small(), policy(t, "workers"), Options{Real: real})
		require.NoError(t, err)
		assert.True(t, r.Interrupted, "before the start")
		assert.Empty(t, r.Ticks)
		assert.Equal(t, Quantiles{}, r.Durations())
		assert.Equal(t, -1, r.Worst())
		assert.Zero(t, r.Length())
		assert.NotEmpty(t, r.Trace)

		ctx, cancel := context.WithCancel(context.Background())
		sc := small()
		sc.Duration = time.Second
		r, err = Run(ctx, sc, policy(t, "workers"), Options{Real: real, Progress: func(done float64) {
			if done > 0.3 {
				cancel()
			}
		}})
		require.NoError(t, err)
		assert.True(t, r.Interrupted, "in the middle")
		assert.NotEmpty(t, r.Ticks)
		assert.Less(t, len(r.Ticks), 20)
	}
}

// A context that ends when the run is over interrupts nothing.
func TestNotInterruptedByTheEnd(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	sc := small()
	r, err := Run(ctx, sc, policy(t, "nothing"), Options{prepare: func(w *world) {
		w.loop.OnTick(func(time.Duration) {
			if int64(w.loop.Now()) == sc.Ticks() {
				cancel()
			}
		})
	}})
	require.NoError(t, err)
	assert.Len(t, r.Ticks, int(sc.Ticks()))
}

func TestAPanicEndsTheRun(t *testing.T) {
	for _, real := range []bool{false, true} {
		ticks := 0
		r, err := Run(context.Background(), small(), policy(t, "nothing"), Options{Real: real, prepare: func(w *world) {
			w.loop.OnTick(func(time.Duration) {
				if ticks++; ticks == 3 {
					panic("planted")
				}
			})
		}})
		assert.Nil(t, r)
		require.Error(t, err)
		assert.Contains(t, err.Error(), "panicked in tick 3: planted")
		assert.Contains(t, err.Error(), "edge_test.go", "the stack says where")
		late := 0
		if real {
			late = 5 // ticks that a busy machine has kept waiting run back to back
		}
		assert.LessOrEqual(t, ticks, 3+late, "nothing runs after it")
	}
}

func TestBadRunsAreRefused(t *testing.T) {
	for _, c := range []struct {
		change func(*Scenario, *Policy)
		want   string
	}{
		{func(s *Scenario, _ *Policy) { s.Interval = ms - 1 }, "interval 999.999µs: want 1ms to 10s"},
		{func(s *Scenario, _ *Policy) { s.Interval = 0 }, "interval 0s: want 1ms to 10s"},
		{func(s *Scenario, _ *Policy) { s.Interval = -ms }, "interval -1ms: want 1ms to 10s"},
		{func(s *Scenario, _ *Policy) { s.Interval = 10*time.Second + 1 }, "want 1ms to 10s"},
		{func(s *Scenario, _ *Policy) { s.Duration = s.Interval - 1 }, "want at least one tick of 50ms"},
		{func(s *Scenario, _ *Policy) { s.Duration = 0 }, "duration 0s: want at least one tick of 50ms"},
		{func(s *Scenario, _ *Policy) { s.Duration = -1 }, "duration -1ns: want at least one tick"},
		{func(s *Scenario, _ *Policy) { s.Duration = math.MaxInt64 }, "want at most 1000000 ticks of 50ms"},
		{func(s *Scenario, _ *Policy) { s.Players = -1 }, "-1 players: want 0 to 1000000"},
		{func(s *Scenario, _ *Policy) { s.Players = 1_000_001 }, "1000001 players: want 0 to 1000000"},
		{func(s *Scenario, _ *Policy) { s.Storm = -1 }, "a storm of -1: want 0 to 4000000"},
		{func(s *Scenario, _ *Policy) { s.Storm = 4_000_001 }, "a storm of 4000001: want"},
		{func(_ *Scenario, p *Policy) { p.Cap = -1 }, "cap -1: want 0 (no limit) or more"},
		{func(_ *Scenario, p *Policy) { p.Jitter = -1 }, "jitter -1ns: want 0 (none) to 1h"},
		{func(_ *Scenario, p *Policy) { p.Jitter = time.Hour + 1 }, "want 0 (none) to 1h"},
		{func(_ *Scenario, p *Policy) { p.Workers = -1 }, "-1 workers: want 0 (saves block the tick) to 4096"},
		{func(_ *Scenario, p *Policy) { p.Workers = 4097 }, "4097 workers: want 0"},
	} {
		sc, pol := small(), policy(t, "nothing")
		c.change(&sc, &pol)
		r, err := Run(context.Background(), sc, pol, Options{})
		assert.Nil(t, r)
		assert.ErrorContains(t, err, "sim: ")
		assert.ErrorContains(t, err, c.want)
	}
	_, err := Run(context.Background(), Scenario{Players: -1, Storm: -2, Interval: ms}, Policy{Cap: -3}, Options{})
	for _, want := range []string{"duration 0s", "-1 players", "a storm of -2", "cap -3"} {
		assert.ErrorContains(t, err, want, "all that is wrong, at once")
	}
}

func TestParsePolicies(t *testing.T) {
	k := Knobs{Jitter: 3 * time.Second, Cap: 5, Workers: 7}
	ps, err := ParsePolicies(" nothing, cap+workers,jitter ", k)
	require.NoError(t, err)
	assert.Equal(t, []Policy{
		{Name: "nothing"},
		{Name: "cap+workers", Cap: 5, Workers: 7},
		{Name: "jitter", Jitter: 3 * time.Second},
	}, ps)
	for list, want := range map[string]string{
		"":             "empty name",
		"nothing,":     "empty name",
		"cap,cap":      `"cap" stands twice`,
		"jitter+":      `unknown policy "jitter+"`,
		"nothing+cap":  `unknown policy "nothing+cap"`,
		"Jitter":       `unknown policy "Jitter": want "nothing", or some of jitter, cap and workers`,
		"cap+cap":      `"cap" twice`,
		"foo,bar,jitt": `unknown policy "bar"`,
	} {
		_, err := ParsePolicies(list, k)
		assert.ErrorContains(t, err, want, list)
	}
	for _, name := range PolicyNames() {
		_, err := ParsePolicy(name, DefaultKnobs())
		assert.NoError(t, err)
	}
	assert.NoError(t, DefaultKnobs().Validate())
	assert.NoError(t, SpawnStorm().Validate())
}

// Progress goes up, in at most a hundred steps and the first.
func TestProgress(t *testing.T) {
	for _, duration := range []time.Duration{50 * ms, time.Second, 20 * time.Second} {
		sc := small()
		sc.Duration = duration
		var seen []float64
		play(t, sc, policy(t, "nothing"), Options{Progress: func(done float64) { seen = append(seen, done) }})
		assert.IsNonDecreasing(t, seen)
		assert.LessOrEqual(t, len(seen), 101)
		for _, s := range seen {
			assert.True(t, s >= 0 && s <= 1, "%v", s)
		}
	}
}

// On the real clock the same world runs: ticks are there, saves go to workers and
// come back, and nothing is left behind (TestMain looks).
func TestRealClock(t *testing.T) {
	sc := SpawnStorm()
	sc.Interval, sc.Duration, sc.Players, sc.Storm = 20*ms, time.Second, 20, 500
	for _, name := range []string{"nothing", "jitter+cap+workers"} {
		r := play(t, sc, policy(t, name), Options{Real: true, Seed: 1})
		assert.True(t, r.Real)
		assert.False(t, r.Interrupted)
		// A machine that stalls near the end can shed past it.
		assert.GreaterOrEqual(t, int64(len(r.Ticks))+r.Stats.Shed, sc.Ticks(), "%s: ticks and shed intervals", name)
		burnt := time.Duration(0)
		for _, k := range r.Ticks {
			burnt += k.Duration
		}
		floor := time.Duration(len(r.Ticks)) * sc.Costs.Tick.Lo
		assert.Greater(t, burnt, floor, "%s: work takes real time, at least what it is modelled to take", name)
		assert.Equal(t, r.Policy.Workers > 0, r.Stats.Jobs.Run > 0, name)
		assert.Zero(t, r.Stats.Jobs.Failed, name)
	}
}

// The real clock's Block gives up when its context ends, with the reason.
func TestBlockEndsWithItsContext(t *testing.T) {
	why := errors.New("logged out")
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(why)
	c := realClock{tick.SystemClock()}
	assert.ErrorIs(t, c.Block(ctx, time.Hour), why)
	assert.NoError(t, c.Block(context.Background(), 1))
	before := c.Now()
	c.Burn(ms)
	assert.GreaterOrEqual(t, c.Now()-before, ms, "burns at least that")
}
