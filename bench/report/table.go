package report

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/tickwheel/tickwheel/bench/measure"
)

// Name is how a row is called in tables.
func Name(r measure.Row) string {
	name := r.Peer
	if r.Measure == "W8" {
		name = ""
	}
	if r.Variant != "" {
		name = strings.TrimSpace(name + " " + r.Variant)
	}
	if r.Group {
		name += ", groups"
	}
	return name
}

// base is the row of ours that r is compared with: same measure, size and variant.
func base(results []Result, r measure.Row) *measure.Row {
	var best *measure.Row
	for i := range results {
		x := &results[i].Row
		if x.Peer != "tickwheel" || x.Measure != r.Measure || x.N != r.N || x.Variant != r.Variant {
			continue
		}
		if best == nil || x.Group == r.Group {
			best = x
		}
	}
	return best
}

// ratio is how many times as long as ours r takes, 0 if there is nothing to say.
func ratio(results []Result, r measure.Row) float64 {
	b := base(results, r)
	if b == nil || b.NS == nil || r.NS == nil || *b.NS <= 0 {
		return 0
	}
	return *r.NS / *b.NS
}

// Print writes a plain table for a terminal.
func Print(w io.Writer, results []Result) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "measure\tn\tpeer\ttime\t× ours\tbytes\tallocs\tGC ms\tmoved\tfired\t÷ mean")
	for _, x := range results {
		r := x.Row
		times := "–"
		if q := ratio(results, r); q > 0 {
			times = digits(q)
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n", r.Measure, whole(r.N), Name(r), duration(r.NS), times,
			number(r.Bytes), number(r.Allocs), number(r.GCMS), number(r.MovedMax), number(r.FiredMax), number(r.RatioToMean))
	}
	return t.Flush()
}

// duration scales nanoseconds for readers.
func duration(ns *float64) string {
	switch {
	case ns == nil:
		return "–"
	case *ns < 10_000:
		return digits(*ns) + " ns"
	case *ns < 10_000_000:
		return digits(*ns/1e3) + " µs"
	}
	return digits(*ns/1e6) + " ms"
}

func number(v *float64) string {
	if v == nil {
		return "–"
	}
	return digits(*v)
}

// digits keeps three of them where there is a fraction.
func digits(v float64) string {
	switch {
	case v == math.Trunc(v) || v >= 100:
		return whole(int(math.Round(v)))
	case v >= 10:
		return strconv.FormatFloat(v, 'f', 1, 64)
	}
	return strconv.FormatFloat(v, 'f', 2, 64)
}

// whole writes n with commas.
func whole(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
