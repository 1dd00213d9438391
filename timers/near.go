package timers

import "math/bits"

// ring is the inner wheel: one slot for each of the next len(slots) ticks and
// each lane, and a bitmap of the ticks that have blocks, with a summary bit for
// every 64 of its words. Tick t has slot t mod N, and tick now's slot is free
// for now+N as soon as its lists were taken out.
type ring struct {
	slots [Lanes][]slot // allocated when the lane is first used
	occ   []uint64      // bit a tick
	sum   []uint64      // bit a word of occ
	mask  Tick
}

func (r *ring) init(n int) {
	r.mask = Tick(n - 1)
	r.occ = make([]uint64, (n+63)/64)
	r.sum = make([]uint64, (len(r.occ)+63)/64)
}

// lane returns the slots of a lane rank.
func (r *ring) lane(rank uint32) []slot {
	if r.slots[rank] == nil {
		r.slots[rank] = make([]slot, r.mask+1)
	}
	return r.slots[rank]
}

func (r *ring) mark(t Tick) {
	i := uint64(t & r.mask)
	r.occ[i>>6] |= 1 << (i & 63)
	r.sum[i>>12] |= 1 << (i >> 6 & 63)
}

func (r *ring) marked(t Tick) bool {
	i := uint64(t & r.mask)
	return r.occ[i>>6]>>(i&63)&1 != 0
}

func (r *ring) unmark(t Tick) {
	i := uint64(t & r.mask)
	r.occ[i>>6] &^= 1 << (i & 63)
	if r.occ[i>>6] == 0 {
		r.sum[i>>12] &^= 1 << (i >> 6 & 63)
	}
}

// unmarkEmpty unmarks t if no lane has blocks for it.
func (r *ring) unmarkEmpty(t Tick) {
	i := t & r.mask
	for _, s := range r.slots {
		if s != nil && s[i].cur != 0 {
			return
		}
	}
	r.unmark(t)
}

// load counts the timers that will fire at t, which the ring must cover.
func (r *ring) load(t Tick) int {
	n := 0
	for _, s := range r.slots {
		if s != nil {
			n += int(s[t&r.mask].fill)
		}
	}
	return n
}

// next returns the first marked tick in (now, now+N].
func (r *ring) next(now Tick) (Tick, bool) {
	from := uint64((now + 1) & r.mask)
	i, ok := r.scan(from)
	if !ok {
		i, ok = r.scan(0)
		if !ok {
			return 0, false
		}
	}
	return now + 1 + (Tick(i)-now-1)&r.mask, true
}

// scan returns the first marked index that is at least from.
func (r *ring) scan(from uint64) (uint64, bool) {
	w := from >> 6
	if m := r.occ[w] >> (from & 63); m != 0 {
		return from + uint64(bits.TrailingZeros64(m)), true
	}
	w++
	for s := w >> 6; s < uint64(len(r.sum)); s++ {
		m := r.sum[s]
		if s == w>>6 {
			m = m >> (w & 63) << (w & 63)
		}
		if m != 0 {
			w = s<<6 | uint64(bits.TrailingZeros64(m))
			return w<<6 | uint64(bits.TrailingZeros64(r.occ[w])), true
		}
	}
	return 0, false
}
