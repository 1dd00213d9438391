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
	if w.due != [Lanes]uint32{} {
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
			if t, ok = c.nextFar(t); !ok || !yield(t) {
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
		w.settle() // so that a cancel releases no block ahead of us
		// Carried timers run at the next tick, before that tick's own of their
		// lane but after those of more urgent lanes.
		soon := w.now + 1
		for rank := range uint32(Lanes) {
			h := dueHead(rank)
			for b := w.head(h).next; b != h; {
				next := w.head(b).next
				if !w.yieldBlock(b, 0, yield) {
					return
				}
				b = next
			}
			if !w.yieldList(w.cursorAt(soon, laneOf[rank]), yield) {
				return
			}
		}
		for t := range w.ticks() {
			for rank := range uint32(Lanes) {
				if t != soon && !w.yieldList(w.cursorAt(t, laneOf[rank]), yield) {
					return
				}
			}
		}
		for i := uint32(1); i < w.pins.fresh; i++ {
			p := w.pins.rec(i)
			if p.used && p.frozen && !yield(w.describe(p.at, i)) {
				return
			}
		}
	}
}

// cursorAt returns the cursor of the list of tick t, which is after now.
func (c *core) cursorAt(t Tick, lane Lane) cursor {
	if t-c.now > c.reach {
		if l, ok := c.far[lane].get(t); ok {
			return l.cursor()
		}
		return 0
	}
	return c.ring.cursors[c.ring.list(t, lane)]
}

func (w *Wheel[T]) yieldList(cur cursor, yield func(Pending[T]) bool) bool {
	if cur == 0 {
		return true
	}
	tail := cur.tail()
	for b := w.head(tail).next; ; {
		next, skip := w.head(b).next, uint64(0)
		if b == tail {
			skip = cur.unused()
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
	for live := w.head(b).word & liveMask &^ skip; live != 0; live &= live - 1 {
		ref := b<<entryBits | uint32(bits.TrailingZeros64(live))
		if w.fires(ref) && !yield(w.describe(ref, w.pinOf(ref))) {
			return false
		}
	}
	return true
}

// describe returns what there is to say of the timer at ref.
func (w *Wheel[T]) describe(ref, pin uint32) Pending[T] {
	b := ref >> entryBits
	p := Pending[T]{
		Payload:  *w.pay(ref),
		Handle:   w.handleOf(ref),
		Deadline: w.meta(b).deadline,
		Lane:     w.lane(b),
	}
	var g uint32
	if pin != 0 {
		r := w.pins.rec(pin)
		g = r.place
		p.Periodic, p.Paused = r.every.period != 0, r.frozen
		if r.frozen {
			p.Deadline = w.now + Tick(max(r.remaining, 1))
		}
	} else {
		g = w.linkOf(ref)
	}
	p.Group = w.groups.name(w.groups.of(g))
	return p
}
