package clients

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Expectation is a threshold a run must meet.
type Expectation struct {
	text   string
	row    string // of the table; "" for a count
	figure string // p99 and so on, or the name of a count
	op     string
	value  float64 // milliseconds or ticks, or a count
	ticks  bool
}

// String is the text it was read from.
func (e Expectation) String() string { return e.text }

var (
	expression = regexp.MustCompile(`^\s*([a-z0-9_]+)(?:\.([a-z0-9]+))?\s*(<=|>=|==|!=|<|>)\s*([0-9.]+)\s*([a-zµ]*)\s*$`)
	units      = map[string]float64{"us": 0.001, "µs": 0.001, "ms": 1, "s": 1000, "tick": 1, "ticks": 1}
	figures    = map[string]func(Row) float64{
		"mean": func(r Row) float64 { return r.Mean }, "p50": func(r Row) float64 { return r.P50 },
		"p90": func(r Row) float64 { return r.P90 }, "p99": func(r Row) float64 { return r.P99 },
		"p999": func(r Row) float64 { return r.P999 }, "max": func(r Row) float64 { return r.Max },
	}
)

// ParseExpectation reads "request.p99 < 150ms", "timer.max <= 2ticks" or
// "lost == 0": the figure of a row with a unit (us, ms, s, tick or ticks, as long
// as the server says), or a count without one.
func ParseExpectation(s string) (Expectation, error) {
	bad := func(format string, args ...any) (Expectation, error) {
		return Expectation{}, fmt.Errorf("clients: expect %q: "+format, append([]any{s}, args...)...)
	}
	m := expression.FindStringSubmatch(s)
	if m == nil {
		return bad(`want something like "request.p99 < 150ms" or "lost == 0"`)
	}
	e := Expectation{text: s, op: m[3]}
	value, err := strconv.ParseFloat(m[4], 64)
	if err != nil || math.IsInf(value, 0) {
		return bad("%q is no number", m[4])
	}
	if m[2] == "" || m[2] == "count" {
		e.figure = m[1]
		if m[2] == "count" {
			e.row, e.figure = m[1], "count"
		}
		if m[5] != "" {
			return bad("a count has no unit: leave out %q", m[5])
		}
		if _, known := countsOf(Counts{})[m[1]]; m[2] == "" && !known {
			return bad("no count %q: want one of %s; a latency is written like request.p99", m[1], namesOf(countsOf(Counts{})))
		}
		e.value = value
	} else {
		e.row, e.figure = m[1], m[2]
		factor, known := units[m[5]]
		if !known {
			return bad("unit %q: write us, ms, s or ticks, as in 150ms", m[5])
		}
		if figures[e.figure] == nil {
			return bad("no figure %q: want one of count, %s", m[2], namesOf(figures))
		}
		e.value, e.ticks = value*factor, strings.HasPrefix(m[5], "tick")
	}
	if e.row != "" && !slices.Contains(rowNames[:], e.row) {
		return bad("no row %q: want one of %s", m[1], strings.Join(rowNames[:], ", "))
	}
	return e, nil
}

func namesOf[V any](m map[string]V) string {
	return strings.Join(slices.Sorted(maps.Keys(m)), ", ")
}

// countsOf are the counts under their names in clients.json.
func countsOf(c Counts) (m map[string]int64) {
	b, err := json.Marshal(c)
	if err == nil {
		err = json.Unmarshal(b, &m)
	}
	if err != nil {
		panic("clients: Counts: " + err.Error()) // numbers only: it can't fail
	}
	return m
}

// Judgement is what became of an expectation. Its JSON is part of clients.json.
type Judgement struct {
	Expect string `json:"expect"`
	Met    bool   `json:"met"`
	Got    string `json:"got"` // the measure, or why there is none
}

// Judge holds the result against an expectation. A figure without samples meets
// none.
func (r *Result) Judge(e Expectation) Judgement {
	j := Judgement{Expect: e.text}
	var got float64
	row := r.Rows[e.row]
	switch {
	case e.row == "":
		got = float64(countsOf(r.Counts)[e.figure])
		j.Got = strconv.FormatFloat(got, 'f', -1, 64)
	case e.figure == "count":
		got = float64(row.Count)
		j.Got = strconv.FormatInt(row.Count, 10)
	case row.Count == 0:
		j.Got = "no samples"
		return j
	case e.ticks && r.TickMS == 0:
		j.Got = "the server did not say how long a tick is"
		return j
	default:
		got = figures[e.figure](row)
		j.Got = strconv.FormatFloat(got, 'f', -1, 64) + "ms"
		if e.ticks {
			got /= r.TickMS
			j.Got = strconv.FormatFloat(got, 'f', 2, 64) + "ticks"
		}
	}
	j.Met = map[string]bool{
		"<": got < e.value, "<=": got <= e.value, ">": got > e.value, ">=": got >= e.value, "==": got == e.value, "!=": got != e.value,
	}[e.op]
	return j
}
