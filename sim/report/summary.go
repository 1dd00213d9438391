package report

import (
	"encoding/json"
	"io"
	"math"

	"github.com/tickwheel/tickwheel/sim"
)

// Summary is summary.json: the figures of a set of runs, and nothing that
// depends on the machine unless the clock was real.
type Summary struct {
	// Run is the identity of the runs, that of run.json.
	Run        string          `json:"run,omitempty"`
	Seed       uint64          `json:"seed"`
	Scenario   string          `json:"scenario"`
	Clock      string          `json:"clock"` // "virtual" or "real"
	IntervalMS float64         `json:"interval_ms"`
	Ticks      int64           `json:"ticks"` // of a run in which none is shed
	Policies   []PolicySummary `json:"policies"`
	// Subject is the policy that the scenario is about, if it expects something.
	Subject string `json:"subject,omitempty"`
	// Expect is what was expected, if anything, and whether it was met.
	Expect []sim.Judgement `json:"expect,omitempty"`
}

// PolicySummary is one run.
type PolicySummary struct {
	Name           string        `json:"name"`
	TraceHash      string        `json:"trace_hash"`
	TickMS         Quantiles     `json:"tick_ms"`
	StartLateMS    Quantiles     `json:"start_late_ms"`
	TimerLateTicks TickQuantiles `json:"timer_late_ticks"`
	Overruns       int           `json:"overruns"`
	ShedTicks      int64         `json:"shed_ticks"`
	Fired          uint64        `json:"fired"`
	Cancelled      uint64        `json:"cancelled"`
	Carried        uint64        `json:"carried"` // summed over ticks
	BacklogMax     int           `json:"backlog_max"`
	Jobs           Jobs          `json:"jobs"`
	Interrupted    bool          `json:"interrupted,omitempty"`
}

// Quantiles of durations, in milliseconds.
type Quantiles struct {
	P50  float64 `json:"p50"`
	P90  float64 `json:"p90"`
	P99  float64 `json:"p99"`
	P999 float64 `json:"p999"`
	Max  float64 `json:"max"`
}

// TickQuantiles are quantiles in ticks.
type TickQuantiles struct {
	P50  int64 `json:"p50"`
	P90  int64 `json:"p90"`
	P99  int64 `json:"p99"`
	P999 int64 `json:"p999"`
	Max  int64 `json:"max"`
}

// Jobs counts blocking jobs on workers.
type Jobs struct {
	Run         uint64 `json:"run"`
	DroppedDead uint64 `json:"dropped_dead"`
	Rejected    uint64 `json:"rejected"`
}

// Summarize puts runs of one scenario and seed together. It panics if there are
// none.
func Summarize(runs []*sim.Recording) Summary {
	if len(runs) == 0 {
		panic("report: Summarize: no runs")
	}
	first := runs[0]
	s := Summary{
		Run:        runID(runs),
		Seed:       first.Seed,
		Scenario:   first.Scenario.Name,
		Clock:      clockName(first),
		IntervalMS: float64(first.Scenario.Interval) / 1e6,
		Ticks:      first.Scenario.Ticks(),
	}
	for _, r := range runs {
		for _, j := range r.Judged {
			s.Subject = j.Subject
		}
		s.Expect = append(s.Expect, r.Judged...)
		s.Policies = append(s.Policies, PolicySummary{
			Name:           r.Policy.Name,
			TraceHash:      r.Trace,
			TickMS:         inMS(r.Durations()),
			StartLateMS:    inMS(r.StartLate()),
			TimerLateTicks: TickQuantiles(r.TimerLate()),
			Overruns:       r.Overruns(),
			ShedTicks:      r.Stats.Shed,
			Fired:          r.Stats.Fired,
			Cancelled:      r.Stats.Cancelled,
			Carried:        r.Stats.Carried,
			BacklogMax:     r.BacklogMax(),
			Jobs: Jobs{
				Run:         r.Stats.Jobs.Run,
				DroppedDead: r.Stats.Jobs.DroppedDead,
				Rejected:    r.Stats.Jobs.Rejected,
			},
			Interrupted: r.Interrupted,
		})
	}
	return s
}

func clockName(r *sim.Recording) string {
	if r.Real {
		return "real"
	}
	return "virtual"
}

// inMS turns nanoseconds into milliseconds, to the microsecond.
func inMS(q sim.Quantiles) Quantiles {
	ms := func(ns int64) float64 { return math.Round(float64(ns)/1e3) / 1e3 }
	return Quantiles{ms(q.P50), ms(q.P90), ms(q.P99), ms(q.P999), ms(q.Max)}
}

// writeJSON writes v, indented, with a newline at the end.
func writeJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(v)
}
