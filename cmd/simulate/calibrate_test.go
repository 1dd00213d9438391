package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tickwheel/tickwheel/sim"
)

// A run on the real clock, its costs, and the scenario that comes of them.
func TestInitFromARunOnTheRealClock(t *testing.T) {
	dir := t.TempDir()
	r := simulateIn(t, dir, strings.Fields("run --clock real --duration 1s --players 20 --storm 200 --policy nothing --quiet")...)
	require.Equal(t, exitOK, r.code, r.stderr)
	samples, err := sim.ReadCosts("costs.csv", strings.NewReader(string(r.file(t, "costs.csv"))))
	require.NoError(t, err)
	assert.NotEmpty(t, samples)

	r = simulateIn(t, dir, "init", "--from", "out", "mine.yaml")
	require.Equal(t, exitOK, r.code, r.stderr)
	assert.Contains(t, r.stdout, "\nrespawn ")
	assert.Contains(t, r.stdout, `mine.yaml is written: "simulate run mine.yaml" plays it`)
	text, err := os.ReadFile(filepath.Join(dir, "mine.yaml"))
	require.NoError(t, err)
	assert.Contains(t, string(text), "# Costs were measured: out/costs.csv has them.")
	p, err := sim.ParsePlan("mine.yaml", text)
	require.NoError(t, err)
	assert.Equal(t, "virtual", p.Clock)
	assert.GreaterOrEqual(t, mean(t, p.Scenario.Storms[0].Cost), 10*time.Microsecond, "no less than was burnt")
	assert.Equal(t, 200, p.Scenario.Storm, "of the run")

	r = simulateIn(t, dir, "run", "mine.yaml", "--quiet")
	assert.Equal(t, exitOK, r.code, r.stderr)
	assert.NoFileExists(t, filepath.Join(dir, "out", "costs.csv"), "costs of another run")
}

// mean is that of the lengths that a cost is one of.
func mean(t *testing.T, d sim.Dist) (sum time.Duration) {
	t.Helper()
	words := strings.Fields(d.String())
	for _, w := range words {
		v, err := time.ParseDuration(w)
		require.NoError(t, err, d.String())
		sum += v / time.Duration(len(words))
	}
	return sum
}

func TestInitFromCostsOfAServer(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "costs.csv"), []byte("work,runs,ns\nrespawn,10,200000\nchat,1,5\n\"a\nb\",1,5\n"), 0o644))
	r := simulateIn(t, dir, "init", "--from", "costs.csv", "--scenario", "spawn-storm")
	require.Equal(t, exitOK, r.code, r.stderr)
	assert.Contains(t, r.stdout, "# not in the scenario: \"a\\nb, chat\"\n", "in one line")
	assert.Contains(t, r.stdout, "# not measured, as they were: tick, input,")
	assert.Contains(t, r.stdout, "    cost: 20µs\n")

	r = simulateIn(t, dir, "init", "--from", "costs.csv", "--scenario", "spawn-storm", "--json")
	var out struct {
		Scenario      string
		Measured      []measuredCost
		Kept, Foreign []string
	}
	require.NoError(t, json.Unmarshal([]byte(r.stdout), &out), r.stdout)
	assert.Equal(t, []measuredCost{{"respawn", 10, 0.02, 0.02, 0.02, 0.02, "20µs"}}, out.Measured)
	assert.Equal(t, []string{"a\nb", "chat"}, out.Foreign)
	_, err := sim.ParsePlan("a.yaml", []byte(out.Scenario))
	assert.NoError(t, err)
}

func TestInitFromWhatHasNoCosts(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"costs.csv": "work,runs,ns\nrespawn,10,200000\n", "bad.csv": "work,runs,ns\nrespawn,ten,200000\n", "other.csv": "work,runs,ns\nchat,1,5\n",
	} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
	}
	require.NoError(t, os.Mkdir(filepath.Join(dir, "empty"), 0o755))
	for args, want := range map[string]string{
		"--from nowhere":                          "simulate: no costs: open nowhere: no such file or directory: want a folder of \"simulate run --clock real\", or a file",
		"--from empty":                            "simulate: empty has no costs.csv: \"simulate run --clock real --out empty\" measures costs; those of the virtual clock are what its scenario says",
		"--from=":                                 "simulate: from \"\": want a results folder, or a file with costs",
		"--from costs.csv":                        "simulate: costs.csv does not say which scenario gets its costs: add --scenario NAME|FILE",
		"--scenario steady":                       "simulate: --scenario steady: is for --from, which says where its costs were measured: add it, or leave it out",
		"--from bad.csv --scenario spawn-storm":   "simulate: bad.csv:2: runs \"ten\": want a whole number, 1 to",
		"--from other.csv --scenario spawn-storm": "simulate: other.csv: no sample is of a work of spawn-storm: it has tick, input,",
		"--from costs.csv --scenario nonsense":    "simulate: unknown scenario \"nonsense\"",
	} {
		r := simulateIn(t, dir, append([]string{"init"}, strings.Fields(args)...)...)
		assert.Equal(t, exitUsage, r.code, args)
		assert.Contains(t, strings.ReplaceAll(r.stderr, "sim: ", ""), want, args)
	}
}
