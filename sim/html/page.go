package html

import (
	"embed"
	"encoding/json"
	"fmt"
	"html/template"
	"io"
	"path/filepath"
	"strings"

	"github.com/tickwheel/tickwheel/sim/report"
)

//go:embed assets
var assets embed.FS

// page is what the template shows.
type page struct {
	Meta       report.Meta
	Verdict    verdict
	Runs       []row
	Thresholds []threshold
	Commands   []string
	Machine    string
	Hashes     []hash
	Reduced    int // ticks a point, if more than one

	Style, UPlotStyle template.CSS
	App, UPlot, Data  template.JS
}

// row is a line of the policy table.
type row struct {
	Label, Remedies                string
	P50, P90, P99, P999, Max       string
	Overruns, Shed, LateP99, LateX string
	Backlog, Jobs                  string
	Over                           bool
}

// threshold is something that was expected.
type threshold struct {
	Text, Policy, Got string
	Met               bool
}

type hash struct{ Label, Hash string }

// data is what the charts draw.
type data struct {
	Interval float64       `json:"interval"` // ms
	Duration float64       `json:"duration"` // ms
	Marks    []report.Mark `json:"marks"`
	Nines    int           `json:"nines"`
	Zoom     any           `json:"zoom"`
	Runs     []runData     `json:"runs"`
}

type runData struct {
	Label    string   `json:"label"`
	Workers  int      `json:"workers"`
	Kinds    []string `json:"kinds"`
	Columns  columns  `json:"columns"`
	Spectrum spectrum `json:"spectrum"`
	Slow     []slow   `json:"slow"`
	Summary  string   `json:"summary"`
	Over     bool     `json:"over"`
}

// slow is one of the longest ticks.
type slow struct {
	Tick    int64    `json:"tick"`
	At      float64  `json:"at"`     // ms
	Length  float64  `json:"length"` // ms
	Phases  []string `json:"phases"`
	Shares  []int    `json:"shares"` // of the phases, in thousandths
	Fired   string   `json:"fired"`
	Carried string   `json:"carried"`
	Cause   string   `json:"cause"`
}

// File is the usual name of the page.
const File = "report.html"

// Verdict is what the page says first, in a sentence.
func Verdict(s *report.Set) string { return judge(s).Headline }

// Write writes the page of s to w.
func Write(w io.Writer, s *report.Set) error {
	t, err := template.ParseFS(assets, "assets/page.tmpl")
	if err != nil {
		return fmt.Errorf("html: %w", err)
	}
	d, reduced := dataOf(s)
	text, err := json.Marshal(d) // escapes <, > and &, so that no name ends the script
	if err != nil {
		return fmt.Errorf("html: %w", err)
	}
	p := page{
		Meta: s.Meta, Verdict: judge(s), Thresholds: thresholds(s), Commands: commands(s), Machine: machine(s),
		Reduced: reduced, Data: template.JS(text),
		Style: template.CSS(asset("style.css")), App: template.JS(asset("app.js")),
		UPlot: template.JS(asset("uplot/uPlot.iife.min.js")), UPlotStyle: template.CSS(asset("uplot/uPlot.min.css")),
	}
	for _, r := range s.Runs {
		p.Runs = append(p.Runs, rowOf(r))
		p.Hashes = append(p.Hashes, hash{r.Label, r.TraceHash})
	}
	if err := t.Execute(w, p); err != nil {
		return fmt.Errorf("html: %w", err)
	}
	return nil
}

// asset is a file of the page. They are part of the program, so none is missing.
func asset(name string) string {
	b, err := assets.ReadFile("assets/" + name)
	if err != nil {
		panic("html: asset: " + err.Error())
	}
	return string(b)
}

func dataOf(s *report.Set) (d data, reduced int) {
	d = data{Interval: s.Meta.IntervalMS, Duration: s.Meta.DurationMS, Marks: s.Meta.Marks, Zoom: s.Meta.Zoom, Runs: []runData{}}
	if d.Marks == nil {
		d.Marks = []report.Mark{}
	}
	most := 0
	for _, r := range s.Runs {
		most = max(most, len(r.Lengths))
	}
	d.Nines = nines(most)
	for _, r := range s.Runs {
		rd := runData{
			Label: r.Label, Workers: r.Workers, Kinds: r.Names, Slow: []slow{},
			Columns:  reduce(r, maxPoints/len(s.Runs)),
			Spectrum: spectrumOf(r.Lengths, r.Responses, d.Nines),
			Over:     r.Summary.Overruns > 0,
		}
		if rd.Columns.Per > 1 {
			reduced = max(reduced, rd.Columns.Per)
		}
		q := r.Summary.TickMS
		rd.Summary = fmt.Sprintf("p50 %s · p99 %s · longest %s ms · %s", amount(q.P50), amount(q.P99), amount(q.Max),
			things(int64(r.Summary.Overruns), "overrun", "overruns"))
		if len(r.Lengths) == 0 {
			rd.Summary = "no ticks recorded"
		}
		for i := range r.Slow {
			rd.Slow = append(rd.Slow, slowOf(r, &r.Slow[i]))
		}
		d.Runs = append(d.Runs, rd)
	}
	return d, reduced
}

func slowOf(r *report.Run, t *report.SlowTick) slow {
	s := slow{
		Tick: t.Tick.Tick, At: float64(t.Start+t.StartLate) / 1e6, Length: float64(t.Duration) / 1e6,
		Fired: count(int64(t.Fired)), Carried: count(int64(t.Carried)), Cause: cause(r, t),
	}
	for _, d := range t.Phase {
		s.Phases = append(s.Phases, amount(float64(d)/1e6))
		s.Shares = append(s.Shares, int(1000*float64(d)/max(float64(t.Duration), 1)))
	}
	return s
}

func rowOf(r *report.Run) row {
	p := r.Summary
	w := row{
		Label: r.Label, Remedies: and(remedies(r)),
		P50: amount(p.TickMS.P50), P90: amount(p.TickMS.P90), P99: amount(p.TickMS.P99), P999: amount(p.TickMS.P999), Max: amount(p.TickMS.Max),
		Overruns: count(int64(p.Overruns)), Shed: count(p.ShedTicks),
		LateP99: count(p.TimerLateTicks.P99), LateX: count(p.TimerLateTicks.Max), Backlog: count(int64(p.BacklogMax)),
		Jobs: count(int64(p.Jobs.Run)), Over: p.Overruns > 0,
	}
	if n := p.Jobs.DroppedDead; n > 0 {
		w.Jobs += fmt.Sprintf(" (%s dead)", count(int64(n)))
	}
	if n := p.Jobs.Rejected; n > 0 {
		w.Jobs += fmt.Sprintf(" (%s rejected)", count(int64(n)))
	}
	return w
}

// thresholds are what the scenarios expected, and whether it was so.
func thresholds(s *report.Set) []threshold {
	var ts []threshold
	for _, f := range s.Folders {
		for _, j := range f.Summary.Expect {
			policy := j.Policy
			for _, r := range s.Runs {
				if r.Folder == f && r.Name == policy {
					policy = r.Label
					break
				}
			}
			ts = append(ts, threshold{j.Expectation, policy, j.Got, j.Met})
		}
	}
	return ts
}

// commands make the results of each folder again: from the scenario as it was
// played, and as it was started, with its seed, which may have been drawn.
func commands(s *report.Set) []string {
	var cs []string
	for _, f := range s.Folders {
		if f.Plan {
			cs = append(cs, "simulate run "+quote(filepath.Join(f.Dir, "scenario.yaml"))+" --out again")
		}
		if len(f.Env.Command) == 0 {
			continue
		}
		words := make([]string, 0, len(f.Env.Command)+2)
		seed := -1
		for i, w := range f.Env.Command {
			if w == "--seed" {
				seed = i + 1
			} else if strings.HasPrefix(w, "--seed=") {
				seed = i
			}
			words = append(words, w)
		}
		value := fmt.Sprint(f.Meta.Seed)
		switch {
		case seed < 0 || seed >= len(words):
			words = append(words, "--seed", value)
		case words[seed] == "0":
			words[seed] = value
		case words[seed] == "--seed=0":
			words[seed] = "--seed=" + value
		}
		for i := range words {
			words[i] = quote(words[i])
		}
		cs = append(cs, strings.Join(words, " "))
	}
	return cs
}

// quote makes a word one word to a shell.
func quote(w string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("_-+=,./:@%", r)
	}
	if w != "" && !strings.ContainsFunc(w, func(r rune) bool { return !plain(r) }) {
		return w
	}
	return "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
}

// machine says where and when the first folder was made.
func machine(s *report.Set) string {
	e := s.Folders[0].Env
	parts := []string{}
	for _, p := range []string{e.Started, e.Go, strings.Trim(e.OS+"/"+e.Arch, "/")} {
		if p != "" {
			parts = append(parts, p)
		}
	}
	if e.CPUs > 0 {
		parts = append(parts, things(int64(e.CPUs), "CPU", "CPUs"))
	}
	if e.Revision != "" {
		parts = append(parts, "revision "+e.Revision[:min(12, len(e.Revision))])
	}
	return strings.Join(parts, " · ")
}
