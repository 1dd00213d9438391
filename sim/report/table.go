package report

import (
	"fmt"
	"io"
	"strconv"
	"text/tabwriter"

	"github.com/tickwheel/tickwheel/sim"
	"github.com/tickwheel/tickwheel/tick"
)

// lanes in the order they run.
var lanes = [tick.Lanes]tick.Lane{tick.Urgent, tick.Normal, tick.Bulk}

// Table writes the figures of runs as a table for people: a line a policy.
func Table(w io.Writer, runs []*sim.Recording) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	width := len("policy")
	for _, r := range runs {
		width = max(width, len(r.Policy.Name))
	}
	fmt.Fprintf(t, "%-*s\t", width, "policy") // names to the left, figures to the right
	fmt.Fprintln(t, "tick p50\tp90\tp99\tp99.9\tmax ms\tover\tshed\tlate p99\tmax ticks\tbacklog\tjobs\t")
	for _, r := range runs {
		d, late := inMS(r.Durations()), r.TimerLate()
		fmt.Fprintf(t, "%-*s\t%s\t%s\t%s\t%s\t%s\t%d\t%d\t%d\t%d\t%s\t%s\t\n", width, r.Policy.Name,
			ms(d.P50), ms(d.P90), ms(d.P99), ms(d.P999), ms(d.Max),
			r.Overruns(), r.Stats.Shed, late.P99, late.Max, thousands(r.BacklogMax()), jobs(r))
	}
	if err := t.Flush(); err != nil {
		return err
	}
	for _, r := range runs {
		if r.Interrupted {
			fmt.Fprintf(w, "%s was interrupted at %s s: its figures are of what there was.\n", r.Policy.Name, seconds(r.Length()))
		}
	}
	return judged(w, runs)
}

// judged says what was expected and what became of it.
func judged(w io.Writer, runs []*sim.Recording) error {
	before := "\n"
	for _, r := range runs {
		for _, j := range r.Judged {
			word := "met    "
			if !j.Met {
				word = "NOT MET"
			}
			if _, err := fmt.Fprintf(w, "%s%s  %s  (%s: %s)\n", before, word, j.Expectation, j.Policy, j.Got); err != nil {
				return err
			}
			before = ""
		}
	}
	return nil
}

// jobs says how many jobs ran on workers, and what else became of them.
func jobs(r *sim.Recording) string {
	j := r.Stats.Jobs
	s := thousands(int(j.Run))
	if j.DroppedDead > 0 {
		s += fmt.Sprintf(" (%s dead)", thousands(int(j.DroppedDead)))
	}
	if j.Rejected > 0 {
		s += fmt.Sprintf(" (%s rejected)", thousands(int(j.Rejected)))
	}
	return s
}

// ms writes milliseconds with two decimals, fewer for long ones.
func ms(v float64) string {
	switch {
	case v >= 1000:
		return thousands(int(v + 0.5))
	case v >= 100:
		return strconv.FormatFloat(v, 'f', 0, 64)
	case v >= 10:
		return strconv.FormatFloat(v, 'f', 1, 64)
	}
	return strconv.FormatFloat(v, 'f', 2, 64)
}

// thousands writes n with a comma for every three digits.
func thousands(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
