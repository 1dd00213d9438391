package timers

import "math/bits"

// A group lists its members in pages of two cache lines. Each member knows its place
// in them: the back link of its entry, or its pin, says it. Who ends gives its place
// up, which is noted and done for many at a time, so that the cache misses overlap;
// fire and cancel themselves touch nothing of the group. One page is open: who joins
// takes a place there, which the group's record knows, so that the page itself is only
// written. The others are full or have room; one that was full is opened again only
// after it has a few places free.

const (
	perPage   = 27
	placeBits = 5 // a place is page<<placeBits | index
	placeMask = 1<<placeBits - 1
	allPlaces = 1<<perPage - 1
	roomy     = 8       // places free in a page that may be opened again
	pinMember = 1 << 31 // the member is the number of a pin, not of an entry
)

type page struct {
	next, prev uint32 // full pages of the group, or those with room
	group      uint32
	used       uint32 // places, as bits; of the open page the group knows them
	state      pageState
	members    [perPage]uint32
}

type pageState uint8

const (
	openPage  pageState = 1
	roomyPage pageState = 2
	fullPage  pageState = 4
)

type group struct {
	gen        uint32 // 0: never used
	page       uint32 // the open one; 0: none
	free       uint32 // places of the open page, as bits
	open       bool
	paused     bool
	room, full uint32 // first pages; 0: none
	nextFree   uint32
	_          uint32 // half a cache line
}

// groups keeps groups and their pages in chunks that never move.
type groups struct {
	recs  [][]group
	pages [][]page

	shift, mask         uint32
	freeRec, freshRec   uint32
	freePage, freshPage uint32
	n, max, pagesUsed   int

	// Places given up, see vacate: less than batch, and as many as a batch of notes adds.
	vacated  [2 * batch]uint32
	nVacated uint32
	touched  uint32
}

func (g *groups) init(chunkShift uint32, limit int) {
	g.shift, g.mask = chunkShift, 1<<chunkShift-1
	g.freshRec, g.freshPage = 1, 1
	g.max = limit
}

func (g *groups) rec(i uint32) *group { return &g.recs[i>>(g.shift&31)][i&g.mask] }
func (g *groups) page(i uint32) *page { return &g.pages[i>>(g.shift&31)][i&g.mask] }

// find returns the record of h, or nil if it is closed or was never made.
func (g *groups) find(h Group) *group {
	i := h.ref()
	if i-1 >= g.freshRec-1 { // 0 as well
		return nil
	}
	r := g.rec(i)
	if r.gen != h.gen() || !r.open {
		return nil
	}
	return r
}

// name returns the public name of group ref.
func (g *groups) name(ref uint32) Group {
	if ref == 0 {
		return Group{}
	}
	return newGroup(g.rec(ref).gen, ref)
}

// of returns the group a place belongs to, 0 for no place.
func (g *groups) of(place uint32) uint32 {
	if place == 0 {
		return 0
	}
	return g.page(place >> placeBits).group
}

func (g *groups) create() (Group, bool) {
	i := g.freeRec
	if i != 0 {
		g.freeRec = g.rec(i).nextFree
	} else {
		if g.n >= g.max {
			return Group{}, false
		}
		i = g.freshRec
		if int(i) >= len(g.recs)<<g.shift {
			g.recs = append(g.recs, make([]group, g.mask+1))
		}
		g.freshRec++
	}
	g.n++
	r := g.rec(i)
	*r = group{gen: r.gen + 1, open: true}
	return newGroup(r.gen, i), true
}

// close ends an empty group's generation. A record whose generations are used
// up is not reused.
func (g *groups) close(ref uint32) {
	r := g.rec(ref)
	r.open = false
	g.n--
	if r.gen == ^uint32(0) {
		return
	}
	r.nextFree = g.freeRec
	g.freeRec = ref
}

// join gives a member of group ref, whose record is r, a place.
func (g *groups) join(ref uint32, r *group, member uint32) (place uint32) {
	if r.free == 0 {
		g.openPage(ref, r)
	}
	return g.seat(r, member)
}

// seat is join for a group whose open page has a place free.
func (g *groups) seat(r *group, member uint32) (place uint32) {
	i := uint32(bits.TrailingZeros32(r.free))
	r.free &= r.free - 1
	g.page(r.page).members[i] = member
	return r.page<<placeBits | i
}

// openPage opens a page for a group whose open one, if any, has no place free.
func (g *groups) openPage(ref uint32, r *group) {
	if r.page != 0 {
		pg := g.page(r.page)
		pg.used, pg.state = allPlaces, fullPage
		g.push(&r.full, r.page, pg)
	}
	if p := r.room; p != 0 {
		pg := g.page(p)
		g.cut(&r.room, pg)
		r.page, r.free = p, allPlaces&^pg.used
		pg.state = openPage
		return
	}
	r.page, r.free = g.newPage(ref), allPlaces
}

// setMember replaces the member at a place.
func (g *groups) setMember(place, member uint32) {
	g.page(place >> placeBits).members[place&placeMask] = member
}

// vacate notes that the member at a place has ended.
func (g *groups) vacate(place uint32) {
	n := g.nVacated
	g.vacated[n%uint32(len(g.vacated))] = place
	g.nVacated = n + 1
	if n >= batch-1 {
		g.settle()
	}
}

// settle takes vacated places out of their pages, after a look at all of these if there
// are so many that they may not be in the cache.
func (g *groups) settle() {
	places := g.vacated[:g.nVacated]
	g.nVacated = 0
	if g.pagesUsed > fewPages {
		g.warm(places)
	}
	for _, place := range places {
		p, bit := place>>placeBits, uint32(1)<<(place&placeMask)
		pg := g.page(p)
		r := g.rec(pg.group)
		// One of the two is the one that counts; which can't be predicted.
		r.free |= bit & -uint32(pg.state&1)
		pg.used &^= bit
		if n := bits.OnesCount32(pg.used); n == 0 || n == perPage-roomy {
			g.thinned(p, pg, r)
		}
	}
}

// thinned sees to page p, which may have become empty or got room.
func (g *groups) thinned(p uint32, pg *page, r *group) {
	switch {
	case pg.state == openPage:
	case pg.used == 0:
		g.cut(&r.room, pg)
		g.freeOne(p)
	case pg.state == fullPage:
		g.cut(&r.full, pg)
		g.push(&r.room, p, pg)
		pg.state = roomyPage
	}
}

// fewPages, 512 KB, are likely to be in the cache.
const fewPages = 1 << 12

// warm looks at the pages of places.
func (g *groups) warm(places []uint32) {
	sink := uint32(0)
	for _, place := range places {
		sink += g.page(place >> placeBits).group
	}
	g.touched = sink
}

// push puts a page first in a list, cut takes it out. Next of the open page is 0.
func (g *groups) push(first *uint32, p uint32, pg *page) {
	pg.next, pg.prev = *first, 0
	if *first != 0 {
		g.page(*first).prev = p
	}
	*first = p
}

func (g *groups) cut(first *uint32, pg *page) {
	if pg.prev != 0 {
		g.page(pg.prev).next = pg.next
	} else {
		*first = pg.next
	}
	if pg.next != 0 {
		g.page(pg.next).prev = pg.prev
	}
	pg.next = 0
}

// newPage takes a page for a group, to be the open one.
func (g *groups) newPage(ref uint32) uint32 {
	g.pagesUsed++
	p := g.freePage
	if p != 0 {
		g.freePage = g.page(p).next
	} else {
		p = g.freshPage
		if int(p) >= len(g.pages)<<g.shift {
			g.pages = append(g.pages, make([]page, g.mask+1))
		}
		g.freshPage++
	}
	pg := g.page(p)
	pg.group, pg.state, pg.next = ref, openPage, 0
	return p
}

func (g *groups) freeOne(p uint32) {
	g.page(p).next = g.freePage
	g.freePage = p
	g.pagesUsed--
}

// lists writes down the places used of the open page, and returns the first pages of
// the group's lists, of which it is one.
func (g *groups) lists(r *group) [3]uint32 {
	if r.page != 0 {
		g.page(r.page).used = allPlaces &^ r.free
	}
	return [3]uint32{r.page, r.room, r.full}
}

// empty gives all pages of a group back.
func (g *groups) empty(r *group) {
	for _, p := range g.lists(r) {
		for p != 0 {
			next := g.page(p).next
			g.freeOne(p)
			p = next
		}
	}
	r.page, r.free, r.room, r.full = 0, 0, 0, 0
}

func (g *groups) bytes() int64 {
	return int64(len(g.recs))<<g.shift*size[group]() + int64(len(g.pages))<<g.shift*size[page]()
}

// groupInHand is the group of the one-shot whose callback runs.
func (w *Wheel[T]) groupInHand() uint32 {
	if w.place == 0 && w.orphan.handle == w.cur {
		return w.orphan.group
	}
	return w.groups.of(w.place)
}

// NewGroup makes an empty group.
//
// It returns ErrFull if Config.MaxGroups groups exist. It takes constant time.
func (w *Wheel[T]) NewGroup() (Group, error) {
	g, ok := w.groups.create()
	if !ok {
		return Group{}, ErrFull
	}
	return g, nil
}

// CloseGroup cancels the timers of g, wherever they are, and ends g: scheduling
// with it returns ErrClosed from now on. It returns how many timers it
// cancelled; on a closed or zero group it does nothing and returns 0. It takes
// time proportional to the group's own timers.
func (w *Wheel[T]) CloseGroup(g Group) int {
	n := w.CancelGroup(g)
	if w.groups.find(g) != nil {
		w.groups.close(g.ref())
		if w.groupInHand() == g.ref() {
			w.cur = Handle{} // the timer in hand can't be reset any more
		}
	}
	return n
}

// CancelGroup cancels the timers of g and keeps g. It returns how many.
func (w *Wheel[T]) CancelGroup(g Group) int {
	r := w.groups.find(g)
	if r == nil {
		return 0
	}
	before := w.Cancelled()
	w.cancelMembers(r)
	if w.groups.of(w.place) == g.ref() {
		w.orphan.handle, w.orphan.group = w.cur, g.ref()
		w.place = 0
	}
	w.groups.empty(r)
	return int(w.Cancelled() - before)
}

// GroupLen returns how many timers of g are pending, paused ones included; 0 if
// g is closed or zero. It takes time proportional to the group's own timers.
func (w *Wheel[T]) GroupLen(g Group) int {
	r := w.groups.find(g)
	if r == nil {
		return 0
	}
	w.settlePlaces()
	n := 0
	for _, p := range w.groups.lists(r) {
		for ; p != 0; p = w.groups.page(p).next {
			n += bits.OnesCount32(w.groups.page(p).used)
		}
	}
	if w.groups.of(w.place) == g.ref() {
		n--
	}
	return n
}
