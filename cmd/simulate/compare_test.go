package main

import (
	"context"
	"encoding/json"
	"image"
	"image/color"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tickwheel/tickwheel/sim"
)

// little are flags for a grid of a fraction of a second.
func little(more ...string) []string {
	return append([]string{"compare", "--duration", "4s", "--players", "20", "--storm", "20000", "--interval", "50ms",
		"--workers", "0", "--cap", "0,1000", "--jitter", "0s,1s"}, more...)
}

func (r result) compared(t *testing.T) (doc compareReport) {
	t.Helper()
	require.NoError(t, json.Unmarshal(r.file(t, "compare.json"), &doc))
	return doc
}

func TestCompareIsTheSameOnAnyNumberOfCores(t *testing.T) {
	var all []result
	for _, cores := range []string{"1", "4"} {
		t.Setenv("GOMAXPROCS", cores)
		all = append(all, simulate(t, little("--quiet")...))
	}
	a, b := all[0], all[1]
	require.Contains(t, []int{exitOK, exitThreshold}, a.code, a.stderr)
	assert.Equal(t, a.stdout, b.stdout)
	for _, f := range compareFiles {
		assert.Equal(t, a.file(t, f), b.file(t, f), f)
	}
	assert.Len(t, a.compared(t).Settings, 6, "lanes count only with a cap")
}

func TestCompareRecommendsTheMildest(t *testing.T) {
	r := simulate(t, little("--quiet", "--json", "--expect", "backlog_max == 0")...)
	require.Equal(t, exitOK, r.code, r.stderr)
	assert.Equal(t, string(r.file(t, "compare.json")), r.stdout)
	doc := r.compared(t)
	assert.Equal(t, 0, doc.Recommended, "nothing has no backlog")
	assert.Contains(t, doc.Reason, "50ms: nothing: it meets backlog_max == 0 (0); it is the mildest of all")

	r = simulate(t, little("--quiet", "--expect", "backlog_max > 0", "--expect", "nothing: shed > 99999")...)
	require.Equal(t, exitOK, r.code, r.stderr)
	doc = r.compared(t)
	assert.Equal(t, []string{"backlog_max > 0"}, doc.Expect, "what is expected of another policy is left out")
	assert.Equal(t, 1000, doc.Settings[doc.Recommended].Cap)
	assert.Contains(t, r.stdout, "<- take this")
}

// compare.csv has a line a setting, with the figures of compare.json.
func TestCompareWritesATable(t *testing.T) {
	r := simulate(t, little("--quiet", "--expect", "shed == 0")...)
	doc := r.compared(t)
	lines := strings.Split(strings.TrimSpace(string(r.file(t, "compare.csv"))), "\n")
	require.Len(t, lines, 1+len(doc.Settings))
	head := strings.Split(lines[0], ",")
	for i, o := range doc.Settings {
		cells := strings.Split(lines[i+1], ",")
		require.Len(t, cells, len(head))
		line := map[string]string{}
		for k, name := range head {
			line[name] = cells[k]
		}
		assert.Equal(t, strconv.Itoa(o.Cap), line["cap"])
		assert.Equal(t, strconv.FormatFloat(o.TickMS.P999, 'f', -1, 64), line["tick_p999_ms"])
		assert.Equal(t, strconv.Itoa(int(o.Carried.Bulk)), line["carried_bulk_ticks"])
		assert.Equal(t, strconv.FormatBool(i == doc.Recommended), line["recommended"])
		if o.Cap == 0 {
			assert.Zero(t, o.BacklogMax, "nothing is carried without a cap")
		}
	}
}

// One axis makes one line from value to value, and a line never joins settings that
// differ in two.
func TestCompareLinesFollowOneAxis(t *testing.T) {
	ms := time.Millisecond
	var all []*outcome
	for _, s := range (axes{intervals: []time.Duration{50 * ms, 10 * ms}, jitters: []time.Duration{0, time.Second}, caps: []int{0, 9}, workers: []int{4}, lanes: []string{"own", "one"}}).grid(50 * ms) {
		all = append(all, &outcome{IntervalMS: float64(s.Interval / ms), setting: s})
	}
	s := compareScatter("", all, nil)
	assert.Equal(t, []string{"workers", "cap+workers", "jitter+workers", "jitter+cap+workers"}, s.Groups)
	assert.Len(t, s.Paths, 6)
	for _, path := range s.Paths {
		require.Len(t, path, 2)
		a, b := all[path[0]].setting, all[path[1]].setting
		assert.Less(t, a.Interval, b.Interval)
		a.Interval = b.Interval
		assert.Equal(t, a, b)
	}
	assert.Equal(t, "50ms", s.Points[0].Label, "only what varies is named")
	assert.Contains(t, compareScatter("", all[:1], nil).Points[0].Label, "w4", "alone it has its whole name")
	compareScatter("", nil, nil)
}

// --help says which values are played when a flag is left out.
func TestCompareHelpShowsDefaults(t *testing.T) {
	r := simulate(t, "compare", "--help")
	assert.NotContains(t, r.stdout, "[]")
	assert.NotContains(t, r.stdout, "(default )")
	for _, want := range []string{"10ms,25ms,50ms,100ms and the scenario's own", "0s and the scenario's own", "(default own,one)"} {
		assert.Contains(t, r.stdout, want)
	}
}

func TestCompareFindsNone(t *testing.T) {
	r := simulate(t, little("--quiet", "--expect", "tick.max < 1us")...)
	assert.Equal(t, exitThreshold, r.code)
	assert.Contains(t, r.stderr, "none of 6 settings meets all expectations")
	doc := r.compared(t)
	assert.Equal(t, -1, doc.Recommended)
	assert.Len(t, doc.Settings, 6)
}

func TestCompareWrongUse(t *testing.T) {
	for args, want := range map[string]string{
		"--interval 0s":        "interval",
		"--interval 50":        "interval",
		"--jitter 0s,2h":       "jitter 2h",
		"--cap 0,-1":           "cap -1",
		"--workers 5000":       "5000 workers",
		"--lanes two":          `lanes "two": want own`,
		"--expect x":           "want a measure",
		"--out=":               "want a folder",
		"no-such":              "unknown scenario",
		"steady boss-event":    "want one scenario",
		"--lanes=":             "lanes has no value",
		"--cap " + many(1_001): "want at most 1000",
	} {
		r := simulate(t, append([]string{"compare"}, strings.Fields(args)...)...)
		assert.Equal(t, exitUsage, r.code, args)
		assert.Contains(t, r.stderr, want, args)
		entries, err := os.ReadDir(r.dir)
		require.NoError(t, err)
		assert.Empty(t, entries, "%s: nothing is made", args)
	}
}

func many(n int) string { return strings.TrimSuffix(strings.Repeat("1,", n), ",") }

// Settings that a signal cut short are left out; the others stay.
func TestCompareInterrupted(t *testing.T) {
	plan, _ := sim.Preset("boss-event")
	ctx, cancel := context.WithCancel(t.Context())
	n := 0
	all := axes{intervals: []time.Duration{50 * time.Millisecond}, jitters: []time.Duration{0}, caps: []int{0}, workers: []int{0, 1, 2, 3, 4, 5}, lanes: []string{"own"}}.grid(50 * time.Millisecond)
	done, err := playGrid(ctx, plan, nil, all, func(setting) {
		if n++; n == len(all)-1 {
			cancel()
		}
	})
	require.NoError(t, err)
	assert.NotEmpty(t, done)
	assert.Less(t, len(done), len(all))
}

// Pictures for documents have an index of the colours that most pixels have.
func TestComparePicturesKeepTheirColours(t *testing.T) {
	m := image.NewRGBA(image.Rect(0, 0, 300, 3))
	for x := range 300 {
		m.SetRGBA(x, 0, color.RGBA{uint8(x % 256), uint8(x / 256), 9, 255})
		m.SetRGBA(x, 1, color.RGBA{200, 0, 0, 255})
		m.SetRGBA(x, 2, color.RGBA{0, 0, 200, 255})
	}
	p := indexed(m)
	assert.Len(t, p.Palette, 256)
	assert.Equal(t, color.RGBA{200, 0, 0, 255}, p.At(7, 1))
	assert.Equal(t, color.RGBA{0, 0, 200, 255}, p.At(7, 2))
	assert.Equal(t, m.At(3, 0), p.At(3, 0))
	few := image.NewRGBA(image.Rect(0, 0, 2, 1))
	few.SetRGBA(1, 0, color.RGBA{1, 2, 3, 255})
	assert.Equal(t, few.At(1, 0), indexed(few).At(1, 0))
}

// A jitter that no timer of the storm heeds is no lateness.
func TestJitterThatChangesNothingIsNotAdded(t *testing.T) {
	at := func(jitter time.Duration, hash string) *outcome {
		return &outcome{setting: setting{Interval: 50 * time.Millisecond, Jitter: jitter}, JitterMS: 1000 * jitter.Seconds(), TraceHash: hash}
	}
	none, vain, real := at(0, "a"), at(2*time.Second, "a"), at(3*time.Second, "b")
	all := []*outcome{none, vain, real}
	assert.Equal(t, []float64{0, 0, 3000}, []float64{spreadMS(none, all), spreadMS(vain, all), spreadMS(real, all)})
}
