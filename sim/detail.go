package sim

import (
	"cmp"
	"slices"
	"time"

	"github.com/tickwheel/tickwheel/tick"
)

// Limits of what a recording keeps besides its ticks.
const (
	// SlowTicks is how many of the longest ticks keep what their kinds did.
	SlowTicks = 10
	// MaxEvents bounds the events of a run. What is past it is only counted.
	MaxEvents = 100_000
)

// Event is something in a run that is no tick: wall time given up, a timer phase
// that was cut, jobs that did not end well.
type Event struct {
	// Type is "shed", "guard" or "job".
	Type string
	Tick tick.Tick
	// N counts intervals, callbacks that had started, or jobs of one outcome in
	// one tick.
	N int64
	// Outcome is that of the jobs.
	Outcome string
	// Time is the wall time given up.
	Time time.Duration
}

// SlowTick is one of the longest ticks of a run.
type SlowTick struct {
	// Index is its place in Recording.Ticks.
	Index int
	// Kinds are the kinds of its timer phase, the longest first. The other phases
	// are told by TickInfo.Phase and TickInfo.Slowest.
	Kinds []KindTime

	length time.Duration
}

// KindTime is what the timers of a kind did in one tick.
type KindTime struct {
	Kind  tick.Kind
	Fired int
	Time  time.Duration
}

// details gathers what the loop's TickInfo does not say.
type details struct {
	clock tick.Clock
	late  [tick.Lanes]tick.Span

	kinds       []KindTime // by kind, of this tick
	touched     []tick.Kind
	first, mark time.Duration // of the timer phase: the first callback, the latest one
	kind        tick.Kind

	jobs      int
	ran, wait time.Duration
	outcomes  [tick.JobRejected + 1]int64

	slow    []SlowTick // the longest first
	events  []Event
	dropped int64
}

// fire notes a callback that is about to run; the time since the one before it
// is that one's.
func (d *details) fire(f tick.FireInfo) {
	d.late[f.Lane] = max(d.late[f.Lane], f.Late)
	for int(f.Kind) >= len(d.kinds) {
		d.kinds = append(d.kinds, KindTime{Kind: tick.Kind(len(d.kinds))})
	}
	k := &d.kinds[f.Kind]
	switch {
	case len(d.touched) == 0:
		d.first = d.clock.Now()
		d.mark, d.kind = d.first, f.Kind
	case f.Kind != d.kind:
		// Callbacks of one kind in a row are one measurement, as in the loop.
		now := d.clock.Now()
		d.kinds[d.kind].Time += now - d.mark
		d.mark, d.kind = now, f.Kind
	}
	if k.Fired == 0 {
		d.touched = append(d.touched, f.Kind)
	}
	k.Fired++
}

func (d *details) job(j tick.JobInfo) {
	d.jobs++
	d.ran += j.Ran
	d.wait = max(d.wait, j.Wait)
	d.outcomes[j.Outcome]++
}

func (d *details) event(e Event) {
	if len(d.events) == MaxEvents {
		d.dropped++
		return
	}
	d.events = append(d.events, e)
}

// tick completes t, tick number index of the run, and begins the next.
func (d *details) tick(t *TickRecord, index int) {
	for lane, late := range d.late {
		t.LateMax[lane] = int32(min(late, 1<<31-1))
	}
	t.JobsEnded, t.JobsRan, t.JobWait = int32(d.jobs), d.ran, d.wait
	for o, n := range d.outcomes {
		if n > 0 && tick.Outcome(o) != tick.JobDone {
			d.event(Event{Type: "job", Tick: t.Tick, N: n, Outcome: tick.Outcome(o).String()})
		}
	}
	d.keepSlow(t, index)
	for _, k := range d.touched {
		d.kinds[k].Fired, d.kinds[k].Time = 0, 0
	}
	d.touched = d.touched[:0]
	d.late = [tick.Lanes]tick.Span{}
	d.jobs, d.ran, d.wait = 0, 0, 0
	d.outcomes = [len(d.outcomes)]int64{}
}

// keepSlow keeps t if it is one of the longest so far, the first of equals.
func (d *details) keepSlow(t *TickRecord, index int) {
	at := len(d.slow)
	for at > 0 && d.slow[at-1].length < t.Duration {
		at--
	}
	if at == SlowTicks {
		return
	}
	s := SlowTick{Index: index, length: t.Duration}
	if len(d.touched) > 0 {
		// What of the phase no later callback has measured is the last one's.
		d.kinds[d.kind].Time += max(0, t.Phase[tick.PhaseTimers]-(d.mark-d.first))
		for _, k := range d.touched {
			s.Kinds = append(s.Kinds, d.kinds[k])
		}
		slices.SortFunc(s.Kinds, func(a, b KindTime) int {
			return cmp.Or(cmp.Compare(b.Time, a.Time), cmp.Compare(a.Kind, b.Kind))
		})
	}
	if len(d.slow) == SlowTicks {
		d.slow = d.slow[:SlowTicks-1]
	}
	d.slow = slices.Insert(d.slow, at, s)
}
