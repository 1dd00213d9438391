package timers

import (
	"iter"
	"math/bits"
)

// Next returns the earliest tick at which a timer will fire: Now+1 if some are
// carried. It returns false if none will; timers of paused groups do not count.
// An idle simulation can Advance to it in one step. It takes constant time,
// short of ticks that hold nothing but paused timers.
func (w *Wheel[T]) Next() (Tick, bool) {
	if w.waiting > 0 {
		return w.now + 1, true
	}
	for t := range w.ticks() {
		if w.load(t) > 0 {
			return t, true
		}
	}
	return 0, false
}

// ticks lists the ticks after now that have blocks, in order.
func (c *core) ticks() iter.Seq[Tick] {
	return func(yield func(Tick) bool) {
		for t := c.now; ; {
			var ok bool
			if t, ok = c.ring.next(t); !ok || t > c.now+c.reach {
				break
			}
			if !yield(t) {
				return
			}
		}
		for t := c.now + c.reach + 1; ; t++ {
			var ok bool
			if t, ok = c.far.next(t); !ok || !yield(t) {
				return
			}
		}
	}
}

// All lists the pending timers in the order in which they would fire without a
// budget; those of paused groups come last. The wheel must not be changed while
// listing, except that the timer in hand may be cancelled.
func (w *Wheel[T]) All() iter.Seq[Pending[T]] {
	return func(yield func(Pending[T]) bool) {
		w.releaseEmptied() // so that a cancel releases no block ahead of us
		// Carried timers run at the next tick, before that tick's own of their
		// lane but after those of more urgent lanes.
		soon := w.now + 1
		for rank := range uint32(Lanes) {
			h := head(rank)
			for b := w.meta(h).next; b != h; {
				next := w.meta(b).next
				if !w.yieldBlock(b, 0, yield) {
					return
				}
				b = next
			}
			if !w.yieldSlot(w.slotAt(soon, rank), yield) {
				return
			}
		}
		for t := range w.ticks() {
			for rank := range uint32(Lanes) {
				if t != soon && !w.yieldSlot(w.slotAt(t, rank), yield) {
					return
				}
			}
		}
		for i := uint32(1); i < w.pins.fresh; i++ {
			p := w.pins.rec(i)
			if p.used && p.frozen && !yield(w.pending(p.at, i)) {
				return
			}
		}
	}
}

// slotAt returns a copy of the list of tick t, which is after now.
func (c *core) slotAt(t Tick, rank uint32) slot {
	if t-c.now > c.reach {
		if l := c.far.lists.get(int64(t)); l != nil {
			return l[rank]
		}
		return slot{}
	}
	if s := c.ring.slots[rank]; s != nil {
		return s[t&c.ring.mask]
	}
	return slot{}
}

func (w *Wheel[T]) yieldSlot(sl slot, yield func(Pending[T]) bool) bool {
	if sl.cur == 0 {
		return true
	}
	tail := sl.tail()
	for b := w.meta(tail).next; ; {
		next, skip := w.meta(b).next, uint64(0)
		if b == tail {
			skip = sl.unused()
		}
		if !w.yieldBlock(b, skip, yield) {
			return false
		}
		if b == tail {
			return true
		}
		b = next
	}
}

func (w *Wheel[T]) yieldBlock(b uint32, skip uint64, yield func(Pending[T]) bool) bool {
	for live := *w.word(b) & liveMask &^ skip; live != 0; live &= live - 1 {
		ref := b<<entryBits | uint32(bits.TrailingZeros64(live))
		if w.fires(ref) && !yield(w.pending(ref, w.pinOf(ref))) {
			return false
		}
	}
	return true
}

// pending describes the timer at ref.
func (w *Wheel[T]) pending(ref, pin uint32) Pending[T] {
	b := ref >> entryBits
	p := Pending[T]{
		Payload:  *w.pay(ref),
		Handle:   w.handleOf(ref),
		Deadline: w.meta(b).deadline,
		Lane:     laneOf[w.rank(b)],
	}
	var g uint32
	if pin != 0 {
		r := w.pins.rec(pin)
		g = r.group
		p.Periodic, p.Paused = r.every.period != 0, r.frozen
		if r.frozen {
			p.Deadline = w.now + Tick(max(r.remaining, 1))
		}
	} else {
		g = w.linkOf(ref)
	}
	p.Group = w.groups.name(g)
	return p
}
