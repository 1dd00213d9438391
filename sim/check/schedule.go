package check

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/tickwheel/tickwheel/sim/oracle"
	"github.com/tickwheel/tickwheel/tick"
	"github.com/tickwheel/tickwheel/timers"
)

// schedules makes timers.
func (w *world) schedules(p *op, s *scope) {
	iv := w.o.Interval
	lane := tick.Lane(p.a >> 8 % tick.Lanes)
	some := iv * time.Duration(p.b%4000) / 100 // up to 40 ticks, in parts of one
	switch p.what {
	case "after":
		w.schedule(p, s, tick.Spec{After: some - iv, Lane: lane})
	case "far":
		w.schedule(p, s, tick.Spec{After: w.far(p.b), Lane: lane})
	case "storm":
		at := max(w.loop.Now()-1+tick.Tick(p.b%20), 1) // also of ticks that are past
		n := 5 + p.b>>8%25
		if w.o.Guard > 0 {
			n *= 5 // it looks at the clock every 64 callbacks
		}
		for range n {
			w.schedule(p, s, tick.Spec{At: at, Lane: lane})
		}
	case "every":
		sp := tick.Spec{Every: iv*9/10 + some/4, Lane: lane, Delay: p.b>>13&1 == 1}
		switch p.b >> 14 & 7 {
		case 0:
			sp.At = max(w.loop.Now()-2+tick.Tick(p.b>>5&15), 1)
		case 1:
			sp.After = some
		case 2:
			sp = tick.Spec{Every: sp.Every}
		}
		w.schedule(p, s, sp)
	case "jitter":
		j := tick.Jitter{Early: some / 8, Late: some / 3, Choices: p.b >> 14 % 5}
		sp := tick.Spec{After: some, Lane: lane, Jitter: j}
		if p.a>>10&1 == 1 {
			sp.Every = iv + some*2/5
		}
		w.schedule(p, s, sp)
	}
}

// far is a delay around the end of the inner ring, or somewhere beyond.
func (w *world) far(b int) time.Duration {
	switch b % 8 {
	case 0:
		return math.MaxInt64
	case 1:
		return w.o.Interval << (b >> 4 % 30)
	case 2:
		return -w.o.Interval << (b >> 4 % 30)
	}
	if near := w.o.Near; near <= 2*w.o.Ticks {
		return w.o.Interval * time.Duration(near-4+b>>4%8)
	}
	return w.o.Interval * time.Duration(b>>4%64)
}

// schedule makes a timer and compares what comes of it.
func (w *world) schedule(p *op, s *scope, sp tick.Spec) {
	t := &timer{id: len(w.timers) + 1, birth: w.births.next(p), op: *p}
	at, lead := max(sp.At, w.loop.Now()+1), int64(0)
	if sp.At == 0 {
		d := sp.After
		if d == 0 {
			d = sp.Every
		}
		var k tick.Tick
		k, lead = w.grid.After(w.clock.now, d)
		at = w.loop.Now() + k
		t.notBefore = w.clock.now + d - sp.Jitter.Early
		if d > math.MaxInt64/2 {
			t.notBefore = math.MaxInt64
		}
	}
	want := w.refusals(s, at, sp, false)
	real, err := w.place(s, sp, t)
	if !w.asWanted(err, want, "%+v in %s", sp, s.m.Label()) {
		return
	}
	t.real, t.far = &real, int(at-w.loop.Now()) > w.o.Near
	t.m = w.wheel.Add(t.id, at, sp.Lane, s.m.Group)
	if sp.Every != 0 {
		w.wheel.Repeat(t.m, at, int64(sp.Every), lead, sp.Delay)
	}
	if sp.Jitter != (tick.Jitter{}) {
		t.m.Jitter = timers.Jitter{Early: timers.Span(sp.Jitter.Early / w.o.Interval), Late: timers.Span(sp.Jitter.Late / w.o.Interval)}
		w.spread(t)
	}
	if w.bug(bugOrder) && len(w.timers) > 0 {
		if o := w.timers[len(w.timers)-1]; o.m.Pending() && !o.m.Periodic() && !t.m.Periodic() && o.m.Deadline == t.m.Deadline && o.swap == nil {
			o.swap, t.swap = t, o
		}
	}
	w.timers = append(w.timers, t)
	w.say("%s schedules %v", s.m.Label(), t.m)
	w.sameRemaining(t)
}

// refusals are the errors of which a call that schedules for at must give one; none
// means that it must succeed. It may have the place of another timer.
func (w *world) refusals(s *scope, at tick.Tick, sp tick.Spec, place bool) (errs []error) {
	switch {
	case !s.m.Alive():
		return []error{tick.ErrClosed}
	case !w.tree.Open(s.m):
		return []error{tick.ErrFull}
	}
	iv := w.o.Interval
	for _, err := range w.wheel.Refuses(at, s.m.Group) {
		if err != tick.ErrFull || !place {
			errs = append(errs, err)
		}
	}
	ahead := int64(max(at-w.wheel.Now(), 1))
	if late := int64(sp.Jitter.Late / iv); late > int64(w.o.Horizon)-ahead || int64(sp.Jitter.Early/iv) > int64(w.o.Horizon) {
		errs = append(errs, tick.ErrHorizon)
	}
	if sp.Every != 0 && (sp.Every < iv || int64(sp.Every/iv) > int64(w.o.Horizon)) {
		errs = append(errs, tick.ErrPeriod)
	}
	if sp.Every != 0 && sp.Jitter.Early/iv+sp.Jitter.Late/iv > (sp.Every-1)/iv {
		errs = append(errs, tick.ErrJitter)
	}
	return errs
}

// asWanted reports whether a call succeeded and was to. Anything but one of the
// errors that are wanted breaks a rule.
func (w *world) asWanted(err error, want []error, format string, args ...any) bool {
	fits := slices.ContainsFunc(want, func(e error) bool { return errors.Is(err, e) })
	if err == nil && len(want) > 0 || err != nil && !fits {
		w.broken(oracle.Refusals, "%s gave %v: want one of %v", fmt.Sprintf(format, args...), err, want)
	}
	return err == nil && len(want) == 0
}

// place makes the call, with what is planted.
func (w *world) place(s *scope, sp tick.Spec, t *timer) (tick.Timer, error) {
	scope := s.real
	switch {
	case w.bug(bugEarly) && sp.After > 3*w.o.Interval && t.id%4 == 0:
		sp.After -= w.o.Interval
	case w.bug(bugLogout) && s.sess != nil && t.id%3 == 0 && s.m.Alive():
		scope = w.loop.Root()
	case w.bug(bugLane) && sp.Lane == tick.Urgent:
		sp.Lane = tick.Normal
	case w.bug(bugDrift) && sp.Every > 0 && !sp.Delay:
		sp.Every = (sp.Every + w.o.Interval - 1) / w.o.Interval * w.o.Interval
	}
	if sp == (tick.Spec{After: sp.After}) && t.op.b&1 == 1 {
		return scope.AfterFunc(sp.After, func() {
			a := w.facts.announced
			w.callback(t, tick.Firing{Tick: a.Tick, Deadline: a.Tick - tick.Tick(a.Late), Late: a.Late, Lane: a.Lane}, nil)
		})
	}
	if sp == (tick.Spec{Every: sp.Every}) && sp.Every != 0 {
		return scope.Every(sp.Every, func(f tick.Firing) { w.callback(t, f, nil) })
	}
	return scope.Schedule(sp, func(f tick.Firing) { w.callback(t, f, nil) })
}

// spread tells the oracle which tick jitter has drawn.
func (w *world) spread(t *timer) {
	left, ok := t.real.Remaining()
	if !ok {
		w.broken(oracle.Lost, "%v is not pending", t.m)
		return
	}
	at := w.wheel.Now()
	if !t.m.Frozen() {
		at = w.loop.Now() // in the inbox phase the wheel is a tick behind
	}
	w.fail(w.wheel.Place(t.m, at+tick.Tick(left/w.o.Interval)))
}

func (w *world) sameRemaining(t *timer) {
	left, ok := t.real.Remaining()
	want := w.wheel.Remaining(t.m)
	if !t.m.Frozen() {
		want = max(want-timers.Span(w.loop.Now()-w.wheel.Now()), 0)
	}
	if !ok || want < timers.Span(math.MaxInt64/w.o.Interval) && left != time.Duration(want)*w.o.Interval {
		w.broken(oracle.Early, "%v has %v left (pending: %v): want %d ticks", t.m, left, ok, want)
	}
}

// announce is the loop's note that a callback follows.
func (w *world) announce(i tick.FireInfo) {
	w.note(uint64(i.Tick), uint64(i.Lane), i.Seq, uint64(i.Late), uint64(i.Missed))
	w.facts.announced = i
	if r := w.jobTimers[i.Kind]; r != nil && w.err == nil {
		w.runDue(r, i)
		return
	}
	if w.err != nil || i.Kind != w.kinds.idle && i.Kind != w.kinds.grace {
		return
	}
	m, err := w.fire(oracle.Firing{
		ID: w.mreg.Internal(), Tick: i.Tick, Deadline: i.Tick - tick.Tick(i.Late), Late: i.Late, Lane: i.Lane,
	})
	if err != nil {
		return
	}
	w.say("time is up for a silent or lost connection")
	ms := slices.Clone(w.owned)
	for _, c := range w.conns {
		ms = append(ms, c.m)
	}
	w.mreg.Expired(m, ms)
}

// callback is a timer that fires. After is run when it is over, however.
func (w *world) callback(t *timer, f tick.Firing, after func()) {
	if w.err != nil {
		return
	}
	switch {
	case w.facts.swallow, w.bug(bugPullIn) && t.far, w.bug(bugBacklog) && f.Late > 0 && t.id%2 == 0:
		w.facts.swallow = false
		return
	case w.bug(bugMissed):
		f.Missed = 0
	}
	if t.swap != nil {
		t = t.swap
	}
	w.fires(t, f)
	if w.bug(bugDouble) && t.id%5 == 0 {
		w.fires(t, f)
	}
	if after != nil {
		defer after()
	}
	if w.err != nil || w.healthy || w.stopping {
		return
	}
	w.clock.now += w.o.Interval * time.Duration(t.op.b>>5%8) / 64
	if t.op.later != nil {
		w.do(t.op.later)
	}
	w.leave(&t.op)
}

// fires compares a firing with the oracle's.
func (w *world) fires(t *timer, f tick.Firing) {
	m, err := w.fire(oracle.Firing{
		ID: t.id, Tick: f.Tick, Deadline: f.Deadline, Late: f.Late, Missed: f.Missed, Lane: f.Lane,
	})
	if err != nil {
		return
	}
	w.say("timer %d fires, %d ticks late", t.id, f.Late)
	if w.clock.now < t.notBefore {
		w.broken(oracle.Early, "%v fired at %v, before %v", m, w.clock.now, t.notBefore)
	}
	if t.notBefore = 0; m.Periodic() && m.Jitter != (timers.Jitter{}) {
		w.spread(t)
	}
}
