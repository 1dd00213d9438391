package oracle

import (
	"fmt"
	"math"
	"slices"

	"github.com/tickwheel/tickwheel/timers"
)

// starvedTicks is after how many ticks without a turn a lane is first, if the
// budget is too small for shares.
const starvedTicks = 8

// run is an Advance under way, also one that a panic interrupted.
type run struct {
	active  bool
	to      timers.Tick
	left    int // callbacks still allowed
	limited bool
	broken  bool
	firing  *Timer // the one-shot whose callback runs
	fired   int

	inTick bool
	due    [timers.Lanes]int // by rank, at the start of the tick
	served [timers.Lanes]int
	atOpen int
	order  []int // ranks in the order they are served, twice
	visit  int   // 0 to 2 with shares, 3 to 5 with what is left
	allow  int   // callbacks the lane in hand may still have
}

// Firing is a callback of the code under test.
type Firing struct {
	ID             int
	Tick, Deadline timers.Tick
	Late           timers.Span
	Missed         int64
	Lane           timers.Lane
}

var byRank = [timers.Lanes]timers.Lane{timers.Urgent, timers.Normal, timers.Bulk}

func rank(l timers.Lane) int { return slices.Index(byRank[:], l) }

// Begin starts an Advance, or goes on with one that did not return.
func (w *Wheel) Begin(to timers.Tick) {
	if w.run.active {
		w.run.to = to
		return
	}
	w.run = run{active: true, to: to, left: math.MaxInt, limited: w.cfg.Budget > 0}
	if w.run.limited {
		w.run.left = w.cfg.Budget
	}
}

// Break ends the callbacks of the Advance behind the one that runs.
func (w *Wheel) Break() { w.run.broken = true }

// Fire checks that f is the callback whose turn it is, and takes it out, or on to
// its next run. It returns the timer.
func (w *Wheel) Fire(f Firing) (*Timer, error) {
	t := w.byID[f.ID]
	switch {
	case t == nil:
		return nil, broken(Once, "timer %d fired in tick %d, which nobody scheduled", f.ID, f.Tick)
	case !w.run.active:
		return t, broken(Order, "%v fired outside the timer phase", t)
	case !t.Pending() && t.end == "fired":
		return t, broken(Once, "%v fired again in tick %d", t, f.Tick)
	case !t.Pending():
		return t, broken(AfterEnd, "%v fired in tick %d although it was %s", t, f.Tick, t.end)
	case t.Group != nil && t.Group.Dead:
		return t, broken(AfterEnd, "%v fired in tick %d although its scope has ended", t, f.Tick)
	case t.frozen:
		return t, broken(Paused, "%v fired in tick %d although it is paused", t, f.Tick)
	case t.Deadline > f.Tick:
		return t, broken(Early, "%v fired in tick %d, before its time", t, f.Tick)
	}
	fired := w.run.fired
	want := w.step()
	switch {
	case want == nil:
		return t, broken(Cap, "%v fired in tick %d after %d callbacks, over the cap of %d", t, f.Tick, fired, w.cfg.Budget)
	case want != t && want.Lane != t.Lane:
		return t, broken(Lanes, "%v fired in tick %d, but it was the turn of %v", t, f.Tick, want)
	case want != t && want.Deadline < w.now:
		return t, broken(Carried, "%v fired in tick %d, but %v was carried and is first in line", t, f.Tick, want)
	case want != t:
		return t, broken(Order, "%v fired in tick %d, but %v comes before it", t, f.Tick, want)
	}
	due, late := t.Deadline, timers.Span(w.now-t.Deadline)
	missed := w.take(t)
	switch {
	case f.Tick != w.now:
		return t, broken(Early, "%v fired in tick %d, but tick %d is its turn", t, f.Tick, w.now)
	case f.Deadline != due || f.Late != late || f.Lane != t.Lane:
		return t, broken(Carried, "%v was told deadline %d, late %d, %v: want %d, %d, %v", t, f.Deadline, f.Late, f.Lane, due, late, t.Lane)
	case f.Missed != missed:
		return t, broken(Periods, "%v was told of %d missed runs in tick %d: want %d", t, f.Missed, w.now, missed)
	}
	return t, nil
}

// String names t as stories do.
func (t *Timer) String() string {
	s := fmt.Sprintf("timer %d (%v, due in tick %d", t.ID, t.Lane, t.Deadline)
	if t.period > 0 {
		s += ", periodic"
	}
	return s + ")"
}

// End checks that an Advance which returns has nothing left to do.
func (w *Wheel) End() error {
	if t := w.step(); t != nil {
		return broken(Lost, "%v did not fire in tick %d, although it was its turn", t, w.now)
	}
	return nil
}

// step returns the timer whose turn it is, nil when the Advance is complete.
func (w *Wheel) step() *Timer {
	r := &w.run
	r.firing = nil
	for !r.broken && r.left > 0 {
		if !r.inTick {
			n, ok := w.Next()
			if !ok || n > r.to {
				break
			}
			w.openTick(n)
		}
		if t := w.choose(); t != nil {
			return t
		}
		w.closeTick()
	}
	if r.inTick {
		w.closeTick()
	}
	if r.to > w.now {
		w.calm()
	}
	w.now, r.active = r.to, false
	return nil
}

// take is the turn of t.
func (w *Wheel) take(t *Timer) (missed int64) {
	r := &w.run
	r.fired++
	r.left--
	r.allow--
	r.served[rank(t.Lane)]++
	if t.period == 0 {
		w.remove(t, "fired")
		r.firing = t
		return 0
	}
	at := int64(w.now) * w.cfg.Units
	if t.delay {
		t.point = at + t.period
	} else {
		if at > t.point {
			missed = (at - t.point) / t.period
		}
		t.point += t.period * (missed + 1)
	}
	u := w.cfg.Units
	t.Deadline, t.seq = w.clamp(timers.Tick((t.point+u-1)/u)), w.nextSeq()
	w.freezeIfPaused(t)
	return missed
}

func (w *Wheel) choose() *Timer {
	r := &w.run
	for r.visit < 2*timers.Lanes {
		if r.allow > 0 {
			if t := w.first(byRank[r.order[r.visit%timers.Lanes]]); t != nil {
				return t
			}
		}
		r.visit++
		w.enter()
	}
	return nil
}

// first is the due timer of a lane that comes first. Dead ones are dropped.
func (w *Wheel) first(lane timers.Lane) *Timer {
	for {
		var best *Timer
		for _, t := range w.timers {
			if t.frozen || t.Lane != lane || t.Deadline > w.now {
				continue
			}
			if best == nil || t.Deadline < best.Deadline || t.Deadline == best.Deadline && t.seq < best.seq {
				best = t
			}
		}
		if best == nil || best.Group == nil || !best.Group.Dead {
			return best
		}
		w.remove(best, "dropped: its scope had ended")
	}
}

// openTick makes n the tick in hand and fixes the shares from what is due.
func (w *Wheel) openTick(n timers.Tick) {
	r := &w.run
	w.calm()
	w.now, r.inTick, r.visit = n, true, 0
	r.due, r.served = [timers.Lanes]int{}, [timers.Lanes]int{}
	for rk, l := range byRank {
		r.due[rk], _ = w.Backlog(l)
	}
	r.atOpen = r.left
	r.order = []int{0, 1, 2}
	if rk := w.starved(); r.limited && r.atOpen < 3 && w.hungry[rk] >= starvedTicks {
		r.order = append([]int{rk}, slices.DeleteFunc(r.order, func(o int) bool { return o == rk })...)
	}
	w.enter()
}

// calm forgets how long lanes waited when nothing waits any more.
func (w *Wheel) calm() {
	for _, l := range byRank {
		if n, _ := w.Backlog(l); n > 0 {
			return
		}
	}
	w.hungry = [timers.Lanes]int{}
}

func (w *Wheel) starved() (worst int) {
	for rk := range byRank {
		if w.run.due[rk] > 0 && w.hungry[rk] > w.hungry[worst] {
			worst = rk
		}
	}
	return worst
}

// enter fixes what the lane now visited may have: what is left, less what lower
// lanes are sure of while the first pass lasts.
func (w *Wheel) enter() {
	r := &w.run
	r.allow = r.left
	for i := r.visit + 1; i < len(r.order); i++ {
		r.allow -= w.reserve(r.order[i])
	}
}

func (w *Wheel) reserve(rk int) int {
	r := &w.run
	if !r.limited {
		return 0
	}
	n := int(math.Floor(float64(r.atOpen) * [timers.Lanes]float64{0, w.cfg.Normal, w.cfg.Bulk}[rk]))
	if r.atOpen >= 3 {
		n = max(n, 1)
	}
	return min(r.due[rk], n)
}

func (w *Wheel) closeTick() {
	r := &w.run
	r.inTick = false
	for rk := range byRank {
		if r.due[rk] > 0 && r.served[rk] == 0 {
			w.hungry[rk]++
		} else {
			w.hungry[rk] = 0
		}
	}
}

// Advancing reports whether an Advance is under way.
func (w *Wheel) Advancing() bool { return w.run.active }
