package timers

import (
	"fmt"
	"math"
	"math/bits"
	"slices"
)

// Restore makes a wheel of what [Wheel.AppendSnapshot] appended. It goes on where
// the other one was: the same calls give the same firings and the same handles,
// and handles and groups of the other wheel are valid here. decode turns what
// encode appended back into a payload; it must not keep its argument. A gate is
// to be set again with [Wheel.SetLive]. Limits are those of the snapshot.
//
// It returns an error that is ErrSnapshot if b is cut off, damaged, of a newer
// version, or contradicts itself anywhere: any b gives a whole wheel or an error.
// An error of decode is wrapped.
//
// It takes time proportional to k log k for k blocks in use, and the memory of
// the wheel, which is proportional to b.
func Restore[T any](b []byte, decode func(b []byte) (T, error)) (*Wheel[T], error) {
	b, err := body(b)
	if err != nil {
		return nil, err
	}
	r := &restorer{reader: reader{b: b}}
	w := restoreState[T](r)
	if r.err != nil {
		return nil, r.err
	}
	r.c = &w.core
	r.getGroups()
	r.getPins()
	r.getBlocks(func(ref uint32) {
		b := r.bytes("size of a payload")
		if r.err != nil {
			return
		}
		p, err := decode(b)
		if err != nil {
			r.err = fmt.Errorf("timers: Restore: payload of the timer due at %d: %w", w.meta(ref>>entryBits).deadline, err)
		}
		*w.pay(ref) = p
	})
	r.need(len(r.b) == 0, "%d bytes are left over", len(r.b))
	for _, step := range []func(){r.linkMembers, r.listBlocks, r.checkBlocks, r.checkPins} {
		if r.err == nil {
			step()
		}
	}
	r.need(w.pending() <= w.max, "%d timers: want at most %d", w.pending(), w.max)
	if r.err != nil {
		return nil, r.err
	}
	return w, nil
}

// restoreState makes an empty wheel with the limits and the clock of a snapshot.
func restoreState[T any](r *restorer) *Wheel[T] {
	cfg := Config{
		NearTicks:   int(r.uint("NearTicks", 1<<slotBits)),
		ChunkBlocks: int(r.uint("ChunkBlocks", maxChunk)),
		MaxTimers:   int(r.uint("MaxTimers", maxTimers)),
		MaxGroups:   int(r.uint("MaxGroups", maxGroups)),
		Horizon:     Span(r.uint("Horizon", uint64(maxHorizon))),
		TickUnits:   int64(r.uint("TickUnits", 1<<40)),
	}
	r.need(cfg.NearTicks > 0 && cfg.ChunkBlocks > 0 && cfg.MaxTimers > 0 && cfg.MaxGroups > 0 &&
		cfg.Horizon > 0 && cfg.TickUnits > 0, "a limit of 0: %+v", cfg)
	genLimit := uint32(r.uint("limit of generations", 1<<genBits-1))
	cfg.Budget = int(r.uint("Budget", math.MaxInt))
	cfg.Shares.Normal = math.Float64frombits(r.uint("Shares.Normal", math.MaxUint64))
	cfg.Shares.Bulk = math.Float64frombits(r.uint("Shares.Bulk", math.MaxUint64))
	now := Tick(r.uint("Now", uint64(maxTick)))
	stamp := r.uint("newest stamp", 1<<62)
	cancelled := r.uint("Cancelled", math.MaxUint64)
	var starved [Lanes]int
	for i := range starved {
		starved[i] = int(r.uint("ticks a lane starved", math.MaxInt))
	}
	rng := r.bytes("size of the generator")
	if r.err != nil {
		return nil
	}
	r.need(cfg.Shares.Normal != 0 && cfg.Shares.Bulk != 0, "Shares is %+v", cfg.Shares)
	w, err := New[T](cfg)
	if err != nil {
		r.bad("%v", err)
		return nil
	}
	if err := w.rng.UnmarshalBinary(rng); err != nil {
		r.bad("the generator: %v", err)
	}
	w.now = now
	for lane := range w.far {
		w.far[lane].edge = now + w.reach
	}
	w.stamp, w.ended, w.starved, w.genLimit = stamp, cancelled, starved, genLimit
	r.furthest = 2*int64(w.horizon) + 2
	r.units, r.horizon = w.units, int64(w.horizon)
	return w
}

// restorer fills a wheel. What it reads may be anything: numbers are bounded as
// they are read, and what must fit together is checked before the wheel is used.
type restorer struct {
	reader
	c *core

	units, horizon int64
	furthest       int64   // no deadline, grid point or remainder is further from now
	taken          []uint8 // of each block, see core.taken
	plain          int     // timers without a pin
}

func (r *restorer) getGroups() {
	g := &r.c.groups
	fresh := uint32(r.uint("groups", min(uint64(len(r.b))+1, maxGroups*2)))
	r.need(fresh > 0, "groups is 0")
	closed := 0
	for i := uint32(1); i < fresh && r.err == nil; i++ {
		if int(i) >= len(g.recs)<<g.shift {
			g.recs = append(g.recs, make([]group, g.mask+1))
		}
		g.freshRec = i + 1
		flags := r.uint("flags of a group", snapOpen|snapPaused)
		rec := g.rec(i)
		rec.gen = uint32(r.uint("generation of a group", math.MaxUint32))
		r.need(rec.gen > 0, "group %d has generation 0", i)
		rec.open, rec.paused = flags&snapOpen != 0, flags&snapPaused != 0
		if rec.open {
			g.n++
			r.getPages(i, rec)
		} else if r.need(!rec.paused, "group %d is paused, but closed", i); rec.gen != math.MaxUint32 {
			closed++
		}
	}
	r.need(g.n <= g.max, "%d groups: want at most %d", g.n, g.max)
	g.freeRec = r.chain("list of closed groups", max(fresh, 1), closed,
		func(i uint32) bool { return !g.rec(i).open && g.rec(i).gen != math.MaxUint32 },
		func(i, next uint32) { g.rec(i).nextFree = next })
}

// getPages reads the members of group i: the open page, those with room, the full ones.
func (r *restorer) getPages(i uint32, rec *group) {
	g := &r.c.groups
	for list, state := range []pageState{openPage, roomyPage, fullPage} {
		var pages []uint32
		limit := uint64(len(r.b))
		if state == openPage {
			limit = 1
		}
		for range r.uint("pages of a group", limit) {
			p := g.newPage(i)
			pages = append(pages, p)
			pg := g.page(p)
			pg.used, pg.state = uint32(r.uint("places used of a page", allPlaces)), state
			n := bits.OnesCount32(pg.used)
			lo, hi := [...]int{0, 1, perPage - roomy + 1}[list], [...]int{perPage, perPage - 1, perPage}[list]
			r.need(n >= lo && n <= hi, "a page of group %d has %d members: want %d to %d", i, n, lo, hi)
			for used := pg.used; used != 0; used &= used - 1 {
				pg.members[bits.TrailingZeros32(used)] = uint32(r.uint("member", math.MaxUint32))
			}
			if r.err != nil {
				return
			}
		}
		for _, p := range slices.Backward(pages) {
			switch pg := g.page(p); state {
			case openPage:
				rec.page, rec.free = p, allPlaces&^pg.used
			case roomyPage:
				g.push(&rec.room, p, pg)
			case fullPage:
				g.push(&rec.full, p, pg)
			}
		}
	}
}

func (r *restorer) getPins() {
	p := &r.c.pins
	const maxGen = 1<<genBits - 1
	fresh := uint32(r.uint("pins", min(uint64(len(r.b))+1, math.MaxInt32)))
	r.need(fresh > 0, "pins is 0")
	unused := 0
	for i := uint32(1); i < fresh && r.err == nil; i++ {
		if int(i) >= len(p.recs)<<p.shift {
			p.recs = append(p.recs, make([]pin, p.mask+1))
		}
		p.fresh = i + 1
		flags := r.uint("flags of a pin", snapUsed|snapFrozen|snapDelay)
		rec := p.rec(i)
		rec.gen = uint32(r.uint("generation of a pin", maxGen))
		r.need(rec.gen > 0, "pin %d has generation 0", i)
		if flags&snapUsed != 0 {
			rec.used, rec.frozen = true, flags&snapFrozen != 0
			r.getPin(rec)
			rec.every.delay = flags&snapDelay != 0
		} else if r.need(flags == 0, "pin %d is unused, but has flags %d", i, flags); rec.gen != maxGen {
			unused++
		}
	}
	p.free = r.chain("list of free pins", max(fresh, 1), unused,
		func(i uint32) bool { return !p.rec(i).used && p.rec(i).gen != maxGen },
		func(i, next uint32) { p.rec(i).next = next })
}

func (r *restorer) getPin(rec *pin) {
	c := r.c
	rec.at = uint32(r.uint("place of a pin", math.MaxUint32))
	rec.home = uint32(r.uint("home of a pin", math.MaxUint32))
	rec.lane = laneOf[r.u32("lane of a pin", Lanes)]
	if rec.frozen {
		rec.remaining = Span(r.int("what remains of a timer", -int64(c.now), r.furthest))
		rec.order = r.uint("stamp of a pin", c.stamp)
		rec.index = r.u32("place in a block", perBlock)
	}
	e := &rec.every
	limit := uint64(math.MaxInt64)
	if hi, lo := bits.Mul64(uint64(r.horizon), uint64(r.units)); hi == 0 && lo <= limit {
		limit = min(limit, lo+uint64(r.units)-1) // a period is compared in whole ticks
	}
	e.period = int64(r.uint("period", limit))
	if e.period == 0 {
		r.need(rec.home != 0, "a one-shot timer without a home")
		return
	}
	r.need(e.period >= r.units && rec.home == 0, "period of %d units of 1/%d tick, home %d", e.period, r.units, rec.home)
	// Frozen, the grid counts from now.
	if e.grid = Tick(r.int("grid", -int64(c.now), math.MaxInt64)); rec.frozen {
		r.need(int64(e.grid) <= r.furthest, "grid is %d after now: want at most %d", e.grid, r.furthest)
	} else {
		r.need(e.grid >= 0 && int64(e.grid-c.now) <= r.furthest, "grid is %d", e.grid)
	}
	e.lead = int64(r.uint("lead", uint64(r.units)-1))
	e.jitter = Jitter{Early: Span(r.uint("Jitter.Early", uint64(r.horizon))),
		Late: Span(r.uint("Jitter.Late", uint64(r.horizon)))}
	e.choices = uint8(r.uint("Choices", MaxChoices))
}

func (r *restorer) getBlocks(payload func(ref uint32)) {
	c := r.c
	fresh := uint32(r.uint("blocks", min(uint64(len(r.b))+firstBlock, maxChunks*uint64(c.slab.size))))
	r.need(fresh >= firstBlock, "blocks is %d: want at least %d", fresh, firstBlock)
	free := 0
	r.taken = make([]uint8, firstBlock, max(fresh, firstBlock))
	for n := uint32(firstBlock); n < fresh && r.err == nil; n++ {
		b := c.slab.nth(n)
		if int(b>>chunkBits) == len(c.heads) {
			c.grow()
		}
		c.fresh = c.after(b)
		flags := r.uint("flags of a block", snapUsed|snapParked|snapFar|3<<snapRank)
		gen := r.uint("generation of a block", 1<<genBits-1)
		r.need(gen > 0, "block %d has generation 0", b)
		c.head(b).word = gen << genShift
		r.taken = append(r.taken, perBlock)
		switch {
		case flags&snapUsed != 0:
			r.need(gen < uint64(c.genLimit), "block %d in use has generation %d: want less than %d", b, gen, c.genLimit)
			r.getBlock(b, flags, payload)
		case flags != 0:
			r.bad("block %d is unused, but has flags %d", b, flags)
		case gen >= uint64(c.genLimit):
			c.retired++
		default:
			free++
		}
	}
	c.free = r.chain("list of free blocks", c.fresh, free,
		func(b uint32) bool { return r.made(b) && r.free(b) },
		func(b, next uint32) { c.head(b).next = next })
	c.limbo = r.cursor(r.u32("block of paused timers", c.fresh<<entryBits+1))
}

// made tells whether a block was read.
func (r *restorer) made(b uint32) bool {
	return b&chunkMask < r.c.slab.size && b < r.c.fresh && r.c.slab.ordinal(b) >= firstBlock
}

// free tells whether a block was read as not in use.
func (r *restorer) free(b uint32) bool {
	h := r.c.head(b)
	return h.next == 0 && h.prev == 0 && h.word>>genShift < uint64(r.c.genLimit)
}

// cursor makes the cursor of a list whose next entry is ref.
func (r *restorer) cursor(ref uint32) cursor {
	cur := cursor(ref)
	if t := cur.tail(); r.made(t) {
		cur |= cursor(r.c.head(t).word >> genShift << 32)
	}
	return cur
}

func (r *restorer) getBlock(b uint32, flags uint64, payload func(ref uint32)) {
	c := r.c
	rank := flags >> snapRank
	if r.need(rank < Lanes, "block %d is of lane %d", b, rank); r.err != nil {
		return
	}
	taken := r.uint("entries taken", perBlock)
	live := r.uint("live entries", liveMask)
	pinned := r.uint("pinned entries", liveMask)
	r.need(taken > 0 && live>>taken == 0 && pinned&^live == 0,
		"block %d: entries %b live, %b pinned of %d", b, live, pinned, taken)
	deadline := Tick(r.uint("deadline", math.MaxInt64-1))
	stamp := r.uint("stamp of a block", c.stamp)
	r.need(stamp > 0, "block %d has stamp 0", b)
	word := c.head(b).word | live | pinned<<pinShift
	parked, far := flags&snapParked != 0, flags&snapFar != 0
	if parked {
		word |= parkedBit
		r.need(pinned == live, "block %d is parked, but timers of it would fire", b)
	} else {
		r.need(int64(deadline-c.now) <= r.furthest, "deadline is %d at %d", deadline, c.now)
	}
	if lane := laneOf[rank]; far || parked {
		word |= c.farWord(lane)
	} else {
		word |= uint64(c.ring.list(deadline, lane)) << listShift
	}
	*c.head(b) = head{word: word, next: b, prev: b}
	*c.meta(b) = meta{deadline: deadline, stamp: stamp}
	c.used++
	r.taken[c.slab.ordinal(b)] = uint8(taken)
	for ; live != 0 && r.err == nil; live &= live - 1 {
		ref := b<<entryBits | uint32(bits.TrailingZeros64(live))
		r.getEntry(ref, payload)
	}
}

// getEntry reads the pin of an entry, if it has one, and its payload.
func (r *restorer) getEntry(ref uint32, payload func(ref uint32)) {
	c := r.c
	if c.head(ref>>entryBits).word>>(pinShift+ref&entryMask)&1 != 0 {
		i := r.u32("pin of an entry", c.pins.fresh)
		if i == 0 || !c.pins.rec(i).used {
			r.bad("entry %d has pin %d, which is free", ref, i)
			return
		}
		p := c.pins.rec(i)
		r.need(p.at == ref || p.home == ref, "entry %d has pin %d, which is at %d", ref, i, p.at)
		c.setLink(ref, i)
		if p.at == ref {
			r.need(p.lane == c.lane(ref>>entryBits), "pin %d and its block differ in lane", i)
			payload(ref)
		}
		return
	}
	r.plain++
	payload(ref)
}
