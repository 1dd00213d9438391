package timers

// A block holds up to 8 timers of one deadline and lane. Its parts lie in
// separate arrays, so that a cancel touches one word and a schedule one payload
// line: a word (which entries are live, and the generation that makes stale
// handles inert), the list links with the deadline, the payloads, and, only
// where timers have one, each timer's group or pin. Arrays grow by a chunk and
// are never copied; an entry is used once in the life of a block, so that block
// generation and entry number name one arming.
//
// Entry numbers are block<<3 | index. Block 0 is never used, so that 0 means
// "none"; blocks 1 to 3 are the heads of the due lists.

const (
	entryBits = 3
	perBlock  = 1 << entryBits
	entryMask = perBlock - 1

	// Fields of a block's word. An entry is live while it holds a timer, or forwards to one; in a tail
	// block of the ring also those not used yet, so that a block leaves its list
	// once for 8 timers and not whenever it happens to be empty.
	liveMask   = 1<<perBlock - 1
	pinShift   = perBlock // the entry's back link is a pin number
	rankShift  = 16       // lane rank, 2 bits
	parkedBit  = 1 << 18  // in no list; freed when its last entry goes
	farBit     = 1 << 19  // opened for a tick beyond the ring
	emptyShift = 20       // in the queue of emptied blocks
	emptyBit   = 1 << emptyShift
	slotShift  = 21 // deadline mod ring size, for blocks without farBit
	slotBits   = 17
	genShift   = slotShift + slotBits
	genBits    = 64 - genShift
	pinFlag    = 1 << 31 // in Handle.gen: the rest names a pin
	firstBlock = 1 + Lanes
	maxBlocks  = 1 << (31 - entryBits)
)

// meta links the blocks of one tick and lane in scheduling order.
type meta struct {
	deadline   Tick
	stamp      uint64 // order of opening, wheel-wide: resume restores order by it
	next, prev uint32
}

// slot is the list of blocks of one tick and lane.
type slot struct {
	cur  uint32 // entry after the newest one; 0: no blocks. (cur-1)>>3 is the tail
	fill uint32 // timers that will fire from here
}

func (s *slot) tail() uint32 { return (s.cur - 1) >> entryBits }

// unused masks the entries of the tail that were not used yet.
func (s *slot) unused() uint64 { return liveMask << ((s.cur-1)&entryMask + 1) & liveMask }

// slab keeps blocks. It knows nothing of payloads.
type slab struct {
	words [][]uint64
	metas [][]meta
	links [][]uint32 // nil chunks until a timer has a group or a pin

	shift, mask uint32 // block number → chunk, index in the chunk
	genLimit    uint32 // a block is retired when its generation reaches this
	free        uint32 // freed blocks, linked by meta.next
	fresh       uint32 // blocks from here on were never used
	used        int
	retired     int
	stamp       uint64

	addPayloads func() // keeps the payload chunks in step
}

func (s *slab) word(b uint32) *uint64 { return &s.words[b>>(s.shift&31)][b&s.mask] }
func (s *slab) meta(b uint32) *meta   { return &s.metas[b>>(s.shift&31)][b&s.mask] }

// setLink stores an entry's back link, making room for the chunk's first one.
func (s *slab) setLink(ref, v uint32) {
	b := ref >> entryBits
	c := b >> (s.shift & 31)
	if s.links[c] == nil {
		s.links[c] = make([]uint32, (s.mask+1)<<entryBits)
	}
	s.links[c][(b&s.mask)<<entryBits|ref&entryMask] = v
}

// unlinked notes that an entry has no back link, where any has one.
func (s *slab) unlinked(ref uint32) {
	b := ref >> entryBits
	if l := s.links[b>>(s.shift&31)]; l != nil {
		l[(b&s.mask)<<entryBits|ref&entryMask] = 0
	}
}

// linkOf returns an entry's back link: its group, or its pin if it has one; 0 if
// it has neither.
func (s *slab) linkOf(ref uint32) uint32 {
	b := ref >> entryBits
	if l := s.links[b>>(s.shift&31)]; l != nil {
		return l[(b&s.mask)<<entryBits|ref&entryMask]
	}
	return 0
}

// setPin makes an entry the place of a pinned timer, or a forwarder to it.
func (s *slab) setPin(ref, pin uint32) {
	s.setLink(ref, pin)
	*s.word(ref >> entryBits) |= 1 << (pinShift + ref&entryMask)
}

// open takes a block for a deadline, linked to itself, with the given bits of
// its word set.
func (s *slab) open(deadline Tick, bits uint64) uint32 {
	b := s.free
	if b != 0 {
		s.free = s.meta(b).next
	} else {
		if int(s.fresh) == len(s.words)<<s.shift {
			s.grow()
		}
		b = s.fresh
		s.fresh++
		*s.word(b) = 1 << genShift
	}
	s.used++
	s.stamp++
	*s.word(b) |= bits
	*s.meta(b) = meta{deadline: deadline, stamp: s.stamp, next: b, prev: b}
	return b
}

// grow adds a chunk. Only the table of chunks is ever copied, 24 bytes for
// each chunk of a kind.
func (s *slab) grow() {
	n := int(s.mask) + 1
	if len(s.words) >= maxBlocks/n {
		panic("timers: out of block numbers") // needs 2^28 retired blocks: MaxTimers is far below
	}
	s.words = append(s.words, make([]uint64, n))
	s.metas = append(s.metas, make([]meta, n))
	s.links = append(s.links, nil)
	s.addPayloads()
}

// release gives an empty block back, under the next generation. A block whose
// generations are used up is retired: reusing it could revive stale handles.
func (s *slab) release(b uint32) {
	s.used--
	gen := *s.word(b)>>genShift + 1
	*s.word(b) = gen << genShift
	if uint32(gen) >= s.genLimit {
		s.retired++
		*s.meta(b) = meta{}
		return
	}
	s.meta(b).next = s.free
	s.free = b
}

// unlink takes b out of its circular list.
func (s *slab) unlink(b uint32) {
	m := s.meta(b)
	s.meta(m.prev).next = m.next
	s.meta(m.next).prev = m.prev
}

// extend puts a new block at the end of sl's list and returns its first entry.
func (s *slab) extend(sl *slot, deadline Tick, bits uint64) (ref uint32) {
	b := s.open(deadline, bits)
	if sl.cur != 0 {
		tail := sl.tail()
		mt, mb := s.meta(tail), s.meta(b)
		mb.prev, mb.next = tail, mt.next
		s.meta(mt.next).prev = b
		mt.next = b
	}
	return b << entryBits
}

// cutTail takes block b, which is leaving the list of sl, off its tail, and
// tells whether sl has no block left.
func (s *slab) cutTail(sl *slot, b uint32) (empty bool) {
	if sl.tail() != b {
		return false
	}
	prev := s.meta(b).prev
	if prev == b {
		sl.cur = 0
		return true
	}
	sl.cur = (prev + 1) << entryBits // blocks before the tail are used up
	return false
}

// bytes is what the arrays hold, without payloads.
func (s *slab) bytes() int64 {
	n := int64(len(s.words)) << s.shift
	total := n * (8 + 24)
	for _, l := range s.links {
		total += int64(len(l)) * 4
	}
	return total
}
