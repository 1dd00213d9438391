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
	notes      [batch]note
	nUnsettled uint32
	special    [batch]note // scratch of settleNear: notes of emptied blocks, and far ones
	// Notes that concern far lists. These are few, and miss the cache most: they wait
	// until there are enough of them to overlap.
	farNotes  [2 * batch]note
	nFarNotes uint32
}

const batch = 64

// note is what settle needs of a cancelled timer: the entry's number, and of its block's
// word after that which entries are live, whether it is a far one, and its list. With
// keepsPlace the entry's place in its group is cared for.
type note struct{ word, ref uint32 }

func (n note) block() uint32    { return n.ref >> entryBits }
func (n note) list() uint32     { return n.word >> listShift & listMask }
func (n note) far() uint32      { return n.word >> farShift & 1 }
func (n note) empty() uint32    { return (n.word&liveMask - 1) >> 31 }
func (n note) keepsPlace() bool { return n.word&keepsPlace != 0 }

// unsettle takes down a note.
func (c *core) unsettle(v note) {
	n := c.nUnsettled
	c.notes[n%batch] = v
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
		fills[v.list()]--
		c.special[n%batch] = v
		n += v.far() | v.empty()
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
		far += v.far()
		emptied += 1 - v.far()
	}
	c.nFarNotes = far
	if len(c.heads) > fewChunks {
		c.warmAround(c.special[:emptied])
	}
	for _, v := range c.special[:emptied] {
		c.leaveRing(v.block(), v.list())
		c.release(v.block())
	}
}

// fewChunks of heads, 512 KB, are likely to be in the cache.
const fewChunks = 16

// warmAround looks at the neighbours of noted blocks.
func (c *core) warmAround(notes []note) {
	var sink uint32
	for _, v := range notes {
		h := c.head(v.block())
		sink += c.head(h.prev).next + c.head(h.next).prev
	}
	c.touched = sink
}

// settlePlaces has pages of groups list none that has ended. Notes of earlier groups
// may wait on: there will be more of them to overlap with.
func (c *core) settlePlaces() {
	for _, v := range c.notes[:c.nUnsettled] {
		if !v.keepsPlace() {
			c.settleBatch()
			break
		}
	}
	c.groups.settle()
}

// leaveGroups gives up the places of noted timers.
func (c *core) leaveGroups(notes []note) {
	g := &c.groups
	n := g.nVacated
	for _, v := range notes {
		if v.keepsPlace() {
			continue
		}
		place := c.linkOf(v.ref)
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
		b := v.block()
		deadline, lane := c.meta(b).deadline, Lane(v.list()-Lanes<<c.ring.shift)
		empty := c.head(b).word&liveMask == 0
		later := func(v note) bool { return v.block() == b }
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
func (c *core) warmFar(notes []note) {
	const few = 1 << 12
	if c.far[Urgent].lists.n+c.far[Normal].lists.n+c.far[Bulk].lists.n < few {
		return
	}
	var sink uint32
	for _, v := range notes {
		b := v.block()
		sink += c.far[c.lane(b)].warm(c.meta(b).deadline)
	}
	c.touched = sink
}
