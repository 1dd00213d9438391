package check

import (
	"github.com/tickwheel/tickwheel/sim/oracle"
	"github.com/tickwheel/tickwheel/tick"
)

// recover is the healthy phase: no more calls, faults or costs, everything runs
// again, with a budget that fits the load. The backlog of timers, jobs and ended
// sessions must be gone within a number of ticks that follows from their number.
func (w *world) recover() {
	w.say("the healthy phase begins")
	w.healthy = true
	w.stopRepeats()
	for _, s := range w.scopes {
		w.thaw(s)
	}
	demand, ones, periodics := w.load()
	if b := w.wheel.Budget(); b > 0 && b <= 2*demand {
		w.setBudget(2*demand + 2)
	}
	bound := w.o.CatchUp + 2
	if b := w.wheel.Budget(); b > 0 {
		bound += (ones+periodics)/(b-demand) + 1
	}
	jobs := w.jobs.Outstanding() + longest + w.o.CatchUp + 4
	closing := w.mreg.Closing()/w.o.CloseBudget + 2
	drained, worked, released := false, false, false
	for n := 1; n <= max(bound, jobs, closing) && w.err == nil; n++ {
		w.tick()
		if n > w.o.CatchUp+1 && w.facts.shed > 0 {
			w.broken(oracle.Drains, "%d intervals were given up in tick %d of the healthy phase", w.facts.shed, n)
		}
		drained = drained || w.facts.carried == [tick.Lanes]int{}
		worked = worked || w.jobs.Outstanding() == 0
		released = released || w.reg.Closing() == 0
		switch {
		case n == bound && !drained:
			w.broken(oracle.Drains, "the backlog has not been empty within %d ticks of the healthy phase", bound)
		case n == jobs && !worked:
			w.broken(oracle.Drains, "%d jobs are outstanding after %d ticks of the healthy phase", w.jobs.Outstanding(), jobs)
		case n == closing && !released:
			w.broken(oracle.Drains, "%d ended sessions were not released within %d ticks of the healthy phase", w.reg.Closing(), closing)
		}
	}
	if w.err == nil && w.o.StopInTick {
		w.stopInTick()
	}
}

// load is how many callbacks periodic timers want in a tick, rounded up, how many
// one-shots there are, and how many periodics.
func (w *world) load() (demand, ones, periodics int) {
	share := 0.0
	for _, t := range w.wheel.Pending() {
		if t.Frozen() {
			continue
		}
		if !t.Periodic() {
			ones++
			continue
		}
		periodics++
		share += t.PerTick(int64(w.o.Interval))
	}
	return int(share) + 1, ones, periodics
}

// stopInTick has a callback stop the loop.
func (w *world) stopInTick() {
	w.say("a post stops the loop")
	l := &letter{}
	w.send(l, func() error {
		return w.loop.Post(func() {
			w.posted(l)
			w.stopFromCallback()
		})
	})
	w.tick()
}
