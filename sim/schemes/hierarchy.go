package schemes

import (
	"fmt"
	"math/bits"

	"github.com/tickwheel/tickwheel/timers"
)

// Hierarchy is a wheel of levels. A slot of level k spans 2^(k·bits) ticks; when
// the hand enters it, all its timers are filed again, one level or more down, in
// that very tick.
//
// The level is that of the highest bit in which now and deadline differ, not that
// of their distance: so all timers of one deadline are in one slot at any time,
// and ties keep their order. What differs above the top level waits in a list that
// is looked through once a turn of the top level.
type Hierarchy struct {
	base
	levels [][]list
	bits   int
	beyond list
}

// NewHierarchy makes a wheel of levels of 1<<slotBits slots each. It panics unless
// there are 1 to 8 levels, slotBits is 1 to 16, and both together span at most
// 1<<48 ticks.
func NewHierarchy(levels, slotBits int, c Config) *Hierarchy {
	c.check("NewHierarchy")
	if levels < 1 || levels > 8 || slotBits < 1 || slotBits > 16 || levels*slotBits > 48 {
		panic(fmt.Sprintf("schemes: NewHierarchy: levels is %d, slotBits %d: want 1 to 8, 1 to 16, product at most 48", levels, slotBits))
	}
	h := &Hierarchy{levels: make([][]list, levels), bits: slotBits}
	h.init(c)
	h.beyond.init()
	for i := range h.levels {
		h.levels[i] = make([]list, 1<<slotBits)
		for j := range h.levels[i] {
			h.levels[i][j].init()
		}
	}
	return h
}

// slot is the slot of level that tick at belongs to.
func (h *Hierarchy) slot(level int, at int64) *list {
	slots := h.levels[level]
	return &slots[int(at>>(level*h.bits))&(len(slots)-1)]
}

// file links t where its deadline belongs now.
func (h *Hierarchy) file(t *Timer) {
	level := max(bits.Len64(uint64(t.key)^uint64(h.now))-1, 0) / h.bits
	if level >= len(h.levels) {
		h.beyond.push(t)
		return
	}
	h.slot(level, t.key).push(t)
}

// Schedule files a timer. It takes constant time.
func (h *Hierarchy) Schedule(deadline timers.Tick, payload uint64) *Timer {
	t := &Timer{key: int64(max(deadline, h.now+1)), payload: payload}
	h.file(t)
	h.live++
	return t
}

// Advance moves the hand tick by tick to the tick to.
func (h *Hierarchy) Advance(to timers.Tick, fire func(uint64)) (r Report) {
	h.begin(to)
	defer h.end()
	h.fireDue(fire, &r)
	for h.now < to {
		h.now++
		h.cascade(&r)
		slot := h.slot(0, int64(h.now))
		for t := slot.front(); t != nil; t = slot.front() {
			t.unlink()
			h.due.push(t)
		}
		h.fireDue(fire, &r)
	}
	return r
}

// cascade refiles the slots that the hand enters in this tick, coarse ones first.
func (h *Hierarchy) cascade(r *Report) {
	top := min(bits.TrailingZeros64(uint64(h.now))/h.bits, len(h.levels))
	for level := top; level > 0; level-- {
		if level == len(h.levels) {
			h.refile(&h.beyond, r)
		} else {
			h.refile(h.slot(level, int64(h.now)), r)
		}
	}
}

// refile takes each timer that is in l once.
func (h *Hierarchy) refile(l *list, r *Report) {
	last := l.end.prev // what stays beyond the top level is pushed behind it
	for t := l.front(); t != nil; t = l.front() {
		done := t == last
		t.unlink()
		r.Touched++
		if t.pending() {
			h.file(t)
		}
		if done {
			return
		}
	}
}

// Close forgets all timers.
func (h *Hierarchy) Close() {
	for _, slots := range h.levels {
		for i := range slots {
			slots[i].init()
		}
	}
	h.beyond.init()
	h.due.init()
	h.live = 0
}
