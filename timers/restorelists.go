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
	for b := uint32(firstBlock); b < c.fresh; b++ {
		if m := c.meta(b); m.prev == b && *c.word(b)&parkedBit == 0 {
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
		for live := *c.word(b) & liveMask; live != 0; live &= live - 1 {
			if c.fires(b<<entryBits | uint32(bits.TrailingZeros64(live))) {
				fill++
			}
		}
		r.listBlock(b, fill)
	}
}

func (r *restorer) listBlock(b, fill uint32) {
	c := r.c
	rank, m, taken := c.rank(b), c.meta(b), uint32(r.taken[b-firstBlock])
	if m.deadline <= c.now {
		r.need(taken == perBlock, "block %d is due, but open for more", b)
		h := c.meta(head(rank))
		m.prev, m.next = h.prev, head(rank)
		c.meta(h.prev).next, h.prev = b, b
		c.due[rank] += fill
		c.waiting += fill
		return
	}
	far := *c.word(b)&farBit != 0
	var sl *slot
	if m.deadline-c.now <= c.reach {
		sl = &c.ring.lane(rank)[m.deadline&c.ring.mask]
		c.ring.mark(m.deadline)
	} else {
		r.need(far, "block %d is due at %d, beyond the ring at %d", b, m.deadline, c.now)
		sl = &c.far.add(m.deadline)[rank]
	}
	if sl.cur != 0 {
		tail := sl.tail()
		if sl.cur&entryMask != 0 {
			r.bad("block %d is open for more, but not the last of its tick", tail)
			return
		}
		mt := c.meta(tail)
		m.prev, m.next = tail, mt.next
		c.meta(mt.next).prev, mt.next = b, b
	}
	sl.cur = b<<entryBits + taken
	sl.fill += fill
	if !far {
		*c.word(b) |= liveMask << taken & liveMask
	}
}
