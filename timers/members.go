package timers

import "math/bits"

// eachPage calls f with each page of a group and its number. It looks at the timers of
// some pages before it begins with the first of them.
func (c *core) eachPage(r *group, f func(p uint32, pg *page)) {
	for _, p := range c.groups.lists(r) {
		for p != 0 {
			const ahead = 3 // 81 timers
			for q, n := p, 0; n < ahead && q != 0; n++ {
				pg := c.groups.page(q)
				c.warm(pg)
				q = pg.next
			}
			for n := 0; n < ahead && p != 0; n++ {
				pg := c.groups.page(p)
				f(p, pg)
				p = pg.next
			}
		}
	}
}

// warm looks at the timers of a page, so that the cache misses of the work that
// follows overlap.
func (c *core) warm(pg *page) {
	var sink uint64
	for used := pg.used; used != 0; used &= used - 1 {
		if m := pg.members[bits.TrailingZeros32(used)]; m&pinMember == 0 {
			sink += c.head(m >> entryBits).word
		}
	}
	c.touched = uint32(sink)
}

// members calls f with each timer of a group that has not ended: its place and what
// stands there.
func (c *core) members(r *group, f func(place, member uint32)) {
	c.settlePlaces()
	c.eachPage(r, func(p uint32, pg *page) {
		for used := pg.used; used != 0; used &= used - 1 {
			i := uint32(bits.TrailingZeros32(used))
			if place := p<<placeBits | i; place != c.place {
				f(place, pg.members[i])
			}
		}
	})
}

// cancelMembers cancels all timers of a group, whose pages are given back next.
func (c *core) cancelMembers(r *group) {
	c.settlePlaces()
	if p := c.place; p != 0 { // the timer in hand has fired
		c.groups.page(p >> placeBits).members[p&placeMask] = 0
	}
	if c.plain != nil {
		for _, p := range c.groups.lists(r) {
			for p != 0 {
				pg := c.groups.page(p)
				p = pg.next
				c.noteMembers(pg)
			}
		}
		return
	}
	c.eachPage(r, func(_ uint32, pg *page) {
		for used := pg.used; used != 0; used &= used - 1 {
			c.cancelMember(pg.members[bits.TrailingZeros32(used)])
		}
	})
}

// noteMembers cancels the timers of a page, when a cancel is nothing but a note. There
// is so little to be done for each that the cache misses of a dozen overlap.
func (c *core) noteMembers(pg *page) {
	if c.nUnsettled >= batch-perPage { // a full batch would have been settled
		c.settleBatch()
	}
	n := c.nUnsettled
	for used := pg.used; used != 0; used &= used - 1 {
		m := pg.members[bits.TrailingZeros32(used)]
		if m&pinMember != 0 {
			c.nUnsettled = n
			c.cancelMember(m)
			n = c.nUnsettled
			continue
		}
		p := &c.plain[m>>(entryBits+chunkBits)][m>>entryBits&chunkMask].word
		word := *p &^ (1 << (m & entryMask))
		*p = word
		c.notes[n%batch] = note{uint32(word) | keepsPlace, m}
		n++
	}
	c.nUnsettled = n
}

// cancelMember is cancelMembers for one that needs more than the usual.
func (c *core) cancelMember(m uint32) {
	switch {
	case m == 0:
	case m&pinMember != 0:
		pin := m &^ pinMember
		c.pins.rec(pin).place = 0
		c.ended++
		c.dropPin(pin)
	case c.waiting:
		c.ended++
		c.uncount(m >> entryBits)
		c.clear(m)
	default:
		c.wipe(m)
		p := &c.head(m >> entryBits).word
		*p &^= 1 << (m & entryMask)
		c.unsettle(note{uint32(*p) | keepsPlace, m})
	}
}
