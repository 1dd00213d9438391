package report

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/tickwheel/tickwheel/bench/measure"
)

// floor is a figure that the wheel has to reach.
type floor struct {
	measure, what string
	// least says that limit is the least to reach, else it is the most allowed.
	least bool
	limit float64
	unit  unit
	get   func([]Result) *float64
}

// unit is how a figure is shown.
type unit struct {
	name string
	size float64 // in the unit of results
}

var (
	plain = unit{"", 1}
	times = unit{" ×", 1}
	nanos = unit{" ns", 1}
	// micros are for times as well, which results have in ns.
	micros = unit{" µs", 1e3}
	millis = unit{" ms", 1}
)

// outcome is a floor beside the figure it is about, nil if that was not measured.
type outcome struct {
	floor
	reached *float64
}

func (o outcome) met() bool {
	if o.reached == nil {
		return false
	}
	if o.least {
		return *o.reached >= o.limit
	}
	return *o.reached <= o.limit
}

// wanted is the limit in words.
func (o outcome) wanted() string {
	limit := strconv.FormatFloat(o.limit/o.unit.size, 'f', -1, 64) + o.unit.name
	if o.least {
		return "at least " + limit
	}
	return "at most " + limit
}

// got is the figure for readers.
func (o outcome) got() string {
	if o.reached == nil {
		return "–"
	}
	return digits(*o.reached/o.unit.size) + o.unit.name
}

// verdict is one word or two.
func (o outcome) verdict() string {
	switch {
	case o.reached == nil:
		return "not measured"
	case o.met():
		return "yes"
	}
	return "no"
}

const million = 1_000_000

// floors lists what has to be reached, in the order of measures.
func floors() []floor {
	var all []floor
	add := func(measureName, what string, least bool, limit float64, u unit, get func([]Result) *float64) {
		all = append(all, floor{measureName, what, least, limit, u, get})
	}
	ns := func(r *measure.Row) *float64 { return r.NS }
	// faster adds that the named peer takes at least limit times as long as c does.
	faster := func(c measure.Case, label, than string, limit float64) {
		add(c.Measure, label+": "+than+" ÷ ours", true, limit, times, func(x []Result) *float64 {
			other := c
			other.Peer, other.Group = than, false
			return apply(figure(x, other, ns), figure(x, c, ns), func(a, b float64) float64 { return a / b })
		})
	}
	atMost := func(c measure.Case, label string, limit float64, u unit, get func(*measure.Row) *float64) {
		add(c.Measure, label, false, limit, u, func(x []Result) *float64 { return figure(x, c, get) })
	}
	ours := func(measureName string, n int, variant string, group bool) measure.Case {
		return measure.Case{Measure: measureName, N: n, Peer: "tickwheel", Variant: variant, Group: group}
	}

	for _, w1 := range []struct {
		n                        int
		runtime, hashed, grouped float64
	}{{10_000, 9, 2, 4.5}, {100_000, 11, 5, 5.5}, {million, 5, 4, 2.4}} {
		c, label := ours("W1", w1.n, "", false), whole(w1.n)+" timers"
		allocs := func(r *measure.Row) *float64 { return r.Allocs }
		faster(c, label, "go-runtime", w1.runtime)
		faster(c, label, "hashed-512", w1.hashed)
		atMost(c, label+": allocations a pair", 0, plain, allocs)
		c.Group = true
		faster(c, label+" in groups of 100", "go-runtime", w1.grouped)
		atMost(c, label+" in groups of 100: allocations a pair", 0, plain, allocs)
	}
	faster(ours("W2", million, "", false), "1,000,000 timers", "go-runtime", 120)
	faster(ours("W2", million, "", false), "1,000,000 timers", "hashed-512", 10)

	atMost(ours("W3", million, "idle", false), "an idle tick", 50, nanos, ns)
	faster(ours("W3", million, "idle", false), "an idle tick", "hashed-512", 200)
	atMost(ours("W3", million, "far", false), "a tick with all timers an hour away", 5, nanos, ns)
	atMost(ours("W3", million, "empty", false), "a tick without timers", 5, nanos, ns)
	atMost(ours("W3", million, "worst", false), "timers moved in any tick of 24 h", 64, plain,
		func(r *measure.Row) *float64 { return r.MovedMax })

	for _, group := range []bool{false, true} {
		c, label, most := ours("W4", million, "", group), "", 40.0
		if group {
			label, most = " in groups of 100", 64
		}
		atMost(c, "bytes a timer"+label, most, plain, func(r *measure.Row) *float64 { return r.Bytes })
		gc := func(r *measure.Row) *float64 { return r.GCMS }
		add("W4", "collection with 1,000,000 timers"+label+", more than with none", false, 3, millis, func(x []Result) *float64 {
			empty := c
			empty.Peer, empty.Group = "empty-heap", false
			return apply(figure(x, c, gc), figure(x, empty, gc), func(a, b float64) float64 { return a - b })
		})
	}
	atMost(ours("W5", million, "", true), "a timer at logout", 25, nanos, ns)
	faster(ours("W5", million, "", true), "a timer at logout", "go-runtime", 3.5)
	atMost(ours("W6", million, "", false), "the slowest schedule call", 200_000, micros, ns)
	atMost(ours("W8", 100_000, "best4", false), "fullest tick ÷ mean, four choices", 1.10, plain,
		func(r *measure.Row) *float64 { return r.RatioToMean })
	return all
}

// outcomes puts the floors beside what was reached.
func outcomes(results []Result) []outcome {
	var all []outcome
	for _, f := range floors() {
		all = append(all, outcome{f, f.get(results)})
	}
	return all
}

// figure is what get finds in the row of c, nil if there is none.
func figure(results []Result, c measure.Case, get func(*measure.Row) *float64) *float64 {
	want := measure.Row{Measure: c.Measure, N: c.N, Group: c.Group, Peer: c.Peer, Variant: c.Variant}
	for i := range results {
		if same(results[i].Row, want) {
			return get(&results[i].Row)
		}
	}
	return nil
}

// apply is f of both figures, nil unless both are there.
func apply(a, b *float64, f func(a, b float64) float64) *float64 {
	if a == nil || b == nil {
		return nil
	}
	v := f(*a, *b)
	return &v
}

// conclusion says in words which floors were met and which were not.
func conclusion(all []outcome) string {
	var missed []string
	unknown := 0
	for _, o := range all {
		switch {
		case o.reached == nil:
			unknown++
		case !o.met():
			missed = append(missed, fmt.Sprintf("%s, %s: %s, want %s", o.measure, o.what, o.got(), o.wanted()))
		}
	}
	var b strings.Builder
	switch measured := len(all) - unknown; {
	case len(missed) > 0:
		fmt.Fprintf(&b, "%d of %d figures are missed:\n\n", len(missed), measured)
		for _, m := range missed {
			b.WriteString("- " + m + "\n")
		}
	default:
		fmt.Fprintf(&b, "All %d figures are reached.\n", measured)
	}
	if unknown > 0 {
		fmt.Fprintf(&b, "\n%d more were not measured.\n", unknown)
	}
	return b.String()
}

// floorTable is the part of the document about floors.
func floorTable(results []Result) string {
	all := outcomes(results)
	var b strings.Builder
	b.WriteString("## Figures to reach\n\n")
	b.WriteString("What the wheel is held to on a machine like this one, beside what this run gave.\n")
	b.WriteString("Factors are medians over medians; those with groups compare with the other peer\nwithout, since it has none.\n\n")
	b.WriteString(conclusion(all))
	b.WriteString("\n| measure | figure | to reach | reached | met |\n|---|---|---|---|---|\n")
	for _, o := range all {
		verdict := o.verdict()
		if verdict != "yes" {
			verdict = "**" + verdict + "**"
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s |\n", o.measure, o.what, o.wanted(), o.got(), verdict)
	}
	return b.String() + "\n"
}

// PrintFloors writes for a terminal what has to be reached and what was, as far as
// results have it. It writes nothing if they have nothing of it.
func PrintFloors(w io.Writer, results []Result) error {
	var all []outcome
	for _, o := range outcomes(results) {
		if o.reached != nil {
			all = append(all, o)
		}
	}
	if len(all) == 0 {
		return nil
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "\nmeasure\tfigure\tto reach\treached\tmet")
	for _, o := range all {
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\n", o.measure, o.what, o.wanted(), o.got(), o.verdict())
	}
	if err := t.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprint(w, "\n"+conclusion(all))
	return err
}
