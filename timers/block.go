package timers

import "iter"

// A block holds up to 8 timers of one deadline and lane. Its parts lie in
// separate arrays, so that a cancel touches one head and a schedule one payload
// line: heads (a word that says which entries are live, and the generation that
// makes stale handles inert, with the list links), deadlines, payloads, and, only
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
	refMask   = chunkMask<<entryBits | entryMask // entry number within a chunk

	// Fields of a block's word. An entry is live while it holds a timer, or forwards to one; in a tail
	// block of the ring also those not used yet, so that scheduling need not touch the word, and a block
	// leaves its list once for 8 timers and not whenever it happens to be empty.
	//
	// The low half is what settling a cancel needs of it, see unsettled.
	liveMask   = 1<<perBlock - 1
	farShift   = perBlock
	farBit     = 1 << farShift // opened for a tick beyond the ring, or for a paused timer
	listShift  = farShift + 1  // number of the list, see ring
	listBits   = slotBits + 2
	listMask   = 1<<listBits - 1
	slotBits   = 17
	parkedBit  = 1 << (listShift + listBits) // in no list; freed when its last entry goes
	keepsPlace = parkedBit << 1              // in notes only
	pinShift   = listShift + listBits + 2    // the entry's back link is a pin number
	genShift   = pinShift + perBlock
	genBits    = 64 - genShift
	pinFlag    = 1 << 31 // in the generation of a Handle: the rest names a pin
	firstBlock = 1 + Lanes

	// A block number is the number of a chunk and an index in it. The index has the same width whatever
	// the size of chunks, for the sake of constants in the address of an entry.
	chunkBits = 11
	maxChunk  = 1 << chunkBits
	chunkMask = maxChunk - 1
	maxChunks = 1 << (31 - entryBits - chunkBits)
)

// head is what a cancel looks at: the word of a block, and its neighbours among the
// blocks of one tick and lane, which are in scheduling order.
type head struct {
	word       uint64
	next, prev uint32
}

// meta is what only some operations need.
type meta struct {
	deadline Tick
	stamp    uint64 // order of opening, wheel-wide: resume restores order by it
}

// cursor is the handle of the entry after the newest one of a list. Its low bits are 0
// if the tail block has no room; it is 0 if the list has no blocks.
type cursor uint64

func (c cursor) ref() uint32  { return uint32(c) }
func (c cursor) full() bool   { return c&entryMask == 0 }
func (c cursor) tail() uint32 { return (uint32(c) - 1) >> entryBits }

// room is how many entries of the tail were not used yet; unused masks them.
func (c cursor) room() uint32   { return -uint32(c) & entryMask }
func (c cursor) unused() uint64 { return liveMask << ((c-1)&entryMask + 1) & liveMask }

// slab keeps blocks. It knows nothing of payloads.
type slab struct {
	heads [][]head
	metas [][]meta
	links [][]uint32 // nil chunks until a timer has a place in a group or a pin

	size     uint32 // blocks of a chunk
	genLimit uint32 // a block is retired when its generation reaches this
	free     uint32 // freed blocks, linked by head.next
	fresh    uint32 // blocks from here on were never used
	linked   bool   // an entry has a back link
	used     int
	retired  int
	stamp    uint64

	grown func() // keeps in step what goes with heads
}

func (s *slab) head(b uint32) *head { return &s.heads[b>>chunkBits][b&chunkMask] }
func (s *slab) meta(b uint32) *meta { return &s.metas[b>>chunkBits][b&chunkMask] }

// nth is the number of the nth block, counted from 0; ordinal is the inverse.
func (s *slab) nth(n uint32) uint32     { return n/s.size<<chunkBits | n%s.size }
func (s *slab) ordinal(b uint32) uint32 { return b>>chunkBits*s.size + b&chunkMask }

// after is the number that follows b.
func (s *slab) after(b uint32) uint32 {
	if b&chunkMask == s.size-1 {
		return (b>>chunkBits + 1) << chunkBits
	}
	return b + 1
}

// blocks lists the numbers of all blocks that were ever used, but for the heads of
// due lists.
func (s *slab) blocks() iter.Seq[uint32] {
	return func(yield func(uint32) bool) {
		for b := s.nth(firstBlock); b < s.fresh && yield(b); b = s.after(b) {
		}
	}
}

// setLink stores an entry's back link, making room for the chunk's first one.
func (s *slab) setLink(ref, v uint32) {
	c := ref >> (chunkBits + entryBits)
	if s.links[c] == nil {
		s.openLinks(c)
	}
	s.links[c][ref&refMask] = v
}

// openLinks makes room for the back links of chunk c.
func (s *slab) openLinks(c uint32) {
	s.linked = true
	s.links[c] = make([]uint32, s.size<<entryBits)
}

// linkOf returns an entry's back link: its place in its group, or its pin if it has
// one; 0 if it has neither.
func (s *slab) linkOf(ref uint32) uint32 {
	if l := s.links[ref>>(chunkBits+entryBits)]; l != nil {
		return l[ref&refMask]
	}
	return 0
}

// setPin makes an entry the place of a pinned timer, or a forwarder to it.
func (s *slab) setPin(ref, pin uint32) {
	s.setLink(ref, pin)
	s.head(ref >> entryBits).word |= 1 << (pinShift + ref&entryMask)
}

// extend puts a new block for a deadline at the end of the list of cur, with the given
// bits of its word set and no back links. It returns the cursor of its first entry.
func (s *slab) extend(cur cursor, deadline Tick, bits uint64) cursor {
	b := s.free
	if b == 0 {
		b = s.openFresh()
	}
	h := s.head(b)
	s.free = h.next
	s.used++
	s.stamp++
	h.word |= bits
	*s.meta(b) = meta{deadline: deadline, stamp: s.stamp}
	if s.linked {
		s.unlinkEntries(b)
	}
	h.next, h.prev = b, b
	if cur != 0 {
		tail := cur.tail()
		t := s.head(tail)
		h.prev, h.next = tail, t.next
		s.head(t.next).prev = b
		t.next = b
	}
	return cursor(h.word>>genShift<<32 | uint64(b)<<entryBits)
}

// unlinkEntries sees to it that no entry of b has a back link.
func (s *slab) unlinkEntries(b uint32) {
	if l := s.links[b>>chunkBits]; l != nil {
		i := b & chunkMask << entryBits
		*(*[perBlock]uint32)(l[i : i+perBlock]) = [perBlock]uint32{}
	}
}

// openFresh returns a block that was never used.
func (s *slab) openFresh() uint32 {
	b := s.fresh
	if int(b>>chunkBits) == len(s.heads) {
		s.grow()
	}
	s.fresh = s.after(b)
	s.head(b).word = 1 << genShift
	return b
}

// grow adds a chunk. Only the table of chunks is ever copied, 24 bytes for
// each chunk of a kind.
func (s *slab) grow() {
	n := int(s.size)
	if len(s.heads) >= maxChunks {
		panic("timers: out of block numbers") // Config sees to it that only retired blocks can bring this about
	}
	s.heads = append(s.heads, make([]head, n))
	s.metas = append(s.metas, make([]meta, n))
	s.links = append(s.links, nil)
	s.grown()
}

// release gives an empty block back, under the next generation. A block whose
// generations are used up is retired: reusing it could revive stale handles.
func (s *slab) release(b uint32) {
	s.used--
	h := s.head(b)
	gen := h.word>>genShift + 1
	*h = head{word: gen << genShift}
	if uint32(gen) >= s.genLimit {
		s.retired++
		return
	}
	h.next = s.free
	s.free = b
}

// inUse tells whether b is neither free nor retired.
func (s *slab) inUse(b uint32) bool { return s.head(b).prev != 0 }

// unlink takes b out of its circular list.
func (s *slab) unlink(b uint32) {
	h := s.head(b)
	s.head(h.prev).next = h.next
	s.head(h.next).prev = h.prev
}

// cut takes block b out of the list of *cur, and tells whether that has no block left.
func (s *slab) cut(cur *cursor, b uint32) (last bool) {
	h := s.head(b)
	if h.prev == b {
		*cur = 0
		return true
	}
	if cur.tail() == b {
		*cur = cursor(h.prev+1) << entryBits // blocks before the tail are used up
	}
	s.head(h.prev).next = h.next
	s.head(h.next).prev = h.prev
	return false
}

// bytes is what the arrays hold, without payloads.
func (s *slab) bytes() int64 {
	n := int64(len(s.heads)) * int64(s.size)
	total := n * (size[head]() + size[meta]())
	for _, l := range s.links {
		total += int64(len(l)) * 4
	}
	return total
}
