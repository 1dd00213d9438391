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
	special    [batch]uint64 // scratch of settleNear: notes of emptied blocks, and far ones
	// Notes that concern far lists. These are few, and miss the cache most: they wait
	// until there are enough of them to overlap.
	farNotes  [2 * batch]uint64
	nFarNotes uint32
}

const batch = 64

// note is what settle needs of a cancelled timer: the entry's number, and of its block's
// word after that which entries are live, whether it is a far one, and its list. With
// keepsPlace the entry's place in its group is cared for.
func note(ref uint32, word uint64) uint64 {
	return uint64(ref)<<32 | uint64(uint32(word))
}

// noted is the block of a note.
func noted(note uint64) uint32 { return uint32(note >> (32 + entryBits)) }

// unsettle takes down a note.
func (c *core) unsettle(note uint64) {
	n := c.nUnsettled
	c.notes[n%batch] = note
	c.nUnsettled = n + 1
	if n == batch-1 {
		c.settleBatch()
	}
}

// settleBatch settles what there are enough of.
func (c *core) settleBatch() {
	if c.settleNear(); c.nFarNotes > batch/2 {
		c.settleFar()
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
// What to do with a note is not decided by branches: a processor could not predict
// them.
func (c *core) settleNear() {
	n, fills := uint32(0), c.ring.fills
	for _, v := range c.notes[:c.nUnsettled] {
		fills[v>>listShift&listMask]--
		c.special[n%batch] = v
		n += uint32(v>>farShift&1 | (v&liveMask-1)>>63)
	}
	if c.linked {
		c.leaveGroups(c.notes[:c.nUnsettled])
	}
	c.ended += uint64(c.nUnsettled)
	c.nUnsettled = 0
	emptied, far := uint32(0), c.nFarNotes
	for _, v := range c.special[:n] {
		c.farNotes[far%(2*batch)] = v
		c.special[emptied%batch] = v
		isFar := uint32(v >> farShift & 1)
		far += isFar
		emptied += 1 - isFar
	}
	c.nFarNotes = far
	if len(c.heads) > fewChunks {
		c.warmAround(c.special[:emptied])
	}
	for _, v := range c.special[:emptied] {
		c.leaveRing(noted(v), uint32(v>>listShift&listMask))
		c.release(noted(v))
	}
}

// fewChunks of heads, 512 KB, are likely to be in the cache.
const fewChunks = 16

// warmAround looks at the neighbours of noted blocks.
func (c *core) warmAround(notes []uint64) {
	var sink uint32
	for _, v := range notes {
		h := c.head(noted(v))
		sink += c.head(h.prev).next + c.head(h.next).prev
	}
	c.touched = sink
}

// settlePlaces has pages of groups list none that has ended. Notes of earlier groups
// may wait on: there will be more of them to overlap with.
func (c *core) settlePlaces() {
	for _, v := range c.notes[:c.nUnsettled] {
		if v&keepsPlace == 0 {
			c.settleBatch()
			break
		}
	}
	c.groups.settle()
}

// leaveGroups gives up the places of noted timers.
func (c *core) leaveGroups(notes []uint64) {
	g := &c.groups
	n := g.nVacated
	for _, v := range notes {
		if v&keepsPlace != 0 {
			continue
		}
		place := c.linkOf(uint32(v >> 32))
		g.vacated[n%uint32(len(g.vacated))] = place
		n += -place>>31 | place>>31 // 0 for no place
	}
	if g.nVacated = n; n >= batch/2 {
		g.settle()
	}
}

// settleFar is settle for blocks that were opened beyond the ring. It looks at all
// their lists first.
func (c *core) settleFar() {
	notes := c.farNotes[:c.nFarNotes]
	c.nFarNotes = 0
	c.warmFar(notes)
	for i, v := range notes {
		b := noted(v)
		deadline, lane := c.meta(b).deadline, Lane(uint32(v>>listShift&listMask)-Lanes<<c.ring.shift)
		empty := c.head(b).word&liveMask == 0
		later := func(v uint64) bool { return noted(v) == b }
		if deadline-c.now <= c.reach {
			list := c.ring.list(deadline, lane)
			c.ring.fills[list]--
			if empty && !slices.ContainsFunc(notes[i+1:], later) {
				c.leaveRing(b, list)
				c.release(b)
			}
			continue
		}
		l, _ := c.far[lane].get(deadline)
		*l.fill()--
		// Most ticks have had one timer: its note is the only one of the block.
		if empty && (l.cursor().ref() == b<<entryBits+1 || !slices.ContainsFunc(notes[i+1:], later)) {
			c.leaveFar(b, l, lane, deadline)
			c.release(b)
		}
	}
}

// warmFar looks at the lists of notes, unless all are likely to be in the cache.
func (c *core) warmFar(notes []uint64) {
	const few = 1 << 12
	if c.far[Urgent].lists.n+c.far[Normal].lists.n+c.far[Bulk].lists.n < few {
		return
	}
	var sink uint32
	for _, v := range notes {
		b := noted(v)
		sink += c.far[c.lane(b)].warm(c.meta(b).deadline)
	}
	c.touched = sink
}
