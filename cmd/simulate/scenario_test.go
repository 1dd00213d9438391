package main

import (
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tickwheel/tickwheel/sim"
	"github.com/tickwheel/tickwheel/sim/report"
)

func TestListNamesThePresets(t *testing.T) {
	r := simulate(t, "list")
	require.Equal(t, exitOK, r.code, r.stderr)
	lines := strings.Split(strings.TrimSuffix(r.stdout, "\n"), "\n")
	require.Len(t, lines, len(sim.Presets()))
	page, err := os.ReadFile("../../docs/scenarios.md")
	require.NoError(t, err)
	for i, name := range sim.Presets() {
		p, _ := sim.Preset(name)
		assert.Equal(t, name+" "+p.Scenario.About, strings.Join(strings.Fields(lines[i]), " "))
		assert.Contains(t, string(page), "| `"+name+"` | "+p.Scenario.About+" |\n", "docs/scenarios.md")
	}
	r = simulate(t, "list", "--json")
	var all []listed
	require.NoError(t, json.Unmarshal([]byte(r.stdout), &all))
	assert.Len(t, all, len(sim.Presets()))
	assert.Equal(t, exitUsage, simulate(t, "list", "x").code)
}

// What init writes runs as it is, in under 5 s, and what it has commented out is
// right, too.
func TestInitWritesAScenarioThatRuns(t *testing.T) {
	dir := t.TempDir()
	r := simulateIn(t, dir, "init", "my.yaml")
	require.Equal(t, exitOK, r.code, r.stderr)
	assert.Contains(t, r.stdout, "simulate run my.yaml")
	assert.Equal(t, simulate(t, "init").stdout, string(sim.Template()))
	written, err := os.ReadFile(filepath.Join(dir, "my.yaml"))
	require.NoError(t, err)
	assert.Equal(t, string(sim.Template()), string(written))

	r = simulateIn(t, dir, "run", "my.yaml", "--quiet")
	assert.Equal(t, exitOK, r.code, r.stderr)
	assert.Contains(t, r.stdout, "scenario my-server, seed 1")

	text, expect, found := strings.Cut(string(written), "# subject: ")
	require.True(t, found, "expect is commented out at the end")
	text += strings.ReplaceAll("# subject: "+expect, "# ", "")
	require.NoError(t, os.WriteFile(filepath.Join(dir, "my.yaml"), []byte(text), 0o644))
	r = simulateIn(t, dir, "run", "my.yaml", "--quiet")
	assert.Contains(t, r.stdout, "tick.p99 < 40ms  (jitter+cap+workers: ")
	assert.Contains(t, r.stdout, "tick.max > 50ms  (nothing: ")
	assert.Equal(t, exitOK, r.code, "the template's own expectations are met: %s", r.stdout)
	assert.Equal(t, exitUsage, simulate(t, "init", "a", "b").code)
}

// The results hold the scenario as it was played, and playing that is the same.
func TestTheScenarioIsInTheResults(t *testing.T) {
	dir := t.TempDir()
	a := simulateIn(t, dir, quick("--seed", "7", "--cap", "3000")...)
	require.Equal(t, exitOK, a.code, a.stderr)
	first := string(a.file(t, "summary.json"))
	p, err := sim.ParsePlan("scenario.yaml", a.file(t, "scenario.yaml"))
	require.NoError(t, err)
	assert.Equal(t, uint64(7), p.Seed)
	assert.Equal(t, 3_000, p.Knobs.Cap)
	assert.Equal(t, 2*time.Second, p.Scenario.Duration)
	assert.Equal(t, []string{"nothing", "cap"}, p.Policies)
	b := simulateIn(t, dir, "run", filepath.Join("out", "scenario.yaml"), "--out", "out")
	require.Equal(t, exitOK, b.code, b.stderr)
	assert.Equal(t, first, string(b.file(t, "summary.json")))

	drawn := simulate(t, quick("--seed", "0")...)
	p, err = sim.ParsePlan("scenario.yaml", drawn.file(t, "scenario.yaml"))
	require.NoError(t, err)
	assert.Positive(t, p.Seed, "the seed that was drawn")
}

// Flags win over the file, each by its own name.
func TestFlagsWin(t *testing.T) {
	dir := t.TempDir()
	yaml := "name: mine\nduration: 5s\nplayers: 3\nstorm: 10\npolicy: [cap]\ncap: 5\nstorms: [{name: a, due: 50%}]\nexpect: [shed == 1]\n"
	require.NoError(t, os.WriteFile(filepath.Join(dir, "a.yaml"), []byte(yaml), 0o644))
	r := simulateIn(t, dir, strings.Fields("run a.yaml --quiet --duration 2s --interval 20ms --players 4 --storm 20 --policy nothing,jitter+cap+workers --cap 6 --jitter 1s --workers 2 --seed 9 --speed 50% --subject nothing --expect fired>0")...)
	require.Equal(t, exitOK, r.code, r.stderr)
	p, err := sim.ParsePlan("a", r.file(t, "scenario.yaml"))
	require.NoError(t, err)
	assert.Equal(t, 2*time.Second, p.Scenario.Duration)
	assert.Equal(t, 20*time.Millisecond, p.Scenario.Interval)
	assert.Equal(t, 4, p.Scenario.Players)
	assert.Equal(t, 20, p.Scenario.Storm)
	assert.Equal(t, 50, p.Scenario.Speed)
	assert.Equal(t, []string{"nothing", "jitter+cap+workers"}, p.Policies)
	assert.Equal(t, sim.Knobs{Jitter: time.Second, Cap: 6, Workers: 2}, p.Knobs)
	assert.Equal(t, uint64(9), p.Seed)
	assert.Equal(t, "nothing", p.Subject)
	assert.Equal(t, []string{"fired>0"}, p.Expect)
	assert.Contains(t, r.stdout, "scenario mine, seed 9")
}

func TestExpectationsThatAreNotMet(t *testing.T) {
	args := quick("--quiet", "--expect", "tick.p99 < 1us", "--expect", "nothing: shed == 0")
	r := simulate(t, args...)
	assert.Equal(t, exitThreshold, r.code)
	assert.Equal(t, "simulate: 1 of 2 expectations are not met\n", r.stderr)
	assert.Regexp(t, `(?m)^NOT MET  tick\.p99 < 1us  \(cap: \d.*\)$`, r.stdout)
	assert.Contains(t, r.stdout, "met      shed == 0  (nothing: 0)\n")
	var s report.Summary
	require.NoError(t, json.Unmarshal(r.file(t, "summary.json"), &s))
	require.Len(t, s.Expect, 2)

	j := simulate(t, append(args, "--json")...)
	assert.Equal(t, exitThreshold, j.code)
	assert.Equal(t, string(r.file(t, "summary.json")), j.stdout)
	assert.NotContains(t, string(simulate(t, quick()...).file(t, "summary.json")), "expect", "nothing was expected")
}

// Every flag that is a key can be set, and its default is that of spawn-storm.
func TestKeysAndFlagsHaveTheSameNames(t *testing.T) {
	run, plain := runCommand(), newCommand(io.Discard, io.Discard)
	p, _ := sim.Preset("spawn-storm")
	for _, key := range planKeys {
		require.NotNil(t, run.Flags().Lookup(key), key)
		if key != "expect" && key != "subject" {
			assert.NoError(t, p.Set(key, plain.Flags().Lookup(key).DefValue), key)
		}
	}
	_, err := p.Check()
	assert.NoError(t, err, "the defaults that --help shows")
	q, _ := sim.Preset("spawn-storm")
	assert.Equal(t, string(q.YAML()), strings.Replace(string(p.YAML()), "speed: 100%\n", "", 1), "are those of spawn-storm")
}
