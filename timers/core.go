package timers

// core is the wheel without its payloads: where timers are, not what they are.
type core struct {
	slab
	ring   ring
	groups groups
	pins   pins

	now       Tick
	reach     Tick   // len of the ring: far timers are due after now+reach
	n         int    // timers pending
	cancelled uint64 // so far
	far       farTicks

	due     [Lanes]uint32 // timers in the due lists that will fire
	waiting uint32        // sum of due
	limbo   slot          // block open for timers that are born paused
	wipe    func(ref uint32)

	// Emptied blocks wait here, still in their lists, and leave in batches, so
	// that the cache misses of unlinking overlap.
	emptied  [64]uint32
	nEmptied uint32
	touched  uint64 // keeps loads that only warm the cache from being dropped
}

// rankOf gives lanes the order they run in.
var rankOf = [Lanes]uint32{Normal: 1, Urgent: 0, Bulk: 2}

// laneOf is the inverse of rankOf.
var laneOf = [Lanes]Lane{Urgent, Normal, Bulk}

// head is the block that stands for the due list of a lane rank.
func head(rank uint32) uint32 { return 1 + rank }

func (c *core) rank(b uint32) uint32 { return uint32(*c.word(b)>>rankShift) & 3 }

// file takes an entry for a timer due at deadline, which is after now, and
// returns it with the generation of its block.
func (c *core) file(deadline Tick, rank uint32) (ref, gen uint32) {
	if deadline-c.now > c.reach {
		return c.fileFar(deadline, rank)
	}
	i := deadline & c.ring.mask
	slots := c.ring.slots[rank]
	if uint(i) >= uint(len(slots)) {
		slots = c.ring.lane(rank)
	}
	sl := &slots[i]
	ref = sl.cur
	if ref&entryMask == 0 {
		ref = c.extend(sl, deadline, uint64(rank)<<rankShift|uint64(i)<<slotShift|liveMask)
		c.ring.mark(deadline)
	}
	sl.cur = ref + 1
	sl.fill++
	p := c.word(ref >> entryBits)
	*p |= 1 << (ref & entryMask)
	return ref, uint32(*p >> genShift)
}

func (c *core) fileFar(deadline Tick, rank uint32) (ref, gen uint32) {
	sl := &c.far.add(deadline)[rank]
	ref = sl.cur
	if ref&entryMask == 0 {
		ref = c.extend(sl, deadline, uint64(rank)<<rankShift|farBit)
	}
	sl.cur = ref + 1
	sl.fill++
	p := c.word(ref >> entryBits)
	*p |= 1 << (ref & entryMask)
	return ref, uint32(*p >> genShift)
}

// uncount takes one timer of block b out of the counts of its list: it will
// not fire from there. The entry itself stays.
func (c *core) uncount(b uint32) {
	word := *c.word(b)
	// A block opened within the ring is still in its slot if nothing is due.
	// The slot is in the word, which spares the line with the deadline.
	if word&farBit == 0 && c.waiting == 0 {
		c.ring.slots[word>>rankShift&3][word>>slotShift&(1<<slotBits-1)].fill--
		return
	}
	rank, deadline := c.rank(b), c.meta(b).deadline
	switch d := deadline - c.now; {
	case d <= 0:
		c.due[rank]--
		c.waiting--
	case d <= c.reach:
		c.ring.slots[rank][deadline&c.ring.mask].fill--
	default:
		c.far.lists.get(int64(deadline))[rank].fill--
	}
}

// clear ends the use of an entry. A block whose last one it was is queued to
// leave its list. The count is kept without a branch: whether a block is empty
// is what a processor can't predict.
func (c *core) clear(ref uint32) {
	if c.wipe != nil {
		c.wipe(ref)
	}
	b := ref >> entryBits
	p := c.word(b)
	w := *p &^ (1<<(ref&entryMask) | 1<<(pinShift+ref&entryMask))
	empty := (w&(liveMask|emptyBit) - 1) >> 63
	*p = w | empty<<emptyShift
	c.emptied[c.nEmptied&63] = b
	c.nEmptied += uint32(empty)
	if c.nEmptied == uint32(len(c.emptied)) {
		c.releaseEmptied()
	}
}

// clearNow is clear for the first block of a due list, whose lines are at hand.
func (c *core) clearNow(ref uint32) {
	if c.wipe != nil {
		c.wipe(ref)
	}
	b := ref >> entryBits
	p := c.word(b)
	*p &^= 1<<(ref&entryMask) | 1<<(pinShift+ref&entryMask)
	if *p&liveMask == 0 {
		c.leave(b)
		c.release(b)
	}
}

// releaseEmptied takes the queued blocks that are still empty out of their
// lists: first a look at all of them, then at their neighbours, then the unlinking.
func (c *core) releaseEmptied() {
	queue := c.emptied[:c.nEmptied]
	var sink uint32
	for _, b := range queue {
		sink += c.meta(b).next
	}
	for _, b := range queue {
		m := c.meta(b)
		sink += c.meta(m.prev).next + c.meta(m.next).prev
	}
	c.touched = uint64(sink)
	for _, b := range queue {
		p := c.word(b)
		switch {
		case *p&emptyBit == 0: // left already
		case *p&liveMask != 0: // in use again
			*p &^= emptyBit
		default:
			c.leave(b)
			c.release(b)
		}
	}
	c.nEmptied = 0
}

// leave takes block b out of the list it is in. Which list that is follows from
// its deadline alone: due lists hold ticks up to now, the ring those it reaches,
// and both change only between callbacks.
func (c *core) leave(b uint32) {
	if *c.word(b)&parkedBit != 0 {
		if c.limbo.cur != 0 && c.limbo.tail() == b {
			c.limbo.cur = 0
		}
		return
	}
	m := c.meta(b)
	rank := c.rank(b)
	switch d := m.deadline - c.now; {
	case d <= 0:
	case d <= c.reach:
		sl := &c.ring.slots[rank][m.deadline&c.ring.mask]
		if c.cutTail(sl, b) {
			c.ring.unmarkEmpty(m.deadline)
			return
		}
	default:
		l := c.far.lists.get(int64(m.deadline))
		if c.cutTail(&l[rank], b) {
			if l.empty() {
				c.far.drop(m.deadline)
			}
			return
		}
	}
	c.unlink(b)
}

// park takes a block that holds nothing that will fire out of its due list. It
// waits on its own for its entries to be cleared.
func (c *core) park(b uint32) {
	c.unlink(b)
	m := c.meta(b)
	m.next, m.prev = b, b
	*c.word(b) |= parkedBit
}

// enter makes t, the tick after now, the tick in hand: its lists join the due
// lists, and the far tick that comes within reach joins the ring.
func (c *core) enter() {
	c.now++
	if c.ring.marked(c.now) {
		c.takeSlot(c.now)
	}
	if c.far.due() {
		c.pullIn(c.now + c.reach)
	}
	c.far.advance()
}

// takeSlot appends tick t's lists to the due lists, behind what was carried.
func (c *core) takeSlot(t Tick) {
	i := t & c.ring.mask
	for rank, slots := range c.ring.slots {
		if slots == nil || slots[i].cur == 0 {
			continue
		}
		sl := &slots[i]
		tail := sl.tail()
		first := c.meta(tail).next
		h := c.meta(head(uint32(rank)))
		last := h.prev
		c.meta(last).next, c.meta(first).prev = first, last
		c.meta(tail).next, h.prev = head(uint32(rank)), tail
		c.due[rank] += sl.fill
		c.waiting += sl.fill
		p := c.word(tail)
		*p &^= sl.unused()
		*sl = slot{}
		if *p&liveMask == 0 {
			c.unlink(tail)
			c.release(tail)
		}
	}
	c.ring.unmark(t)
}

// pullIn makes far tick t's lists the ring's slot of t, which is free.
func (c *core) pullIn(t Tick) {
	l := c.far.lists.get(int64(t))
	for rank := range l {
		if l[rank].cur != 0 {
			c.ring.lane(uint32(rank))[t&c.ring.mask] = l[rank]
		}
	}
	c.ring.mark(t)
	c.far.drop(t)
}

// nextMarked returns the first tick after now that has blocks.
func (c *core) nextMarked() (Tick, bool) {
	if t, ok := c.ring.next(c.now); ok {
		return t, true
	}
	return c.far.next(c.far.edge + 1)
}

// jump makes t the tick in hand; no tick in (now, t] has blocks.
func (c *core) jump(t Tick) {
	c.now = t
	for edge := t + c.reach; ; {
		f, ok := c.far.next(c.far.edge + 1)
		if !ok || f > edge {
			c.far.jump(edge)
			return
		}
		c.pullIn(f)
	}
}

// load counts the timers that will fire at t.
func (c *core) load(t Tick) int {
	switch d := t - c.now; {
	case d <= 0:
		return 0
	case d <= c.reach:
		return c.ring.load(t)
	}
	if l := c.far.lists.get(int64(t)); l != nil {
		return l.load()
	}
	return 0
}
