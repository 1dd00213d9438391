package timers

import "math/bits"

// ring is the inner wheel: a list for each of the next N ticks and each lane, and a
// bitmap of the ticks that have blocks. Tick t has slot t mod N, and tick now's slot
// is free for now+N as soon as its lists were taken out.
//
// A list is a cursor, which scheduling moves, and a count, which cancelling does: all
// entries of its blocks that are live, those not used yet among them.
type ring struct {
	bitmap
	cursors []cursor
	fills   []uint32 // the last ones stand for far lists, and mean nothing: see settleNear
	shift   uint32   // list number: lane<<shift | slot; Lanes<<shift | lane of a far list
	lanes   int      // in use: Normal alone, until a timer of another one was filed
}

func newRing(ticks int) ring {
	return ring{bitmap: newBitmap(Tick(ticks)), lanes: 1, shift: uint32(bits.TrailingZeros(uint(ticks))),
		cursors: make([]cursor, Lanes*ticks), fills: make([]uint32, Lanes*ticks+Lanes)}
}

// list is the number of the list of tick t and a lane.
func (r *ring) list(t Tick, lane Lane) uint32 {
	return uint32(lane)<<(r.shift&31) | uint32(t&r.mask)
}

// unmarkEmpty unmarks the tick of a list if no lane has blocks for it.
func (r *ring) unmarkEmpty(list uint32) {
	slot := list & uint32(r.mask)
	for lane := range Lane(r.lanes) {
		if r.cursors[r.list(Tick(slot), lane)] != 0 {
			return
		}
	}
	r.unmark(Tick(slot))
}

// load counts the timers that will fire at t, which the ring must cover.
func (r *ring) load(t Tick) int {
	n := 0
	for lane := range Lane(r.lanes) {
		i := r.list(t, lane)
		n += int(r.fills[i] - r.cursors[i].room())
	}
	return n
}
