package check

import (
	"time"

	"github.com/tickwheel/tickwheel/sim/oracle"
	"github.com/tickwheel/tickwheel/tick"
)

// guardEvery is after how many callbacks the time guard looks at the clock.
const guardEvery = 64

// fire tells the oracle of a callback, and of the cut behind it.
func (w *world) fire(f oracle.Firing) (*oracle.Timer, error) {
	w.inboxOver()
	w.wheel.Begin(w.loop.Now())
	w.facts.callbacks++
	m, err := w.wheel.Fire(f)
	if w.fail(err); err != nil {
		return m, err
	}
	took := w.clock.now - w.facts.phase
	due := w.o.Guard > 0 && took >= w.o.Interval*time.Duration(w.o.Guard)/100 && w.facts.callbacks%guardEvery == 0
	if due && !w.facts.cut {
		w.broken(oracle.Guard, "callback %d began %v after the first and the time guard did not cut", w.facts.callbacks, took)
	}
	if w.facts.cutNow {
		if !due {
			w.broken(oracle.Guard, "the time guard cut at callback %d, %v after the first", w.facts.callbacks, took)
		}
		w.facts.cutNow = false
		w.wheel.Break()
	}
	return m, nil
}

// guarded is the loop's note that the callback which follows is the last of its
// tick.
func (w *world) guarded(g tick.GuardInfo) {
	w.note(uint64(g.Tick), uint64(g.After))
	if w.facts.cut {
		w.broken(oracle.Guard, "the time guard cut twice in tick %d", g.Tick)
	}
	w.facts.cut, w.facts.cutNow = true, true
	w.cuts++
	w.say("the time guard cuts behind callback %d", g.After)
}
