package schemes

import (
	"fmt"
	"math/bits"

	"github.com/tickwheel/tickwheel/timers"
)

// Hashed is a ring of slots, one a tick. A timer further away than a lap waits in
// its slot and is counted down each time the hand comes by, so a tick costs as
// much as its slot has timers, due or not.
type Hashed struct {
	base
	slots []list
	shift int // log2 of the number of slots
}

// NewHashed makes a ring. The number of slots is a power of two, 2 to 1<<24; any
// other panics.
func NewHashed(slots int, c Config) *Hashed {
	c.check("NewHashed")
	if slots < 2 || slots > 1<<24 || bits.OnesCount(uint(slots)) != 1 {
		panic(fmt.Sprintf("schemes: NewHashed: slots is %d: want a power of two from 2 to %d", slots, 1<<24))
	}
	h := &Hashed{slots: make([]list, slots), shift: bits.Len(uint(slots)) - 1}
	h.init(c)
	for i := range h.slots {
		h.slots[i].init()
	}
	return h
}

// slot is where the hand stands at tick at.
func (h *Hashed) slot(at timers.Tick) *list { return &h.slots[int(at)&(len(h.slots)-1)] }

// Schedule files a timer in the slot of its deadline. It takes constant time.
func (h *Hashed) Schedule(deadline timers.Tick, payload uint64) *Timer {
	deadline = max(deadline, h.now+1)
	t := &Timer{key: int64(deadline-h.now-1) >> h.shift, payload: payload}
	h.slot(deadline).push(t)
	h.live++
	return t
}

// Advance moves the hand slot by slot to the tick to.
func (h *Hashed) Advance(to timers.Tick, fire func(uint64)) (r Report) {
	h.begin(to)
	defer h.end()
	h.fireDue(fire, &r)
	for h.now < to {
		h.now++
		h.collect(&r)
		h.fireDue(fire, &r)
	}
	return r
}

// collect moves what is due from the slot under the hand to due, before the first
// callback can file a timer a lap away in the same slot.
func (h *Hashed) collect(r *Report) {
	slot := h.slot(h.now)
	for t := slot.end.next; t != &slot.end; {
		next := t.next
		switch {
		case t.key > 0:
			t.key--
			r.Touched++
		case t.key == 0:
			t.unlink()
			h.due.push(t)
		default: // cancelled lazily
			t.unlink()
			r.Touched++
		}
		t = next
	}
}

// Close forgets all timers.
func (h *Hashed) Close() {
	for i := range h.slots {
		h.slots[i].init()
	}
	h.due.init()
	h.live = 0
}
