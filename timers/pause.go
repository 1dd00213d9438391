package timers

import (
	"cmp"
	"slices"
)

// Pause freezes the timers of g, wherever they are: none fires, what remained
// of each is kept, and carried ones keep their place. New timers of g start
// frozen. Len and limits count them as before; Cancel and Reset work on them.
// It returns false if g is paused already, closed or zero. It takes time
// proportional to the group's own timers.
func (w *Wheel[T]) Pause(g Group) bool {
	r := w.groups.find(g)
	if r == nil || r.paused {
		return false
	}
	r.paused = true
	w.members(r, func(place, member uint32) {
		if member&pinMember != 0 {
			w.freezePin(member &^ pinMember)
			return
		}
		b := member >> entryBits
		w.uncount(b)
		i := w.freeze(member, Span(w.meta(b).deadline-w.now))
		p := w.pins.rec(i)
		p.home, p.place = member, place
		p.order, p.index = w.meta(b).stamp, member&entryMask
		w.groups.setMember(place, i|pinMember)
	})
	return true
}

// freeze gives a one-shot that is in no count a frozen pin, newest in order.
func (c *core) freeze(ref uint32, remaining Span) uint32 {
	i := c.pins.newPin()
	p := c.pins.rec(i)
	p.at, p.lane = ref, c.lane(ref>>entryBits)
	p.frozen, p.remaining = true, remaining
	c.stamp++
	p.order = c.stamp
	c.setPin(ref, i)
	return i
}

// freezePin freezes a pinned timer.
func (c *core) freezePin(i uint32) {
	p := c.pins.rec(i)
	b := p.at >> entryBits
	c.uncount(b)
	p.frozen = true
	p.remaining = Span(c.meta(b).deadline - c.now)
	p.order, p.index = c.meta(b).stamp, p.at&entryMask
	p.every.grid -= c.now
}

// fileFrozen takes an entry, in no list, for a one-shot that is born frozen.
func (c *core) fileFrozen(deadline Tick, lane Lane) Handle {
	h := c.limboEntry(lane)
	i := c.freeze(h.ref(), Span(deadline-c.now))
	c.pins.rec(i).home = h.ref()
	return h
}

// limboEntry takes an entry in no list.
func (c *core) limboEntry(lane Lane) Handle {
	if c.limbo.full() || c.lane(c.limbo.tail()) != lane {
		c.limbo = c.extend(0, 0, c.farWord(lane)|parkedBit)
	}
	h := c.limbo
	c.limbo++
	c.head(h.ref() >> entryBits).word |= 1 << (h & entryMask)
	return Handle{uint64(h)}
}

// Resume lets the timers of g run again: each is due after what remained of
// it, and at the next tick at the earliest. Among timers that become due
// together the order is the one they had. Lateness starts afresh, and grid
// points of periodic timers that passed during the pause are not missed. It
// returns false if g is not paused. It takes time proportional to k log k for
// a group of k timers.
func (w *Wheel[T]) Resume(g Group) bool {
	r := w.groups.find(g)
	if r == nil || !r.paused {
		return false
	}
	r.paused = false
	list := w.resuming[:0]
	w.members(r, func(_, member uint32) {
		list = append(list, member&^pinMember) // all are pinned
	})
	slices.SortFunc(list, func(a, b uint32) int {
		p, q := w.pins.rec(a), w.pins.rec(b)
		return cmp.Or(cmp.Compare(p.remaining, q.remaining), cmp.Compare(p.order, q.order),
			cmp.Compare(p.index, q.index))
	})
	for _, i := range list {
		p := w.pins.rec(i)
		old := p.at
		p.frozen = false
		p.every.grid += w.now
		w.placePin(i, w.now+Tick(max(p.remaining, 1)))
		w.vacate(p, old)
	}
	w.resuming = list[:0]
	return true
}

// Paused reports whether g is paused. A closed or zero group is not.
func (w *Wheel[T]) Paused(g Group) bool {
	r := w.groups.find(g)
	return r != nil && r.paused
}
