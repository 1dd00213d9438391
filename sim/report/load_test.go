package report

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tickwheel/tickwheel/sim"
	"github.com/tickwheel/tickwheel/tick"
)

// written returns a folder of results of a short run, and its runs.
func written(t *testing.T, seconds int, policies ...string) (string, []*sim.Recording) {
	t.Helper()
	sc := small()
	sc.Duration = time.Duration(seconds) * time.Second
	runs := play(t, sc, policies...)
	dir := t.TempDir()
	require.NoError(t, WriteData(dir, runs, Environment{Command: []string{"simulate"}}))
	return dir, runs
}

func TestLoadGivesBackWhatWasWritten(t *testing.T) {
	dir, runs := written(t, 20, "nothing", "cap+workers")
	s, err := Load(dir)
	require.NoError(t, err)
	require.Len(t, s.Runs, 2)
	assert.Equal(t, MetaOf(runs), s.Meta)
	assert.Equal(t, Summarize(runs), s.Folders[0].Summary)
	for i, r := range runs {
		got := s.Runs[i]
		assert.Equal(t, r.Policy.Name, got.Label)
		require.Len(t, got.Points, len(r.Ticks))
		require.Len(t, got.Slow, sim.SlowTicks)
		for j := range r.Ticks {
			want, tk := &r.Ticks[j], got.Points[j].Longest
			require.Equal(t, want.Duration, tk.Duration)
			require.Equal(t, want.Start, tk.Start)
			require.Equal(t, want.StartLate, tk.StartLate)
			require.Equal(t, want.Phase, tk.Phase)
			require.Equal(t, want.JobsRan, tk.JobsRan)
			require.Equal(t, want.SlowestTime, tk.SlowestTime)
			require.EqualValues(t, want.Fired, tk.Fired)
			for lane, l := range lanes {
				require.EqualValues(t, want.Backlog[l], tk.Backlog[lane])
				require.Equal(t, want.LateMax[l], tk.Late[lane])
			}
		}
	}
	assert.Equal(t, "respawn", s.Runs[0].Names[s.Runs[0].Points[runs[0].Worst()].Longest.Slowest])
}

func TestDrawMakesTheSamePictures(t *testing.T) {
	dir, runs := written(t, 5, "nothing", "jitter")
	require.NoError(t, Write(dir, runs, Environment{}))
	s, err := Load(dir)
	require.NoError(t, err)
	again := t.TempDir()
	require.NoError(t, Draw(t.Context(), again, s))
	for _, name := range Pictures() {
		a, err := os.ReadFile(filepath.Join(dir, name))
		require.NoError(t, err)
		b, err := os.ReadFile(filepath.Join(again, name))
		require.NoError(t, err)
		assert.True(t, bytes.Equal(a, b), name)
	}
}

func TestSeveralFoldersAreOneSet(t *testing.T) {
	a, _ := written(t, 5, "nothing", "cap")
	b, _ := written(t, 6, "nothing")
	s, err := Load(a, b)
	require.NoError(t, err)
	var labels []string
	for _, r := range s.Runs {
		labels = append(labels, r.Label)
	}
	base := filepath.Base
	assert.Equal(t, []string{base(a) + ": nothing", "cap", base(b) + ": nothing"}, labels)
	assert.Empty(t, s.Meta.Marks, "their scripts differ")
	assert.Equal(t, 6000.0, s.Meta.DurationMS)
	assert.Contains(t, s.Meta.About, b+" (spawn-storm, seed 7)")
	require.NoError(t, Draw(t.Context(), t.TempDir(), s))

	again, err := Load(a, a)
	require.NoError(t, err)
	assert.Equal(t, a+": nothing", again.Runs[0].Label)
	many := []string{}
	for range 13 {
		many = append(many, a)
	}
	_, err = Load(many...)
	assert.ErrorContains(t, err, "26 runs")
	assert.Panics(t, func() { _, _ = Load() })
}

func TestFoldersOfDifferentIntervalsStayApart(t *testing.T) {
	a, _ := written(t, 5, "nothing")
	sc := small()
	sc.Duration, sc.Interval = 5*time.Second, 100*time.Millisecond
	b := t.TempDir()
	require.NoError(t, WriteData(b, play(t, sc, "nothing"), Environment{}))
	_, err := Load(a, b)
	assert.ErrorContains(t, err, "50 ms")
	assert.ErrorContains(t, err, "one by one")
}

// A folder that is not whole is refused with file, line and remedy.
func TestBadFolders(t *testing.T) {
	good, _ := written(t, 5, "nothing", "cap")
	_, err := Load(filepath.Join(good, "missing"))
	assert.ErrorContains(t, err, "there is no folder")
	assert.ErrorContains(t, err, "simulate run --out")
	_, err = Load(t.TempDir())
	assert.ErrorContains(t, err, "is empty")
	_, err = Load(filepath.Join(good, "ticks.csv"))
	assert.ErrorContains(t, err, "no folder of results")
	foreign := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(foreign, "photo.jpg"), []byte("x"), 0o644))
	_, err = Load(foreign)
	assert.ErrorContains(t, err, "has no run.json")

	edit := func(f func(string) string) func([]byte) []byte {
		return func(b []byte) []byte { return []byte(f(string(b))) }
	}
	half := func(b []byte) []byte { return b[:len(b)/2] }
	lastLine := edit(func(s string) string {
		s = strings.TrimSuffix(s, "\n")
		return s[:strings.LastIndex(s, "\n")+1]
	})
	replace := func(old, new string) func([]byte) []byte {
		return edit(func(s string) string { return strings.Replace(s, old, new, 1) })
	}
	for _, c := range []struct {
		file, want string
		change     func([]byte) []byte // nil: the file is gone
	}{
		{"run.json", "has no run.json", nil},
		{"run.json", "run.json is incomplete or damaged: it ends too early", half},
		{"run.json", "something follows", edit(func(s string) string { return s + "{}" })},
		{"run.json", `format "tickwheel-results/9"`, replace("results/1", "results/9")},
		{"run.json", "interval_ms is -50", replace(`"interval_ms": 50`, `"interval_ms": -50`)},
		{"run.json", `format ""`, edit(func(string) string { return "{}" })},
		{"run.json", "cannot unmarshal", edit(func(string) string { return "[]" })},
		{"summary.json", "has no summary.json", nil},
		{"summary.json", "summary.json is incomplete or damaged", half},
		{"summary.json", "0 policies", edit(func(string) string { return "{}" })},
		{"environment.json", "has no environment.json", nil},
		{"ticks.csv", "has no ticks.csv", nil},
		{"ticks.csv", "ends too early", edit(func(string) string { return "" })},
		{"ticks.csv", `no column "policy"`, replace("policy", "police")},
		{"ticks.csv", "ticks.csv is incomplete", half},
		{"ticks.csv", `policy "cap" has 99 ticks of 100`, lastLine},
		{"ticks.csv", `line 2: tick is "x"`, replace("nothing,1,", "nothing,x,")},
		{"ticks.csv", `start_ms is "NaN"`, replace("nothing,2,100,", "nothing,2,NaN,")},
		{"ticks.csv", `start_ms is "1e300"`, replace("nothing,2,100,", "nothing,2,1e300,")},
		{"ticks.csv", `policy "other" is not in run.json`, replace("nothing,1,", "other,1,")},
		{"events.jsonl", "has no events.jsonl", nil},
		{"events.jsonl", "events.jsonl is incomplete", half},
		{"events.jsonl", `policy "cap" has no last line`, lastLine},
		{"events.jsonl", `policy "none" is not in run.json`, replace(`"policy":"nothing"`, `"policy":"none"`)},
		{"latency.hlog", "has no latency.hlog", nil},
		{"latency.hlog", "latency.hlog is incomplete", half},
		{"latency.hlog", "of 100", edit(func(string) string { return "" })},
	} {
		dir := t.TempDir()
		for _, name := range Files() {
			b, err := os.ReadFile(filepath.Join(good, name))
			if slices.Contains(Pictures(), name) {
				continue
			}
			require.NoError(t, err)
			if name == c.file {
				if c.change == nil {
					continue
				}
				b = c.change(b)
			}
			require.NoError(t, os.WriteFile(filepath.Join(dir, name), b, 0o644))
		}
		_, err := Load(dir)
		if assert.Error(t, err, "%s, %s", c.file, c.want) {
			assert.Contains(t, err.Error(), c.want, c.file)
			assert.Contains(t, err.Error(), dir, "names the folder")
			assert.Contains(t, err.Error(), "run", "and the remedy")
		}
	}
}

// A run that was interrupted before its first tick is a folder like any other.
func TestLoadOfARunWithoutTicks(t *testing.T) {
	r := &sim.Recording{Scenario: small(), Policy: sim.Policy{Name: "nothing"}, Interrupted: true}
	r.Stats.StartLate, r.Stats.TimerLate = new(tick.Histogram), new(tick.Histogram)
	dir := t.TempDir()
	require.NoError(t, WriteData(dir, []*sim.Recording{r}, Environment{}))
	s, err := Load(dir)
	require.NoError(t, err)
	assert.Empty(t, s.Runs[0].Points)
	require.NoError(t, Draw(t.Context(), dir, s))
}
