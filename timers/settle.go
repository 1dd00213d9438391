package timers

import "slices"

// unsettled are cancels that counts and lists have not seen yet. A cancel clears the
// timer's bit in the word of its block and takes a note; notes are settled many at a
// time. A count decremented at once would be at an address that waits for the block's
// word, and would hold up the cancels that follow it: with more timers than cache, the
// misses of one would not overlap with those of the next.
//
// Only while nothing is due are there notes: in an Advance cancels take effect at once.
type unsettled struct {
	notes      [batch]uint64
	nUnsettled uint32
	emptied    [batch]uint32 // scratch of settleNear
	// Blocks of notes that concern far lists. These are few, and miss the cache most:
	// they wait until there are enough of them to overlap.
	farNotes  [2 * batch]uint32
	nFarNotes uint32
}

const batch = 64

// note is what settle needs of a cancelled timer, and of its block's word after that:
// the entry's number, the block's list, whether it is empty, whether it is a far one.
func note(ref uint32, word uint64) uint64 {
	return uint64(ref)<<32 | word>>farShift&(1<<(listBits+1)-1) | (word&liveMask-1)>>63<<31
}

// keepsPlace in a note tells that the entry's place in its group is cared for.
const keepsPlace = 1 << 30

// unsettle takes down a note.
func (c *core) unsettle(note uint64) {
	n := c.nUnsettled
	c.notes[n%batch] = note
	c.nUnsettled = n + 1
	if n == batch-1 {
		if c.settleNear(); c.nFarNotes > batch/2 {
			c.settleFar()
		}
	}
}

// settle takes cancelled timers out of the counts of their lists, and blocks that
// they left empty out of the lists.
func (c *core) settle() {
	if c.nUnsettled > 0 {
		c.settleNear()
	}
	if c.nFarNotes > 0 {
		c.settleFar()
	}
}

// settleNear is settle for the ring; it collects the notes that concern far lists.
// Before it unlinks blocks it looks at their neighbours, so that the cache misses
// overlap. What to do with a note is not decided by branches: a processor could not
// predict them.
func (c *core) settleNear() {
	n, far := uint32(0), c.nFarNotes
	for _, v := range c.notes[:c.nUnsettled] {
		b, isFar := uint32(v>>(32+entryBits)), uint32(v&1)
		c.ring.fills[v>>1&listMask] -= 1 - isFar
		c.emptied[n%batch] = b
		n += uint32(v>>31&1) &^ isFar
		c.farNotes[far%(2*batch)] = b
		far += isFar
	}
	if c.linked {
		c.leaveGroups(c.notes[:c.nUnsettled])
	}
	c.ended += uint64(c.nUnsettled)
	c.nUnsettled, c.nFarNotes = 0, far
	var sink uint32
	for _, b := range c.emptied[:n] {
		h := c.head(b)
		sink += c.head(h.prev).next + c.head(h.next).prev
	}
	c.touched = sink
	for _, b := range c.emptied[:n] {
		c.leaveRing(b, uint32(c.head(b).word>>listShift&listMask))
		c.release(b)
	}
}

// leaveGroups gives up the places of noted timers.
func (c *core) leaveGroups(notes []uint64) {
	for _, v := range notes {
		if v&keepsPlace != 0 {
			continue
		}
		if place := c.linkOf(uint32(v >> 32)); place != 0 {
			c.groups.vacate(place)
		}
	}
}

// settleFar is settle for blocks that were opened beyond the ring. It looks at all
// their lists first.
func (c *core) settleFar() {
	blocks := c.farNotes[:c.nFarNotes]
	c.nFarNotes = 0
	var sink uint32
	for _, b := range blocks {
		sink += c.far[c.lane(b)].warm(c.meta(b).deadline)
	}
	c.touched = sink
	for i, b := range blocks {
		deadline, lane := c.meta(b).deadline, c.lane(b)
		empty := c.head(b).word&liveMask == 0 && !slices.Contains(blocks[i+1:], b)
		if deadline-c.now <= c.reach {
			list := c.ring.list(deadline, lane)
			c.ring.fills[list]--
			if empty {
				c.leaveRing(b, list)
				c.release(b)
			}
			continue
		}
		l := c.far[lane].get(deadline)
		l.fill--
		if empty {
			c.leaveFar(b, l, lane, deadline)
			c.release(b)
		}
	}
}
