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
	far   [Lanes]farTicks

	// Len is armed - ended - fired - nUnsettled: each step counts in one place only.
	// The next run of a periodic timer counts as armed when this one fires, and a
	// timer that Reset moved as ended and armed.
	armed, ended, fired uint64
	moved               uint64 // of ended and nUnsettled

	due     [Lanes]uint32 // by lane rank: timers in the due lists that will fire
	waiting bool          // false: nothing is due
	since   Tick          // while waiting: nothing is due from before
	plain   [][]head      // heads, while a cancel is nothing but a note; nil sends Cancel the long way
	inHand  uint32        // block whose timers are firing
	place   uint32        // in its group of the one-shot whose callback runs
	limbo   cursor        // block open for timers that are born paused
	wipe    func(ref uint32)

	unsettled
	touched uint32 // keeps loads that only warm the cache from being dropped
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
		return Lane(list - Lanes<<c.ring.shift)
	}
	return Lane(list >> c.ring.shift)
}

// farWord is the word of a block that is opened for a far tick.
func (c *core) farWord(lane Lane) uint64 {
	return farBit | (Lanes<<c.ring.shift|uint64(lane))<<listShift
}

// pending is how many timers are.
func (c *core) pending() int {
	return int(c.armed - c.ended - c.fired - uint64(c.nUnsettled))
}

// file takes an entry for a timer due at deadline, which is after now.
func (c *core) file(deadline Tick, lane Lane) Handle {
	if deadline-c.now > c.reach {
		return c.fileFar(deadline, lane)
	}
	i := c.ring.list(deadline, lane)
	h := c.ring.cursors[i]
	if h.full() {
		h = c.extendNear(i, deadline)
	}
	c.ring.cursors[i] = h + 1
	return Handle{uint64(h)}
}

// extendNear puts a new block at the end of list i of the ring.
func (c *core) extendNear(i uint32, deadline Tick) cursor {
	cur := c.ring.cursors[i]
	if cur == 0 {
		if i > uint32(c.ring.mask) {
			c.ring.lanes = Lanes
		}
		c.ring.mark(deadline)
		c.quiet = min(c.quiet, deadline-1)
	}
	c.ring.fills[i] += perBlock
	return c.extend(cur, deadline, uint64(i)<<listShift|liveMask)
}

// fileFar is file for a timer beyond the ring.
func (c *core) fileFar(deadline Tick, lane Lane) Handle {
	f := &c.far[lane]
	f.sync(c.now + c.reach)
	l := f.add(deadline)
	h := l.cursor()
	if h == 0 {
		c.quiet = min(c.quiet, f.stir(deadline)-c.reach-1)
	}
	if h.full() {
		h = c.extend(h, deadline, c.farWord(lane)|1)
	} else {
		c.head(h.ref() >> entryBits).word |= 1 << (h & entryMask)
	}
	l.setCursor(h + 1)
	*l.fill()++
	return Handle{uint64(h)}
}

// uncount takes one timer of block b out of the counts of its list: it will
// not fire from there. The entry itself stays.
func (c *core) uncount(b uint32) {
	lane, deadline := c.lane(b), c.meta(b).deadline
	switch d := deadline - c.now; {
	case d <= 0:
		c.due[rankOf[lane]]--
	case d <= c.reach:
		c.ring.fills[c.ring.list(deadline, lane)]--
	default:
		l, _ := c.far[lane].get(deadline)
		*l.fill()--
	}
}

// clear ends the use of an entry, and of its block if that was the last one.
func (c *core) clear(ref uint32) {
	if c.wipe != nil {
		c.wipe(ref)
	}
	b := ref >> entryBits
	h := c.head(b)
	h.word &^= 1<<(ref&entryMask) | 1<<(pinShift+ref&entryMask)
	if h.word&liveMask != 0 || b == c.inHand {
		return
	}
	gen := h.word >> genShift
	if c.settle(); h.word>>genShift == gen { // or else it was among the unsettled
		c.leave(b)
		c.release(b)
	}
}

// leave takes block b out of the list it is in. Which list that is follows from
// its deadline alone: due lists hold ticks up to now, the ring those it reaches,
// and both change only between callbacks.
func (c *core) leave(b uint32) {
	if c.head(b).word&parkedBit != 0 {
		if c.limbo != 0 && c.limbo.tail() == b {
			c.limbo = 0
		}
		return
	}
	deadline, lane := c.meta(b).deadline, c.lane(b)
	switch d := deadline - c.now; {
	case d <= 0:
		c.unlink(b)
	case d <= c.reach:
		c.leaveRing(b, c.ring.list(deadline, lane))
	default:
		l, _ := c.far[lane].get(deadline)
		c.leaveFar(b, l, lane, deadline)
	}
}

// leaveFar takes block b out of the list of a far tick.
func (c *core) leaveFar(b uint32, l farList, lane Lane, deadline Tick) {
	cur := l.cursor()
	if c.cut(&cur, b) {
		c.far[lane].drop(deadline, l)
		return
	}
	l.setCursor(cur)
}

// leaveRing takes block b out of a list of the ring.
func (c *core) leaveRing(b, list uint32) {
	if c.cut(&c.ring.cursors[list], b) {
		c.ring.unmarkEmpty(list)
	}
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
	for lane := range c.far {
		f := &c.far[lane]
		if f.lists.n == 0 {
			continue
		}
		f.sync(c.now + c.reach - 1)
		if f.due() {
			c.pullIn(c.now+c.reach, Lane(lane))
		}
		f.advance()
	}
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
	if !c.waiting {
		c.since = t
		c.setWaiting(true)
	}
	c.ring.unmark(t)
}

// dueAt returns the deadline of a due block. Unless it has waited for more than a lap
// of the ring, its slot says it, which spares a cache line.
func (c *core) dueAt(b uint32) Tick {
	word := c.head(b).word
	if word&farBit != 0 || c.now-c.since > c.ring.mask {
		return c.meta(b).deadline
	}
	return c.now - (c.now-Tick(word>>listShift&listMask))&c.ring.mask
}

// setWaiting notes whether timers may be due. If so, nothing is unsettled.
func (c *core) setWaiting(yes bool) {
	c.waiting = yes
	c.plain = nil
	if !yes && c.wipe == nil {
		c.plain = c.heads
	}
}

// pullIn makes the list of far tick t that of the ring's slot of t, which is free.
func (c *core) pullIn(t Tick, lane Lane) {
	l, _ := c.far[lane].get(t)
	i := c.ring.list(t, lane)
	if lane != Normal {
		c.ring.lanes = Lanes
	}
	// In the ring unused entries are live; here the tail's are given up instead,
	// so that the block still leaves with its last timer.
	c.ring.cursors[i], c.ring.fills[i] = cursor(l.cursor().tail()+1)<<entryBits, *l.fill()
	c.ring.mark(t)
	c.far[lane].drop(t, l)
}

// calm tells whether nothing at all is to be done in the tick after now, and keeps in
// quiet up to which tick that holds: 64 further ones at most.
func (c *core) calm() bool {
	busy := c.ring.window(c.now + 1)
	for lane := range c.far {
		c.far[lane].sync(c.now + c.reach)
		busy |= c.far[lane].window()
	}
	c.quiet = min(c.now+Tick(bits.TrailingZeros64(busy)), maxTick)
	return c.quiet > c.now
}

// nextMarked returns the first tick after now that has blocks.
func (c *core) nextMarked() (Tick, bool) {
	if t, ok := c.ring.next(c.now); ok {
		return t, true
	}
	return c.nextFar(c.now + c.reach + 1)
}

// nextFar returns the first tick with far lists that is at least from, which is
// beyond the ring.
func (c *core) nextFar(from Tick) (first Tick, ok bool) {
	for lane := range c.far {
		if t, some := c.far[lane].next(from); some && (!ok || t < first) {
			first, ok = t, true
		}
	}
	return first, ok
}

// jump makes t the tick in hand; no tick in (now, t] has blocks.
func (c *core) jump(t Tick) {
	c.now = t
	for lane := range c.far {
		f := &c.far[lane]
		for {
			first, ok := f.next(f.edge + 1)
			if !ok || first > t+c.reach {
				break
			}
			c.pullIn(first, Lane(lane))
		}
		f.jump(t + c.reach)
	}
}

// load counts the timers that will fire at t.
func (c *core) load(t Tick) (n int) {
	c.settle()
	switch d := t - c.now; {
	case d <= 0:
	case d <= c.reach:
		n = c.ring.load(t)
	default:
		for lane := range c.far {
			if l, ok := c.far[lane].get(t); ok {
				n += int(*l.fill())
			}
		}
	}
	return n
}
