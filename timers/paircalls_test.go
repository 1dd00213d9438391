package timers_test

import (
	"errors"

	"github.com/tickwheel/tickwheel/timers"
)

func (p *pair) cancel() {
	h := p.handle()
	got, want := p.w.Cancel(h), p.m.cancel(h)
	p.note("Cancel(%v) = %v", h, got)
	p.want(got == want, "Cancel(%v) = %v, want %v", h, got, want)
}

func (p *pair) reset() {
	h, d := p.handle(), p.m.after(p.delay())
	nh, ok := p.w.Reset(h, d)
	p.note("Reset(%v, %d) = %v, %v", h, d, nh, ok)
	t := p.m.reset(h, d)
	p.want(ok == (t != nil), "Reset(%v, %d) = %v, want %v", h, d, ok, !ok)
	if t == nil {
		return
	}
	p.want(t.rep == nil || nh == h, "Reset of a periodic timer changed its handle %v to %v", h, nh)
	p.remember(nh)
	t.handle = nh
}

func (p *pair) newGroup() {
	g, err := p.w.NewGroup()
	p.note("NewGroup() = %v, %v", g, err)
	if len(p.m.groups) >= p.m.cfg.MaxGroups {
		p.want(errors.Is(err, timers.ErrFull), "NewGroup with %d groups: error %v, want ErrFull", len(p.m.groups), err)
		return
	}
	p.want(err == nil && !g.IsZero(), "NewGroup() = %v, %v", g, err)
	p.want(p.m.groups[g] == nil, "NewGroup() = %v, which is open already", g)
	p.m.groups[g] = &mGroup{}
	if len(p.groups) > 12 {
		p.groups = p.groups[:copy(p.groups[1:], p.groups[6:])+1]
	}
	p.groups = append(p.groups, g)
}

func (p *pair) closeGroup() {
	g := p.group()
	got, want := p.w.CloseGroup(g), p.m.closeGroup(g)
	p.note("CloseGroup(%v) = %d", g, got)
	p.want(got == want, "CloseGroup(%v) = %d, want %d", g, got, want)
}

func (p *pair) cancelGroup() {
	g := p.group()
	got, want := p.w.CancelGroup(g), p.m.cancelGroup(g)
	p.note("CancelGroup(%v) = %d", g, got)
	p.want(got == want, "CancelGroup(%v) = %d, want %d", g, got, want)
}

func (p *pair) pause() {
	g := p.group()
	got, want := p.w.Pause(g), p.m.pause(g)
	p.note("Pause(%v) = %v", g, got)
	p.want(got == want, "Pause(%v) = %v, want %v", g, got, want)
}

func (p *pair) resume() {
	g := p.group()
	got, want := p.w.Resume(g), p.m.resume(g)
	p.note("Resume(%v) = %v", g, got)
	p.want(got == want, "Resume(%v) = %v, want %v", g, got, want)
}

// kill makes the live gate refuse the payload of some pending timer.
func (p *pair) kill() {
	if len(p.m.ts) > 0 {
		id := p.m.ts[p.pick(len(p.m.ts))].id
		p.dead[id] = true
		p.note("kill payload %d", id)
	}
}

func (p *pair) gate() {
	p.m.gated = p.pick(4) != 3
	p.note("SetLive, gate %v", p.m.gated)
	if !p.m.gated {
		p.w.SetLive(nil)
		return
	}
	p.w.SetLive(func(id *int) bool { return !p.dead[*id] })
}

func (p *pair) setBudget() {
	n := []int{0, 1, 2, 3, 4, 7, 12, 40}[p.pick(8)]
	p.note("SetBudget(%d)", n)
	p.want(p.w.SetBudget(n) == nil, "SetBudget(%d) failed", n)
	p.want(p.w.Budget() == n, "Budget() = %d, want %d", p.w.Budget(), n)
	p.m.budget = n
}

// errPlanned is what a callback of a pair panics with.
var errPlanned = errors.New("planned")

// advance runs both to a drawn tick. The model says before each callback what
// it must be; callbacks draw calls of their own, and may panic.
func (p *pair) advance() {
	to := p.target()
	if p.m.run.active && p.pick(4) != 3 {
		to = max(p.m.now, p.m.run.to)
	}
	p.note("Advance(%d) from %d, budget %d", to, p.m.now, p.m.budget)
	p.m.begin(to)
	p.inside = 60
	rep, whole := p.tryAdvance(to)
	if !whole {
		p.note("interrupted at %d", p.m.now)
		p.m.run.firing = nil // its callback is over
		return
	}
	f, more := p.m.step()
	p.want(!more, "Advance(%d) ended, want timer %v to fire at %d", to, f.t, p.m.now)
	carried := 0
	for _, l := range byRank {
		n, _ := p.m.backlog(l)
		carried += n
	}
	want := timers.Report{From: p.m.run.from, To: to, Fired: p.m.run.fired, Carried: carried}
	p.note("  = %+v", rep)
	p.want(rep == want, "Advance(%d) = %+v, want %+v", to, rep, want)
}

func (p *pair) tryAdvance(to timers.Tick) (rep timers.Report, whole bool) {
	defer func() {
		if !whole {
			if r := recover(); r != nil && r != errPlanned { // nil: FailNow
				panic(r)
			}
		}
	}()
	rep = p.w.Advance(to, p.callback)
	return rep, true
}

// target draws how far to advance, near enough that periods do not make it dear.
func (p *pair) target() timers.Tick {
	span := timers.Span(1)
	switch p.pick(8) {
	case 4, 5:
		span = timers.Span(p.pick(6))
	case 6:
		span = timers.Span(p.pick(3 * int(min(p.m.cfg.NearTicks, 256))))
	case 7:
		span = max(p.delay(), 0)
		if n, ok := p.m.next(); ok && p.pick(2) == 1 {
			span = timers.Span(n - p.m.now)
		}
	}
	limit := timers.Span(1) << 45
	for _, t := range p.m.ts {
		if t.rep != nil && !t.frozen {
			limit = 300
		}
	}
	const last = 1<<62 + 1<<61 - 1<<22 // safely before the last tick there is
	return min(p.m.now+timers.Tick(min(span, limit)), max(last, p.m.now))
}

func (p *pair) callback(f timers.Firing[int]) {
	want, ok := p.m.step()
	p.note("  fire %+v", f)
	p.want(ok, "fired %+v at %d, want nothing more", f, p.w.Now())
	p.want(p.w.Now() == p.m.now, "Now() = %d in a callback, want %d", p.w.Now(), p.m.now)
	wf := timers.Firing[int]{Payload: want.t.id, Handle: want.handle, Deadline: want.deadline,
		Late: want.late, Missed: want.missed, Lane: want.t.lane}
	p.want(f == wf, "fired %+v at %d, want %+v", f, p.m.now, wf)
	if t := want.t; t.rep != nil {
		p.drawn(t, t.deadline)
	}
	for p.inside > 0 && p.pick(3) == 2 {
		p.inside--
		p.act(f.Handle)
	}
	if p.pick(40) == 39 {
		p.note("  panic")
		panic(errPlanned)
	}
	// A callback may make a short period in an Advance of a horizon.
	if p.m.run.fired > 2000 || p.pick(40) == 39 {
		p.note("  break")
		p.w.Break()
		p.m.run.broken = true
	}
}

// act is one drawn call from inside the callback of h.
func (p *pair) act(h timers.Handle) {
	switch p.pick(16) {
	case 0, 1, 2:
		p.at()
	case 3:
		p.every()
	case 4, 5:
		p.cancel()
	case 6, 7:
		p.handles = append(p.handles, h) // itself, most likely
		p.reset()
	case 8:
		p.handles = append(p.handles, h)
		p.cancel()
	case 9:
		p.closeGroup()
	case 10:
		p.cancelGroup()
	case 11, 12:
		p.pause()
	case 13:
		p.resume()
	case 14:
		p.newGroup()
	case 15:
		p.kill()
	}
	p.look()
}

// look compares all that can be seen without changing anything.
func (p *pair) look() {
	w, m := p.w, p.m
	p.want(w.Now() == m.now, "Now() = %d, want %d", w.Now(), m.now)
	p.want(w.Len() == len(m.ts), "Len() = %d, want %d", w.Len(), len(m.ts))
	p.want(w.Cancelled() == m.cancelled, "Cancelled() = %d, want %d", w.Cancelled(), m.cancelled)
	for _, l := range byRank {
		n, age := m.backlog(l)
		p.want(w.Backlog(l) == n, "Backlog(%v) = %d, want %d", l, w.Backlog(l), n)
		p.want(w.BacklogAge(l) == age, "BacklogAge(%v) = %d, want %d", l, w.BacklogAge(l), age)
	}
	for _, g := range p.groups {
		n, mg := len(m.members(g)), m.groups[g]
		p.want(w.GroupLen(g) == n, "GroupLen(%v) = %d, want %d", g, w.GroupLen(g), n)
		paused := mg != nil && mg.paused
		p.want(w.Paused(g) == paused, "Paused(%v) = %v, want %v", g, w.Paused(g), paused)
	}
	next, ok := w.Next()
	wantNext, wantOK := m.next()
	p.want(next == wantNext && ok == wantOK, "Next() = %d, %v, want %d, %v", next, ok, wantNext, wantOK)
	for _, h := range p.handles {
		p.lookAt(h)
	}
	p.lookAtAll()
	if p.looks++; m.cfg.NearTicks > 256 && p.looks%32 != 0 {
		return // walking a big ring after each call costs more than it finds
	}
	if err := w.Check(); err != nil {
		p.want(false, "invariant broken: %v", err)
	}
}

func (p *pair) lookAt(h timers.Handle) {
	t := p.m.find(h)
	rem, ok := p.w.Remaining(h)
	id, okID := p.w.Payload(h)
	p.want(ok == (t != nil) && ok == okID, "Remaining(%v), Payload(%v): %v, %v, want %v", h, h, ok, okID, t != nil)
	if t != nil {
		p.want(rem == p.m.remaining(t), "Remaining(%v) = %d, want %d", h, rem, p.m.remaining(t))
		p.want(id == t.id, "Payload(%v) = %d, want %d", h, id, t.id)
		if d := t.deadline; !t.frozen && d > p.m.now {
			n, live := p.w.Load(d), p.m.load(d)
			p.want(n == live, "Load(%d) = %d, want %d", d, n, live)
		}
	}
}

func (p *pair) lookAtAll() {
	want, i := p.m.all(), 0
	frozen := map[timers.Handle]*mTimer{} // listed last, in no stated order
	for i, t := range want {
		if t.frozen {
			frozen[t.handle] = want[i]
		}
	}
	for got := range p.w.All() {
		p.want(i < len(want), "All() lists %+v after all %d timers", got, len(want))
		t := want[i]
		if t.frozen {
			t = frozen[got.Handle]
			delete(frozen, got.Handle)
			p.want(t != nil, "All()[%d] = %+v, want a paused timer, each once", i, got)
		}
		w := timers.Pending[int]{Payload: t.id, Handle: t.handle, Deadline: p.m.dueAt(t),
			Group: p.groupOf(t), Lane: t.lane, Periodic: t.rep != nil, Paused: t.frozen}
		p.want(got == w, "All()[%d] = %+v, want %+v", i, got, w)
		i++
	}
	p.want(i == len(want), "All() lists %d timers, want %d", i, len(want))
}

func (p *pair) groupOf(t *mTimer) timers.Group {
	for g, mg := range p.m.groups {
		if mg == t.group {
			return g
		}
	}
	return timers.Group{}
}
