package timers

import "math/bits"

// checkBlocks checks that blocks in use are so for a reason, and what of the
// emptied ones and of the one open for paused timers.
func (r *restorer) checkBlocks() {
	c := r.c
	if c.limbo != 0 {
		t := c.limbo.tail()
		if !r.made(t) || c.head(t).word&parkedBit == 0 || uint32(r.taken[c.slab.ordinal(t)]) != perBlock-c.limbo.room() {
			r.bad("block %d can't take paused timers", t)
			return
		}
	}
	for b := range c.blocks() {
		word := c.head(b).word
		switch {
		case word&parkedBit != 0 && r.taken[c.slab.ordinal(b)] != perBlock && (c.limbo == 0 || c.limbo.tail() != b):
			r.bad("block %d is parked, but open for more", b)
		case c.inUse(b) && word&liveMask == 0:
			r.bad("block %d in use holds nothing", b)
		}
		if r.err != nil {
			return
		}
	}
}

// linksTo tells whether ref is an entry in use that links to pin i.
func (r *restorer) linksTo(ref, i uint32) bool {
	b := ref >> entryBits
	return r.made(b) && ref&entryMask < uint32(r.taken[r.c.slab.ordinal(b)]) && r.c.pinOf(ref) == i
}

// checkPins checks that pins and their entries point to each other, and counts
// the timers.
func (r *restorer) checkPins() {
	c := r.c
	n := r.plain
	for i := uint32(1); i < c.pins.fresh; i++ {
		p := c.pins.rec(i)
		if !p.used {
			continue
		}
		n++
		if !r.linksTo(p.at, i) || p.home != 0 && !r.linksTo(p.home, i) {
			r.bad("pin %d is at %d with home %d, which link elsewhere", i, p.at, p.home)
			return
		}
		paused := false
		if p.place != 0 {
			paused = c.groups.rec(c.groups.of(p.place)).paused
		}
		r.need(p.frozen == paused, "pin %d is frozen: %v, its group paused: %v", i, p.frozen, paused)
		r.need(p.frozen || c.head(p.at>>entryBits).word&parkedBit == 0, "pin %d would fire, but is in no list", i)
	}
	c.armed = c.ended + uint64(n)
}

// linkMembers tells the members of groups their places.
func (r *restorer) linkMembers() {
	g := &r.c.groups
	for i := uint32(1); i < g.freshRec; i++ {
		rec := g.rec(i)
		for _, first := range g.lists(rec) {
			for p := first; p != 0 && r.err == nil; p = g.page(p).next {
				pg := g.page(p)
				for used := pg.used; used != 0; used &= used - 1 {
					k := uint32(bits.TrailingZeros32(used))
					r.linkMember(i, rec, p<<placeBits|k, pg.members[k])
				}
			}
		}
	}
}

func (r *restorer) linkMember(i uint32, rec *group, place, m uint32) {
	c := r.c
	if m&pinMember != 0 {
		pin := m &^ pinMember
		if pin == 0 || pin >= c.pins.fresh || !c.pins.rec(pin).used || c.pins.rec(pin).place != 0 {
			r.bad("group %d lists pin %d, which is free or of another", i, pin)
			return
		}
		c.pins.rec(pin).place = place
		return
	}
	b := m >> entryBits
	if !r.made(b) || !c.inUse(b) || c.head(b).word>>(m&entryMask)&1 == 0 || c.linkOf(m) != 0 {
		r.bad("group %d lists entry %d, which is free or of another", i, m)
		return
	}
	r.need(!rec.paused, "entry %d would fire, but its group %d is paused", m, i)
	c.setLink(m, place)
}
