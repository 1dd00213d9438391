package clients

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// figures are those of a row that may be expected, in milliseconds.
var figures = map[string]func(Row) float64{
	"mean": func(r Row) float64 { return r.Mean }, "p50": func(r Row) float64 { return r.P50 },
	"p90": func(r Row) float64 { return r.P90 }, "p99": func(r Row) float64 { return r.P99 },
	"p999": func(r Row) float64 { return r.P999 }, "max": func(r Row) float64 { return r.Max },
}

// Measure says whether the figure of a name is a length of time, such as
// "request.p99", or a count, such as "request.count" or "lost"; or why there is
// none of that name.
func Measure(name string) (isTime bool, err error) {
	row, figure, dotted := strings.Cut(name, ".")
	switch _, known := countsOf(Counts{})[name]; {
	case !dotted && !known:
		return false, fmt.Errorf("no count %q: want one of %s; a latency is written like request.p99", name, namesOf(countsOf(Counts{})))
	case !dotted:
		return false, nil
	case !slices.Contains(rowNames[:], row):
		return false, fmt.Errorf("no row %q: want one of %s", row, strings.Join(rowNames[:], ", "))
	case figure == "count":
		return false, nil
	case figures[figure] == nil:
		return false, fmt.Errorf("no figure %q: want one of count, %s", figure, namesOf(figures))
	}
	return true, nil
}

// Figure returns the figure of a name that Measure knows, a length of time in
// milliseconds, and whether there are samples.
func (r *Result) Figure(name string) (value float64, ok bool) {
	row, figure, dotted := strings.Cut(name, ".")
	switch {
	case !dotted:
		return float64(countsOf(r.Counts)[name]), true
	case figure == "count":
		return float64(r.Rows[row].Count), true
	case r.Rows[row].Count == 0:
		return 0, false
	}
	return figures[figure](r.Rows[row]), true
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
