package report_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tickwheel/tickwheel/bench/measure"
	"github.com/tickwheel/tickwheel/bench/report"
)

func printed(t *testing.T, rows ...measure.Row) string {
	t.Helper()
	var b strings.Builder
	require.NoError(t, report.PrintFloors(&b, report.Collect(rows)))
	return b.String()
}

func TestFloorsAreJudged(t *testing.T) {
	const m = 1_000_000
	ours := func(measureName string, r measure.Row) measure.Row {
		r.Measure, r.Peer = measureName, "tickwheel"
		if r.N == 0 {
			r.N = m
		}
		return r
	}
	for _, c := range []struct {
		name string
		rows []measure.Row
		want string // of the line, as a regular expression
	}{
		{"a factor just reached", []measure.Row{
			ours("W1", measure.Row{N: 10_000, NS: f(10)}), {Measure: "W1", N: 10_000, Peer: "go-runtime", NS: f(90)},
		}, `W1 +10,000 timers: go-runtime ÷ ours +at least 9 × +9 × +yes`},
		{"a factor just missed", []measure.Row{
			ours("W1", measure.Row{N: 10_000, NS: f(10)}), {Measure: "W1", N: 10_000, Peer: "go-runtime", NS: f(89)},
		}, `W1 +10,000 timers: go-runtime ÷ ours +at least 9 × +8.90 × +no`},
		{"groups against a peer without", []measure.Row{
			ours("W1", measure.Row{N: m, Group: true, NS: f(100)}), {Measure: "W1", N: m, Peer: "go-runtime", NS: f(250)},
		}, `W1 +1,000,000 timers in groups of 100: go-runtime ÷ ours +at least 2.4 × +2.50 × +yes`},
		{"one allocation in a hundred", []measure.Row{ours("W1", measure.Row{N: m, Allocs: f(0.01)})},
			`allocations a pair +at most 0 +0.01 +no`},
		{"idle against hashed", []measure.Row{
			ours("W3", measure.Row{Variant: "idle", NS: f(50)}), {Measure: "W3", N: m, Variant: "idle", Peer: "hashed-512", NS: f(10_000)},
		}, `an idle tick: hashed-512 ÷ ours +at least 200 × +200 × +yes`},
		{"most moved", []measure.Row{ours("W3", measure.Row{Variant: "worst", MovedMax: f(65)})}, `at most 64 +65 +no`},
		{"a collection less an empty one", []measure.Row{
			ours("W4", measure.Row{GCMS: f(5.5)}), {Measure: "W4", N: m, Peer: "empty-heap", GCMS: f(2)},
		}, `more than with none +at most 3 ms +3.50 ms +no`},
		{"bytes in groups", []measure.Row{ours("W4", measure.Row{Group: true, Bytes: f(64)})}, `bytes a timer in groups of 100 +at most 64 +64 +yes`},
		{"slowest call", []measure.Row{ours("W6", measure.Row{NS: f(250_000)})}, `the slowest schedule call +at most 200 µs +250 µs +no`},
		{"storm", []measure.Row{ours("W8", measure.Row{N: 100_000, Variant: "best4", RatioToMean: f(1.1)})}, `W8 .* +at most 1.1 +1.10 +yes`},
	} {
		t.Run(c.name, func(t *testing.T) { assert.Regexp(t, c.want, printed(t, c.rows...)) })
	}
}

func TestMissedFloorsAreSaidInWords(t *testing.T) {
	slow := printed(t, measure.Row{Measure: "W5", N: 1_000_000, Group: true, Peer: "tickwheel", NS: f(30)})
	assert.Contains(t, slow, "1 of 1 figures are missed:")
	assert.Contains(t, slow, "- W5, a timer at logout: 30 ns, want at most 25 ns")
	fast := printed(t, measure.Row{Measure: "W5", N: 1_000_000, Group: true, Peer: "tickwheel", NS: f(20)})
	assert.Contains(t, fast, "All 1 figures are reached.")
	assert.NotContains(t, fast, "missed")
	assert.Empty(t, printed(t, measure.Row{Measure: "W5", N: 1_000_000, Peer: "heap", NS: f(20)}), "nothing of ours, nothing to judge")
}

// Each floor finds its figure in a plan as it is run, quick or full: a size or
// a name that was changed in one place only would be "not measured" for ever.
func TestEveryFloorIsMeasured(t *testing.T) {
	for _, quick := range []bool{true, false} {
		var all []measure.Row
		for _, c := range measure.Plan(quick, 1) {
			all = append(all, measure.Row{Measure: c.Measure, N: c.N, Group: c.Group, Peer: c.Peer, Variant: c.Variant,
				NS: f(10), Bytes: f(10), Allocs: f(0), MovedMax: f(0), GCMS: f(1), RatioToMean: f(1)})
		}
		doc := report.Document(report.Collect(all), report.Machine{Rounds: 1}, nil, "x.json")
		// The document is too long to be shown by a failing test.
		for text, want := range map[string]bool{
			"**not measured**": false,
			"| W2 | 1,000,000 timers: go-runtime ÷ ours | at least 120 × | 1 × | **no** |": true,
			"| W5 | a timer at logout | at most 25 ns | 10 ns | yes |":                     true,
		} {
			assert.Equal(t, want, strings.Contains(doc, text), text)
		}
	}
}
