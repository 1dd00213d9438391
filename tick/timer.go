package tick

import (
	"fmt"
	"math"
	"time"

	"github.com/tickwheel/tickwheel/timers"
)

// payload is what the wheel keeps for a timer.
type payload struct {
	f     func()       // exactly one of f and ff is set: wrapping one in
	ff    func(Firing) // the other would allocate
	scope *Scope
	seq   uint64
	kind  Kind
}

// Firing is what a callback of [Scope.Schedule], [Scope.Every] and [Scope.Keyed]
// is told.
type Firing struct {
	// Tick is the current tick, Deadline the one the timer was due in, after
	// jitter, and Late their difference.
	Tick, Deadline Tick
	Late           Span
	// Missed counts runs of a fixed-rate periodic that passed since its last
	// call without one of their own, while Config.Budget carried it. A heal by
	// amount*(1+Missed) comes out right. A stall passes no run: its ticks run
	// late, and what is over CatchUp of them is given up as game time.
	Missed int64
	Lane   Lane
	Kind   Kind
}

// Timer is a handle on something scheduled. It is shaped like [time.Timer]: keep
// it in a variable and call its methods through a pointer. The zero Timer stands
// for nothing: its methods do nothing and report false. A Timer kept past its
// end is harmless, whatever was scheduled since.
//
// A copy is a second handle on the same timer until a Reset; after it only the
// Timer that Reset was called on stands for it.
type Timer struct {
	scope *Scope
	h     timers.Handle
}

// Stop prevents the timer from firing, or from firing again. It returns true if
// the call stopped it: the callback will not run. It returns false if the
// callback of a one-shot has begun or run, or the timer was stopped or its scope
// closed. There is no channel to drain. It takes constant time.
func (t *Timer) Stop() bool {
	if t.scope == nil {
		return false
	}
	t.scope.loop.owner.check("Timer.Stop")
	// Behind a fence the timer is still there, to be counted by Scope.Close.
	return t.scope.Alive() && t.scope.loop.wheel.Cancel(t.h)
}

// Reset moves a pending timer to d from now, as if newly scheduled but without
// new jitter. A periodic timer runs next then, and keeps its period from the tick
// of that run. In its own callback it arms a one-shot again. It returns true if
// the timer is pending now.
//
// It returns false and changes nothing if the timer has fired or was stopped,
// its scope is closed, or d is beyond Config.Horizon: unlike [time.Timer.Reset]
// it never revives a timer. It takes constant time.
func (t *Timer) Reset(d time.Duration) bool {
	s := t.scope
	if s == nil {
		return false
	}
	l := s.loop
	l.owner.check("Timer.Reset")
	if !s.Alive() || l.Stopping() {
		return false
	}
	h, ok := l.wheel.Reset(t.h, l.deadline(d))
	if ok {
		t.h = h
	}
	return ok
}

// Remaining returns how long it is to the timer's deadline, a whole number of
// ticks from the current one, and whether the timer is pending. It is 0 for a
// timer that waits in the backlog, and stands still while its scope is paused.
func (t *Timer) Remaining() (time.Duration, bool) {
	if t.scope == nil {
		return 0, false
	}
	l := t.scope.loop
	l.owner.check("Timer.Remaining")
	n, ok := l.wheel.Remaining(t.h)
	if !ok || !t.scope.Alive() {
		return 0, false
	}
	if t.scope.frozen == 0 {
		n = max(n-Span(l.now-l.wheel.Now()), 0) // the wheel is a tick behind in the inbox phase
	}
	if n > Span(math.MaxInt64/int64(l.cfg.Interval)) {
		return math.MaxInt64, true
	}
	return time.Duration(n) * l.cfg.Interval, true
}

// Spec says when and how a timer runs. The zero Spec is a one-shot in the next
// tick, in the normal lane.
type Spec struct {
	// After is the time from now to the (first) run. Negative is 0; less than a
	// tick is a tick.
	After time.Duration
	// At is the tick of the (first) run, exactly, instead of After. 0 means
	// unset; one that is not in the future means the next tick.
	At Tick
	// Every makes the timer periodic; it must be at least the interval. The first
	// run is at After or At, or after one period if both are 0. Periods keep their
	// nanoseconds: 70 ms at a 50 ms tick runs at ticks 2, 3, 5, 6, 7 and so on.
	Every time.Duration
	// Delay counts Every from the tick of the run before instead of keeping the
	// grid of the first run.
	Delay bool
	// Lane is the timer's urgency class. 0 is Normal.
	Lane Lane
	// Kind is what the timer is for, from [Loop.Kind].
	Kind Kind
	// Jitter spreads the run over a window. Zero is none.
	Jitter Jitter
}

// Jitter is a window in which a run is placed, to spread a storm of timers. The
// bounds are rounded down to whole ticks, so the window is never left. It moves
// runs of a periodic, never its grid, and must be smaller than the period.
type Jitter struct {
	// Early and Late are how far before and after its time a run may be; neither
	// may be negative. Leave Early 0 for a "not before".
	Early, Late time.Duration
	// Choices is how many ticks are drawn, of which the one with the fewest
	// timers is taken. 0 means 4; 1 is a plain uniform draw; at most 16.
	Choices int
}

// AfterFunc calls f on the tick goroutine once d has passed, unless the returned
// timer is stopped or s closes before. It counts from this instant and rounds up
// to a tick: never early, at most one tick late unless Config.Budget carries it
// over. When wall time is given up after a stall ([Stats].Shed) or stretched by
// Dilate, all timers move later by as much. d <= 0 means the next tick.
//
// AfterFunc returns ErrClosed if s is closed, ErrStopped if the loop is, ErrFull,
// which passes when timers fire, and ErrHorizon. It takes constant time and
// allocates nothing once the wheel has held as many timers before. A nil f
// panics.
func (s *Scope) AfterFunc(d time.Duration, f func()) (Timer, error) {
	if f == nil {
		panic("tick: Scope.AfterFunc: nil function")
	}
	l := s.loop
	l.owner.check("Scope.AfterFunc")
	g, err := s.openFor()
	if err != nil {
		return Timer{}, err
	}
	l.seq++
	h, err := l.wheel.At(l.deadline(d), payload{f: f, scope: s, seq: l.seq}, timers.Spec{Group: g})
	if err != nil {
		return Timer{}, fmt.Errorf("tick: timer after %v: %w", d, err)
	}
	return Timer{s, h}, nil
}

// Every calls f each period, first one period from now, until the returned timer
// is stopped or s closes. It is Schedule(Spec{Every: period}, f).
func (s *Scope) Every(period time.Duration, f func(Firing)) (Timer, error) {
	if period == 0 { // Schedule would take it for a one-shot
		return Timer{}, s.loop.badPeriod(period)
	}
	return s.Schedule(Spec{Every: period}, f)
}

// Schedule calls f as sp says, until the returned timer is stopped or s closes.
// A periodic is armed again before f runs, so that a panic does not end it; at
// most one run is outstanding, and runs that had to be left out are counted in
// Firing.Missed.
//
// Its errors are those of AfterFunc, and ErrPeriod if Every is negative or less
// than the interval, and ErrJitter. A nil f, both After and At, a lane that does
// not exist, or a Kind of another loop panics.
func (s *Scope) Schedule(sp Spec, f func(Firing)) (Timer, error) {
	if f == nil {
		panic("tick: Scope.Schedule: nil function")
	}
	l := s.loop
	l.owner.check("Scope.Schedule")
	l.checkSpec(sp)
	g, err := s.openFor()
	if err != nil {
		return Timer{}, err
	}
	w, err := l.wheelSpec(sp, g)
	if err != nil {
		return Timer{}, err
	}
	l.seq++
	p := payload{ff: f, scope: s, seq: l.seq, kind: sp.Kind}
	var h timers.Handle
	if sp.Every != 0 {
		h, err = l.every(sp, p, w)
	} else {
		at, _ := l.first(sp)
		h, err = l.wheel.At(at, p, w)
	}
	if err != nil {
		return Timer{}, fmt.Errorf("tick: schedule %+v: %w", sp, err)
	}
	return Timer{s, h}, nil
}

func (s *Scope) openFor() (timers.Group, error) {
	if s.loop.Stopping() {
		return timers.Group{}, ErrStopped
	}
	return s.open()
}

func (l *Loop) checkSpec(sp Spec) {
	if sp.After != 0 && sp.At != 0 {
		panic(fmt.Sprintf("tick: Scope.Schedule: both After (%v) and At (%d) are set", sp.After, sp.At))
	}
	if sp.Lane >= Lanes {
		panic(fmt.Sprintf("tick: Scope.Schedule: %v does not exist", sp.Lane))
	}
	l.checkKind("Scope.Schedule", sp.Kind)
}

func (l *Loop) checkKind(method string, k Kind) {
	if int(k) < len(l.meter.tick) {
		return
	}
	if int(k) >= l.kinds.len() {
		panic(fmt.Sprintf("tick: %s: kind %d is not of this loop", method, k))
	}
	l.meter.fit(k)
}

// wheelSpec turns sp's placing into the wheel's.
func (l *Loop) wheelSpec(sp Spec, g timers.Group) (timers.Spec, error) {
	w := timers.Spec{Group: g, Lane: sp.Lane}
	j := sp.Jitter
	if j == (Jitter{}) {
		return w, nil
	}
	if j.Early < 0 || j.Late < 0 || j.Choices < 0 || j.Choices > timers.MaxChoices {
		return w, fmt.Errorf("%w: %+v: want bounds of 0 or more and at most %d choices", ErrJitter, j, timers.MaxChoices)
	}
	def(&j.Choices, 4)
	w.Jitter = timers.Jitter{Early: Span(j.Early / l.cfg.Interval), Late: Span(j.Late / l.cfg.Interval)}
	w.Choices = uint8(j.Choices)
	return w, nil
}

// first returns the tick of sp's first run, and by how much it is past the exact
// instant.
func (l *Loop) first(sp Spec) (Tick, int64) {
	d := sp.After
	switch {
	case sp.At != 0:
		return max(sp.At, l.now+1), 0 // the wheel is a tick behind in the inbox phase
	case d == 0 && sp.Every > 0:
		d = sp.Every
	}
	k, lead := l.ticks(d)
	return l.now + k, lead
}

func (l *Loop) every(sp Spec, p payload, w timers.Spec) (timers.Handle, error) {
	if sp.Every < l.cfg.Interval {
		return timers.Handle{}, l.badPeriod(sp.Every)
	}
	r := timers.Repeat{Period: int64(sp.Every), Delay: sp.Delay}
	at, lead := l.first(sp)
	r.Lead = lead
	return l.wheel.Every(at, r, p, w)
}

func (l *Loop) badPeriod(d time.Duration) error {
	return fmt.Errorf("tick: %w: %v is less than the interval of %v", ErrPeriod, d, l.cfg.Interval)
}

// deadline returns the tick for d from now: the first whose intended start is no
// earlier, and at least the next one.
func (l *Loop) deadline(d time.Duration) Tick {
	k, _ := l.ticks(d)
	return l.now + k
}

// ticks rounds the instant d from now up to a number of ticks from the current
// one, at least 1, and returns by how much it rounded, less than a tick.
func (l *Loop) ticks(d time.Duration) (Tick, int64) {
	d = max(d, 0)
	if l.mode.Load() != modePaced || l.origin.Load() == notStarted {
		return l.round(0, d)
	}
	off, ratio := l.pacer.offset(l.cfg.Clock.Now())
	if ratio == ratioUnit {
		return l.round(off, d)
	}
	k, lead := l.round(l.pacer.gameTime(off, ratio), d)
	if n := Tick(l.pacer.reach(off, d, ratio)); n > k {
		return n, 0
	}
	return k, lead
}

// round rounds off + d, both of game time and not negative, up to ticks.
func (l *Loop) round(off, d time.Duration) (Tick, int64) {
	iv := int64(l.cfg.Interval)
	// off + d may not fit, their quotients always do.
	whole := int64(d)/iv + int64(off)/iv
	part := int64(d)%iv + int64(off)%iv
	whole, part = whole+part/iv, part%iv
	if part == 0 {
		if whole == 0 {
			return 1, 0 // asked for "now": the grid starts at the next tick
		}
		return Tick(whole), 0
	}
	return Tick(whole) + 1, iv - part
}
