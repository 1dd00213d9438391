package check

import (
	"slices"

	"github.com/tickwheel/tickwheel/sim/oracle"
	"github.com/tickwheel/tickwheel/timers"
)

// look asks the wheel for all that can be asked, which changes nothing.
func (b *bench) look(p *op, g *group) {
	if n := b.m.Cancelled(); b.w.Cancelled() != n {
		b.broken(oracle.Counts, "the wheel has cancelled %d timers: want %d", b.w.Cancelled(), n)
	}
	if b.w.Budget() != b.m.Budget() && b.canary != bugCap {
		b.broken(oracle.Told, "the budget is %d: want %d", b.w.Budget(), b.m.Budget())
	}
	if got, want := b.w.Paused(g.real), g.m.Paused && g != b.groups[0]; got != want {
		b.broken(oracle.Told, "group %d is paused: %v, want %v", slices.Index(b.groups, g), got, want)
	}
	for _, e := range b.list[max(0, len(b.list)-20):] {
		left, ok := b.w.Remaining(e.h)
		payload, has := b.w.Payload(e.h)
		want := timers.Span(0)
		if e.m.Pending() {
			want = b.m.Remaining(e.m)
		}
		switch {
		case ok != e.m.Pending() || left != want:
			b.broken(oracle.Told, "%v has %d ticks left (%v): want %d (%v)", e.m, left, ok, want, e.m.Pending())
		case has != ok || has && *payload != e.id:
			b.broken(oracle.Told, "%v has a payload: %v, want %v and its own", e.m, has, ok)
		}
	}
	if b.m.Advancing() {
		return
	}
	if at := b.m.Now() + 1 + timers.Tick(p.b%60); b.w.Load(at) != b.m.Load(at) {
		b.broken(oracle.Told, "%d timers are due in tick %d: want %d", b.w.Load(at), at, b.m.Load(at))
	}
	b.all()
}

// all compares the list of what is pending.
func (b *bench) all() {
	want := b.m.All()
	i := 0
	for p := range b.w.All() {
		if i == len(want) {
			b.broken(oracle.Told, "timer %d is listed after the last", *p.Payload)
			return
		}
		t := want[i]
		at, frozen := t.Deadline, t.Frozen()
		if frozen {
			at = b.m.Now() + timers.Tick(max(b.m.Remaining(t), 1))
		}
		if *p.Payload != t.ID && !frozen || p.Lane != t.Lane && !frozen || p.Deadline != at && !frozen || p.Paused != frozen {
			b.broken(oracle.Told, "number %d of the list is timer %d (%v, due in tick %d, paused: %v): want %v, paused: %v",
				i+1, *p.Payload, p.Lane, p.Deadline, p.Paused, t, frozen)
			return
		}
		e := b.list[*p.Payload-1]
		if p.Handle != e.h || p.Periodic != e.m.Periodic() || p.Paused != e.m.Frozen() {
			b.broken(oracle.Told, "timer %d is listed with handle %v (periodic: %v): want %v", e.id, p.Handle, p.Periodic, e.h)
			return
		}
		i++
	}
	if i != len(want) {
		b.broken(oracle.Told, "%d timers are listed: want %d", i, len(want))
	}
}

// gate tells the wheel which timers are alive: those of groups that are not dead.
func (b *bench) gate() {
	if b.canary == bugDead {
		return
	}
	b.w.SetLive(func(p **int) bool { return !b.list[**p-1].m.Group.Dead })
}

// kill makes a group dead: its timers are dropped when they are due.
func (b *bench) kill(g *group) {
	if g == b.groups[0] {
		return
	}
	g.m.Dead = true
	b.gate()
	b.say("group %d is dead", slices.Index(b.groups, g))
}
