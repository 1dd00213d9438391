package oracle

import (
	"cmp"
	"slices"

	"github.com/tickwheel/tickwheel/timers"
)

// Config is what of a wheel's configuration decides what happens.
type Config struct {
	Start   timers.Tick
	Horizon timers.Span
	Max     int     // timers
	Budget  int     // 0: no limit
	Normal  float64 // share of the budget
	Bulk    float64
	Units   int64 // of a tick, for periods
}

// Wheel is the rules of package timers over a slice of timers.
type Wheel struct {
	cfg    Config
	now    timers.Tick
	seq    uint64
	timers []*Timer
	byID   map[int]*Timer
	ended  uint64            // timers that did not fire any more
	hungry [timers.Lanes]int // by rank: ticks in a row with due work and no run
	run    run
}

// Timer is one timer, pending or past.
type Timer struct {
	ID       int
	Lane     timers.Lane
	Deadline timers.Tick
	Group    *Group
	Jitter   timers.Jitter

	seq    uint64
	end    string // what became of it, "" while pending
	frozen bool
	left   timers.Span // when it froze; negative for a carried one
	since  timers.Tick // when it froze
	period int64       // 0: a one-shot
	delay  bool
	point  int64 // grid point of the pending run, in units
}

// Pending reports whether t will fire, if nothing happens to it.
func (t *Timer) Pending() bool { return t.end == "" }

// Periodic reports whether t fires again and again.
func (t *Timer) Periodic() bool { return t.period > 0 }

// PerTick is how often t fires in a tick of so many units, on average.
func (t *Timer) PerTick(units int64) float64 {
	if t.period == 0 {
		return 0
	}
	return float64(units) / float64(t.period)
}

// Frozen reports whether t is paused.
func (t *Timer) Frozen() bool { return t.frozen }

// Group is timers that end and pause together. Dead ones are dropped at their
// turn, at no cost.
type Group struct {
	Closed, Paused, Dead bool
}

// New returns an empty wheel.
func New(cfg Config) *Wheel {
	return &Wheel{cfg: cfg, now: cfg.Start, byID: map[int]*Timer{}}
}

// Now returns the tick in hand.
func (w *Wheel) Now() timers.Tick { return w.now }

// Len is how many timers are pending.
func (w *Wheel) Len() int { return len(w.timers) }

// Budget is how many callbacks an Advance may start, 0 for no limit.
func (w *Wheel) Budget() int { return w.cfg.Budget }

// SetBudget changes it from the next Advance on.
func (w *Wheel) SetBudget(n int) { w.cfg.Budget = n }

// Full reports whether no more timers may be pending.
func (w *Wheel) Full() bool { return len(w.timers) >= w.cfg.Max }

func (w *Wheel) clamp(at timers.Tick) timers.Tick { return max(at, w.now+1) }

func (w *Wheel) nextSeq() uint64 { w.seq++; return w.seq }

// Refuses returns the errors of which a call that schedules for at must give one;
// none means that it must succeed.
func (w *Wheel) Refuses(at timers.Tick, g *Group) (errs []error) {
	if timers.Span(w.clamp(at)-w.now) > w.cfg.Horizon {
		errs = append(errs, timers.ErrHorizon)
	}
	if g != nil && g.Closed {
		errs = append(errs, timers.ErrClosed)
	}
	if w.Full() {
		errs = append(errs, timers.ErrFull)
	}
	return errs
}

// Add files a timer.
func (w *Wheel) Add(id int, at timers.Tick, lane timers.Lane, g *Group) *Timer {
	t := &Timer{ID: id, Lane: lane, Deadline: w.clamp(at), Group: g, seq: w.nextSeq()}
	w.freezeIfPaused(t)
	w.timers = append(w.timers, t)
	w.byID[id] = t
	return t
}

// Repeat makes t, just added for the tick first, periodic: its exact first point
// lies lead units before that tick.
func (w *Wheel) Repeat(t *Timer, first timers.Tick, period, lead int64, delay bool) {
	if first <= w.now {
		first, lead = w.now+1, 0
	}
	t.period, t.delay = period, delay
	t.point = int64(first)*w.cfg.Units - lead
}

// Place moves t to the tick that jitter drew, which must lie in the window that
// opens around its deadline.
func (w *Wheel) Place(t *Timer, at timers.Tick) error {
	lo := max(t.Deadline-timers.Tick(t.Jitter.Early), w.now+1)
	hi := t.Deadline + timers.Tick(t.Jitter.Late)
	if at < lo || at > hi {
		return broken(Early, "timer %d was spread to tick %d, out of the window from %d to %d", t.ID, at, lo, hi)
	}
	t.Deadline = at
	if t.frozen {
		t.left = timers.Span(at - w.now)
	}
	return nil
}

func (w *Wheel) freezeIfPaused(t *Timer) {
	if t.frozen = t.Group != nil && t.Group.Paused; t.frozen {
		t.left, t.since = timers.Span(t.Deadline-w.now), w.now
	}
}

func (w *Wheel) remove(t *Timer, end string) {
	if t.end = end; end != "fired" {
		w.ended++
	}
	w.timers = slices.DeleteFunc(w.timers, func(o *Timer) bool { return o == t })
}

// Cancel reports whether t was pending.
func (w *Wheel) Cancel(t *Timer) bool {
	if !t.Pending() {
		return false
	}
	w.remove(t, "stopped")
	return true
}

// Reset moves a pending timer, or arms the one-shot whose callback runs again, and
// reports whether it did.
func (w *Wheel) Reset(t *Timer, at timers.Tick) bool {
	at = w.clamp(at)
	if timers.Span(at-w.now) > w.cfg.Horizon {
		return false
	}
	if !t.Pending() {
		if w.run.firing != t || w.Full() || t.Group != nil && t.Group.Closed {
			return false
		}
		w.run.firing, t.end = nil, ""
		w.timers = append(w.timers, t)
	}
	t.Deadline, t.seq = at, w.nextSeq()
	if t.period > 0 {
		t.point = int64(at) * w.cfg.Units
	}
	w.freezeIfPaused(t)
	return true
}

// Remaining is how long t still has; 0 when it is due.
func (w *Wheel) Remaining(t *Timer) timers.Span {
	if t.frozen {
		return max(t.left, 0)
	}
	return max(timers.Span(t.Deadline-w.now), 0)
}

// Next is the first tick in which something is to fire.
func (w *Wheel) Next() (first timers.Tick, ok bool) {
	for _, t := range w.timers {
		if d := w.clamp(t.Deadline); !t.frozen && (!ok || d < first) {
			first, ok = d, true
		}
	}
	return first, ok
}

// Backlog is how many timers of a lane are due, and how long the first has been.
func (w *Wheel) Backlog(lane timers.Lane) (n int, age timers.Span) {
	for _, t := range w.timers {
		if !t.frozen && t.Lane == lane && t.Deadline <= w.now {
			n++
			age = max(age, timers.Span(w.now-t.Deadline))
		}
	}
	return n, age
}

// Cancelled is how many timers were cancelled so far.
func (w *Wheel) Cancelled() uint64 { return w.ended }

// Load is how many timers are due in tick at, which is to come.
func (w *Wheel) Load(at timers.Tick) (n int) {
	for _, t := range w.timers {
		if !t.frozen && t.Deadline == at {
			n++
		}
	}
	return n
}

// All yields the timers in the order in which they would fire without a budget,
// and those that are paused.
func (w *Wheel) All() []*Timer {
	ts := slices.Clone(w.timers)
	frozen := func(t *Timer) int {
		if t.frozen {
			return 1
		}
		return 0
	}
	slices.SortStableFunc(ts, func(a, b *Timer) int {
		return cmp.Or(frozen(a)-frozen(b), cmp.Compare(w.clamp(a.Deadline), w.clamp(b.Deadline)),
			rank(a.Lane)-rank(b.Lane), cmp.Compare(a.Deadline, b.Deadline), cmp.Compare(a.seq, b.seq))
	})
	return ts
}

// Pending yields the timers there are, in order of scheduling.
func (w *Wheel) Pending() []*Timer { return slices.Clone(w.timers) }
