package main

import (
	"cmp"
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/tickwheel/tickwheel/sim/plot"
	"github.com/tickwheel/tickwheel/sim/report"
)

// compareFiles are what compare writes.
var compareFiles = []string{"compare.json", "compare.csv", "compare.png", "compare.svg", "settings.png", "settings.svg"}

// writeCompare writes them into dir.
func writeCompare(dir, about string, doc compareReport) error {
	points := compareScatter(about, doc.Settings, doc.best)
	bars := compareChart(about, doc.Settings, doc.best)
	return report.WriteFiles(dir,
		report.File{Name: "compare.csv", Render: func(w io.Writer) error { return compareCSV(w, doc.Settings, doc.best) }},
		report.File{Name: "compare.png", Render: small(func(w io.Writer) error { return plot.DrawScatter(w, plot.PNG, points) })},
		report.File{Name: "compare.svg", Render: func(w io.Writer) error { return plot.DrawScatter(w, plot.SVG, points) }},
		report.File{Name: "settings.png", Render: small(func(w io.Writer) error { return plot.Bars(w, plot.PNG, bars) })},
		report.File{Name: "settings.svg", Render: func(w io.Writer) error { return plot.Bars(w, plot.SVG, bars) }},
		report.File{Name: "compare.json", Render: func(w io.Writer) error { return writeJSON(w, doc) }},
	)
}

// compareCSV writes a line a setting.
func compareCSV(w io.Writer, outcomes []*outcome, best *outcome) error {
	c := csv.NewWriter(w)
	write := func(cells ...any) {
		line := make([]string, len(cells))
		for i, v := range cells {
			if f, ok := v.(float64); ok {
				line[i] = strconv.FormatFloat(f, 'f', -1, 64)
				continue
			}
			line[i] = fmt.Sprint(v)
		}
		_ = c.Write(line) // Error has the first one
	}
	write("interval_ms", "jitter_ms", "cap", "workers", "lanes", "busy", "late_p50_ms", "late_p99_ms", "late_max_ms",
		"tick_p99_ms", "tick_p999_ms", "tick_max_ms", "overruns", "shed_ticks",
		"carried_urgent_ticks", "carried_normal_ticks", "carried_bulk_ticks", "backlog_max", "job_wait_ms",
		"missed", "recommended", "trace_hash")
	for _, o := range outcomes {
		write(o.IntervalMS, o.JitterMS, o.Cap, o.Workers, o.Lanes, o.Busy, o.LateMS.P50, o.LateMS.P99, o.LateMS.Max,
			o.TickMS.P99, o.TickMS.P999, o.TickMS.Max, o.Overruns, o.Shed,
			o.Carried.Urgent, o.Carried.Normal, o.Carried.Bulk, o.BacklogMax, o.JobWaitMS,
			o.misses(), o == best, o.TraceHash)
	}
	c.Flush()
	return c.Error()
}

// axisNames are those of the grid. A line of the picture follows the first of them
// that varies.
var axisNames = []string{"interval", "jitter", "cap", "workers", "lanes"}

// value is where s stands on an axis, for comparing, and as pictures write it.
func (s setting) value(axis string) (int64, string) {
	switch axis {
	case "interval":
		return int64(s.Interval), terse(s.Interval)
	case "jitter":
		return int64(s.Jitter), "j" + terse(s.Jitter)
	case "cap":
		limit := int64(s.Cap)
		if limit == 0 { // none is more than any
			limit = math.MaxInt64
		}
		return limit, "c" + strconv.Itoa(s.Cap)
	case "workers":
		return int64(s.Workers), "w" + strconv.Itoa(s.Workers)
	}
	return int64(strings.Compare(s.Lanes, "own")), s.Lanes
}

// spreadMS is the jitter of a setting, 0 if it changed nothing: the same run without it
// took the same decisions.
func spreadMS(o *outcome, outcomes []*outcome) float64 {
	without := o.setting
	without.Jitter = 0
	for _, other := range outcomes {
		if other.setting == without && other.TraceHash == o.TraceHash {
			return 0
		}
	}
	return o.JitterMS
}

// compareScatter draws the grid: a point a setting, a colour for what is done about
// storms, and lines through settings that differ in one axis only.
func compareScatter(about string, outcomes []*outcome, best *outcome) plot.Scatter {
	s := plot.Scatter{
		Title: "What accuracy costs, and what keeps ticks short", Subtitle: about,
		Columns: []plot.Column{{Name: "busy, % of the run"}, {Name: "99 % of timers late by at most, ms"},
			{Name: "latest timer, jitter included, ms"}, {Name: "longest tick, ms"}},
		Panels: []plot.Panel{{Name: "Accuracy against CPU", X: 0, Y: 1}, {Name: "Longest tick against accuracy", X: 2, Y: 3}},
	}
	vary := varying(outcomes)
	scale := func(*outcome) float64 { return 1 }
	switch {
	case slices.Contains(vary, "interval"): // budgets differ: none is a line in ms
		s.Columns[3].Name = "longest tick, % of the interval"
		s.Panels[1].Limit, s.Panels[1].LimitName = 100, "the budget"
		scale = func(o *outcome) float64 { return 100 / o.IntervalMS }
	case len(outcomes) > 0:
		s.Panels[1].Limit, s.Panels[1].LimitName = outcomes[0].IntervalMS, "budget, "+terse(outcomes[0].setting.Interval)
	}
	for _, o := range outcomes {
		g := remediesOf(o.setting)
		if !slices.Contains(s.Groups, g) {
			s.Groups = append(s.Groups, g)
		}
		s.Points = append(s.Points, plot.Point{
			Label: label(o.setting), Group: slices.Index(s.Groups, g), Hollow: !o.Met, Strong: o == best,
			Values: []float64{100 * o.Busy, o.LateMS.P99, o.LateMS.Max + spreadMS(o, outcomes), scale(o) * o.TickMS.Max},
		})
		if o != best && len(vary) > 0 {
			s.Points[len(s.Points)-1].Label = labelOf(o.setting, vary)
		}
	}
	s.Paths = paths(outcomes, vary)
	s.Caption = "Filled: meets what is expected; hollow: does not; ring: the mildest that does. Of points in one place the mildest is on top."
	if best == nil {
		s.Caption = "Hollow: does not meet what is expected. Of points in one place the mildest is on top."
	}
	if len(outcomes) > 1 && len(vary) > 0 {
		s.Caption += " Lines: only " + vary[0] + " differs. Best is below, left."
	}
	return s
}

// varying are the axes on which outcomes have more than one value.
func varying(outcomes []*outcome) (names []string) {
	for _, name := range axisNames {
		for _, o := range outcomes {
			if x, _ := o.setting.value(name); x != first(outcomes[0].setting.value(name)) {
				names = append(names, name)
				break
			}
		}
	}
	return names
}

func first(v int64, _ string) int64 { return v }

// labelOf names s by the axes that vary, without remedies that are off.
func labelOf(s setting, vary []string) string {
	var parts []string
	for _, name := range vary {
		_, text := s.value(name)
		if name == "lanes" && (text == "own" || s.Cap == 0) {
			continue
		}
		if text == "j0s" || text == "c0" || text == "w0" {
			if len(vary) > 1 {
				continue
			}
			text = "no " + name
		}
		parts = append(parts, text)
	}
	if len(parts) == 0 {
		return "nothing"
	}
	return strings.Join(parts, " ")
}

// remediesOf names what s does about storms, whatever its figures.
func remediesOf(s setting) string {
	var parts []string
	for _, r := range []struct {
		name string
		on   bool
	}{{"jitter", s.Jitter > 0}, {"cap", s.Cap > 0}, {"workers", s.Workers > 0}} {
		if r.on {
			parts = append(parts, r.name)
		}
	}
	if len(parts) == 0 {
		return "nothing"
	}
	return strings.Join(parts, "+")
}

// paths are the lines of the picture: settings that differ in the first of vary only.
func paths(outcomes []*outcome, vary []string) (all [][]int) {
	if len(vary) == 0 {
		return nil
	}
	by := map[setting]int{}
	for i, o := range outcomes {
		rest := o.setting
		switch vary[0] {
		case "interval":
			rest.Interval = 0
		case "jitter":
			rest.Jitter = 0
		case "cap":
			rest.Cap = 0
		case "workers":
			rest.Workers = 0
		default:
			rest.Lanes = ""
		}
		if _, ok := by[rest]; !ok {
			by[rest] = len(all)
			all = append(all, nil)
		}
		all[by[rest]] = append(all[by[rest]], i)
	}
	for _, path := range all {
		slices.SortFunc(path, func(a, b int) int {
			return cmp.Compare(first(outcomes[a].setting.value(vary[0])), first(outcomes[b].setting.value(vary[0])))
		})
	}
	return all
}

// compareRows is how many settings the picture shows.
const compareRows = 40

// compareChart draws the mildest settings, and best in any case.
func compareChart(about string, outcomes []*outcome, best *outcome) plot.Chart {
	ms := func(v float64) string { return digits(v) + " ms" }
	c := plot.Chart{
		Title: "How late timers are against how busy the server is", Subtitle: about,
		Caption: "The mildest setting first; the one to take stands out. Not met: expectations. j jitter, c cap, w workers, one: all timers in one lane. Bars are on logarithmic scales.",
		Columns: []plot.Column{
			{Name: "timers late, p99", Format: ms},
			{Name: "busy", Format: func(v float64) string { return digits(v) + " %" }},
			{Name: "longest tick", Format: ms},
			{Name: "longest job wait", Format: ms},
			{Name: "not met", Format: func(v float64) string { return strconv.Itoa(int(v)) }},
		},
	}
	for i, o := range outcomes {
		if i >= compareRows && o != best {
			continue
		}
		c.Rows = append(c.Rows, plot.ChartRow{Name: label(o.setting), Strong: o == best,
			Values: []float64{o.LateMS.P99, 100 * o.Busy, o.TickMS.Max, o.JobWaitMS, float64(o.misses())}})
	}
	if left := len(outcomes) - len(c.Rows); left > 0 {
		c.Caption = fmt.Sprintf("The %d mildest of %d settings. ", len(c.Rows), len(outcomes)) + c.Caption
	}
	return c
}

// label names a setting in the room that a picture has.
func label(s setting) string {
	parts := []string{terse(s.Interval)}
	if s.Jitter > 0 {
		parts = append(parts, "j"+terse(s.Jitter))
	}
	if s.Cap > 0 {
		parts = append(parts, "c"+strconv.Itoa(s.Cap))
	}
	if s.Workers > 0 {
		parts = append(parts, "w"+strconv.Itoa(s.Workers))
	}
	if s.Cap > 0 && s.Lanes == "one" {
		parts = append(parts, "one")
	}
	return strings.Join(parts, " ")
}
