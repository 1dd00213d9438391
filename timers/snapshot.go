package timers

import (
	"fmt"
	"math"
	"math/bits"
	"slices"
)

// AppendSnapshot appends the state of the wheel to b and returns the extended
// slice: every pending, carried, paused and periodic timer with its place in the
// order, its lane, its group and its period; the groups; the clock, the limits
// and the budget; the generator behind Jitter. encode does the same with a
// payload, as encoding.BinaryAppender does; what identifies an event, such as
// its kind, is part of the payload.
//
// The wheel that [Restore] makes of it fires the same timers in the same order
// from there on, and answers the same calls with the same handles. Handles and
// groups got from this wheel are valid on that one. What a snapshot can't hold is
// code: the gate of [Wheel.SetLive] must be set again.
//
// It changes no timer, and the wheel may go on. It returns ErrAdvancing if an
// Advance is under way or was interrupted, or the error of encode, and b as it
// was.
//
// It takes time and memory proportional to the timers and to the blocks of 8
// the wheel ever needed: some 10 bytes a timer besides its payload. b is reused
// if there is room.
func (w *Wheel[T]) AppendSnapshot(b []byte, encode func(b []byte, p T) ([]byte, error)) ([]byte, error) {
	if w.busy || w.cut {
		return b, ErrAdvancing
	}
	w.settle()
	w.groups.settle()
	o := &writer{b: slices.Grow(b, 1024+w.used*16+w.pending()*8)}
	o.begin()
	w.putState(o)
	w.groups.put(o)
	w.pins.put(o)
	var scratch []byte
	if err := w.putBlocks(o, func(ref uint32) (err error) {
		if scratch, err = encode(scratch[:0], *w.pay(ref)); err != nil {
			return fmt.Errorf("timers: AppendSnapshot: payload of the timer due at %d: %w", w.meta(ref>>entryBits).deadline, err)
		}
		o.bytes(scratch)
		return nil
	}); err != nil {
		return b, err
	}
	o.seal()
	return o.b, nil
}

// putState writes what a Config says, and what there is one of.
func (w *Wheel[T]) putState(o *writer) {
	o.uint(uint64(w.reach), uint64(w.slab.size), uint64(w.max), uint64(w.groups.max),
		uint64(w.horizon), uint64(w.units), uint64(w.genLimit), uint64(w.budget),
		math.Float64bits(w.shares.Normal), math.Float64bits(w.shares.Bulk))
	o.uint(uint64(w.now), w.stamp, w.Cancelled())
	for _, ticks := range w.starved {
		o.uint(uint64(ticks))
	}
	rng, err := w.rng.MarshalBinary()
	if err != nil {
		panic("timers: AppendSnapshot: " + err.Error()) // a PCG always can
	}
	o.bytes(rng)
}

// Flags of the records of a snapshot.
const (
	snapOpen   = 1 // group
	snapPaused = 2

	snapUsed   = 1 // pin, block
	snapFrozen = 2 // pin
	snapDelay  = 4
	snapParked = 2 // block
	snapFar    = 4
	snapRank   = 3 // by how much the lane rank is shifted
)

func flag(on bool, bit uint64) uint64 {
	if on {
		return bit
	}
	return 0
}

// put writes the groups. Members are written by page and place: these decide the order
// in which they are cancelled together, and so which blocks are used next.
func (g *groups) put(o *writer) {
	o.uint(uint64(g.freshRec))
	for i := uint32(1); i < g.freshRec; i++ {
		r := g.rec(i)
		o.uint(flag(r.open, snapOpen)|flag(r.open && r.paused, snapPaused), uint64(r.gen))
		if !r.open {
			continue
		}
		for _, first := range g.lists(r) {
			next := func(p uint32) uint32 { return g.page(p).next }
			o.uint(length(first, next))
			for p := first; p != 0; p = next(p) {
				pg := g.page(p)
				o.uint(uint64(pg.used))
				for used := pg.used; used != 0; used &= used - 1 {
					o.uint(uint64(pg.members[bits.TrailingZeros32(used)]))
				}
			}
		}
	}
	o.chain(g.freeRec, func(i uint32) uint32 { return g.rec(i).nextFree })
}

func (p *pins) put(o *writer) {
	o.uint(uint64(p.fresh))
	for i := uint32(1); i < p.fresh; i++ {
		r := p.rec(i)
		if !r.used {
			o.uint(0, uint64(r.gen))
			continue
		}
		o.uint(snapUsed|flag(r.frozen, snapFrozen)|flag(r.every.delay, snapDelay), uint64(r.gen))
		o.uint(uint64(r.at), uint64(r.home), uint64(rankOf[r.lane]))
		if r.frozen {
			o.int(int64(r.remaining))
			o.uint(r.order, uint64(r.index))
		}
		e := &r.every
		if o.uint(uint64(e.period)); e.period != 0 {
			o.int(int64(e.grid))
			o.uint(uint64(e.lead), uint64(e.jitter.Early), uint64(e.jitter.Late), uint64(e.choices))
		}
	}
	o.chain(p.free, func(i uint32) uint32 { return p.rec(i).next })
}

// putBlocks writes the blocks by number. The lists they are in follow from
// their deadlines and stamps, and the counts from their entries.
func (c *core) putBlocks(o *writer, payload func(ref uint32) error) error {
	o.uint(uint64(c.slab.ordinal(c.fresh)))
	for b := range c.blocks() {
		word := c.head(b).word
		if !c.inUse(b) {
			o.uint(0, word>>genShift)
			continue
		}
		o.uint(snapUsed|flag(word&parkedBit != 0, snapParked)|flag(word&(farBit|parkedBit) == farBit, snapFar)|
			uint64(rankOf[c.lane(b)])<<snapRank, word>>genShift)
		taken := c.taken(b)
		live := word & liveMask & (1<<taken - 1)
		o.uint(uint64(taken), live, word>>pinShift&live, uint64(c.meta(b).deadline), c.meta(b).stamp)
		for ; live != 0; live &= live - 1 {
			ref := b<<entryBits | uint32(bits.TrailingZeros64(live))
			if i := c.pinOf(ref); i != 0 {
				if o.uint(uint64(i)); c.pins.rec(i).at != ref {
					continue // forwards to where the payload is
				}
			}
			if err := payload(ref); err != nil {
				return err
			}
		}
	}
	o.chain(c.free, func(b uint32) uint32 { return c.head(b).next })
	o.uint(uint64(c.limbo.ref()))
	return nil
}

// taken is how many entries of block b have been used: all but in a block
// that timers are still added to.
func (c *core) taken(b uint32) uint32 {
	cur := c.limbo
	if c.head(b).word&parkedBit == 0 {
		d := c.meta(b).deadline
		if d <= c.now {
			return perBlock
		}
		cur = c.cursorAt(d, c.lane(b))
	}
	if cur == 0 || cur.tail() != b {
		return perBlock
	}
	return perBlock - cur.room()
}
