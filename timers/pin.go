package timers

// A pin gives a timer a lasting identity while its place changes: periodic
// timers, which get a new entry for each run, and timers of groups that were
// paused. A pinned timer's entry links to the pin, and the pin knows the entry.
//
// A one-shot that was scheduled as usual is known by its address. When its
// group is paused it gets a pin, and its old entry, the home, stays live and
// forwards to it, so that the caller's handle goes on working. An entry whose
// pin is elsewhere, or frozen, does not fire.

type pin struct {
	gen    uint32
	at     uint32 // entry that holds the payload
	home   uint32 // entry that the caller's handle names, 0: the pin itself
	place  uint32 // in its group, 0: none
	next   uint32 // free pins
	lane   Lane
	used   bool
	frozen bool

	// While frozen: what remains, negative if it was carried, and the order
	// among equals.
	remaining Span
	order     uint64
	index     uint32

	every repeat
}

// pins keeps pins in chunks that never move.
type pins struct {
	recs  [][]pin
	shift uint32
	mask  uint32
	free  uint32
	fresh uint32
}

func (p *pins) init(chunkShift uint32) {
	p.shift, p.mask, p.fresh = chunkShift, 1<<chunkShift-1, 1
}

func (p *pins) rec(i uint32) *pin { return &p.recs[i>>(p.shift&31)][i&p.mask] }

func (p *pins) newPin() uint32 {
	i := p.free
	if i != 0 {
		p.free = p.rec(i).next
	} else {
		i = p.fresh
		if int(i) >= len(p.recs)<<p.shift {
			p.recs = append(p.recs, make([]pin, p.mask+1))
		}
		p.fresh++
	}
	r := p.rec(i)
	*r = pin{gen: r.gen + 1, used: true}
	return i
}

// freePin ends the pin's generation. A pin whose generations are used up is
// not reused.
func (p *pins) freePin(i uint32) {
	r := p.rec(i)
	r.used = false
	if r.gen >= 1<<genBits-1 {
		return
	}
	r.next = p.free
	p.free = i
}

// findPin returns the number of the pin a handle with pinFlag names, or 0.
func (p *pins) findPin(h Handle) uint32 {
	i := h.ref()
	if h.gen()&pinFlag == 0 || i == 0 || i >= p.fresh {
		return 0
	}
	if r := p.rec(i); !r.used || r.gen != h.gen()&^pinFlag {
		return 0
	}
	return i
}

// handle returns the handle that names pin i.
func (p *pins) handle(i uint32) Handle { return newHandle(p.rec(i).gen|pinFlag, i) }

// pinOf returns the pin an entry links to, or 0.
func (c *core) pinOf(ref uint32) uint32 {
	if c.head(ref>>entryBits).word>>(pinShift+ref&entryMask)&1 == 0 {
		return 0
	}
	return c.linkOf(ref)
}

// dropPin cancels a pinned timer.
func (c *core) dropPin(i uint32) {
	p := c.pins.rec(i)
	if !p.frozen {
		c.uncount(p.at >> entryBits)
	}
	c.unpin(i)
}

// unpin clears the entries of a pinned timer that is in no count, and frees
// its pin.
func (c *core) unpin(i uint32) {
	p := c.pins.rec(i)
	c.clear(p.at)
	if p.home != 0 && p.home != p.at {
		c.clear(p.home)
	}
	if p.place != 0 {
		c.groups.vacate(p.place)
	}
	c.pins.freePin(i)
}

// handleOf returns the handle by which the caller knows the timer at ref.
func (c *core) handleOf(ref uint32) Handle {
	if i := c.pinOf(ref); i != 0 {
		p := c.pins.rec(i)
		if p.home == 0 {
			return c.pins.handle(i)
		}
		ref = p.home
	}
	return newHandle(uint32(c.head(ref>>entryBits).word>>genShift), ref)
}

func (p *pins) bytes() int64 {
	return int64(len(p.recs)) << p.shift * size[pin]()
}
