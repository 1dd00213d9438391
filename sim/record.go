package sim

import (
	"slices"
	"time"

	"github.com/tickwheel/tickwheel/tick"
)

// Recording is what one run did.
type Recording struct {
	Scenario Scenario
	Policy   Policy
	Seed     uint64
	// Real tells that times were measured on the machine, not computed.
	Real bool
	// Ticks holds one entry for each tick that ran.
	Ticks []TickRecord
	// Stats are the loop's own, at the end of the last tick.
	Stats tick.Stats
	// Trace is a hash of everything the loop decided, in 16 hexadecimal digits.
	// Under the real clock it differs from run to run.
	Trace string
	// Interrupted tells that the run was ended early. Ticks may be empty then.
	Interrupted bool
	// Slow are the longest ticks, the longest first, at most [SlowTicks].
	Slow []SlowTick
	// Events are in order of ticks, at most [MaxEvents]; EventsDropped counts the
	// rest.
	Events        []Event
	EventsDropped int64
	// Costs are how long work took, on the real clock; nil on the virtual one.
	Costs []CostSample
	// Judged is what was expected of the run, if anything, by whoever made it.
	Judged []Judgement
}

// TickRecord is one tick.
type TickRecord struct {
	tick.TickInfo
	// Hash is Recording.Trace as of the end of this tick: the first one that differs
	// says where two runs part ways.
	Hash uint64
	// Backlogged is the sum of Backlog.
	Backlogged int
	// LateMax is by lane how many ticks late the latest timer of this tick ran.
	LateMax [tick.Lanes]int32
	// JobsEnded counts the jobs that came to an end, JobsRan is how long workers
	// took for them together, JobWait the longest that one had waited.
	JobsEnded        int32
	JobsRan, JobWait time.Duration
}

// Quantiles are the usual ones of a distribution.
type Quantiles struct{ P50, P90, P99, P999, Max int64 }

// recorder collects a Recording from a loop's observer.
type recorder struct {
	ticks []TickRecord
	shed  int64 // intervals so far
	trace *trace
	costs *costLog
	details
}

func newRecorder(ticks int64) *recorder {
	return &recorder{ticks: make([]TickRecord, 0, min(ticks+1, 1<<20)), trace: newTrace()}
}

// observer returns the hooks that fill r.
func (r *recorder) observer() *tick.Observer {
	return &tick.Observer{
		Fire: func(f tick.FireInfo) {
			r.costs.stop()
			r.trace.fire(f)
			r.details.fire(f)
			r.costs.fire(f.Kind) // last: what is done here is nobody's cost
		},
		Shed: func(s tick.ShedInfo) {
			r.shed += s.Intervals
			r.trace.shed(s)
			r.event(Event{Type: "shed", Tick: s.Tick, N: s.Intervals, Time: s.Time})
		},
		Guard: func(g tick.GuardInfo) {
			r.trace.guard(g)
			r.event(Event{Type: "guard", Tick: g.Tick, N: int64(g.After)})
		},
		Job: func(j tick.JobInfo) {
			r.trace.job(j)
			r.details.job(j)
			if j.Outcome == tick.JobDone {
				r.costs.job(j.Kind, j.Ran)
			}
		},
		Tick: func(i *tick.TickInfo) {
			t := TickRecord{TickInfo: *i, Hash: r.trace.h}
			for _, n := range i.Backlog {
				t.Backlogged += n
			}
			r.details.tick(&t, len(r.ticks))
			r.ticks = append(r.ticks, t)
		},
	}
}

// Durations returns the quantiles of the lengths of ticks, by nearest rank.
func (r *Recording) Durations() Quantiles {
	d := make([]int64, len(r.Ticks))
	for i := range r.Ticks {
		d[i] = int64(r.Ticks[i].Duration)
	}
	slices.Sort(d)
	at := func(perMille int) int64 {
		if len(d) == 0 {
			return 0
		}
		rank := (len(d)*perMille + 999) / 1000
		return d[max(rank, 1)-1]
	}
	return Quantiles{at(500), at(900), at(990), at(999), at(1000)}
}

// quantilesOf reads the usual quantiles from a histogram of the loop.
func quantilesOf(h *tick.Histogram) Quantiles {
	return Quantiles{h.Quantile(0.5), h.Quantile(0.9), h.Quantile(0.99), h.Quantile(0.999), h.Max()}
}

// StartLate returns the quantiles of how late ticks began, with a sample for each
// interval that was given up.
func (r *Recording) StartLate() Quantiles { return quantilesOf(r.Stats.StartLate) }

// TimerLate returns the quantiles, in ticks, of how late timers fired.
func (r *Recording) TimerLate() Quantiles { return quantilesOf(r.Stats.TimerLate) }

// Overruns counts the ticks that took longer than the interval.
func (r *Recording) Overruns() int {
	n := 0
	for i := range r.Ticks {
		if r.Ticks[i].Duration > r.Scenario.Interval {
			n++
		}
	}
	return n
}

// Worst returns the index of the longest tick, the first of equals, or -1.
func (r *Recording) Worst() int {
	worst := -1
	for i := range r.Ticks {
		if worst < 0 || r.Ticks[i].Duration > r.Ticks[worst].Duration {
			worst = i
		}
	}
	return worst
}

// BacklogMax is the most timers that were ever carried to a next tick.
func (r *Recording) BacklogMax() int {
	n := 0
	for i := range r.Ticks {
		n = max(n, r.Ticks[i].Backlogged)
	}
	return n
}

// Length is when the last tick ended.
func (r *Recording) Length() time.Duration {
	if len(r.Ticks) == 0 {
		return 0
	}
	t := &r.Ticks[len(r.Ticks)-1]
	return t.Start + t.StartLate + t.Duration
}
