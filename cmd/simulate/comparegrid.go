package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/tickwheel/tickwheel/sim"
	"github.com/tickwheel/tickwheel/tick"
)

// maxSettings bounds a grid: past it nobody reads the table.
const maxSettings = 1000

// axes are the values that compare combines.
type axes struct {
	intervals, jitters []time.Duration
	caps, workers      []int
	lanes              []string
}

// setting is one point of the grid.
type setting struct {
	Interval time.Duration
	Jitter   time.Duration
	Cap      int
	Workers  int
	Lanes    string // own: those of the scenario; one: all timers share one
}

// outcome is what a setting did.
type outcome struct {
	IntervalMS float64 `json:"interval_ms"`
	JitterMS   float64 `json:"jitter_ms"`
	Cap        int     `json:"cap"`
	Workers    int     `json:"workers"`
	Lanes      string  `json:"lanes"`
	// Busy is the share of the run that ticks took, above 1 if they did not get done.
	Busy float64 `json:"busy"`
	// LateMS is how much later than asked timers may have run, jitter left out.
	LateMS struct {
		P50 float64 `json:"p50"`
		P99 float64 `json:"p99"`
		Max float64 `json:"max"`
	} `json:"late_ms"`
	TickMS struct {
		P99  float64 `json:"p99"`
		P999 float64 `json:"p999"`
		Max  float64 `json:"max"`
	} `json:"tick_ms"`
	Overruns int   `json:"overruns"`
	Shed     int64 `json:"shed_ticks"`
	// Carried is by lane how many ticks late its latest timer ran. With one lane for
	// all, that is the normal one.
	Carried struct {
		Urgent int32 `json:"urgent"`
		Normal int32 `json:"normal"`
		Bulk   int32 `json:"bulk"`
	} `json:"carried_ticks"`
	// BacklogMax is the most that was ever carried, JobWaitMS the longest that a job
	// waited for a worker.
	BacklogMax int             `json:"backlog_max"`
	JobWaitMS  float64         `json:"job_wait_ms"`
	TraceHash  string          `json:"trace_hash"`
	Judged     []sim.Judgement `json:"expect"`
	Met        bool            `json:"met"`

	setting setting
}

// grid returns the settings of a, the mildest first. Lanes say who waits when a
// cap is reached: without one, only the first value of that axis is played.
func (a axes) grid(own time.Duration) (all []setting) {
	seen := map[setting]bool{}
	for _, iv := range a.intervals {
		for _, j := range a.jitters {
			for _, c := range a.caps {
				for _, w := range a.workers {
					for i, l := range a.lanes {
						s := setting{iv, j, c, w, l}
						if c == 0 && i > 0 || seen[s] {
							continue
						}
						seen[s] = true
						all = append(all, s)
					}
				}
			}
		}
	}
	slices.SortStableFunc(all, func(x, y setting) int { return milder(x, y, own) })
	return all
}

// milder compares how much settings change for players and for the server, in
// the order in which docs/guide-storms.md explains it.
func milder(x, y setting, own time.Duration) int {
	none := func(limit int) int { // no limit is the mildest of caps
		if limit == 0 {
			return math.MaxInt
		}
		return limit
	}
	return cmp.Or(
		cmp.Compare(away(x.Interval, own), away(y.Interval, own)),
		cmp.Compare(y.Interval, x.Interval),
		cmp.Compare(x.remedies(), y.remedies()),
		cmp.Compare(x.Jitter, y.Jitter),
		cmp.Compare(none(y.Cap), none(x.Cap)),
		cmp.Compare(x.Workers, y.Workers),
		cmp.Compare(y.Lanes, x.Lanes), // own before one
	)
}

// away is the factor between two intervals, 1 or more.
func away(a, b time.Duration) float64 { return float64(max(a, b)) / float64(min(a, b)) }

// remedies counts what s does against storms.
func (s setting) remedies() (n int) {
	for _, on := range []bool{s.Jitter > 0, s.Cap > 0, s.Workers > 0} {
		if on {
			n++
		}
	}
	return n
}

// String names s in words.
func (s setting) String() string {
	var parts []string
	if s.Jitter > 0 {
		parts = append(parts, "jitter "+terse(s.Jitter))
	}
	if s.Cap > 0 {
		parts = append(parts, "cap "+strconv.Itoa(s.Cap))
		if s.Lanes == "one" {
			parts[len(parts)-1] += " in one lane"
		}
	}
	switch {
	case s.Workers == 1:
		parts = append(parts, "1 worker")
	case s.Workers > 1:
		parts = append(parts, strconv.Itoa(s.Workers)+" workers")
	}
	if len(parts) == 0 {
		parts = []string{"nothing"}
	}
	return terse(s.Interval) + ": " + strings.Join(parts, ", ")
}

// terse writes 1m rather than 1m0s.
func terse(d time.Duration) string {
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}

// scenario returns sc as s has it, and the policy.
func (s setting) scenario(sc sim.Scenario) (sim.Scenario, sim.Policy) {
	sc.Interval = s.Interval
	if s.Lanes == "one" {
		sc.Kinds, sc.Storms = slices.Clone(sc.Kinds), slices.Clone(sc.Storms)
		for i := range sc.Kinds {
			sc.Kinds[i].Lane = tick.Normal
		}
		for i := range sc.Storms {
			sc.Storms[i].Lane = tick.Normal
		}
	}
	return sc, sim.Policy{Name: s.String(), Jitter: s.Jitter, Cap: s.Cap, Workers: s.Workers}
}

// check returns everything that is wrong with the axes.
func (a axes) check(sc sim.Scenario) error {
	var errs []error
	for _, iv := range a.intervals {
		s, _ := setting{Interval: iv}.scenario(sc)
		errs = append(errs, s.Validate())
	}
	for _, j := range a.jitters {
		errs = append(errs, sim.Policy{Jitter: j}.Validate())
	}
	for _, c := range a.caps {
		errs = append(errs, sim.Policy{Cap: c}.Validate())
	}
	for _, w := range a.workers {
		errs = append(errs, sim.Policy{Workers: w}.Validate())
	}
	for _, l := range a.lanes {
		if l != "own" && l != "one" {
			errs = append(errs, fmt.Errorf("simulate: lanes %q: want own (those of the scenario) or one (all timers share one)", l))
		}
	}
	for _, axis := range []struct {
		name string
		n    int
	}{{"interval", len(a.intervals)}, {"jitter", len(a.jitters)}, {"cap", len(a.caps)}, {"workers", len(a.workers)}, {"lanes", len(a.lanes)}} {
		if axis.n == 0 {
			errs = append(errs, fmt.Errorf("simulate: %s has no value: want a comma list", axis.name))
		}
	}
	// The product first: a grid of millions is not built to be counted.
	if n := len(a.intervals) * len(a.jitters) * len(a.caps) * len(a.workers) * len(a.lanes); n > maxSettings {
		errs = append(errs, fmt.Errorf("simulate: %d settings: want at most %d: give fewer values", n, maxSettings))
	}
	return errors.Join(errs...)
}

// playGrid plays the settings on all cores, until ctx ends, and returns what was
// played to its end in the order of the settings. begin is told of each that
// starts, one call at a time.
func playGrid(ctx context.Context, plan *sim.Plan, expect []sim.Expectation, all []setting, begin func(setting)) ([]*outcome, error) {
	var mu sync.Mutex
	next, failed := 0, error(nil)
	outcomes := make([]*outcome, len(all))
	take := func() int {
		mu.Lock()
		defer mu.Unlock()
		if next == len(all) || failed != nil || ctx.Err() != nil {
			return -1
		}
		begin(all[next])
		next++
		return next - 1
	}
	var wg sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(all)) {
		wg.Go(func() {
			for i := take(); i >= 0; i = take() {
				sc, pol := all[i].scenario(plan.Scenario)
				r, err := sim.Run(ctx, sc, pol, sim.Options{Seed: plan.Seed})
				mu.Lock()
				switch {
				case err != nil:
					failed = errors.Join(failed, fmt.Errorf("%v: %w", all[i], err))
				case !r.Interrupted:
					outcomes[i] = outcomeOf(all[i], r, expect)
				}
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	return slices.DeleteFunc(outcomes, func(o *outcome) bool { return o == nil }), failed
}

// outcomeOf reduces a run to its figures: recordings of a whole grid would not
// fit the memory.
func outcomeOf(s setting, r *sim.Recording, expect []sim.Expectation) *outcome {
	ms := func(ns int64) float64 { return math.Round(float64(ns)/1e3) / 1e3 }
	o := &outcome{
		IntervalMS: ms(int64(s.Interval)), JitterMS: ms(int64(s.Jitter)), Cap: s.Cap, Workers: s.Workers, Lanes: s.Lanes,
		Overruns: r.Overruns(), Shed: r.Stats.Shed, TraceHash: r.Trace, Met: true, setting: s,
	}
	d := r.Durations()
	o.TickMS.P99, o.TickMS.P999, o.TickMS.Max = ms(d.P99), ms(d.P999), ms(d.Max)
	var late []timers
	var sum, wait time.Duration
	var carriedBy [tick.Lanes]int32
	fired := 0
	for i := range r.Ticks {
		t := &r.Ticks[i]
		sum += t.Duration
		wait = max(wait, t.JobWait)
		o.BacklogMax = max(o.BacklogMax, t.Backlogged)
		for lane, n := range t.LateMax {
			carriedBy[lane] = max(carriedBy[lane], n)
		}
		if t.Fired == 0 {
			continue
		}
		// Up to an interval of rounding, what was carried, a late start, and the
		// callbacks in front within the tick.
		carried := time.Duration(slices.Max(t.LateMax[:])) * s.Interval
		late = append(late, timers{s.Interval + carried + t.StartLate + t.Duration, int(t.Fired)})
		fired += int(t.Fired)
	}
	o.JobWaitMS = ms(int64(wait))
	c := &o.Carried
	c.Urgent, c.Normal, c.Bulk = carriedBy[tick.Urgent], carriedBy[tick.Normal], carriedBy[tick.Bulk]
	o.Busy = math.Round(1e6*float64(sum)/float64(max(r.Length(), r.Scenario.Duration))) / 1e6
	slices.SortFunc(late, func(a, b timers) int { return cmp.Compare(a.late, b.late) })
	o.LateMS.P50, o.LateMS.P99 = ms(int64(rank(late, fired, 50))), ms(int64(rank(late, fired, 99)))
	o.LateMS.Max = ms(int64(rank(late, fired, 100)))
	for _, e := range expect {
		j := e.Judge(r)
		j.Policy = s.String()
		o.Judged = append(o.Judged, j)
		o.Met = o.Met && j.Met
	}
	return o
}

// timers are those of one tick, with a bound on how late they ran.
type timers struct {
	late time.Duration
	n    int
}

// rank returns the lateness that per cent of all timers do not exceed, 0 if
// there are none.
func rank(late []timers, all, percent int) time.Duration {
	left := (all*percent + 99) / 100
	for _, l := range late {
		if left -= l.n; left <= 0 {
			return l.late
		}
	}
	return 0
}
