package timers

import "math/bits"

// Far timers are due beyond the inner ring. Each far tick has its own lists, of
// the same blocks as the ring's, found by hash; when the ring comes to reach the
// tick, the lists become the ring's slot as they are. So order and deadline are
// exact by construction, and nothing is ever moved.

// farLists are the lists of one far tick, by lane.
type farLists [Lanes]struct {
	cur  cursor
	fill uint32 // timers that will fire from here
}

func (l *farLists) empty() bool {
	return l[0].cur == 0 && l[1].cur == 0 && l[2].cur == 0
}

// load counts the timers that will fire from the lists.
func (l *farLists) load() int {
	return int(l[0].fill) + int(l[1].fill) + int(l[2].fill)
}

// farTicks is where far timers wait, and in which order their ticks come. Ticks
// up to span beyond the edge are bits of a map that moves along with time, those
// beyond it members of a trie, from which they move to the map one tick at a time.
type farTicks struct {
	numbers table[uint32] // of the lists of each tick
	lists   [][]farLists  // chunks; they stay where they are
	free    uint32        // unused lists, linked by the first lane's fill
	fresh   uint32        // lists from here on were never used
	n       int           // ticks that have lists

	near bitmap // ticks in (edge, edge+span]; made with the first far timer
	far  tickSet
	edge Tick // at most the last tick of the ring; there may be no lists between the two
	span Tick
	// coming caches far's bitmap of the 64 ticks around edge+span+1, the next
	// to move to near, so that an idle tick costs no probe.
	coming uint64
}

const (
	farChunk = 64
	// noNumber stands in a block's word for a number that has no room there.
	noNumber = 1<<slotBits - 1
)

// farList is the word of a block of a far list.
func farList(number uint32, lane Lane) uint64 {
	return farBit | uint64(lane)<<(listShift+slotBits) | uint64(min(number, noNumber))<<listShift
}

// farSpan is how many times longer the map is than the ring: with the default
// ring it reaches 29 hours of 50 ms ticks and takes 260 KB.
const farSpan = 128

func (f *farTicks) at(number uint32) *farLists {
	return &f.lists[number/farChunk][number%farChunk]
}

// add returns the lists of a tick beyond the ring, and their number, making them if
// need be.
func (f *farTicks) add(t Tick) (*farLists, uint32) {
	v, had := f.numbers.put(int64(t))
	if had {
		return f.at(*v), *v
	}
	number := f.free
	if number != 0 {
		l := f.at(number)
		f.free, l[0].fill = l[0].fill, 0
	} else {
		if f.fresh == 0 {
			f.fresh = 1 // 0 means none
		}
		if number = f.fresh; int(number) >= len(f.lists)*farChunk {
			f.lists = append(f.lists, make([]farLists, farChunk))
		}
		f.fresh++
	}
	*v = number
	f.n++
	f.note(t)
	return f.at(number), number
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

// number returns the number of the lists of t, 0 if there are none.
func (f *farTicks) number(t Tick) uint32 {
	if v := f.numbers.get(int64(t)); v != nil {
		return *v
	}
	return 0
}

// get returns the lists of t, or nil.
func (f *farTicks) get(t Tick) *farLists {
	if number := f.number(t); number != 0 {
		return f.at(number)
	}
	return nil
}

// of returns the lists of a block with the given word and deadline.
func (f *farTicks) of(word uint64, deadline Tick) *farLists {
	if number := uint32(word >> listShift & (1<<slotBits - 1)); number != noNumber {
		return f.at(number)
	}
	return f.get(deadline)
}

// drop forgets a tick whose lists are empty or were taken over.
func (f *farTicks) drop(t Tick) {
	number := f.numbers.del(int64(t))
	l := f.at(number)
	*l = farLists{}
	l[0].fill, f.free = f.free, number
	f.n--
	if t-f.edge <= f.span {
		f.near.unmark(t)
		return
	}
	f.far.remove(t)
	if t>>6 == (f.edge+f.span+1)>>6 {
		f.coming &^= 1 << (t & 63)
	}
}

// due tells whether the tick after the edge has lists.
func (f *farTicks) due() bool { return f.n > 0 && f.near.marked(f.edge+1) }

// window returns a bit for each of 64 ticks from the edge's next on, set if moving
// the edge there takes a tick with lists into the ring or from the trie to the map.
func (f *farTicks) window() uint64 {
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
		f.edge = t
		f.coming = 0
		if f.far.nodes.n > 0 {
			f.coming = f.far.node(0, int64((t+f.span+1)>>6))
		}
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

// next returns the first tick with lists that is at least from, which is
// beyond the ring.
func (f *farTicks) next(from Tick) (Tick, bool) {
	if f.n == 0 {
		return 0, false
	}
	if t, ok := f.near.next(from - 1); ok && t <= f.edge+f.span {
		return t, true
	}
	return f.far.next(from)
}

func (f *farTicks) bytes() int64 {
	return f.numbers.bytes() + int64(len(f.lists))*farChunk*size[farLists]() + f.near.bytes() + f.far.nodes.bytes()
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
		v, _ := s.nodes.put(trieKey(l, p>>6))
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
