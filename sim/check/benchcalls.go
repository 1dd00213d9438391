package check

import (
	"errors"
	"math"
	"slices"

	"github.com/tickwheel/tickwheel/sim/oracle"
	"github.com/tickwheel/tickwheel/timers"
)

// do makes a call to the wheel.
func (b *bench) do(p *op) {
	if b.err != nil || b.calm {
		return
	}
	b.note(uint64(p.n))
	g, _ := pick(b.groups, p.a, func(g *group) uint64 { return g.birth }, func(g *group) bool { return !g.m.Closed })
	spec := timers.Spec{Lane: timers.Lane(p.a >> 8 % timers.Lanes)}
	some := timers.Span(p.b % 40)
	switch p.what {
	case "after":
		b.schedule(p, g, some-1, timers.Repeat{}, spec)
	case "far":
		b.schedule(p, g, b.far(p.b), timers.Repeat{}, spec)
	case "storm":
		for range 5 + p.b>>8%25 {
			b.schedule(p, g, some, timers.Repeat{}, spec)
		}
	case "every":
		r := timers.Repeat{Period: int64(8 + p.b>>6%200), Lead: int64(p.b >> 14 % 10), Delay: p.b>>18&1 == 1}
		b.schedule(p, g, some+1, r, spec)
	case "jitter":
		spec.Jitter, spec.Choices = timers.Jitter{Early: some / 4, Late: timers.Span(p.b >> 6 % 30)}, uint8(p.b>>12%5)
		r := timers.Repeat{}
		if p.a>>10&1 == 1 {
			r.Period = benchUnits * int64(2+p.b>>15%30)
		}
		b.schedule(p, g, some+1, r, spec)
	case "stop", "reset":
		b.handles(p, some)
	default:
		b.other(p, g)
	}
}

// far is a delay around the end of the inner ring, or somewhere beyond.
func (b *bench) far(n int) timers.Span {
	switch n % 6 {
	case 0:
		return timers.Span(1) << (n >> 4 % 63)
	case 1:
		return math.MaxInt64
	case 2:
		return math.MinInt64
	}
	return timers.Span(b.o.Near - 4 + n>>4%8)
}

// other makes the calls that are about groups and the whole wheel.
func (b *bench) other(p *op, g *group) {
	inCallback := b.m.Advancing()
	switch p.what {
	case "budget":
		n := []int{0, 1, 2, 3, 5, 20}[p.b%6]
		b.say("the budget is %d from the next advance on", n)
		real := n
		if n > 0 && b.canary == bugCap {
			real++
		}
		b.fail(b.w.SetBudget(real))
		b.m.SetBudget(n)
	case "child":
		b.newGroup(p)
	case "close":
		b.closeGroup(p, g)
	case "pause":
		if g != b.groups[0] {
			b.say("group %d is paused", slices.Index(b.groups, g))
			if got, want := b.w.Pause(g.real), b.m.Pause(g.m); got != want {
				b.broken(oracle.Paused, "Pause gave %v: want %v", got, want)
			}
		}
	case "resume":
		if g != b.groups[0] {
			b.resume(g)
		}
	case "snapshot":
		b.snapshot(inCallback)
	case "look":
		b.look(p, g)
	case "dead":
		b.kill(g)
	case "break":
		b.say("the callbacks of this advance end")
		if b.canary != bugBreak {
			b.w.Break()
		}
		if inCallback {
			b.m.Break()
		}
	case "leap":
		if inCallback {
			return
		}
		d := timers.Span(p.b % 500)
		if next, ok := b.m.Next(); ok && p.b>>10%3 == 0 && next-b.m.Now() < 1<<36 {
			d = timers.Span(next-b.m.Now()) + timers.Span(p.b%3)
		}
		b.say("an advance over %d ticks", d)
		// Periods are short: over so many ticks they would fire for ever.
		if d > 1000 {
			for _, e := range b.list {
				if e.m.Periodic() {
					b.stop(e)
				}
			}
		}
		b.advance(d)
	}
}

func (b *bench) newGroup(p *op) {
	open := 0
	for _, g := range b.groups[1:] {
		if !g.m.Closed {
			open++
		}
	}
	real, err := b.w.NewGroup()
	if full := open >= 8; full != errors.Is(err, timers.ErrFull) || full != (err != nil) {
		b.broken(oracle.Refusals, "NewGroup with %d groups gave %v", open, err)
	}
	if err == nil {
		b.groups = append(b.groups, &group{birth: b.births.next(p), real: real, m: &oracle.Group{}})
		b.say("group %d begins", len(b.groups)-1)
	}
}

func (b *bench) closeGroup(p *op, g *group) {
	if g == b.groups[0] {
		return
	}
	got, want := 0, 0
	if p.b%3 == 0 {
		got, want = b.w.CancelGroup(g.real), b.m.CancelGroup(g.m)
	} else {
		got, want = b.w.CloseGroup(g.real), b.m.CloseGroup(g.m)
	}
	b.say("group %d is closed or cancelled: %d timers", slices.Index(b.groups, g), want)
	if got != want {
		b.broken(oracle.Counts, "the end of a group cancelled %d timers: want %d", got, want)
	}
}

func (b *bench) resume(g *group) {
	got, want := b.w.Resume(g.real), b.m.Resume(g.m)
	if want {
		b.say("group %d is resumed", slices.Index(b.groups, g))
	}
	if got != want {
		b.broken(oracle.Paused, "Resume gave %v: want %v", got, want)
	}
	if got && b.canary == bugResume {
		for _, e := range b.list {
			if e.m.Group == g.m && e.m.Pending() {
				left, _ := b.w.Remaining(e.h)
				e.h, _ = b.w.Reset(e.h, b.w.Now()+timers.Tick(left))
				return
			}
		}
	}
}

// schedule makes a timer due d ticks from now.
func (b *bench) schedule(p *op, g *group, d timers.Span, r timers.Repeat, spec timers.Spec) {
	e := &entry{id: len(b.list) + 1, birth: b.births.next(p), op: *p}
	now := b.m.Now()
	at := now + timers.Tick(min(max(d, -timers.Span(now)), 1<<61))
	want := b.m.Refuses(at, g.m)
	if g == b.groups[0] {
		want = b.m.Refuses(at, nil)
	}
	if r.Period != 0 && r.Period < benchUnits {
		want = append(want, timers.ErrPeriod)
	}
	if r.Period != 0 && int64(spec.Jitter.Early+spec.Jitter.Late) > (r.Period-1)/benchUnits {
		want = append(want, timers.ErrJitter)
	}
	real, lane, j := d, spec.Lane, spec.Jitter
	spec.Group = g.real
	switch {
	case b.canary == bugHorizon:
		real = min(real, b.horizon())
	case b.canary == bugEarly && d > 3 && e.id%4 == 0:
		real--
	case b.canary == bugLane && lane == timers.Urgent:
		spec.Lane = timers.Normal
	case b.canary == bugLogout && e.id%3 == 0 && !g.m.Closed:
		spec.Group = timers.Group{}
	}
	var err error
	if r.Period != 0 {
		e.h, err = b.w.Every(now+timers.Tick(real), r, &e.id, spec)
	} else {
		e.h, err = b.w.After(real, &e.id, spec)
	}
	if (err == nil) != (len(want) == 0) || err != nil && !slices.ContainsFunc(want, func(w error) bool { return errors.Is(err, w) }) {
		b.broken(oracle.Refusals, "a timer after %d ticks gave %v: want one of %v", d, err, want)
	}
	if err != nil || b.err != nil {
		return
	}
	e.m = b.m.Add(e.id, at, lane, g.m)
	if r.Period != 0 {
		b.m.Repeat(e.m, at, r.Period, r.Lead, r.Delay)
	}
	if j != (timers.Jitter{}) {
		e.m.Jitter = j
		b.spread(e)
	}
	if n := len(b.list); b.canary == bugOrder && n > 0 {
		if o := b.list[n-1]; o.m.Pending() && !o.m.Periodic() && !e.m.Periodic() && o.m.Deadline == e.m.Deadline && o.swap == nil {
			o.swap, e.swap = e, o
		}
	}
	b.list = append(b.list, e)
	b.say("%v is scheduled in group %d", e.m, slices.Index(b.groups, g))
	if left, ok := b.w.Remaining(e.h); !ok || left != b.m.Remaining(e.m) {
		b.broken(oracle.Early, "%v has %d ticks left (%v): want %d", e.m, left, ok, b.m.Remaining(e.m))
	}
}

func (b *bench) stop(e *entry) {
	want := b.m.Cancel(e.m)
	got := b.w.Cancel(e.h)
	b.say("timer %d is stopped: %v", e.id, got)
	if got != want {
		b.broken(oracle.Handles, "Cancel of %v gave %v: want %v", e.m, got, want)
	}
	if b.canary == bugStale && !got {
		for _, o := range b.list {
			if b.w.Cancel(o.h) {
				return
			}
		}
	}
}

// handles stops and moves timers, stale ones among them.
func (b *bench) handles(p *op, d timers.Span) {
	e, ok := pick(b.list, p.a, func(e *entry) uint64 { return e.birth }, func(e *entry) bool { return e.m.Pending() })
	if !ok {
		if b.w.Cancel(timers.Handle{}) {
			b.broken(oracle.Handles, "the zero handle cancelled something")
		}
		return
	}
	if p.what == "stop" {
		b.stop(e)
		return
	}
	at := b.m.Now() + timers.Tick(d)
	want := b.m.Reset(e.m, at)
	if b.canary == bugReset {
		at++
	}
	h, got := b.w.Reset(e.h, at)
	e.h = h
	b.say("timer %d is reset to tick %d: %v", e.id, at, got)
	if got != want {
		b.broken(oracle.Handles, "Reset of %v gave %v: want %v", e.m, got, want)
	}
}
