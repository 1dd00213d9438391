package main

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"
)

// pick returns the first of outcomes, the mildest, that meets what is expected,
// or nil, and why in words.
func pick(outcomes []*outcome) (*outcome, string) {
	for i, o := range outcomes {
		if !o.Met {
			continue
		}
		why := fmt.Sprintf("%v: %s", o.setting, met(o))
		switch i {
		case 0:
			why += "; it is the mildest of all"
		case 1:
			why += "; the one milder setting does not: " + missed(outcomes[0])
		default:
			why += fmt.Sprintf("; none of the %d milder settings does. The next milder one is %s", i, missed(outcomes[i-1]))
			why += "; the mildest is " + missed(outcomes[0])
		}
		return o, why
	}
	best := nearest(outcomes)
	if best == nil {
		return nil, "nothing was played"
	}
	return nil, fmt.Sprintf("none of %d settings meets all expectations. The one that misses least is %s", len(outcomes), missed(best))
}

// met says what o meets.
func met(o *outcome) string {
	var parts []string
	for _, j := range o.Judged {
		parts = append(parts, fmt.Sprintf("%s (%s)", j.Expectation, j.Got))
	}
	text := "it meets " + strings.Join(parts, ", ")
	if o.JobWaitMS > 0 { // no expectation can be about it
		text += fmt.Sprintf(" (a job waits %s ms at most)", digits(o.JobWaitMS))
	}
	return text
}

// missed names o and what it does not meet.
func missed(o *outcome) string {
	var parts []string
	for _, j := range o.Judged {
		if !j.Met {
			parts = append(parts, fmt.Sprintf("%s (%s)", j.Expectation, j.Got))
		}
	}
	return fmt.Sprintf("%v, which misses %s", o.setting, strings.Join(parts, ", "))
}

// misses counts what o does not meet.
func (o *outcome) misses() (n int) {
	for _, j := range o.Judged {
		if !j.Met {
			n++
		}
	}
	return n
}

// nearest returns the outcome that misses least, then the one with the fewest
// overruns, then the mildest.
func nearest(outcomes []*outcome) (best *outcome) {
	for _, o := range outcomes {
		if best == nil || o.misses() < best.misses() || o.misses() == best.misses() && o.Overruns < best.Overruns {
			best = o
		}
	}
	return best
}

// compareTable writes a line a setting, accuracy beside CPU. What was carried is in
// ticks, by lane: urgent, normal, bulk. How long a job waited for a worker is in ms.
func compareTable(w io.Writer, outcomes []*outcome, best *outcome) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "interval\tjitter\tcap\tworkers\tlanes\tlate p50\tp99\tmax ms\tbusy %\ttick p99\tmax ms\tover\tshed\tcarried\tjob wait\tmissed\t\t")
	for _, o := range outcomes {
		s, mark := o.setting, ""
		if o == best {
			mark = "<- take this"
		}
		fmt.Fprintf(t, "%s\t%s\t%d\t%d\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%d\t%d\t%s\t%s\t%d\t%s\t\n",
			terse(s.Interval), terse(s.Jitter), s.Cap, s.Workers, s.Lanes,
			digits(o.LateMS.P50), digits(o.LateMS.P99), digits(o.LateMS.Max), digits(100*o.Busy),
			digits(o.TickMS.P99), digits(o.TickMS.Max), o.Overruns, o.Shed,
			fmt.Sprintf("%d/%d/%d", o.Carried.Urgent, o.Carried.Normal, o.Carried.Bulk), digits(o.JobWaitMS), o.misses(), mark)
	}
	return t.Flush()
}

// digits writes three digits that matter, more of what is longer.
func digits(v float64) string {
	switch {
	case v == 0:
		return "0"
	case v >= 100:
		return strconv.FormatFloat(v, 'f', 0, 64)
	case v >= 10:
		return strconv.FormatFloat(v, 'f', 1, 64)
	}
	return strconv.FormatFloat(v, 'f', 2, 64)
}
