package oracle

import (
	"cmp"
	"slices"

	"github.com/tickwheel/tickwheel/timers"
)

// members lists the pending timers of g in order of scheduling.
func (w *Wheel) members(g *Group) (ts []*Timer) {
	for _, t := range w.timers {
		if t.Group == g {
			ts = append(ts, t)
		}
	}
	return ts
}

// GroupLen is how many timers of g are pending.
func (w *Wheel) GroupLen(g *Group) int { return len(w.members(g)) }

// CancelGroup cancels the timers of g and returns how many.
func (w *Wheel) CancelGroup(g *Group) int {
	ts := w.members(g)
	for _, t := range ts {
		w.remove(t, "cancelled with its group")
	}
	return len(ts)
}

// CloseGroup is CancelGroup, and the end of g.
func (w *Wheel) CloseGroup(g *Group) int {
	n := w.CancelGroup(g)
	g.Closed, g.Paused = true, false
	return n
}

// Pause freezes g and reports whether it ran.
func (w *Wheel) Pause(g *Group) bool {
	if g.Closed || g.Paused {
		return false
	}
	g.Paused = true
	for _, t := range w.members(g) {
		w.freezeIfPaused(t)
	}
	return true
}

// Resume thaws g: what was left stays, in the order there was, behind what is
// scheduled already. The grid stood still for as long.
func (w *Wheel) Resume(g *Group) bool {
	if g.Closed || !g.Paused {
		return false
	}
	g.Paused = false
	ts := w.members(g)
	slices.SortFunc(ts, func(a, b *Timer) int {
		return cmp.Or(cmp.Compare(a.left, b.left), cmp.Compare(a.seq, b.seq))
	})
	for _, t := range ts {
		t.point += int64(w.now-t.since) * w.cfg.Units
		t.Deadline = w.now + timers.Tick(max(t.left, 1))
		t.seq, t.frozen = w.nextSeq(), false
	}
	return true
}
