package report

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tickwheel/tickwheel/sim"
)

// seeded returns a folder of results of a seed.
func seeded(t *testing.T, seed uint64) string {
	t.Helper()
	sc := small()
	sc.Duration = 5 * time.Second
	r, err := sim.Run(t.Context(), sc, sim.Policy{Name: "cap", Cap: 50}, sim.Options{Seed: seed})
	require.NoError(t, err)
	dir := t.TempDir()
	require.NoError(t, WriteData(dir, []*sim.Recording{r}, Environment{}))
	return dir
}

// rewrite changes a file of a folder.
func rewrite(t *testing.T, dir, name string, change func(string) string) {
	t.Helper()
	path := filepath.Join(dir, name)
	b, err := os.ReadFile(path)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(path, []byte(change(string(b))), 0o600))
}

// asBefore makes a folder one of a version whose files have no identity.
func asBefore(t *testing.T, dir string) {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(dir, "run.json"))
	require.NoError(t, err)
	_, id, _ := strings.Cut(string(b), `"run": "`)
	id = id[:16]
	for _, name := range []string{"run.json", "summary.json"} {
		rewrite(t, dir, name, func(s string) string { return strings.Replace(s, `"run": "`+id+`",`, "", 1) })
	}
	rewrite(t, dir, "events.jsonl", func(s string) string { return strings.ReplaceAll(s, `,"run":"`+id+`"`, "") })
}

// A file that was copied from the folder of another seed is told from the others,
// in folders of versions that wrote no identity, too.
func TestAFileOfAnotherRunIsRefused(t *testing.T) {
	for _, old := range []bool{false, true} {
		a, b := seeded(t, 1), seeded(t, 2)
		if old {
			asBefore(t, a)
			asBefore(t, b)
		}
		_, err := Load(a)
		require.NoError(t, err)
		for name, want := range map[string]string{
			"summary.json": "summary.json is of another run (seed 2, run.json says 1)",
			"run.json":     "summary.json is of another run (seed 1, run.json says 2)",
			"ticks.csv":    "ticks.csv is of another run (",
			"events.jsonl": "events.jsonl is of another run (",
			"latency.hlog": "latency.hlog is of another run (",
			replayFile:     "replay.bin is of another run (seed 2, run.json says 1)",
		} {
			mine, err := os.ReadFile(filepath.Join(a, name))
			require.NoError(t, err)
			other, err := os.ReadFile(filepath.Join(b, name))
			require.NoError(t, err)
			rewrite(t, a, name, func(string) string { return string(other) })
			if name == replayFile {
				_, err = LoadReplay(a)
			} else {
				_, err = Load(a)
			}
			require.ErrorContains(t, err, want)
			assert.ErrorContains(t, err, "run again, or take the folder as it was written")
			rewrite(t, a, name, func(string) string { return string(mine) })
		}
	}
}

func TestTheSameRunHasTheSameIdentity(t *testing.T) {
	sc := small()
	a, b := MetaOf(play(t, sc, "nothing")), MetaOf(play(t, sc, "nothing"))
	assert.Len(t, a.Run, 16)
	assert.Equal(t, a.Run, b.Run)
	assert.NotEqual(t, a.Run, MetaOf(play(t, sc, "cap")).Run)
	sc.Players++
	assert.NotEqual(t, a.Run, MetaOf(play(t, sc, "nothing")).Run)
}

// What no run can have is refused with the file, the line or key, and the value.
func TestFiguresThatNoRunHasAreRefused(t *testing.T) {
	for _, c := range []struct{ file, old, new, want string }{
		{"events.jsonl", `"at_ms":`, `"at_ms":-1`, "events.jsonl is incomplete or damaged: line 1: at_ms is -1"},
		{"events.jsonl", `"at_ms":`, `"at_ms":1e308,"x":`, "line 1: at_ms is 1e+308"},
		{"events.jsonl", `"type":"mark"`, `"type":null`, `line 1: type is ""`},
		{"events.jsonl", `"type":"mark"`, `"type":"party"`, `line 1: type is "party"`},
		{"run.json", `"time_ms": `, `"time_ms": -1`, "policies[0].kinds[0].time_ms is -1"},
		{"run.json", `"time_ms": `, `"time_ms": 1e308, "x": `, "policies[0].kinds[0].time_ms is 1e+308"},
		{"run.json", `"duration_ms": 5000`, `"duration_ms": -5`, "duration_ms is -5"},
		{"run.json", `"ticks": `, `"ticks": -`, "policies[0].ticks is -"},
		{"summary.json", `"interval_ms": 50`, `"interval_ms": 0`, "summary.json is incomplete or damaged: interval_ms is 0"},
		{"summary.json", `"interval_ms": 50`, `"interval_ms": null`, "interval_ms is 0"},
		{"summary.json", `"interval_ms": 50`, `"interval_ms": 51`, "interval_ms 51, run.json says 50"},
	} {
		dir := seeded(t, 1)
		rewrite(t, dir, c.file, func(s string) string {
			require.Contains(t, s, c.old)
			return strings.Replace(s, c.old, c.new, 1)
		})
		_, err := Load(dir)
		assert.ErrorContains(t, err, c.want, "%s %s", c.file, c.new)
		assert.ErrorContains(t, err, c.file)
	}
}
