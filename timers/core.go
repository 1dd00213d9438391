package timers

import "math/bits"

// core is the wheel without its payloads: where timers are, not what they are.
type core struct {
	slab
	ring   ring
	groups groups
	pins   pins

	now   Tick
	quiet Tick // no tick in (now, quiet] has anything to do; see calm
	reach Tick // len of the ring: far timers are due after now+reach
	far   farTicks

	// Len is armed - cancelled - fired: each step counts in one place only. The
	// next run of a periodic timer counts as armed when this one fires.
	armed, cancelled, fired uint64

	due     [Lanes]uint32 // by lane rank: timers in the due lists that will fire
	waiting bool          // false: nothing is due
	odd     uint64        // bits of a word that send cancel the long way
	inHand  uint32        // block whose timers are firing
	limbo   cursor        // block open for timers that are born paused
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

// dueHead is the block that stands for the due list of a lane rank.
func dueHead(rank uint32) uint32 { return 1 + rank }

// lane returns the lane of block b.
func (c *core) lane(b uint32) Lane {
	w := c.head(b).word
	list := w >> listShift & listMask
	if w&farBit != 0 {
		return Lane(list >> slotBits)
	}
	return Lane(list >> c.ring.shift)
}

// pending is how many timers are.
func (c *core) pending() int { return int(c.armed - c.cancelled - c.fired) }

// file takes an entry for a timer due at deadline, which is after now.
func (c *core) file(deadline Tick, lane Lane) Handle {
	if deadline-c.now > c.reach {
		return c.fileFar(deadline, lane)
	}
	i := c.ring.list(deadline, lane)
	if int(i) >= len(c.ring.cursors) {
		c.ring.addLanes()
	}
	h := c.ring.cursors[i]
	if h.full() {
		h = c.extendNear(i, deadline)
	}
	c.ring.cursors[i] = h + 1
	return Handle{uint64(h)}
}

// extendNear puts a new block at the end of list i of the ring.
func (c *core) extendNear(i uint32, deadline Tick) cursor {
	h := c.extend(c.ring.cursors[i], deadline, uint64(i)<<listShift|liveMask)
	c.ring.fills[i] += perBlock
	c.ring.mark(deadline)
	c.quiet = min(c.quiet, deadline-1)
	return h
}

// fileFar is file for a timer beyond the ring.
func (c *core) fileFar(deadline Tick, lane Lane) Handle {
	c.far.sync(c.now + c.reach)
	lists, number := c.far.add(deadline)
	l := &lists[lane]
	h := l.cur
	if h.full() {
		h = c.extend(h, deadline, farList(number, lane))
		c.quiet = min(c.quiet, c.far.stir(deadline)-c.reach-1)
	}
	l.cur = h + 1
	l.fill++
	c.head(h.ref() >> entryBits).word |= 1 << (h & entryMask)
	return Handle{uint64(h)}
}

// uncount takes one timer of block b out of the counts of its list: it will
// not fire from there. The entry itself stays.
func (c *core) uncount(b uint32) {
	word := c.head(b).word
	// A block opened within the ring is still in its slot if nothing is due.
	// The slot is in the word, which spares the line with the deadline.
	if word&farBit == 0 && !c.waiting {
		c.ring.fills[word>>listShift&listMask]--
		return
	}
	lane, deadline := c.lane(b), c.meta(b).deadline
	switch d := deadline - c.now; {
	case d <= 0:
		c.due[rankOf[lane]]--
	case d <= c.reach:
		c.ring.fills[c.ring.list(deadline, lane)]--
	default:
		c.far.of(word, deadline)[lane].fill--
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
	p := &c.head(b).word
	w := *p &^ (1<<(ref&entryMask) | 1<<(pinShift+ref&entryMask))
	empty := (w&(liveMask|emptyBit) - 1) >> 63
	*p = w | empty<<emptyShift
	c.emptied[c.nEmptied&63] = b
	if c.nEmptied += uint32(empty); c.nEmptied == uint32(len(c.emptied)) {
		c.releaseEmptied()
	}
}

// releaseEmptied takes the queued blocks that are still empty out of their
// lists: first a look at their neighbours, then the unlinking.
func (c *core) releaseEmptied() {
	queue := c.emptied[:c.nEmptied]
	var sink uint32
	for _, b := range queue {
		h := c.head(b)
		sink += c.head(h.prev).next + c.head(h.next).prev
	}
	c.touched = uint64(sink)
	for _, b := range queue {
		p := &c.head(b).word
		switch {
		case *p&emptyBit == 0 || b == c.inHand: // left already, or will soon
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
	word := c.head(b).word
	if word&parkedBit != 0 {
		if c.limbo != 0 && c.limbo.tail() == b {
			c.limbo = 0
		}
		return
	}
	list := uint32(word >> listShift & listMask)
	if word&farBit != 0 || c.waiting {
		deadline, lane := c.meta(b).deadline, c.lane(b)
		switch d := deadline - c.now; {
		case d <= 0:
			c.unlink(b)
			return
		case d > c.reach:
			lists := c.far.of(word, deadline)
			if !c.cutTail(&lists[lane].cur, b) {
				c.unlink(b)
			} else if lists.empty() {
				c.far.drop(deadline)
			}
			return
		}
		list = c.ring.list(deadline, lane)
	}
	if c.cutTail(&c.ring.cursors[list], b) {
		c.ring.unmarkEmpty(list)
		return
	}
	c.unlink(b)
}

// park takes a block that holds nothing that will fire out of its due list. It
// waits on its own for its entries to be cleared.
func (c *core) park(b uint32) {
	c.unlink(b)
	h := c.head(b)
	h.next, h.prev = b, b
	h.word |= parkedBit
}

// enter makes t, the tick after now, the tick in hand: its lists join the due
// lists, and the far tick that comes within reach joins the ring.
func (c *core) enter() {
	c.now++
	if c.ring.marked(c.now) {
		c.takeSlot(c.now)
	}
	c.far.sync(c.now + c.reach - 1)
	if c.far.due() {
		c.pullIn(c.now + c.reach)
	}
	c.far.advance()
}

// takeSlot appends tick t's lists to the due lists, behind what was carried.
func (c *core) takeSlot(t Tick) {
	for lane := range Lane(c.ring.lanes) {
		i := c.ring.list(t, lane)
		cur := c.ring.cursors[i]
		if cur == 0 {
			continue
		}
		rank := rankOf[lane]
		c.due[rank] += c.ring.fills[i] - cur.room()
		c.ring.cursors[i], c.ring.fills[i] = 0, 0

		tail := cur.tail()
		t, h := c.head(tail), c.head(dueHead(rank))
		first, last := t.next, h.prev
		c.head(last).next, c.head(first).prev = first, last
		t.next, h.prev = dueHead(rank), tail
		t.word &^= cur.unused()
		if t.word&liveMask == 0 {
			c.unlink(tail)
			c.release(tail)
		}
	}
	c.setWaiting(true)
	c.ring.unmark(t)
}

// setWaiting notes whether timers may be due.
func (c *core) setWaiting(yes bool) {
	c.waiting = yes
	c.odd = farBit
	if yes || c.wipe != nil {
		c.odd = (1<<genBits - 1) << genShift // never 0 in a word
	}
}

// pullIn makes far tick t's lists the ring's slot of t, which is free.
func (c *core) pullIn(t Tick) {
	lists := c.far.get(t)
	for lane := range Lane(Lanes) {
		l := lists[lane]
		if l.cur == 0 {
			continue
		}
		i := c.ring.list(t, lane)
		if int(i) >= len(c.ring.cursors) {
			c.ring.addLanes()
		}
		// In the ring unused entries are live; here the tail's are given up instead,
		// so that the block still leaves with its last timer.
		c.ring.cursors[i], c.ring.fills[i] = cursor(l.cur.tail()+1)<<entryBits, l.fill
	}
	c.ring.mark(t)
	c.far.drop(t)
}

// calm tells whether nothing at all is to be done in the tick after now, and keeps in
// quiet up to which tick that holds: 64 further ones at most.
func (c *core) calm() bool {
	busy := c.ring.window(c.now + 1)
	if c.far.n > 0 {
		c.far.sync(c.now + c.reach)
		busy |= c.far.window()
	}
	c.quiet = min(c.now+Tick(bits.TrailingZeros64(busy)), maxTick)
	return c.quiet > c.now
}

// nextMarked returns the first tick after now that has blocks.
func (c *core) nextMarked() (Tick, bool) {
	if t, ok := c.ring.next(c.now); ok {
		return t, true
	}
	return c.far.next(c.now + c.reach + 1)
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
	if l := c.far.get(t); l != nil {
		return l.load()
	}
	return 0
}
