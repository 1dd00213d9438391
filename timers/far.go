package timers

import "math/bits"

// Far timers are due beyond the inner ring. Each far tick has its own list, of
// the same blocks as the ring's, found by hash; when the ring comes to reach the
// tick, the list becomes that of the ring as it is. So order and deadline are
// exact by construction, and nothing is ever moved.

// farList is the list of a far tick: its cursor, and how many timers will fire from it.
type farList struct{ place }

func (l farList) cursor() cursor     { return cursor(*l.val()) }
func (l farList) setCursor(c cursor) { *l.val() = uint64(c) }
func (l farList) fill() *uint32      { return l.num() }

// farTicks is where the far timers of a lane wait, and in which order their ticks
// come. Ticks up to span beyond the edge are bits of a map that moves along with
// time, those beyond it members of a trie, from which they move to the map one tick
// at a time.
type farTicks struct {
	lists table
	near  bitmap // ticks in (edge, edge+span]; made with the first far timer
	far   tickSet
	edge  Tick // at most the last tick of the ring; there may be no lists between the two
	span  Tick
	// coming caches far's bitmap of the 64 ticks around edge+span+1, the next
	// to move to near, so that an idle tick costs no probe.
	coming uint64
}

// farSpan is how many times longer the map is than the ring: with the default
// ring it reaches 29 hours of 50 ms ticks and takes 260 KB.
const farSpan = 128

// add returns the list of a tick beyond the ring, making it if need be.
func (f *farTicks) add(t Tick) farList {
	p, had := f.lists.put(int64(t))
	if !had {
		f.note(t)
	}
	return farList{p}
}

// note enters t into the order of ticks.
func (f *farTicks) note(t Tick) {
	if f.near.occ == nil {
		f.near = newBitmap(f.span)
	}
	if t-f.edge <= f.span {
		f.near.mark(t)
		return
	}
	f.far.add(t)
	if t>>6 == (f.edge+f.span+1)>>6 {
		f.coming |= 1 << (t & 63)
	}
}

// stir returns the edge with which tick t is to be moved.
func (f *farTicks) stir(t Tick) Tick {
	if t-f.edge > f.span {
		return t - f.span
	}
	return t
}

// warm looks at where t is noted.
func (f *farTicks) warm(t Tick) uint32 {
	if f.lists.n == 0 {
		return 0
	}
	return f.lists.first(f.lists.bucket(int64(t))).next + uint32(f.near.occ[t&f.near.mask>>6])
}

// get returns the list of t.
func (f *farTicks) get(t Tick) (farList, bool) {
	p, ok := f.lists.get(int64(t))
	return farList{p}, ok
}

// drop forgets a tick whose list l is empty or was taken over.
func (f *farTicks) drop(t Tick, l farList) {
	f.lists.del(l.place)
	if t-f.edge <= f.span {
		f.near.unmark(t)
		return
	}
	f.far.remove(t)
	if t>>6 == (f.edge+f.span+1)>>6 {
		f.coming &^= 1 << (t & 63)
	}
}

// due tells whether the tick after the edge has a list.
func (f *farTicks) due() bool { return f.lists.n > 0 && f.near.marked(f.edge+1) }

// window returns a bit for each of 64 ticks from the edge's next on, set if moving
// the edge there takes a list into the ring or a tick from the trie to the map.
func (f *farTicks) window() uint64 {
	if f.lists.n == 0 {
		return 0
	}
	busy := f.near.window(f.edge + 1)
	if f.far.nodes.n > 0 {
		t := int64(f.edge + f.span + 1)
		busy |= f.far.node(0, t>>6)>>(t&63) | f.far.node(0, t>>6+1)<<(64-t&63)
	}
	return busy
}

// sync moves the edge to t, past ticks in which nothing was to be done.
func (f *farTicks) sync(t Tick) {
	if f.edge < t {
		f.move(t)
	}
}

func (f *farTicks) move(t Tick) {
	f.edge = t
	f.coming = 0
	if f.far.nodes.n > 0 {
		f.coming = f.far.node(0, int64((t+f.span+1)>>6))
	}
}

// advance moves the edge by a tick, whose lists have been dropped.
func (f *farTicks) advance() {
	f.edge++
	t := f.edge + f.span
	if f.coming>>(t&63)&1 != 0 {
		f.far.remove(t)
		f.near.mark(t)
	}
	if t&63 == 63 {
		f.coming = f.far.node(0, int64((t+1)>>6))
	}
}

// jump moves the edge to t, up to which there are no lists.
func (f *farTicks) jump(t Tick) {
	f.edge = t
	for {
		m, ok := f.far.next(0)
		if !ok || m > t+f.span {
			break
		}
		f.far.remove(m)
		f.near.mark(m)
	}
	f.coming = f.far.node(0, int64((t+f.span+1)>>6))
}

// next returns the first tick with a list that is at least from, which is
// beyond the ring.
func (f *farTicks) next(from Tick) (Tick, bool) {
	if f.lists.n == 0 {
		return 0, false
	}
	if t, ok := f.near.next(from - 1); ok && t <= f.edge+f.span {
		return t, true
	}
	return f.far.next(from)
}

func (f *farTicks) bytes() int64 {
	return f.lists.bytes() + f.near.bytes() + f.far.nodes.bytes()
}

// tickSet is an ordered set of ticks: a 64-way trie of bitmaps whose nodes
// are found by hash. Insert, remove and successor take at most one probe a
// level, whatever the distance.
type tickSet struct {
	nodes table
}

const trieLevels = 11 // 6 bits each cover 63 bits

func trieKey(level uint, prefix int64) int64 { return int64(level)<<58 | prefix }

// node returns the bitmap over the 64 children of prefix, 0 if there are none.
func (s *tickSet) node(level uint, prefix int64) uint64 {
	if v, ok := s.nodes.get(trieKey(level, prefix)); ok {
		return *v.val()
	}
	return 0
}

func (s *tickSet) add(t Tick) {
	p := int64(t)
	for l := uint(0); l < trieLevels; l++ {
		v, _ := s.nodes.put(trieKey(l, p>>6))
		had := *v.val()
		*v.val() |= 1 << (p & 63)
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
		v, _ := s.nodes.get(k)
		*v.val() &^= 1 << (p & 63)
		if *v.val() != 0 {
			return
		}
		s.nodes.del(v)
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
