package timers

import (
	"fmt"
	"math/bits"
	"math/rand/v2"
	"reflect"
)

// Wheel keeps timers with payloads of type T. Make one per process or room with
// [New]; a wheel for each object defeats its purpose. A pointer-free T leaves
// the garbage collector nothing to scan.
type Wheel[T any] struct {
	core
	pays [][]T // chunks of payloads, in step with core's blocks

	max     int
	room    uint64 // while armed is below, there is no need to count against max
	horizon Span
	near    Span // of what After can file without a further look: within ring and horizon
	units   int64
	rng     *rand.PCG
	live    func(*T) bool

	advance[T]
}

// New returns an empty wheel at Config.Start, or an error that lists every bad
// field of cfg.
func New[T any](cfg Config) (*Wheel[T], error) {
	cfg, err := cfg.withDefaults()
	if err != nil {
		return nil, err
	}
	w := &Wheel[T]{
		max:     cfg.MaxTimers,
		horizon: cfg.Horizon,
		near:    min(cfg.Horizon, Span(cfg.NearTicks)),
		units:   cfg.TickUnits,
		rng:     rand.NewPCG(cfg.Seed, 0x7469636b77686565),
	}
	w.budget, w.shares = cfg.Budget, cfg.Shares
	shift := uint32(bits.TrailingZeros(uint(cfg.ChunkBlocks)))
	w.slab.size = uint32(cfg.ChunkBlocks)
	w.genLimit = 1<<genBits - 1
	w.ring = newRing(cfg.NearTicks)
	w.groups.init(max(shift, 4)-2, cfg.MaxGroups)
	w.pins.init(shift)
	w.now, w.reach = cfg.Start, Tick(cfg.NearTicks)
	for lane := range w.far {
		w.far[lane].edge, w.far[lane].span = w.now+w.reach, w.reach*farSpan
	}
	w.grown = func() {
		w.pays = append(w.pays, make([]T, cfg.ChunkBlocks<<entryBits))
		w.setWaiting(w.waiting)
	}
	if hasPointers(reflect.TypeFor[T]()) {
		w.wipe = func(ref uint32) { *w.pay(ref) = *new(T) }
	}
	w.setWaiting(false)
	w.grow()
	w.fresh = w.nth(firstBlock)
	for rank := range uint32(Lanes) {
		h := dueHead(rank)
		*w.head(h) = head{next: h, prev: h}
	}
	return w, nil
}

// hasPointers reports whether values of type t hold references that keep
// something else alive.
func hasPointers(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Array:
		return t.Len() > 0 && hasPointers(t.Elem())
	case reflect.Struct:
		for i := range t.NumField() {
			if hasPointers(t.Field(i).Type) {
				return true
			}
		}
		return false
	case reflect.Bool, reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr,
		reflect.Float32, reflect.Float64, reflect.Complex64, reflect.Complex128:
		return false
	}
	return true
}

func (w *Wheel[T]) pay(ref uint32) *T {
	return &w.pays[ref>>(chunkBits+entryBits)][ref&refMask]
}

// payloads returns the payloads of block b.
func (w *Wheel[T]) payloads(b uint32) []T {
	i := b & chunkMask << entryBits
	return w.pays[b>>chunkBits][i : i+perBlock : i+perBlock]
}

// Now returns the tick in hand: the one whose timers run, or ran last.
func (w *Wheel[T]) Now() Tick { return w.now }

// Len returns how many timers are pending: scheduled, carried, paused and
// periodic ones, each once. It is exact.
func (w *Wheel[T]) Len() int { return w.pending() }

// Cancelled returns how many timers were cancelled so far, by handle, with their
// group, or by the gate of [Wheel.SetLive].
func (w *Wheel[T]) Cancelled() uint64 { return w.ended + uint64(w.nUnsettled) - w.moved }

// At schedules p for deadline, an absolute tick, and returns a handle to cancel
// it. A deadline at or before Now means the next tick, never the one in hand: a
// callback that reschedules itself can't starve the loop.
//
// In a paused group the timer starts frozen, with deadline - Now remaining.
//
// At returns ErrFull if Config.MaxTimers timers are pending, ErrHorizon if the
// deadline, or the jitter window's end, is more than Config.Horizon after Now,
// ErrClosed if the group is closed, and ErrJitter for a bad window. It panics
// if s.Lane is not a lane.
//
// It takes constant time, growth included, and does not allocate once the wheel
// has held as many timers before. Scheme: hashed wheel, Varghese & Lauck 1987.
func (w *Wheel[T]) At(deadline Tick, p T, s Spec) (Handle, error) {
	if deadline <= w.now {
		deadline = w.now + 1
	}
	return w.After(Span(deadline-w.now), p, s)
}

// After schedules p for Now + d. A d of zero or less means the next tick. It is
// otherwise like [Wheel.At], and no d overflows: beyond the horizon it returns
// ErrHorizon.
func (w *Wheel[T]) After(d Span, p T, s Spec) (Handle, error) {
	// Most calls end here, in one piece: a plain timer for the ring. With more timers
	// than cache, the fewer instructions stand between two calls the more of their
	// cache misses overlap.
	if uint64(d-1) >= uint64(w.near) || w.armed >= w.room ||
		s.Jitter.Early|s.Jitter.Late|Span(s.Lane|Lane(s.Choices)) != 0 {
		return w.after(d, p, s)
	}
	var r *group
	if s.Group.v != 0 {
		if r = w.groups.find(s.Group); r == nil || r.paused {
			return w.after(d, p, s)
		}
		if r.free == 0 {
			w.groups.openPage(s.Group.ref(), r)
		}
	}
	t := w.now + Tick(d)
	cursors, i := w.ring.cursors, w.ring.list(t, Normal)
	h := cursors[i]
	if h.full() {
		h = w.extendNear(i, t)
	}
	cursors[i] = h + 1
	*w.pay(h.ref()) = p
	w.armed++
	if r != nil {
		w.setLink(h.ref(), w.groups.seat(r, h.ref()))
	}
	return Handle{uint64(h)}, nil
}

// roomy tells whether another timer may be pending.
func (w *Wheel[T]) roomy() bool {
	w.room = w.ended + uint64(w.nUnsettled) + w.fired + uint64(w.max)
	return w.armed < w.room
}

// after is After for any timer.
func (w *Wheel[T]) after(d Span, p T, s Spec) (Handle, error) {
	d = max(d, 1)
	if d > w.horizon {
		return Handle{}, ErrHorizon
	}
	if w.armed >= w.room && !w.roomy() {
		return Handle{}, ErrFull
	}
	if s.Lane >= Lanes {
		panic(fmt.Sprintf("timers: At: Spec.Lane is %d: want Normal, Urgent or Bulk", uint8(s.Lane)))
	}
	deadline := w.now + Tick(d)
	if s.Jitter != (Jitter{}) || s.Choices != 0 {
		var err error
		if deadline, err = w.spread(deadline, s.Jitter, s.Choices, w.horizon); err != nil {
			return Handle{}, err
		}
	}
	var h Handle
	if s.Group == (Group{}) {
		h = w.file(deadline, s.Lane)
	} else {
		r := w.groups.find(s.Group)
		if r == nil {
			return Handle{}, ErrClosed
		}
		if r.paused {
			h = w.fileFrozen(deadline, s.Lane)
			pin := w.linkOf(h.ref())
			w.pins.rec(pin).place = w.groups.join(s.Group.ref(), r, pin|pinMember)
		} else {
			h = w.file(deadline, s.Lane)
			w.setLink(h.ref(), w.groups.join(s.Group.ref(), r, h.ref()))
		}
	}
	*w.pay(h.ref()) = p
	w.armed++
	return h, nil
}

// find returns the entry of the pending timer h names, and its pin if it has
// one; ref is 0 if h is stale.
func (c *core) find(h Handle) (ref, pin uint32) {
	if h.gen()&pinFlag != 0 {
		i := c.pins.findPin(h)
		if i == 0 {
			return 0, 0
		}
		return c.pins.rec(i).at, i
	}
	ref = h.ref()
	b := ref >> entryBits
	if int(b>>chunkBits) >= len(c.heads) || b&chunkMask >= c.size {
		return 0, 0
	}
	word := c.head(b).word
	if uint32(word>>genShift) != h.gen() || word>>(ref&entryMask)&1 == 0 {
		return 0, 0
	}
	if word>>(pinShift+ref&entryMask)&1 != 0 {
		i := c.linkOf(ref)
		return c.pins.rec(i).at, i
	}
	return ref, 0
}

// Cancel stops the timer h names. It returns true if it did: the timer will not
// fire. It returns false, and touches nothing, if the timer fired, was
// cancelled before, or h is zero. In its own callback a one-shot is past
// cancelling (false); a periodic timer ends (true).
//
// It takes constant time and frees the timer's memory for reuse.
func (w *Wheel[T]) Cancel(h Handle) bool {
	// In one piece, as After is, with one look at the block's word.
	b := h.ref() >> entryBits
	chunk, i := b>>chunkBits, b&chunkMask
	if int(chunk) >= len(w.plain) || int(i) >= len(w.plain[chunk]) {
		return w.cancelOdd(h)
	}
	p := &w.plain[chunk][i].word
	word := *p
	if word>>genShift != h.v>>32 || word>>(h.v&entryMask)&(1|1<<pinShift) != 1 {
		return w.cancelOdd(h)
	}
	word &^= 1 << (h.v & entryMask)
	*p = word
	n := w.nUnsettled
	w.notes[n%batch] = note{uint32(word), h.ref()}
	w.nUnsettled = n + 1
	if n == batch-1 {
		w.settleBatch()
	}
	return true
}

// cancelOdd is Cancel for any timer: while others are due, pinned, with a payload to
// wipe, or stale.
func (c *core) cancelOdd(h Handle) bool {
	ref, pin := c.find(h)
	switch {
	case ref == 0:
		return false
	case pin != 0:
		c.ended++
		c.dropPin(pin)
	case c.waiting:
		c.ended++
		c.uncount(ref >> entryBits)
		if place := c.linkOf(ref); place != 0 {
			c.groups.vacate(place)
		}
		c.clear(ref)
	default:
		c.wipe(ref)
		p := &c.head(ref >> entryBits).word
		*p &^= 1 << (ref & entryMask)
		c.unsettle(note{uint32(*p), ref})
	}
	return true
}

// Remaining returns how many ticks are left until the timer fires: 0 if it is
// due and carried, what was left at the pause if its group is paused. It
// returns false if the timer is not pending.
func (w *Wheel[T]) Remaining(h Handle) (Span, bool) {
	ref, pin := w.find(h)
	if ref == 0 {
		return 0, false
	}
	if pin != 0 {
		if p := w.pins.rec(pin); p.frozen {
			return max(p.remaining, 0), true
		}
	}
	return max(Span(w.meta(ref>>entryBits).deadline-w.now), 0), true
}

// Payload returns the payload of a pending timer.
func (w *Wheel[T]) Payload(h Handle) (p T, ok bool) {
	ref, _ := w.find(h)
	if ref == 0 {
		return p, false
	}
	return *w.pay(ref), true
}

// Load returns how many timers are due at t, an absolute tick after Now. It is
// exact and takes constant time.
func (w *Wheel[T]) Load(t Tick) int { return w.load(t) }

// Stats describes the memory of a wheel.
type Stats struct {
	Blocks  int   // blocks of 8 in use
	Retired int   // blocks whose generations are used up
	Bytes   int64 // all arrays, payloads included
}

// Stats returns the wheel's memory figures. It takes time proportional to the
// chunks in use.
func (w *Wheel[T]) Stats() Stats {
	w.settle()
	b := w.slab.bytes() + w.groups.bytes()
	b += int64(len(w.pays)) * int64(w.slab.size) * perBlock * size[T]()
	b += int64(len(w.ring.cursors)) * 12
	for lane := range w.far {
		b += w.far[lane].bytes()
	}
	b += w.ring.bytes() + w.pins.bytes()
	return Stats{Blocks: w.used, Retired: w.retired, Bytes: b}
}
