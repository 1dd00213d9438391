package timers

import (
	"fmt"
	"math/bits"
)

// repeat is the schedule of a periodic timer. The exact grid point of its next
// run lies lead units before tick grid.
type repeat struct {
	period  int64 // units; 0: a one-shot
	grid    Tick  // relative to Now while frozen
	lead    int64
	missed  int64
	jitter  Jitter
	choices uint8
	delay   bool
}

// Every schedules p for first, an absolute tick, and again by r until it is
// cancelled. Run k of a fixed rate is due at the grid point first + k periods,
// rounded up to a whole tick; of a fixed delay, one period after the tick of
// the run before. At most one run is outstanding: grid points that pass while
// it is carried are counted in [Firing.Missed]. The next run is scheduled
// before the callback of this one, so a panic does not end it, and the handle
// stays valid from run to run. Jitter displaces runs, never the grid.
//
// A first at or before Now means the next tick. Every returns the errors of
// [Wheel.At], ErrPeriod for a bad r, and ErrJitter if the jitter window is not
// smaller than the period. It takes constant time.
func (w *Wheel[T]) Every(first Tick, r Repeat, p T, s Spec) (Handle, error) {
	if r.Period < w.units || r.Period/w.units > int64(w.horizon) || r.Lead < 0 || r.Lead >= w.units {
		return Handle{}, ErrPeriod
	}
	if first <= w.now {
		first, r.Lead = w.now+1, 0
	}
	switch {
	case Span(first-w.now) > w.horizon:
		return Handle{}, ErrHorizon
	case !w.roomy():
		return Handle{}, ErrFull
	case s.Lane >= Lanes:
		panic(fmt.Sprintf("timers: Every: Spec.Lane is %d: want Normal, Urgent or Bulk", uint8(s.Lane)))
	}
	deadline := first
	if s.Jitter != (Jitter{}) || s.Choices != 0 {
		var err error
		if deadline, err = w.spread(first, s.Jitter, s.Choices, Span((r.Period-1)/w.units)); err != nil {
			return Handle{}, err
		}
	}
	var g *group
	if s.Group != (Group{}) {
		if g = w.groups.find(s.Group); g == nil {
			return Handle{}, ErrClosed
		}
	}
	every := repeat{period: r.Period, grid: first, lead: r.Lead, jitter: s.Jitter, choices: s.Choices, delay: r.Delay}
	var i, ref uint32
	if g != nil && g.paused {
		ref = w.limboEntry(s.Lane).ref()
		i = w.freeze(ref, Span(deadline-w.now))
		every.grid -= w.now
	} else {
		ref = w.file(deadline, s.Lane).ref()
		i = w.pins.newPin()
		w.setPin(ref, i)
	}
	pin := w.pins.rec(i)
	pin.at, pin.lane, pin.every = ref, s.Lane, every
	if g != nil {
		pin.place = w.groups.join(s.Group.ref(), g, i|pinMember)
	}
	*w.pay(ref) = p
	w.armed++
	return w.pins.handle(i), nil
}

// rearm schedules the next run of a periodic timer whose run is starting, and
// returns how many grid points that run stands for besides its own.
func (w *Wheel[T]) rearm(i uint32) (missed int64) {
	e := &w.pins.rec(i).every
	if e.delay {
		e.grid, e.lead = w.now+Tick((e.period-1)/w.units+1), 0
	} else {
		missed = e.next(w.now, w.units)
	}
	deadline := max(e.grid, w.now+1)
	if e.jitter != (Jitter{}) {
		// The window was checked when the timer was made, but the first grid
		// point may have been a whole horizon away.
		if d, err := w.spread(deadline, e.jitter, e.choices, w.horizon); err == nil {
			deadline = d
		}
	}
	w.placePin(i, deadline)
	return missed
}

// next moves the grid to the first point whose tick is after now, and after
// the present one, and returns how many points it passed over.
func (e *repeat) next(now Tick, units int64) int64 {
	if now <= e.grid {
		e.step(e.period, 0, units)
		return 0
	}
	// The exact point is grid·units - lead; k periods later it lies after now
	// when k·period > (now-grid)·units + lead. 128 bits: a tick may have 2^40
	// units.
	hi, lo := bits.Mul64(uint64(now-e.grid), uint64(units))
	lo, carry := bits.Add64(lo, uint64(e.lead), 0)
	q, _ := bits.Div64(hi+carry, lo, uint64(e.period))
	kHi, kLo := bits.Mul64(q+1, uint64(e.period))
	e.step(int64(kLo), kHi, units)
	return int64(q)
}

// step moves the grid point by hi·2^64 + lo units.
func (e *repeat) step(lo int64, hi uint64, units int64) {
	low, borrow := bits.Sub64(uint64(lo), uint64(e.lead), 0)
	ticks, rem := bits.Div64(hi-borrow, low, uint64(units))
	e.lead = 0
	if rem > 0 {
		ticks++
		e.lead = units - int64(rem)
	}
	e.grid += Tick(ticks)
}
