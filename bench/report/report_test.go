package report_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tickwheel/tickwheel/bench/measure"
	"github.com/tickwheel/tickwheel/bench/report"
)

func f(v float64) *float64 { return &v }

// rows are two rounds of a plan with made-up figures.
func rows() []measure.Row {
	var all []measure.Row
	for i, c := range measure.Plan(false, 2) {
		r := measure.Row{Measure: c.Measure, N: c.N, Group: c.Group, Peer: c.Peer, Variant: c.Variant, NS: f(float64(10 + i))}
		switch c.Measure {
		case "W4":
			r.NS, r.GCMS = nil, f(3)
			if c.Peer != "empty-heap" {
				r.Bytes = f(32)
			}
		case "W8":
			r.RatioToMean = f(1.05)
		}
		all = append(all, r)
	}
	return all
}

func TestCollectTakesMedianAndLeast(t *testing.T) {
	var in []measure.Row
	for _, ns := range []float64{30, 10, 20, 90} {
		in = append(in, measure.Row{Measure: "W1", N: 10, Peer: "heap", NS: f(ns)})
	}
	in = append(in, measure.Row{Measure: "W1", N: 10, Peer: "heap", Group: true, Allocs: f(0)})
	got := report.Collect(in)
	require.Len(t, got, 2)
	assert.Equal(t, 25.0, *got[0].NS)
	assert.Equal(t, 10.0, *got[0].NSMin)
	assert.Len(t, got[0].Rounds, 4)
	assert.Equal(t, 30.0, *got[0].Rounds[0].NS, "rounds keep their own figures")
	assert.Nil(t, got[1].NS)
	assert.Zero(t, *got[1].Allocs)
}

func TestWriteMakesAllFiles(t *testing.T) {
	files := report.Files{Docs: t.TempDir(), Results: t.TempDir()}
	require.NoError(t, files.Check())
	m := report.Describe(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), 2)
	require.NoError(t, files.Write(report.Collect(rows()), m))
	text, err := os.ReadFile(filepath.Join(files.Docs, "benchmarks.md"))
	require.NoError(t, err)
	doc := string(text)
	for _, want := range []string{"median of 2 rounds", "measured elsewhere", "antlabs/timer wheel", "2026-01-02.json", "10,000,000", "W1 above 10,000"} {
		assert.Contains(t, doc, want)
	}
	assert.NotContains(t, doc, "%!", "a format without its argument")
	for _, w := range measure.Measures() {
		assert.Contains(t, doc, "## "+w+" · ")
		name := "img/bench-" + strings.ToLower(w) + ".svg"
		assert.Contains(t, doc, "("+name+")")
		svg, err := os.ReadFile(filepath.Join(files.Docs, name))
		require.NoError(t, err)
		assert.Contains(t, string(svg), "</svg>")
	}
	raw, err := os.ReadFile(filepath.Join(files.Results, "2026-01-02.json"))
	require.NoError(t, err)
	var back struct{ Results []report.Result }
	require.NoError(t, json.Unmarshal(raw, &back))
	assert.Len(t, back.Results, len(measure.Plan(false, 1)))
	left, err := filepath.Glob(filepath.Join(files.Docs, ".compare-*"))
	require.NoError(t, err)
	assert.Empty(t, left)
}

func TestRowsHaveOnlyWhatApplies(t *testing.T) {
	name := filepath.Join(t.TempDir(), "new", "r.json")
	require.NoError(t, report.WriteRows(name, report.Collect([]measure.Row{{Measure: "W5", N: 3, Peer: "heap", NS: f(1.5)}})))
	text, err := os.ReadFile(name)
	require.NoError(t, err)
	assert.JSONEq(t, `[{"measure":"W5","n":3,"group":false,"peer":"heap","ns":1.5}]`, string(text))
}

func TestMissingFoldersAreSaidBefore(t *testing.T) {
	err := report.Files{Docs: "no/such", Results: t.TempDir()}.Check()
	require.ErrorContains(t, err, "no/such")
}

func TestPrint(t *testing.T) {
	var b strings.Builder
	require.NoError(t, report.Print(&b, report.Collect([]measure.Row{
		{Measure: "W1", N: 10000, Peer: "tickwheel", NS: f(20)},
		{Measure: "W1", N: 10000, Peer: "tickwheel", Group: true, NS: f(40)},
		{Measure: "W1", N: 10000, Peer: "heap", NS: f(110), Allocs: f(1)},
	})))
	assert.Regexp(t, `W1 +10,000 +heap +110 ns +5\.50 `, b.String())
	assert.Regexp(t, `tickwheel, groups +40 ns +1 `, b.String())
}
