package timers

import "math/bits"

// bitmap is a set of ticks that lie within N ticks of each other: a bit for each,
// at t mod N, and a summary bit for every 64 of the bitmap's words.
type bitmap struct {
	occ  []uint64
	sum  []uint64
	mask Tick
}

func newBitmap(n Tick) bitmap {
	words := (n + 63) / 64
	return bitmap{occ: make([]uint64, words), sum: make([]uint64, (words+63)/64), mask: n - 1}
}

func (m *bitmap) mark(t Tick) {
	i := uint64(t & m.mask)
	m.occ[i>>6] |= 1 << (i & 63)
	m.sum[i>>12] |= 1 << (i >> 6 & 63)
}

func (m *bitmap) marked(t Tick) bool {
	i := uint64(t & m.mask)
	return m.occ[i>>6]>>(i&63)&1 != 0
}

func (m *bitmap) unmark(t Tick) {
	i := uint64(t & m.mask)
	m.occ[i>>6] &^= 1 << (i & 63)
	if m.occ[i>>6] == 0 {
		m.sum[i>>12] &^= 1 << (i >> 6 & 63)
	}
}

// window returns the marks of 64 ticks, that of t in the lowest bit.
func (m *bitmap) window(t Tick) uint64 {
	i := uint64(t & m.mask)
	w, last := i>>6, uint64(len(m.occ)-1)
	return m.occ[w]>>(i&63) | m.occ[(w+1)&last]<<(64-i&63)
}

func (m *bitmap) bytes() int64 { return int64(len(m.occ)+len(m.sum)) * 8 }

// next returns the first marked tick in (after, after+N].
func (m *bitmap) next(after Tick) (Tick, bool) {
	from := uint64((after + 1) & m.mask)
	i, ok := m.scan(from)
	if !ok {
		i, ok = m.scan(0)
		if !ok {
			return 0, false
		}
	}
	return after + 1 + (Tick(i)-after-1)&m.mask, true
}

// scan returns the first marked index that is at least from.
func (m *bitmap) scan(from uint64) (uint64, bool) {
	w := from >> 6
	if b := m.occ[w] >> (from & 63); b != 0 {
		return from + uint64(bits.TrailingZeros64(b)), true
	}
	w++
	for s := w >> 6; s < uint64(len(m.sum)); s++ {
		b := m.sum[s]
		if s == w>>6 {
			b = b >> (w & 63) << (w & 63)
		}
		if b != 0 {
			w = s<<6 | uint64(bits.TrailingZeros64(b))
			return w<<6 | uint64(bits.TrailingZeros64(m.occ[w])), true
		}
	}
	return 0, false
}
