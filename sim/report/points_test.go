package report

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	hdr "github.com/HdrHistogram/hdrhistogram-go"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tickwheel/tickwheel/sim"
)

func TestWorkersAreBusyForAsLongAsTheirJobsTook(t *testing.T) {
	busy := func(workers int) (shares []int32) {
		b := busyness{workers: workers}
		for i := range 40 {
			k := Tick{Start: time.Duration(i) * 50 * time.Millisecond}
			if i < 20 {
				k.JobsRan = 50 * time.Millisecond
			}
			shares = append(shares, b.at(&k))
		}
		return shares
	}
	assert.EqualValues(t, 50, busy(2)[19], "a second of work in a second of two workers")
	assert.EqualValues(t, 0, busy(2)[39])
	assert.EqualValues(t, 100, busy(1)[19])
	assert.EqualValues(t, 0, busy(0)[19])
}

// bigFolder writes results of n ticks of which one, with 77 timers in its backlog,
// takes a second, without the recording they would come from.
func bigFolder(t *testing.T, dir string, n, worst int) {
	t.Helper()
	m := Meta{
		Format: metaFormat, Scenario: "long", About: "by a test", Clock: "virtual", IntervalMS: 50,
		DurationMS: float64(n) * 50, Policies: []RunMeta{{Name: "nothing", Ticks: n}},
	}
	lengths := make([]time.Duration, n)
	for i := range lengths {
		lengths[i] = time.Millisecond + time.Duration(i*7919%300_000)
	}
	lengths[worst] = time.Second
	const late = 125
	h, response := newHDR(), newHDR()
	h.SetTag("nothing/tick")
	response.SetTag("nothing/response")
	for _, d := range lengths {
		require.NoError(t, h.RecordValue(int64(d)))
		require.NoError(t, response.RecordValue(int64(d+late)))
	}
	end := exactMS(time.Duration(n)*50*time.Millisecond + late + lengths[n-1])
	slices.Sort(lengths)
	at := func(perMille int) int64 { return int64(lengths[(n*perMille+999)/1000-1]) }
	s := Summary{Scenario: "long", Clock: "virtual", IntervalMS: 50, Ticks: int64(n), Policies: []PolicySummary{{
		Name: "nothing", TickMS: inMS(sim.Quantiles{P50: at(500), P90: at(900), P99: at(990), P999: at(999), Max: at(1000)}),
		Overruns: 1, Fired: uint64(n) * 90,
	}}}
	create := func(name string, write func(f *bytes.Buffer)) {
		var b bytes.Buffer
		write(&b)
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), b.Bytes(), 0o644))
	}
	create("run.json", func(b *bytes.Buffer) { require.NoError(t, writeJSON(b, m)) })
	create("summary.json", func(b *bytes.Buffer) { require.NoError(t, writeJSON(b, s)) })
	create("environment.json", func(b *bytes.Buffer) { require.NoError(t, writeJSON(b, Environment{})) })
	create("events.jsonl", func(b *bytes.Buffer) { fmt.Fprintf(b, "{\"type\":\"end\",\"policy\":\"nothing\",\"at_ms\":%v}\n", end) })
	create("latency.hlog", func(b *bytes.Buffer) {
		l := hdr.NewHistogramLogWriter(b)
		require.NoError(t, l.OutputIntervalHistogram(h))
		require.NoError(t, l.OutputIntervalHistogram(response))
	})
	f, err := os.Create(filepath.Join(dir, "ticks.csv"))
	require.NoError(t, err)
	defer f.Close()
	var b bytes.Buffer
	fmt.Fprintln(&b, strings.Join(tickColumns, ","))
	for i := range n {
		length, kind, backlog := fmt.Sprintf("1.%06d", i*7919%300_000), "heartbeat", 0
		if i == worst {
			length, kind, backlog = "1000", "respawn", 77
		}
		fmt.Fprintf(&b, "nothing,%d,%d,0.000125,%s,0.2,0.7,0.1,0.0%d,90,0,0,0,%d,0,0,12,0,0,%s,%s,0,0,0,0,0,0,0\n",
			i+1, (i+1)*50, length, i%9+1, backlog, kind, length)
		if b.Len() > 1<<20 || i == n-1 {
			_, err := b.WriteTo(f)
			require.NoError(t, err)
		}
	}
}

// However many ticks share a point, the worst one is in the data of the pictures
// and in the table, with what was worst about it.
func TestTheWorstTickOfALongRunSurvives(t *testing.T) {
	const n = 2*MaxPoints + 5
	for _, worst := range []int{0, 1, 2, n / 2, n - 1} {
		dir := t.TempDir()
		bigFolder(t, dir, n, worst)
		s, err := Load(dir)
		require.NoError(t, err)
		r := s.Runs[0]
		assert.Equal(t, 3, r.Per)
		assert.LessOrEqual(t, len(r.Points), MaxPoints)
		p := r.Points[worst/3]
		assert.Equal(t, time.Second, p.Longest.Duration)
		assert.EqualValues(t, worst+1, p.Longest.Tick)
		assert.EqualValues(t, 77, p.Backlog[2])
		assert.Equal(t, "respawn", r.Names[p.Longest.Slowest])
		assert.Equal(t, time.Second, r.Samples[worst].Latency)
		assert.Len(t, r.Lengths, n)
		assert.Equal(t, time.Second, r.Lengths[n-1])
		assert.Equal(t, p.Longest, r.Slow[0].Tick)
	}
}

func TestLoadingStopsWithItsContext(t *testing.T) {
	dir := t.TempDir()
	bigFolder(t, dir, 100_000, 7)
	ctx, cancel := context.WithCancel(t.Context())
	seen := 0.0
	_, err := Loader{Progress: func(from string, done float64) {
		assert.Equal(t, dir, from)
		seen = done
		if done > 0.3 {
			cancel()
		}
	}}.Load(ctx, dir)
	assert.ErrorIs(t, err, context.Canceled)
	assert.Less(t, seen, 0.5, "it did not read to the end")
	assert.ErrorIs(t, Draw(ctx, dir, &Set{Runs: []*Run{{}}}), context.Canceled)
	assert.NoFileExists(t, filepath.Join(dir, Pictures()[0]))
}

// A folder as large as wanted is read whole. For measurements BIG=DIR go test -run
// TestBigFolder ./sim/report makes one of ten million ticks, and leaves it there.
func TestBigFolder(t *testing.T) {
	dir, n := os.Getenv("BIG"), 10_000_000
	if dir == "" {
		dir, n = t.TempDir(), 100_000
	}
	require.NoError(t, os.MkdirAll(dir, 0o755))
	bigFolder(t, dir, n, n/4*3)
	s, err := Load(dir)
	require.NoError(t, err)
	assert.Equal(t, n, len(s.Runs[0].Lengths))
}

// Names with quotes, commas and ends of lines in them are names.
func TestQuotedFields(t *testing.T) {
	for text, want := range map[string][]string{
		"a,b,c\n":             {"a", "b", "c"},
		"a,\"b,\"\"x\"\"\",c": {"a", `b,"x"`, "c"},
		"\"a\nb\",,\n":        {"a\nb", "", ""},
		"\r\n":                {"\r"},
	} {
		row, err := newLines(strings.NewReader(text)).next(nil)
		if text == "\r\n" {
			assert.Error(t, err, "an empty line is no row")
			continue
		}
		require.NoError(t, err)
		var got []string
		for _, f := range row {
			got = append(got, string(f))
		}
		assert.Equal(t, want, got, text)
	}
	_, err := newLines(strings.NewReader("a,\"b\n")).next(nil)
	assert.Error(t, err)
}

func TestPlainMilliseconds(t *testing.T) {
	for text, want := range map[string]time.Duration{
		"0": 0, "0.000125": 125, "120.858665": 120_858_665, "1000": time.Second, "86400000": 24 * time.Hour,
	} {
		got, ok := plainMS([]byte(text))
		assert.True(t, ok, text)
		assert.Equal(t, want, got, text)
	}
	for _, text := range []string{"", "1.", "-1", "1e3", "NaN", "1.0000001", "1.2.3", "1234567890123"} {
		_, ok := plainMS([]byte(text))
		assert.False(t, ok, text)
	}
}
