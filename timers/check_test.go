package timers

import (
	"fmt"
	"math/bits"
	"slices"
)

// checker walks a wheel after an operation. It is written against the data, not
// with the methods under test.
type checker struct {
	c        *core
	seen     map[uint32]string // block → list it was found in
	armed    int
	inGroups int // of those armed
}

func (w *Wheel[T]) check() error {
	k := &checker{c: &w.core, seen: map[uint32]string{}}
	for _, f := range []func() error{k.due, k.near, k.far, k.pinned, k.grouped, k.blocks} {
		if err := f(); err != nil {
			return fmt.Errorf("at tick %d: %w", w.now, err)
		}
	}
	frozen := 0
	for i := uint32(1); i < w.pins.fresh; i++ {
		if p := w.pins.rec(i); p.used && p.frozen {
			frozen++
		}
	}
	if k.armed+frozen != w.pending() {
		return fmt.Errorf("at tick %d: %d timers in lists and %d frozen, but Len is %d", w.now, k.armed, frozen, w.pending())
	}
	return nil
}

// list walks the blocks from b, checks the links, and counts what will fire.
func (k *checker) list(name string, b, end uint32, lane Lane, skip uint64, ok func(Tick) bool) (fill uint32, err error) {
	var last meta
	for first := true; b != end; first = false {
		if err := k.block(name, b, lane, ok); err != nil {
			return 0, err
		}
		m := *k.c.meta(b)
		if !first && (m.deadline < last.deadline || m.deadline == last.deadline && m.stamp <= last.stamp) {
			return 0, fmt.Errorf("block %d of %s is out of order", b, name)
		}
		last = m
		fill += k.firing(b, skip)
		b = k.c.head(b).next
	}
	k.armed += int(fill)
	return fill, nil
}

// block checks block b of a list by itself.
func (k *checker) block(name string, b uint32, lane Lane, ok func(Tick) bool) error {
	c := k.c
	if at, dup := k.seen[b]; dup {
		return fmt.Errorf("block %d of %s is also in %s", b, name, at)
	}
	k.seen[b] = name
	h, deadline := *c.head(b), c.meta(b).deadline
	list := uint32(h.word >> listShift & listMask)
	switch {
	case c.head(h.next).prev != b || c.head(h.prev).next != b:
		return fmt.Errorf("block %d of %s: broken links", b, name)
	case h.word&parkedBit != 0 || h.word&liveMask == 0 && b != c.inHand && !k.unsettled(b):
		return fmt.Errorf("block %d of %s is parked or empty", b, name)
	case h.word&farBit == 0 && list != c.ring.list(deadline, lane):
		return fmt.Errorf("block %d of %s: list %d for deadline %d", b, name, list, deadline)
	case deadline <= c.now && c.dueAt(b) != deadline && k.firing(b, 0) > 0:
		return fmt.Errorf("block %d of %s: due at %d, its slot says %d", b, name, deadline, c.dueAt(b))
	case c.lane(b) != lane || !ok(deadline):
		return fmt.Errorf("block %d of %s: lane %v, deadline %d", b, name, c.lane(b), deadline)
	}
	return nil
}

// firing counts the timers of block b that will fire.
func (k *checker) firing(b uint32, skip uint64) (n uint32) {
	for live := k.c.head(b).word & liveMask &^ skip; live != 0; live &= live - 1 {
		ref := b<<entryBits | uint32(bits.TrailingZeros64(live))
		if !k.c.fires(ref) {
			continue
		}
		n++
		if i := k.c.pinOf(ref); i != 0 && k.c.pins.rec(i).place != 0 || i == 0 && k.c.linkOf(ref) != 0 {
			k.inGroups++
		}
	}
	return n
}

// circle checks the list of a cursor and returns how many of its timers will fire.
func (k *checker) circle(name string, cur cursor, lane Lane, t Tick) (fill uint32, err error) {
	c := k.c
	if cur == 0 {
		return 0, nil
	}
	tail := cur.tail()
	ok := func(d Tick) bool { return d == t }
	if first := c.head(tail).next; first != tail {
		if fill, err = k.list(name, first, tail, lane, 0, ok); err != nil {
			return 0, err
		}
		if before := c.head(tail).prev; c.meta(before).stamp >= c.meta(tail).stamp {
			return 0, fmt.Errorf("%s: block %d is out of order", name, tail)
		}
	}
	if err := k.block(name, tail, lane, ok); err != nil {
		return 0, err
	}
	n := k.firing(tail, cur.unused())
	k.armed += int(n)
	if word := c.head(tail).word; !cur.full() && word>>genShift != uint64(cur>>32) {
		return 0, fmt.Errorf("%s: generation %d, that of block %d is %d", name, cur>>32, tail, word>>genShift)
	}
	return fill + n, nil
}

// unsettled tells whether block b is noted as one from which a timer was cancelled,
// and leaving how many such notes there are for a tick and lane.
func (k *checker) unsettled(b uint32) bool {
	return slices.ContainsFunc(k.c.notes[:k.c.nUnsettled], func(v note) bool { return v.block() == b }) ||
		slices.ContainsFunc(k.c.farNotes[:k.c.nFarNotes], func(v note) bool { return v.block() == b })
}

func (k *checker) leaving(lane Lane, t Tick) (n uint32) {
	count := func(b uint32) {
		if k.c.lane(b) == lane && k.c.meta(b).deadline == t {
			n++
		}
	}
	for _, v := range k.c.notes[:k.c.nUnsettled] {
		count(v.block())
	}
	for _, v := range k.c.farNotes[:k.c.nFarNotes] {
		count(v.block())
	}
	return n
}

func (k *checker) due() error {
	for rank := range uint32(Lanes) {
		h := dueHead(rank)
		n, err := k.list(fmt.Sprintf("due %d", rank), k.c.head(h).next, h, laneOf[rank], 0, func(d Tick) bool { return d <= k.c.now })
		if err != nil {
			return err
		}
		if n != k.c.due[rank] || n > 0 && !k.c.waiting {
			return fmt.Errorf("due list %d holds %d timers but counts %d, waiting: %v", rank, n, k.c.due[rank], k.c.waiting)
		}
	}
	return nil
}

func (k *checker) near() error {
	c, r := k.c, &k.c.ring
	for off := Tick(1); off <= r.mask+1; off++ {
		t := c.now + off
		i := uint64(t & r.mask)
		blocks := false
		for lane := range Lane(r.lanes) {
			list := r.list(t, lane)
			cur := r.cursors[list]
			if cur == 0 && r.fills[list] == 0 {
				continue
			}
			blocks = blocks || cur != 0
			name := fmt.Sprintf("slot of tick %d lane %v", t, lane)
			fill, err := k.circle(name, cur, lane, t)
			if err != nil {
				return err
			}
			if got := r.fills[list] - cur.room() - k.leaving(lane, t); got != fill {
				return fmt.Errorf("%s holds %d timers but counts %d", name, fill, got)
			}
			if cur != 0 && c.head(cur.tail()).word&cur.unused() != cur.unused() {
				return fmt.Errorf("%s: an unused entry of the tail is not live", name)
			}
		}
		if marked := r.occ[i>>6]>>(i&63)&1 != 0; marked != blocks {
			return fmt.Errorf("tick %d marked %v, has blocks %v", t, marked, blocks)
		}
		if blocks && t <= c.quiet {
			return fmt.Errorf("tick %d has blocks, but quiet is %d", t, c.quiet)
		}
	}
	for i, w := range r.occ {
		if s := r.sum[i>>6]>>(i&63)&1 != 0; s != (w != 0) {
			return fmt.Errorf("summary bit %d is %v for %b", i, s, w)
		}
	}
	return nil
}

func (k *checker) far() error {
	for lane := range Lane(Lanes) {
		if err := k.farOf(lane, &k.c.far[lane]); err != nil {
			return fmt.Errorf("far, lane %v: %w", lane, err)
		}
	}
	return nil
}

func (k *checker) farOf(lane Lane, f *farTicks) error {
	c := k.c
	n := 0
	for t := c.now + c.reach + 1; ; t++ {
		var ok bool
		if t, ok = f.next(t); !ok {
			break
		}
		n++
		l, ok := f.get(t)
		if !ok || l.cursor() == 0 {
			return fmt.Errorf("tick %d is in the set but has no list", t)
		}
		name := fmt.Sprintf("far tick %d", t)
		fill, err := k.circle(name, l.cursor(), lane, t)
		if err != nil {
			return err
		}
		if got := *l.fill() - k.leaving(lane, t); got != fill {
			return fmt.Errorf("%s holds %d timers but counts %d", name, fill, got)
		}
		if c.head(l.cursor().tail()).word&l.cursor().unused() != 0 {
			return fmt.Errorf("%s: an unused entry of the tail is live", name)
		}
	}
	if n != f.lists.n {
		return fmt.Errorf("%d ticks in the set, %d in the table", n, f.lists.n)
	}
	return k.farEdge(f)
}

// farEdge checks what divides ring, map and trie, and what quiet says of it.
func (k *checker) farEdge(f *farTicks) error {
	c := k.c
	if f.edge > c.now+c.reach || f.lists.n > 0 && f.edge < min(c.now, c.quiet)+c.reach-64 {
		return fmt.Errorf("the edge is %d, want %d or little less", f.edge, c.now+c.reach)
	}
	if first, ok := f.next(c.now + c.reach + 1); ok && first <= max(c.now, c.quiet)+c.reach {
		return fmt.Errorf("tick %d should be in the ring, quiet is %d", first, c.quiet)
	}
	if first, ok := f.far.next(0); ok && first <= max(f.edge, c.quiet+c.reach)+f.span {
		return fmt.Errorf("tick %d should be in the map, quiet is %d", first, c.quiet)
	}
	// Of the 64 ticks in coming, those before first have moved on.
	first := f.edge + f.span + 1
	coming := f.coming >> (first & 63) << (first & 63)
	if want := f.far.node(0, int64(first>>6)); coming != want {
		return fmt.Errorf("bitmap of coming ticks is %b, want %b", coming, want)
	}
	return nil
}

func (k *checker) pinned() error {
	c := k.c
	for i := uint32(1); i < c.pins.fresh; i++ {
		p := c.pins.rec(i)
		if !p.used {
			continue
		}
		if c.pinOf(p.at) != i {
			return fmt.Errorf("pin %d is at %d, which links elsewhere", i, p.at)
		}
		if p.home != 0 && c.pinOf(p.home) != i {
			return fmt.Errorf("pin %d has home %d, which links elsewhere", i, p.home)
		}
	}
	return nil
}

func (k *checker) grouped() error {
	c := k.c
	pages, members := 0, 0
	ended := k.ended()
	for ref := uint32(1); ref < c.groups.freshRec; ref++ {
		r := c.groups.rec(ref)
		for state, first := range c.groups.lists(r) {
			prev := uint32(0)
			for p := first; p != 0; p = c.groups.page(p).next {
				pages++
				pg := c.groups.page(p)
				n := bits.OnesCount32(pg.used)
				if pg.state != openPage && pg.prev != prev || pg.group != ref || pg.state != [...]pageState{openPage, roomyPage, fullPage}[state] ||
					state > 0 && n == 0 || pg.state == roomyPage && n == perPage || pg.state == fullPage && n <= perPage-roomy {
					return fmt.Errorf("page %d of group %d: %+v", p, ref, pg)
				}
				prev = p
				for used := pg.used; used != 0; used &= used - 1 {
					i := uint32(bits.TrailingZeros32(used))
					place := p<<placeBits | i
					if ended[place] {
						delete(ended, place)
						continue
					}
					members++
					if err := k.member(place, pg.members[i], r.paused); err != nil {
						return fmt.Errorf("group %d: %w", ref, err)
					}
				}
			}
		}
	}
	switch want := k.linkedTimers(); {
	case members != want:
		return fmt.Errorf("groups list %d timers of the %d that belong to one", members, want)
	case pages != c.groups.pagesUsed:
		return fmt.Errorf("%d pages in groups, %d counted", pages, c.groups.pagesUsed)
	case len(ended) > 0:
		return fmt.Errorf("places given up that nobody held: %v", ended)
	}
	return nil
}

// ended are the places of timers that have ended, but are not taken out yet.
func (k *checker) ended() map[uint32]bool {
	c := k.c
	places := map[uint32]bool{}
	for _, place := range c.groups.vacated[:c.groups.nVacated] {
		places[place] = true
	}
	for _, v := range c.notes[:c.nUnsettled] {
		if place := c.linkOf(v.ref); !v.keepsPlace() && place != 0 {
			places[place] = true
		}
	}
	if c.place != 0 {
		places[c.place] = true
	}
	return places
}

// member checks that who stands at a place knows it.
func (k *checker) member(place, m uint32, paused bool) error {
	c := k.c
	if m&pinMember != 0 {
		p := c.pins.rec(m &^ pinMember)
		if !p.used || p.place != place || p.frozen != paused {
			return fmt.Errorf("at place %x stands pin %d: %+v", place, m&^pinMember, p)
		}
		return nil
	}
	word := c.head(m >> entryBits).word
	bit := uint64(1) << (m & entryMask)
	if paused || word&(bit|bit<<pinShift) != bit || c.linkOf(m) != place {
		return fmt.Errorf("at place %x stands entry %d, linked to %x, of word %b; paused: %v", place, m, c.linkOf(m), word, paused)
	}
	return nil
}

// linkedTimers counts the timers that say they belong to a group.
func (k *checker) linkedTimers() int {
	c := k.c
	n := k.inGroups
	for i := uint32(1); i < c.pins.fresh; i++ {
		if p := c.pins.rec(i); p.used && p.frozen && p.place != 0 {
			n++
		}
	}
	return n
}

// blocks checks that every block in use is in a list or parked for a reason.
func (k *checker) blocks() error {
	c := k.c
	used := 0
	for b := range c.blocks() {
		w := c.head(b).word
		_, listed := k.seen[b]
		switch {
		case b == c.inHand:
		case c.inUse(b) && w&liveMask == 0 && !k.unsettled(b):
			return fmt.Errorf("block %d in use is empty", b)
		case !c.inUse(b) && (w&liveMask != 0 || listed):
			return fmt.Errorf("block %d is free, but listed: %v, word %b", b, listed, w)
		case !c.inUse(b):
			continue
		case listed == (w&parkedBit != 0):
			return fmt.Errorf("block %d: listed %v, parked %v", b, listed, w&parkedBit != 0)
		}
		used++
		if l := w >> pinShift & liveMask; l&^(w&liveMask) != 0 {
			return fmt.Errorf("block %d has links %b without live entries %b", b, l, w&liveMask)
		}
		if !listed {
			for live := w & liveMask; live != 0; live &= live - 1 {
				ref := b<<entryBits | uint32(bits.TrailingZeros64(live))
				if c.fires(ref) {
					return fmt.Errorf("entry %d would fire but is in no list", ref)
				}
			}
		}
	}
	if used != c.used {
		return fmt.Errorf("%d blocks in use, %d counted", used, c.used)
	}
	return nil
}
