package report

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"regexp"
	"strings"
	"testing"
	"time"

	hdr "github.com/HdrHistogram/hdrhistogram-go"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tickwheel/tickwheel/sim"
	"github.com/tickwheel/tickwheel/tick"
)

// readHDR merges the intervals of a log by tag, with the library that others
// would read it with.
func readHDR(t *testing.T, log []byte) map[string]*hdr.Histogram {
	t.Helper()
	got := map[string]*hdr.Histogram{}
	r := hdr.NewHistogramLogReader(bytes.NewReader(log))
	for {
		h, err := r.NextIntervalHistogram()
		if err == io.EOF || h == nil {
			return got
		}
		require.NoError(t, err)
		if got[h.Tag()] == nil {
			got[h.Tag()] = hdr.New(1, int64(maxHDR), 3)
		}
		require.Zero(t, got[h.Tag()].Merge(h))
	}
}

func TestTheHDRLogHasEveryTick(t *testing.T) {
	runs := play(t, small(), "nothing", "cap")
	var b bytes.Buffer
	require.NoError(t, writeHDR(&b, runs))
	got := readHDR(t, b.Bytes())
	require.Len(t, got, 4)
	for _, r := range runs {
		length, response := got[r.Policy.Name+"/tick"], got[r.Policy.Name+"/response"]
		require.NotNil(t, length)
		require.NotNil(t, response)
		assert.EqualValues(t, len(r.Ticks), length.TotalCount())
		assert.EqualValues(t, int64(len(r.Ticks))+r.Stats.Shed, response.TotalCount(), "intervals given up count")
		q := r.Durations()
		assert.InEpsilon(t, q.Max, length.Max(), 0.001)
		assert.InEpsilon(t, q.P99, length.ValueAtQuantile(99), 0.001)
	}
}

// V08: thirty seconds at 20 ticks a second with a stall of 15 s. Half of the
// intended starts lie in the stall, so half of the values rise evenly to 15 s.
func TestV08_AStallShowsInTheHDRLog(t *testing.T) {
	r := &sim.Recording{Scenario: sim.SpawnStorm(), Policy: sim.Policy{Name: "x"}}
	add := func(at, late, length time.Duration, shed int64) {
		r.Ticks = append(r.Ticks, sim.TickRecord{TickInfo: tick.TickInfo{Start: at, StartLate: late, Duration: length, Shed: shed}})
	}
	gap := r.Scenario.Interval
	for i := range time.Duration(150) {
		add(i*gap, 0, time.Millisecond, 0)
	}
	add(150*gap, 0, 15*time.Second, 0)
	add(450*gap, 0, time.Millisecond, 299) // the starts of 299 intervals have passed
	for i := range time.Duration(149) {
		add((451+i)*gap, 0, time.Millisecond, 0)
	}
	var b bytes.Buffer
	require.NoError(t, writeHDR(&b, []*sim.Recording{r}))
	h := readHDR(t, b.Bytes())["x/response"]
	require.EqualValues(t, 600, h.TotalCount())
	assert.InDelta(t, 3.75e9, h.Mean(), 0.05e9, "the mean")
	assert.InDelta(t, 14.7e9, h.ValueAtQuantile(99), 0.06e9, "p99")
}

func TestALongRunHasFewIntervals(t *testing.T) {
	r := &sim.Recording{Scenario: sim.SpawnStorm(), Policy: sim.Policy{Name: "a b,c"}}
	for i := range 24 * 60 {
		r.Ticks = append(r.Ticks, sim.TickRecord{TickInfo: tick.TickInfo{Start: time.Duration(i) * time.Minute, Duration: time.Millisecond}})
	}
	var b bytes.Buffer
	require.NoError(t, writeHDR(&b, []*sim.Recording{r}))
	assert.LessOrEqual(t, strings.Count(b.String(), "Tag=a_b_c/tick,"), maxIntervals)
	assert.EqualValues(t, len(r.Ticks), readHDR(t, b.Bytes())["a_b_c/tick"].TotalCount())
}

func TestEventsTellWhatHappened(t *testing.T) {
	runs := play(t, small(), "nothing", "cap")
	var b bytes.Buffer
	require.NoError(t, writeEvents(&b, MetaOf(runs), runs))
	count := map[string]int{}
	for s := bufio.NewScanner(&b); s.Scan(); {
		var e Event
		d := json.NewDecoder(strings.NewReader(s.Text()))
		d.DisallowUnknownFields()
		require.NoError(t, d.Decode(&e))
		count[e.Type+" "+e.Policy]++
		if e.Type == "slow" && e.Tick == int64(runs[0].Ticks[runs[0].Worst()].Tick) && e.Policy == "nothing" {
			assert.Equal(t, "respawn", e.Kinds[0].Kind)
			assert.Equal(t, 20_000, e.Kinds[0].Fired)
			assert.InDelta(t, 200, e.Kinds[0].TimeMS, 0.001, "20,000 of 10 µs")
		}
	}
	assert.Equal(t, 3, count["mark "])
	for _, p := range []string{"nothing", "cap"} {
		assert.Equal(t, sim.SlowTicks, count["slow "+p])
		assert.Equal(t, 1, count["end "+p])
	}
}

// The lines are what golang.org/x/perf calls a benchmark result.
func TestBenchmarkLines(t *testing.T) {
	line := regexp.MustCompile(`^Benchmark\S+ \d+( -?[0-9.]+ [a-z0-9-]+)+$`)
	s := Summarize(play(t, small(), "nothing", "jitter+cap"))
	s.Policies[1].Name = "with space/and slash"
	var b bytes.Buffer
	require.NoError(t, writeBench(&b, s, Environment{}))
	lines := strings.Split(strings.TrimSpace(b.String()), "\n")
	require.Len(t, lines, 3)
	assert.Equal(t, "pkg: github.com/tickwheel/tickwheel/sim", lines[0])
	assert.Regexp(t, line, lines[1])
	assert.Contains(t, lines[1], "/scenario=spawn-storm/policy=nothing 400 ")
	assert.Contains(t, lines[2], "/policy=with_space_and_slash 400 ")
	s.Clock = "real"
	b.Reset()
	require.NoError(t, writeBench(&b, s, Environment{OS: "linux", Arch: "amd64"}))
	assert.Contains(t, b.String(), "goos: linux\ngoarch: amd64\n")
}

func TestMetaGivesDurationsBackExactly(t *testing.T) {
	for _, d := range []time.Duration{0, 1, 999_999, 1_234_567_891, 50 * time.Millisecond, 24*time.Hour + 1} {
		assert.Equal(t, d, inNS(exactMS(d)))
	}
	assert.Zero(t, inNS(1e300))
	assert.Panics(t, func() { MetaOf(nil) })
}
