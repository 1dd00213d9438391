package check

import (
	"context"
	"errors"
	"runtime"
	"time"

	"github.com/tickwheel/tickwheel/sim/oracle"
	"github.com/tickwheel/tickwheel/tick"
)

// calls makes the calls that the plan has for now.
func (w *world) calls(v via) {
	tick := int(w.loop.Now())
	if v == viaOutside {
		tick++
	}
	for len(w.ops) > 0 && w.ops[0].tick < tick {
		w.ops = w.ops[1:]
	}
	for i := 0; i < len(w.ops) && w.ops[i].tick == tick; i++ {
		switch p := &w.ops[i]; {
		case p.via == v:
			w.do(p)
		case v == viaSystem && p.via == viaPost:
			w.post(p)
		case v == viaSystem && p.via == viaInput:
			w.input(p)
		case v == viaOutside && p.via == viaCall:
			w.call(p)
		}
	}
}

// do makes a call.
func (w *world) do(p *op) {
	if w.quiet() {
		return
	}
	w.note(uint64(p.n), uint64(p.via))
	s, _ := pick(w.scopes, p.a, func(s *scope) uint64 { return s.birth }, func(s *scope) bool { return s.m.Alive() })
	switch p.what {
	case "after", "far", "storm", "every", "jitter":
		w.schedules(p, s)
	case "keyed", "unkey", "rekey":
		w.keys(p, s)
	case "stop", "reset":
		w.handles(p)
	case "pause":
		w.freeze(s)
	case "resume":
		w.thaw(s)
	case "budget":
		w.setBudget([]int{0, 1, 2, 3, 5, 20}[p.b%6])
	case "child":
		w.child(p, s)
	case "close":
		w.close(p, s)
	case "login", "logout", "hangup", "touch", "masslogout", "own", "detach":
		w.people(p)
	case "offload":
		w.offload(p, s, w.key(p.b>>3), w.o.Interval*time.Duration(p.b%(longest*8))/8)
	case "everyjob":
		w.repeats(p, s)
	case "call":
		w.badCall()
	case "hook":
		w.hook(p)
	case "look":
		w.look(p, s)
	default:
		w.fault(p)
	}
}

// fault is what goes wrong with the machine, or with who uses it.
func (w *world) fault(p *op) {
	switch p.what {
	case "flood":
		n := w.o.Inbox + 2
		if n > 20 {
			n = 5
		}
		for range n {
			w.post(nil)
		}
	case "stall":
		d := w.o.Interval*time.Duration(p.b%64)/8 + 1
		w.say("a stall of %v", d)
		w.clock.now += d
	case "suspend":
		d := w.o.Interval*time.Duration(1000+p.b) + 1
		w.say("the machine sleeps for %v", d)
		w.clock.now += d
	case "clockstep":
		d := time.Duration(p.b-1<<19) * time.Second
		w.say("the date moves by %v", d)
		w.clock.step += d
	}
}

// leave ends a callback as its plan says.
func (w *world) leave(p *op) {
	if w.quiet() {
		return
	}
	switch p.then {
	case "panic":
		w.say("the callback panics")
		w.facts.panics++
		w.panics++
		w.facts.swallow = w.bug(bugPanic) // the next callback
		panic(planned{})
	case "goexit":
		w.say("the callback calls Goexit")
		w.exit()
	}
}

// exit ends the goroutine. A hook may do so while it is ending: it ends once.
func (w *world) exit() {
	if !w.exiting {
		w.exiting = true
		w.facts.goexits++
		w.goexits++
	}
	runtime.Goexit()
}

// leaveHook ends a hook of a scope. One that is called by a call of ours outside of a
// tick, or in the middle of a login, must not take the goroutine with it.
func (w *world) leaveHook(then string) {
	if w.quiet() {
		return
	}
	switch {
	case then == "panic":
		w.say("the hook panics")
		w.facts.panics++
		w.panics++
		w.muffled = w.bug(bugHook)
		panic(planned{})
	case then == "goexit" && w.facts.open && !w.loggingIn:
		w.say("the hook calls Goexit")
		w.exit()
	}
}

// stopFromCallback stops the loop in a tick.
func (w *world) stopFromCallback() {
	if err := w.loop.Stop(context.Background()); !errors.Is(err, tick.ErrInTick) {
		w.broken(oracle.Stopped, "Stop in a callback gave %v: want ErrInTick", err)
	}
	w.stopping = true
}

func (w *world) setBudget(n int) {
	w.say("the budget is %d from the next tick on", n)
	w.fail(w.loop.SetBudget(w.bugged(n)))
	w.wheel.SetBudget(n)
}

func (w *world) key(n int) string { return []string{"", "a", "b", "c", "d"}[n%5] }
