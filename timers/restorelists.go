package timers

import (
	"cmp"
	"math/bits"
	"slices"
)

// listBlocks puts the blocks into their lists, in the order of their stamps, and
// counts what will fire.
func (r *restorer) listBlocks() {
	c := r.c
	var listed []uint32
	for b := range c.blocks() {
		if h := c.head(b); h.prev == b && h.word&parkedBit == 0 {
			listed = append(listed, b)
		}
	}
	order := func(a, b uint32) int {
		p, q := c.meta(a), c.meta(b)
		return cmp.Or(cmp.Compare(p.deadline, q.deadline), cmp.Compare(p.stamp, q.stamp))
	}
	slices.SortFunc(listed, order)
	for i, b := range listed {
		if i > 0 && order(listed[i-1], b) == 0 {
			r.bad("blocks %d and %d have the same stamp", listed[i-1], b)
			return
		}
		fill := uint32(0)
		for live := c.head(b).word & liveMask; live != 0; live &= live - 1 {
			if c.fires(b<<entryBits | uint32(bits.TrailingZeros64(live))) {
				fill++
			}
		}
		r.listBlock(b, fill)
	}
}

func (r *restorer) listBlock(b, fill uint32) {
	c := r.c
	lane, deadline, h, taken := c.lane(b), c.meta(b).deadline, c.head(b), uint32(r.taken[c.slab.ordinal(b)])
	next := r.cursor(b<<entryBits + taken)
	switch {
	case deadline <= c.now:
		r.need(taken == perBlock, "block %d is due, but open for more", b)
		rank := rankOf[lane]
		first := c.head(dueHead(rank))
		h.prev, h.next = first.prev, dueHead(rank)
		c.head(first.prev).next, first.prev = b, b
		c.due[rank] += fill
		c.setWaiting(true)
		c.since = min(c.since, deadline)
	case deadline-c.now <= c.reach:
		i := c.ring.list(deadline, lane)
		if lane != Normal {
			c.ring.lanes = Lanes
		}
		c.ring.mark(deadline)
		c.ring.fills[i] += fill - c.ring.cursors[i].room() + next.room()
		r.append(&c.ring.cursors[i], b, next)
		h.word |= next.unused()
	default:
		r.need(h.word&farBit != 0, "block %d is due at %d, beyond the ring at %d", b, deadline, c.now)
		l := c.far[lane].add(deadline)
		*l.fill() += fill
		cur := l.cursor()
		r.append(&cur, b, next)
		l.setCursor(cur)
	}
}

// append puts block b at the end of the list of cur, which is next from then on.
func (r *restorer) append(cur *cursor, b uint32, next cursor) {
	c := r.c
	if *cur != 0 {
		tail := cur.tail()
		if !cur.full() {
			r.bad("block %d is open for more, but not the last of its tick", tail)
			return
		}
		h, t := c.head(b), c.head(tail)
		h.prev, h.next = tail, t.next
		c.head(t.next).prev, t.next = b, b
	}
	*cur = next
}
