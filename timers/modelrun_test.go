package timers_test

import (
	"math"
	"slices"

	"github.com/tickwheel/tickwheel/timers"
)

// mRun is an Advance under way, also one that a panic interrupted.
type mRun struct {
	active   bool
	from, to timers.Tick
	left     int // callbacks the budget still allows
	limited  bool
	fired    int
	broken   bool
	firing   *mTimer // one-shot whose callback runs and that Reset may re-arm

	inTick bool
	due    [timers.Lanes]int // by rank, at the start of the tick
	served [timers.Lanes]int
	atOpen int   // r.left at the start of the tick
	order  []int // ranks in the order they are served, twice
	visit  int   // 0 to 2 with shares, 3 to 5 with what is left
	allow  int   // callbacks the visited lane may still have in this visit
}

// mFiring is what the next callback must be.
type mFiring struct {
	t        *mTimer
	handle   timers.Handle
	deadline timers.Tick
	late     timers.Span
	missed   int64
}

// begin starts an Advance, or takes up the interrupted one.
func (m *model) begin(to timers.Tick) {
	if m.run.active {
		m.run.to = to
	} else {
		m.run = mRun{active: true, from: m.now, to: to, left: math.MaxInt, limited: m.budget > 0}
		if m.budget > 0 {
			m.run.left = m.budget
		}
	}
}

// step returns the next callback, or false when the Advance is complete.
func (m *model) step() (mFiring, bool) {
	r := &m.run
	r.firing = nil
	for !r.broken && r.left > 0 {
		if !r.inTick {
			n, ok := m.next()
			if !ok || n > r.to {
				break
			}
			m.openTick(n)
		}
		if t := m.choose(); t != nil {
			return m.fire(t), true
		}
		m.closeTick()
	}
	if r.inTick {
		m.closeTick()
	}
	if r.to > m.now {
		m.calm()
	}
	m.now, r.active = r.to, false
	return mFiring{}, false
}

// choose picks the timer to run next in the tick in hand, nil if the tick is done.
func (m *model) choose() *mTimer {
	r := &m.run
	for r.visit < 2*timers.Lanes {
		if r.allow > 0 {
			if t := m.first(r.order[r.visit%timers.Lanes]); t != nil {
				return t
			}
		}
		r.visit++
		m.enter()
	}
	return nil
}

// first is the live due timer of a lane that comes first, nil if there is none.
// Timers that the gate refuses are dropped on the way.
func (m *model) first(rk int) *mTimer {
	for {
		var best *mTimer
		for _, t := range m.ts {
			if t.frozen || rank(t.lane) != rk || t.deadline > m.now {
				continue
			}
			if best == nil || t.deadline < best.deadline ||
				t.deadline == best.deadline && t.seq < best.seq {
				best = t
			}
		}
		if best == nil || !m.gated || !m.dead[best.id] {
			return best
		}
		m.remove(best)
		m.cancelled++
	}
}

func (m *model) fire(t *mTimer) mFiring {
	r := &m.run
	r.fired++
	r.left--
	r.allow--
	r.served[rank(t.lane)]++
	f := mFiring{t: t, handle: t.handle, deadline: t.deadline, late: timers.Span(m.now - t.deadline)}
	if t.rep != nil {
		f.missed = m.rearm(t)
	} else {
		m.remove(t)
		r.firing = t
	}
	return f
}

// openTick makes n the tick in hand and fixes the shares from what is due.
func (m *model) openTick(n timers.Tick) {
	r := &m.run
	m.calm()
	m.now, r.inTick, r.visit = n, true, 0
	r.due, r.served = [timers.Lanes]int{}, [timers.Lanes]int{}
	for rk, l := range byRank {
		r.due[rk], _ = m.backlog(l)
	}
	r.atOpen = r.left
	r.order = []int{0, 1, 2}
	if rk := m.starved(); r.limited && r.atOpen < 3 && m.hungry[rk] >= 8 {
		r.order = append([]int{rk}, slices.DeleteFunc(r.order, func(o int) bool { return o == rk })...)
	}
	m.enter()
}

// calm forgets how long lanes waited when none has anything left that waits.
func (m *model) calm() {
	for _, l := range byRank {
		if n, _ := m.backlog(l); n > 0 {
			return
		}
	}
	m.hungry = [timers.Lanes]int{}
}

// starved is the rank whose due work has waited longest without a run.
func (m *model) starved() (worst int) {
	for rk := range byRank {
		if m.run.due[rk] > 0 && m.hungry[rk] > m.hungry[worst] {
			worst = rk
		}
	}
	return worst
}

// enter fixes how many callbacks the lane now visited may have: what is left,
// less what lower lanes are sure of while the first pass lasts.
func (m *model) enter() {
	r := &m.run
	r.allow = r.left
	for i := r.visit + 1; i < len(r.order); i++ { // nothing in the second pass
		r.allow -= m.reserve(r.order[i])
	}
}

// reserve is what a lower lane is sure of in the tick in hand.
func (m *model) reserve(rk int) int {
	r := &m.run
	if !r.limited {
		return 0
	}
	share := [timers.Lanes]float64{0, m.cfg.Shares.Normal, m.cfg.Shares.Bulk}[rk]
	n := int(math.Floor(float64(r.atOpen) * share))
	if r.atOpen >= 3 {
		n = max(n, 1)
	}
	return min(r.due[rk], n)
}

// closeTick counts for each lane how long its due work has gone unserved.
func (m *model) closeTick() {
	r := &m.run
	r.inTick = false
	for rk := range byRank {
		if r.due[rk] > 0 && r.served[rk] == 0 {
			m.hungry[rk]++
		} else {
			m.hungry[rk] = 0
		}
	}
}
