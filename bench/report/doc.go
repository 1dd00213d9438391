// Package report turns the rows of many processes into docs/benchmarks.md, its
// pictures and a file of raw results.
//
// # Guarantees
//
//   - A figure is the median over rounds; the least and all rounds stand in the
//     file of results.
//   - Files appear whole or not at all.
//   - A figure that the wheel has to reach and does not is said to be missed.
//
// # Units
//
// Times are nanoseconds in results and scaled for readers in the document.
//
// # Concurrency
//
// Functions may be called by any goroutine, for different files at the same time.
//
// # Not provided
//
// Tests of significance: how far rounds lie apart stands in the file of results.
package report

import (
	"slices"

	"github.com/tickwheel/tickwheel/bench/measure"
)

// Result is a row over all rounds.
type Result struct {
	measure.Row               // medians
	NSMin       *float64      `json:"ns_min,omitempty"`
	Rounds      []measure.Row `json:"rounds"`
}

// Collect joins rows of the same case, in the order the cases first appear.
func Collect(rows []measure.Row) []Result {
	var results []Result
	for _, r := range rows {
		i := slices.IndexFunc(results, func(x Result) bool { return same(x.Row, r) })
		if i < 0 {
			i = len(results)
			results = append(results, Result{Row: r})
		}
		results[i].Rounds = append(results[i].Rounds, r)
	}
	for i := range results {
		results[i].summarize()
	}
	return results
}

func same(a, b measure.Row) bool {
	return a.Measure == b.Measure && a.N == b.N && a.Group == b.Group && a.Peer == b.Peer && a.Variant == b.Variant
}

// summarize replaces each figure by its median.
func (x *Result) summarize() {
	over := func(get func(*measure.Row) **float64) []float64 {
		var v []float64
		for i := range x.Rounds {
			if p := *get(&x.Rounds[i]); p != nil {
				v = append(v, *p)
			}
		}
		slices.Sort(v)
		if len(v) > 0 {
			m := (v[(len(v)-1)/2] + v[len(v)/2]) / 2
			*get(&x.Row) = &m
		}
		return v
	}
	if ns := over(func(r *measure.Row) **float64 { return &r.NS }); len(ns) > 0 {
		x.NSMin = &ns[0]
	}
	over(func(r *measure.Row) **float64 { return &r.Bytes })
	over(func(r *measure.Row) **float64 { return &r.Allocs })
	over(func(r *measure.Row) **float64 { return &r.MovedMax })
	over(func(r *measure.Row) **float64 { return &r.FiredMax })
	over(func(r *measure.Row) **float64 { return &r.GCMS })
	over(func(r *measure.Row) **float64 { return &r.RatioToMean })
}

// Rows are the results without what is behind them.
func Rows(results []Result) []measure.Row {
	rows := make([]measure.Row, len(results))
	for i, x := range results {
		rows[i] = x.Row
	}
	return rows
}
