package sim

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tickwheel/tickwheel/tick"
)

// measuredRun is a run of the template, with everything a scenario can have, whose
// costs are measured.
func measuredRun(t *testing.T, pol string) (*Plan, *Recording) {
	t.Helper()
	p, err := ParsePlan("template.yaml", Template())
	require.NoError(t, err)
	s := &p.Scenario
	s.Stalls = nil                                                // a pause is nobody's cost
	s.Jobs[1].Rate, s.Kinds[4].Count = Rate{20, time.Second}, 200 // enough runs of each
	s.Kinds[1].Every = 2 * time.Second
	return p, play(t, p.Scenario, policy(t, pol), Options{Seed: 1, measure: true})
}

// What a run with known costs measures gives those costs again: same mean, same
// spread. It makes no difference whether jobs block ticks or run on workers.
func TestMeasuredCostsAreThoseOfTheRun(t *testing.T) {
	for _, pol := range []string{"nothing", "workers"} {
		p, r := measuredRun(t, pol)
		var file bytes.Buffer
		require.NoError(t, WriteCosts(&file, r.Costs))
		samples, err := ReadCosts("costs.csv", &file)
		require.NoError(t, err)
		assert.Equal(t, r.Costs, samples)

		got, err := ParsePlan("again.yaml", p.YAML())
		require.NoError(t, err)
		for _, c := range got.costed() {
			*c.cost = Dist{Lo: time.Hour}
		}
		c, err := got.Calibrate(samples)
		require.NoError(t, err)
		assert.Empty(t, c.Foreign, pol)
		results := []string{"save/result", "statistics/result"}
		if pol == "workers" {
			results = nil
		}
		assert.Equal(t, results, c.Kept, "%s: nothing else was without a run", pol)
		want := p.costed()
		for i, c := range got.costed() {
			if slices.Contains(results, c.work) {
				continue
			}
			mean, spread := moments(*want[i].cost)
			gotMean, gotSpread := moments(*c.cost)
			assert.InDelta(t, mean, gotMean, 0.06*mean+1, "%s: mean of %s: %v", pol, c.work, c.cost)
			assert.InDelta(t, spread, gotSpread, 0.1*mean+1, "%s: spread of %s: %v", pol, c.work, c.cost)
		}
		again, err := ParsePlan("calibrated.yaml", got.YAML())
		require.NoError(t, err, "%s", got.YAML())
		assert.Equal(t, got.Scenario, again.Scenario)
	}
}

// moments are the mean of a cost and its mean distance from that.
func moments(d Dist) (mean, spread float64) {
	const n = 64 // a multiple of all table lengths
	for x := range uint64(n) {
		mean += float64(d.pick(x)) / n
	}
	for x := range uint64(n) {
		spread += max(float64(d.pick(x))-mean, mean-float64(d.pick(x))) / n
	}
	return mean, spread
}

// A calibrated scenario does what the one does that was measured: the longest tick of
// each is about the same, though draws differ.
func TestACalibratedScenarioPlaysTheSame(t *testing.T) {
	p, r := measuredRun(t, "nothing")
	_, err := p.Calibrate(r.Costs)
	require.NoError(t, err)
	again := play(t, p.Scenario, policy(t, "nothing"), Options{Seed: 1})
	assert.InEpsilon(t, r.Durations().P50, again.Durations().P50, 0.05)
	assert.InEpsilon(t, r.Durations().Max, again.Durations().Max, 0.05)
	assert.Nil(t, again.Costs, "nothing is measured under the virtual clock")
}

// On the real clock work takes at least what it was modelled to take.
func TestRealCostsAreMeasured(t *testing.T) {
	sc := SpawnStorm()
	sc.Interval, sc.Duration, sc.Players, sc.Storm = 20*ms, 500*ms, 20, 200
	r := play(t, sc, policy(t, "nothing"), Options{Real: true, Seed: 1})
	runs := map[string]int64{}
	for _, s := range r.Costs {
		runs[s.Work] += s.Runs
		if s.Work == "respawn" {
			assert.GreaterOrEqual(t, s.mean(), 10_000., "what it burns")
		}
	}
	assert.Equal(t, int64(len(r.Ticks)), runs["tick"])
	assert.Equal(t, int64(kind(t, r, "respawn").Fired), runs["respawn"])
	assert.Equal(t, int64(200), runs["respawn/arm"])
	assert.Equal(t, int64(20), runs["login"])
}

// Means alone will do: a line with all runs of a kind.
func TestCalibrateByMeans(t *testing.T) {
	p, err := ParsePlan("a.yaml", []byte("speed: 50%\nkinds: [{name: a, every: 1s, cost: 1ms}, {name: b, every: 1s}]\njobs: [{name: j, length: 1ms}]"))
	require.NoError(t, err)
	samples, err := ReadCosts("costs.csv", strings.NewReader("work,runs,ns\na,1000,2345678\n\"an, other\",3,4\nj,5,0\na,1000,2345678\r\n"))
	require.NoError(t, err)
	c, err := p.Calibrate(samples)
	require.NoError(t, err)
	assert.Equal(t, Dist{Lo: 2350}, p.Scenario.Kinds[0].Cost, "to three digits")
	assert.Equal(t, Dist{Lo: 1}, p.Scenario.Jobs[0].Length, "a job needs a length")
	assert.Equal(t, []string{"tick", "b", "j/result"}, c.Kept)
	assert.Equal(t, []string{"an, other"}, c.Foreign)
	assert.Zero(t, p.Scenario.Speed, "costs are this machine's now")
	assert.Equal(t, []Measured{
		{Work: "a", Runs: 2000, Mean: 2345, P50: 2345, P99: 2345, Max: 2345, Cost: Dist{Lo: 2350}},
		{Work: "j", Runs: 5, Cost: Dist{Lo: 1}},
	}, c.Measured)
}

// A server measures by what its loop counts: a line a tick for each kind that ran.
func TestCostsOfAServer(t *testing.T) {
	clock := &Virtual{}
	loop, err := tick.New(tick.Config{Interval: 50 * ms, Clock: clock})
	require.NoError(t, err)
	for i := range 10 {
		_, err := loop.Root().Schedule(tick.Spec{Every: time.Second, Kind: loop.Kind("heal")}, func(tick.Firing) {
			clock.Burn(time.Duration(i+1) * 10 * time.Microsecond)
		})
		require.NoError(t, err)
	}
	file := bytes.NewBufferString("work,runs,ns\n")
	before := map[string]tick.KindStats{}
	for range 100 {
		loop.Step()
		for _, k := range loop.Stats().Kinds {
			if n := k.Fired - before[k.Name].Fired; n > 0 {
				fmt.Fprintf(file, "%s,%d,%d\n", k.Name, n, k.Time-before[k.Name].Time)
			}
			before[k.Name] = k
		}
	}
	samples, err := ReadCosts("costs.csv", file)
	require.NoError(t, err)
	p, err := ParsePlan("a.yaml", []byte("kinds: [{name: heal, every: 1s}]"))
	require.NoError(t, err)
	_, err = p.Calibrate(samples)
	require.NoError(t, err)
	assert.Equal(t, Dist{Lo: 55 * time.Microsecond}, p.Scenario.Kinds[0].Cost, "the mean of 10 to 100 us")
}

func TestCostsThatAreNone(t *testing.T) {
	for _, c := range []struct{ file, want string }{
		{"", "costs.csv: no samples: want the head line work,runs,ns, and a line for each"},
		{"work,runs,ns\n", "no samples"},
		{"kind;n\n", `costs.csv:1: "kind;n": want the head line work,runs,ns`},
		{"work,runs,ns\na,1\n", `costs.csv:2: "a,1": want work,runs,ns, such as respawn,40,412000`},
		{"work,runs,ns\n,1,5\n", `costs.csv:2: ",1,5": want work,runs,ns`},
		{"work,runs,ns\na,1,5\na,0,5\n", `costs.csv:3: runs "0": want a whole number, 1 to`},
		{"work,runs,ns\n\xff,1,5\n", `costs.csv:2: work "\xff": want a name in UTF-8`},
		{"work,runs,ns\na,-1,5\n", `runs "-1"`},
		{"work,runs,ns\na,1,5ms\n", `costs.csv:2: ns "5ms": want whole nanoseconds, 0 to`},
		{"work,runs,ns\na,1,-5\n", `ns "-5"`},
		{"work,runs,ns\na,1,99999999999999999\n", `ns "99999999999999999"`},
		{"work,runs,ns\n\"a,1,5\n", "costs.csv: "},
	} {
		_, err := ReadCosts("costs.csv", strings.NewReader(c.file))
		assert.ErrorContains(t, err, c.want, "%q", c.file)
	}
	p, err := ParsePlan("a.yaml", []byte("name: mine\nkinds: [{name: a, every: 1s}]"))
	require.NoError(t, err)
	_, err = p.Calibrate([]CostSample{{"b", 1, 5}})
	assert.EqualError(t, err, "sim: no sample is of a work of mine: it has tick, a, and the samples are of b: take names of the scenario")
}

func TestLengthsOneOfSome(t *testing.T) {
	var d Dist
	require.NoError(t, d.Set("9ms 1ms  2ms"))
	assert.Equal(t, OneOf(ms, 2*ms, 9*ms), d)
	assert.Equal(t, "1ms 2ms 9ms", d.String())
	assert.Equal(t, "500µs 1ms 4.5ms", d.scaled(200).String())
	seen := map[time.Duration]int{}
	for x := range uint64(300) {
		seen[d.pick(mix(x))]++
	}
	for v, n := range seen {
		assert.InDelta(t, 100, n, 30, v)
	}
	assert.Len(t, seen, 3)
	assert.ErrorContains(t, d.Set("1ms 2"), "missing unit")
	assert.ErrorContains(t, d.Set("1ms -2ms"), "negative")
	assert.ErrorContains(t, d.Set(strings.Repeat("1ms ", 65)), "65 lengths: want at most 64")
	assert.Panics(t, func() { OneOf(ms) })
}
