package timers

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
		if p.group != 0 {
			g := c.groups.rec(p.group)
			paused = g.paused
			r.need(g.open, "pin %d is of group %d, which is closed", i, p.group)
			r.grouped++
		}
		r.need(p.frozen == paused, "pin %d is frozen: %v, its group paused: %v", i, p.frozen, paused)
		r.need(p.frozen || c.head(p.at>>entryBits).word&parkedBit == 0, "pin %d would fire, but is in no list", i)
	}
	c.armed = c.cancelled + uint64(n)
}

// checkGroups checks that groups list each of their timers once, and otherwise
// nothing but handles that stay stale.
func (r *restorer) checkGroups() {
	c := r.c
	seen := make([]uint8, len(r.taken)) // entries of each block
	seenPin := make([]bool, c.pins.fresh)
	listed := 0
	for i := uint32(1); i < c.groups.freshRec && r.err == nil; i++ {
		rec := c.groups.rec(i)
		for p := rec.oldest; p != 0 && r.err == nil; p = c.groups.page(p).next {
			n := uint32(perPage)
			if p == rec.newest {
				n = rec.used
			}
			for _, m := range c.groups.page(p).members[:n] {
				if !r.stays(m) {
					r.bad("group %d lists a timer that was never made", i)
					return
				}
				if !c.living(m) {
					continue
				}
				listed++
				if m.gen()&pinFlag != 0 {
					r.need(!seenPin[m.ref()] && c.pins.rec(m.ref()).group == i, "group %d lists pin %d of another, or twice", i, m.ref())
					seenPin[m.ref()] = true
					continue
				}
				bit := uint8(1) << (m.ref() & entryMask)
				b := c.slab.ordinal(m.ref() >> entryBits)
				r.need(seen[b]&bit == 0 && c.pinOf(m.ref()) == 0 && c.linkOf(m.ref()) == i,
					"group %d lists entry %d of another, or twice", i, m.ref())
				seen[b] |= bit
			}
			if p == rec.newest {
				break
			}
		}
	}
	r.need(listed == r.grouped, "groups list %d timers of the %d that belong to one", listed, r.grouped)
}

// stays tells whether a member was given out, so that no timer yet to come
// will have the same handle.
func (r *restorer) stays(m Handle) bool {
	c := r.c
	if m.gen()&pinFlag != 0 {
		return m.ref() > 0 && m.ref() < c.pins.fresh && m.gen()&^pinFlag <= c.pins.rec(m.ref()).gen
	}
	b := m.ref() >> entryBits
	if !r.made(b) {
		return false
	}
	gen := uint32(c.head(b).word >> genShift)
	if !c.inUse(b) { // not in use: its generation is yet to come
		return m.gen() < gen
	}
	return m.gen() < gen || m.gen() == gen && m.ref()&entryMask < uint32(r.taken[c.slab.ordinal(b)])
}
