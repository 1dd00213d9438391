package report

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"image/png"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tickwheel/tickwheel/sim"
)

// small is the built-in scenario at a size that takes a few milliseconds.
func small() sim.Scenario {
	sc := sim.SpawnStorm()
	sc.Duration, sc.Players, sc.Storm = 20*time.Second, 40, 20_000
	return sc
}

func play(t *testing.T, sc sim.Scenario, names ...string) []*sim.Recording {
	t.Helper()
	var runs []*sim.Recording
	for _, name := range names {
		p, err := sim.ParsePolicy(name, sim.DefaultKnobs())
		require.NoError(t, err)
		r, err := sim.Run(context.Background(), sc, p, sim.Options{Seed: 7})
		require.NoError(t, err)
		runs = append(runs, r)
	}
	return runs
}

func TestTable(t *testing.T) {
	var b bytes.Buffer
	runs := play(t, small(), "nothing", "cap", "jitter+cap+workers")
	require.NoError(t, Table(&b, runs))
	lines := strings.Split(strings.TrimRight(b.String(), "\n"), "\n")
	require.Len(t, lines, 4, "a heading and a line a policy")
	for _, l := range lines {
		assert.Len(t, l, len(lines[0]), "columns line up: %q", l)
	}
	assert.Equal(t, "policy tick p50 p90 p99 p99.9 max ms over shed late p99 max ticks backlog jobs", strings.Join(strings.Fields(lines[0]), " "))
	s := Summarize(runs)
	cap := s.Policies[1]
	assert.Equal(t, []string{"cap", ms(cap.TickMS.P50), ms(cap.TickMS.P90), ms(cap.TickMS.P99), ms(cap.TickMS.P999), ms(cap.TickMS.Max),
		strconv.Itoa(cap.Overruns), strconv.FormatInt(cap.ShedTicks, 10), strconv.FormatInt(cap.TimerLateTicks.P99, 10),
		strconv.FormatInt(cap.TimerLateTicks.Max, 10), thousands(cap.BacklogMax), "0"}, strings.Fields(lines[2]))
}

// A run by hand: nothing but a storm of 20,000 at 12 s of 20 s, 10 µs each, and
// 0.1 ms for each tick.
func TestTableByHand(t *testing.T) {
	sc := small()
	sc.Players = 0
	var b bytes.Buffer
	require.NoError(t, Table(&b, play(t, sc, "nothing", "cap")))
	var got [][]string
	for l := range strings.Lines(b.String()) {
		got = append(got, strings.Fields(l))
	}
	assert.Equal(t, strings.Fields("nothing 0.10 0.10 0.10 200 200 1 0 0 0 0 0"), got[1])
	assert.Equal(t, strings.Fields("cap 0.10 0.10 40.1 40.1 40.1 0 0 4 4 16,000 0"), got[2])
}

func TestFigures(t *testing.T) {
	for v, want := range map[float64]string{0: "0.00", 0.004: "0.00", 1.234: "1.23", 9.994: "9.99", 12.34: "12.3", 123.4: "123", 999.4: "999", 1001.7: "1,002", 1234567: "1,234,567"} {
		assert.Equal(t, want, ms(v))
	}
	for n, want := range map[int]string{0: "0", 999: "999", 1_000: "1,000", 123_456: "123,456", 1_234_567: "1,234,567", -1_000: "-1,000", -100: "-100"} {
		assert.Equal(t, want, thousands(n))
	}
	for d, want := range map[time.Duration]string{0: "0", 90 * time.Second: "90", 1500 * time.Millisecond: "1.5", 20 * time.Millisecond: "0.02"} {
		assert.Equal(t, want, seconds(d))
	}
}

// keys returns the keys of a JSON object in the order in which they stand.
func keys(t *testing.T, raw json.RawMessage) []string {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(raw))
	_, err := d.Token()
	require.NoError(t, err)
	var ks []string
	for d.More() {
		k, err := d.Token()
		require.NoError(t, err)
		ks = append(ks, k.(string))
		var skip json.RawMessage
		require.NoError(t, d.Decode(&skip))
	}
	return ks
}

func TestSummaryHasExactlyItsKeys(t *testing.T) {
	var b bytes.Buffer
	require.NoError(t, writeJSON(&b, Summarize(play(t, small(), "nothing", "jitter+cap+workers"))))
	assert.True(t, strings.HasSuffix(b.String(), "}\n"))
	assert.Equal(t, strings.Fields("run seed scenario clock interval_ms ticks policies"), keys(t, b.Bytes()))
	var top struct{ Policies []json.RawMessage }
	require.NoError(t, json.Unmarshal(b.Bytes(), &top))
	require.Len(t, top.Policies, 2)
	for _, p := range top.Policies {
		assert.Equal(t, strings.Fields("name trace_hash tick_ms start_late_ms timer_late_ticks overruns shed_ticks fired cancelled carried backlog_max jobs"), keys(t, p))
		var sub map[string]json.RawMessage
		require.NoError(t, json.Unmarshal(p, &sub))
		for _, q := range []string{"tick_ms", "start_late_ms", "timer_late_ticks"} {
			assert.Equal(t, strings.Fields("p50 p90 p99 p999 max"), keys(t, sub[q]), q)
		}
		assert.Equal(t, strings.Fields("run dropped_dead rejected"), keys(t, sub["jobs"]))
	}
	assert.NotContains(t, b.String(), "go1.", "no environment in it")
	assert.Panics(t, func() { Summarize(nil) })
}

func TestTicksHaveALineEach(t *testing.T) {
	runs := play(t, small(), "nothing", "cap")
	var b bytes.Buffer
	require.NoError(t, writeTicks(&b, runs))
	rows, err := csv.NewReader(&b).ReadAll() // refuses rows of different lengths
	require.NoError(t, err)
	assert.Equal(t, tickColumns, rows[0])
	assert.Len(t, rows, 1+len(runs[0].Ticks)+len(runs[1].Ticks))
	col := func(name string) int { return slices.Index(tickColumns, name) }
	fired, worst := map[string]uint64{}, map[string]float64{}
	for _, row := range rows[1:] {
		p := row[col("policy")]
		n, err := strconv.ParseUint(row[col("fired")], 10, 64)
		require.NoError(t, err)
		fired[p] += n
		d, err := strconv.ParseFloat(row[col("duration_ms")], 64)
		require.NoError(t, err)
		if d > worst[p] {
			worst[p] = d
		}
	}
	for _, p := range Summarize(runs).Policies {
		assert.Equal(t, p.Fired, fired[p.Name], "%s: the sum of a column is the figure of the summary", p.Name)
		assert.InDelta(t, p.TickMS.Max, worst[p.Name], 0.001, p.Name)
	}
	assert.Equal(t, "respawn", rows[1+runs[0].Worst()][col("slowest_kind")], "nothing: what the storm tick spent its time on")
}

func TestWrite(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a", "b")
	require.NoError(t, MakeDir(dir))
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	assert.Empty(t, entries, "a look whether one may write leaves nothing")
	sc := small()
	sc.Duration = 5 * time.Second // drawing takes its time under -race
	runs := play(t, sc, "nothing", "jitter")
	env := Describe([]string{"simulate", "--seed", "7"}, time.Unix(0, 0).UTC(), 1500*time.Millisecond)
	require.NoError(t, Write(dir, runs, env))
	read := func() map[string][]byte {
		got := map[string][]byte{}
		entries, err := os.ReadDir(dir)
		require.NoError(t, err)
		for _, e := range entries {
			got[e.Name()], err = os.ReadFile(filepath.Join(dir, e.Name()))
			require.NoError(t, err)
		}
		return got
	}
	first := read()
	assert.Len(t, first, len(Files()), "nothing but the files, no temporary one")
	for _, f := range Files() {
		assert.NotEmpty(t, first[f], f)
	}
	_, err = png.Decode(bytes.NewReader(first["tick-latency.png"]))
	assert.NoError(t, err)
	_, err = png.Decode(bytes.NewReader(first["percentiles.png"]))
	assert.NoError(t, err)
	assert.Contains(t, string(first["tick-latency.svg"]), "<svg")
	assert.Contains(t, string(first["environment.json"]), `"elapsed_ms": 1500`)

	// Replaced by the same again, whatever stood there.
	require.NoError(t, os.WriteFile(filepath.Join(dir, "summary.json"), []byte("old"), 0o644))
	require.NoError(t, Write(dir, play(t, sc, "nothing", "jitter"), env))
	assert.Equal(t, first, read(), "same seed, same bytes")
	assert.Panics(t, func() { _ = Write(dir, nil, env) })
}

func TestPicturesSayWhatWasRun(t *testing.T) {
	for _, c := range []struct {
		players, storm int
		duration       time.Duration
		subtitle       string
		marks          int
		zoom           bool
	}{
		{2_000, 100_000, 150 * time.Second, "2,000 players; 100,000 monsters die at 60 s and respawn at 90 s; mass logout at 120 s · seed 7 · virtual clock", 3, true},
		{0, 5, 20 * time.Second, "0 players; 5 monsters die at 8 s and respawn at 12 s · seed 7 · virtual clock", 2, true},
		{3, 0, 150 * time.Second, "3 players; mass logout at 120 s · seed 7 · virtual clock", 1, false},
		{0, 0, 150 * time.Second, "0 players · seed 7 · virtual clock", 0, false},
		{1, 1, 5 * time.Second, "1 players; 1 monsters die at 2 s and respawn at 3 s; mass logout at 4 s · seed 7 · virtual clock", 3, false},
	} {
		sc := small()
		sc.Players, sc.Storm, sc.Duration = c.players, c.storm, c.duration
		latency, spectrum := pictureOptions(MetaOf([]*sim.Recording{{Scenario: sc, Seed: 7}}))
		assert.Equal(t, c.subtitle, latency.Subtitle)
		assert.Equal(t, c.subtitle, spectrum.Subtitle)
		assert.Len(t, latency.Marks, c.marks, c.subtitle)
		assert.Equal(t, c.zoom, latency.Zoom.To > latency.Zoom.From, "%s: a close-up", c.subtitle)
	}
}

// Runs without storm, players or ticks are pictures and files, too.
func TestWriteOddRuns(t *testing.T) {
	for _, change := range []func(*sim.Scenario){
		func(s *sim.Scenario) { s.Players, s.Storm, s.Duration = 0, 0, 2*time.Second },
		func(s *sim.Scenario) { s.Duration = s.Interval },
	} {
		sc := small()
		change(&sc)
		require.NoError(t, Write(t.TempDir(), play(t, sc, "nothing"), Environment{}))
	}
	gone, cancel := context.WithCancel(context.Background())
	cancel()
	r, err := sim.Run(gone, small(), sim.Policy{Name: "nothing"}, sim.Options{})
	require.NoError(t, err)
	dir := t.TempDir()
	require.NoError(t, Write(dir, []*sim.Recording{r}, Environment{}), "interrupted before the first tick")
	summary, err := os.ReadFile(filepath.Join(dir, "summary.json"))
	require.NoError(t, err)
	assert.Contains(t, string(summary), `"interrupted": true`)
	assert.NoError(t, Table(&bytes.Buffer{}, []*sim.Recording{r}))
}

func TestAFolderThatCannotBe(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o644))
	for _, dir := range []string{file, filepath.Join(file, "below")} {
		err := MakeDir(dir)
		require.Error(t, err)
		assert.Contains(t, err.Error(), file, "names the path")
		assert.Contains(t, err.Error(), "choose another folder", "and the remedy")
	}
	dir := t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "ticks.csv", "x"), 0o755))
	err := Write(dir, play(t, small(), "nothing"), Environment{})
	require.Error(t, err)
	assert.Contains(t, err.Error(), "ticks.csv")
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	for _, e := range entries {
		assert.False(t, strings.HasPrefix(e.Name(), "."), "left behind: %s", e.Name())
	}
}

// full is a disk with room for n bytes.
type full struct{ n int }

var errFull = errors.New("no space left on device")

func (f *full) Write(p []byte) (int, error) {
	if len(p) > f.n {
		n := f.n
		f.n = 0
		return n, errFull
	}
	f.n -= len(p)
	return len(p), nil
}

func TestAFullDiskIsAnError(t *testing.T) {
	runs := play(t, small(), "nothing")
	for _, n := range []int{0, 100} {
		assert.ErrorIs(t, writeTicks(&full{n}, runs), errFull)
		assert.ErrorIs(t, writeJSON(&full{n}, Summarize(runs)), errFull)
		assert.ErrorIs(t, Table(&full{n}, runs), errFull)
	}
	assert.ErrorIs(t, writeTicks(&full{20_000}, runs), errFull, "in the middle")
}
