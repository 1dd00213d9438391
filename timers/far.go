package timers

import "math/bits"

// Far timers are due beyond the inner ring. Each far tick has its own lists, of
// the same blocks as the ring's, found by hash; when the ring comes to reach the
// tick, the lists become the ring's slot as they are. So order and deadline are
// exact by construction, and nothing is ever moved.

type farLists [Lanes]slot

func (l *farLists) empty() bool {
	return l[0].cur == 0 && l[1].cur == 0 && l[2].cur == 0
}

// load counts the timers that will fire from the lists.
func (l *farLists) load() int {
	return int(l[0].fill) + int(l[1].fill) + int(l[2].fill)
}

// tickSet is an ordered set of ticks: a 64-way trie of bitmaps whose nodes
// are found by hash. Insert, remove and successor take at most one probe a
// level, whatever the distance.
type tickSet struct {
	nodes table[uint64]
}

const trieLevels = 11 // 6 bits each cover 63 bits

func trieKey(level uint, prefix int64) int64 { return int64(level)<<58 | prefix }

// node returns the bitmap over the 64 children of prefix, 0 if there are none.
func (s *tickSet) node(level uint, prefix int64) uint64 {
	if v := s.nodes.get(trieKey(level, prefix)); v != nil {
		return *v
	}
	return 0
}

func (s *tickSet) add(t Tick) {
	p := int64(t)
	for l := uint(0); l < trieLevels; l++ {
		v := s.nodes.put(trieKey(l, p>>6))
		had := *v
		*v |= 1 << (p & 63)
		if had != 0 {
			return
		}
		p >>= 6
	}
}

func (s *tickSet) remove(t Tick) {
	p := int64(t)
	for l := uint(0); l < trieLevels; l++ {
		k := trieKey(l, p>>6)
		v := s.nodes.get(k)
		*v &^= 1 << (p & 63)
		if *v != 0 {
			return
		}
		s.nodes.del(k)
		p >>= 6
	}
}

// next returns the smallest member that is at least from.
func (s *tickSet) next(from Tick) (Tick, bool) {
	p := int64(from)
	skip := uint(0) // above the lowest level, from's own subtree is done
	for l := uint(0); l < trieLevels; l++ {
		m := s.node(l, p>>6) >> (p & 63) >> skip << skip << (p & 63)
		if m != 0 {
			p = p&^63 | int64(bits.TrailingZeros64(m))
			for ; l > 0; l-- {
				p = p<<6 | int64(bits.TrailingZeros64(s.node(l-1, p)))
			}
			return Tick(p), true
		}
		p >>= 6
		skip = 1
	}
	return 0, false
}
