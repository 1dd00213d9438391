package race

import (
	"fmt"
	"io"
	"strconv"
	"text/tabwriter"

	"github.com/tickwheel/tickwheel/sim/plot"
)

// Table writes rows for people.
func Table(w io.Writer, c Config, rows []Row) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	width := len("scheme")
	for _, r := range rows {
		width = max(width, len(r.Label()))
	}
	fmt.Fprintf(t, "%-*s\tCPU a tick\tworst tick\tlive B/timer\tdead MB\t\n", width, "scheme")
	noted := false
	for _, r := range rows {
		note := ""
		if r.Ticks < c.Ticks {
			note, noted = fmt.Sprintf("  %s of %s ticks", thousands(r.Ticks), thousands(c.Ticks)), true
		}
		if r.Cancels < c.Cancels {
			note, noted = fmt.Sprintf("%s  from %s cancels", note, thousands(r.Cancels)), true
		}
		fmt.Fprintf(t, "%-*s\t%s\t%s\t%s\t%s\t%s\n", width, r.Label(), duration(r.CPU), duration(r.Worst),
			thousands(int(r.Live+0.5)), megabytes(float64(r.Dead)), note)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	fmt.Fprintf(w, "\n%s timers pending; in each tick those due fire and are filed again, and %s are cancelled and filed anew.\n"+
		"Dead: what %s timers hold that were filed and cancelled. Lazy: cancelled timers stay until time comes by.\n",
		thousands(c.Timers), thousands(max(1, c.Timers/100)), thousands(c.Cancels))
	if noted {
		fmt.Fprintf(w, "Where patience (%v) or memory ended a row early it says so; dead memory is what all cancels would leave.\n", c.Patience)
	}
	_, err := fmt.Fprintln(w, "go-runtime keeps real time in ticks of two milliseconds or more: its worst tick has the waking of a thread in it.")
	return err
}

// duration writes microseconds for people.
func duration(us float64) string {
	switch {
	case us >= 1e6:
		return strconv.FormatFloat(us/1e6, 'g', 3, 64) + " s"
	case us >= 1e3:
		return strconv.FormatFloat(us/1e3, 'g', 3, 64) + " ms"
	}
	return strconv.FormatFloat(us, 'g', 3, 64) + " µs"
}

// megabytes writes bytes for people; what is less than a page of the runtime is
// nothing.
func megabytes(b float64) string {
	switch {
	case b < 8192:
		return "0"
	case b < 1e6:
		return strconv.FormatFloat(b/1e6, 'f', 2, 64)
	}
	return thousands(int(b/1e6 + 0.5))
}

// thousands writes n with a comma for every three digits.
func thousands(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// Chart is the picture of rows.
func Chart(c Config, rows []Row) plot.Chart {
	chart := plot.Chart{
		Title: "One timer trace through every structure",
		Subtitle: fmt.Sprintf("%s timers pending, %s ticks, %s cancels · seed %d",
			thousands(c.Timers), thousands(c.Ticks), thousands(c.Cancels), c.Seed),
		Caption: "Bars are on logarithmic scales. Lazy: a cancelled timer stays until time comes by.",
		Columns: []plot.Column{
			{Name: "CPU a tick", Format: duration},
			{Name: "worst tick", Format: duration},
			{Name: "bytes a live timer", Format: func(v float64) string { return thousands(int(v + 0.5)) }},
			{Name: "dead after the cancels, MB", Format: megabytes},
		},
	}
	for _, r := range rows {
		dead := float64(r.Dead)
		if dead < 8192 {
			dead = 0
		}
		chart.Rows = append(chart.Rows, plot.ChartRow{
			Name: r.Label(), Strong: r.Scheme == Ours, Values: []float64{r.CPU, r.Worst, r.Live, dead},
		})
	}
	return chart
}
