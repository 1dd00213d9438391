package check

import (
	"time"

	"github.com/tickwheel/tickwheel/sim/oracle"
)

// hooks are the systems and flush hooks that the plan adds.
type hooks struct {
	what string
	n    int // there are
	due  int // in this tick
	ran  int // in this tick
}

// maxHooks bounds the hooks of a sort.
const maxHooks = 4

// hook adds a system, or a flush hook.
func (w *world) hook(p *op) {
	h := &w.systems
	if p.b&1 == 1 {
		h = &w.flushes
	}
	if h.n >= maxHooks {
		return
	}
	h.n++
	n := h.n
	w.say("%s %d is added", h.what, n)
	run := func() {
		h.ran++
		if w.err == nil && (h.ran != n || n > h.due) {
			w.broken(oracle.Phases, "%s %d of %d ran as number %d of tick %d", h.what, n, h.due, h.ran, w.loop.Now())
		}
		w.leave(p)
	}
	if h == &w.flushes {
		w.loop.OnFlush(run)
	} else {
		w.loop.OnTick(func(time.Duration) { run() })
	}
}

// begins is the beginning of the phase of h: one that is added now waits.
func (h *hooks) begins() { h.due, h.ran = h.n, 0 }

// over checks that all of them ran in this tick.
func (w *world) over(h *hooks) {
	if h.ran != h.due {
		w.broken(oracle.Phases, "tick %d ran %d of %d: %s", w.loop.Now(), h.ran, h.due, h.what)
	}
}

// flush is the first hook of the flush phase.
func (w *world) flush() {
	w.over(&w.systems)
	w.flushes.begins()
	w.fail(w.tree.Told())
	w.calls(viaFlush)
}
