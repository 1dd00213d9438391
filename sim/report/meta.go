package report

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/tickwheel/tickwheel/sim"
)

// metaFormat marks run.json as ours. The number changes when files written
// before can no longer be read.
const metaFormat = "tickwheel-results/1"

// Meta is run.json: what a reader of the other files needs to know of the runs.
type Meta struct {
	Format string `json:"format"`
	// Run is the identity of the runs, which other files of the folder have, too.
	// Folders of earlier versions have none.
	Run      string `json:"run,omitempty"`
	Scenario string `json:"scenario"`
	// About is the scenario, seed and clock in a line.
	About      string    `json:"about"`
	Seed       uint64    `json:"seed"`
	Clock      string    `json:"clock"` // "virtual" or "real"
	IntervalMS float64   `json:"interval_ms"`
	DurationMS float64   `json:"duration_ms"`
	Marks      []Mark    `json:"marks"`
	Zoom       *Window   `json:"zoom,omitempty"` // the stretch worth a close-up
	Policies   []RunMeta `json:"policies"`
}

// Mark is an event of the scenario.
type Mark struct {
	AtMS  float64 `json:"at_ms"`
	Label string  `json:"label"`
}

// Window is a stretch of a run.
type Window struct {
	FromMS float64 `json:"from_ms"`
	ToMS   float64 `json:"to_ms"`
}

// RunMeta is one run in run.json.
type RunMeta struct {
	Name     string  `json:"name"`
	JitterMS float64 `json:"jitter_ms"`
	Cap      int     `json:"cap"`     // 0: none
	Workers  int     `json:"workers"` // 0: blocking work blocks the tick
	// Ticks is how many lines it has in ticks.csv.
	Ticks         int       `json:"ticks"`
	TraceHash     string    `json:"trace_hash"`
	EventsDropped int64     `json:"events_dropped"`
	Kinds         []KindSum `json:"kinds"`
}

// KindSum is what one kind of timer or job did in a run.
type KindSum struct {
	Name   string  `json:"name"`
	Fired  uint64  `json:"fired"`
	TimeMS float64 `json:"time_ms"`
}

// MetaOf describes runs of one scenario and seed. It panics if there are none.
func MetaOf(runs []*sim.Recording) Meta {
	if len(runs) == 0 {
		panic("report: MetaOf: no runs")
	}
	first := runs[0]
	m := Meta{
		Format: metaFormat, Run: runID(runs), Scenario: first.Scenario.Name, About: about(first, runs[len(runs)-1]),
		Seed: first.Seed, Clock: clockName(first),
		IntervalMS: exactMS(first.Scenario.Interval), DurationMS: exactMS(first.Scenario.Duration),
		Marks: marks(first.Scenario), Zoom: zoom(first.Scenario),
	}
	for _, r := range runs {
		p := RunMeta{
			Name: r.Policy.Name, JitterMS: exactMS(r.Policy.Jitter), Cap: r.Policy.Cap, Workers: r.Policy.Workers,
			Ticks: len(r.Ticks), TraceHash: r.Trace, EventsDropped: r.EventsDropped, Kinds: []KindSum{},
		}
		for _, k := range r.Stats.Kinds {
			if k.Fired > 0 || k.Time > 0 {
				p.Kinds = append(p.Kinds, KindSum{k.Name, k.Fired, exactMS(k.Time)})
			}
		}
		m.Policies = append(m.Policies, p)
	}
	return m
}

// marks are the events of the scenario.
func marks(sc sim.Scenario) []Mark {
	ms := []Mark{}
	for _, m := range sc.Marks() {
		ms = append(ms, Mark{exactMS(m.At), m.Label})
	}
	return ms
}

// zoom is the storm; nil without one, and if it is nearly all there is.
func zoom(sc sim.Scenario) *Window {
	peak, ok := sc.Peak()
	from, to := max(0, peak-time.Second), min(sc.Duration, peak+5*time.Second)
	if !ok || to-from > sc.Duration/2 {
		return nil
	}
	return &Window{exactMS(from), exactMS(to)}
}

// about says in a line what was run, and where it was interrupted if it was.
func about(r, last *sim.Recording) string {
	sc := r.Scenario
	parts := append([]string{thousands(sc.Players) + " players"}, sc.Told()...)
	if last.Interrupted {
		parts = append(parts, fmt.Sprintf("INTERRUPTED at %s s of %s", seconds(last.Length()), last.Policy.Name))
	}
	return fmt.Sprintf("%s · seed %d · %s clock", strings.Join(parts, "; "), r.Seed, clockName(r))
}

// seconds writes d in seconds, to the millisecond.
func seconds(d time.Duration) string {
	return strconv.FormatFloat(float64(d.Milliseconds())/1000, 'f', -1, 64)
}

// exactMS is d in milliseconds, from which inNS gets d back.
func exactMS(d time.Duration) float64 { return float64(d) / 1e6 }

// inNS is the duration of a number of milliseconds in a file.
func inNS(ms float64) time.Duration {
	ns := math.Round(ms * 1e6)
	if !(math.Abs(ns) < 1<<63) { // foreign figures must not wrap
		return 0
	}
	return time.Duration(ns)
}
