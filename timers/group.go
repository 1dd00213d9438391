package timers

// A group is a stack of members kept in pages of one cache line. A member is
// the entry number of its timer (or a pin number); the entry's back link is the
// member's address, so that a timer that fires or is cancelled is swapped out
// in constant time. The page knows its group, which spares the entries a field.

const (
	pageGroup = 0 // group number
	pagePrev  = 1 // page below, 0 none
	pageFirst = 2 // members from here
	pageLen   = 1 << memberShift
)

type page [pageLen]uint32

type group struct {
	gen    uint32 // 0: never used
	top    uint32 // address of the newest member, 0 none
	n      uint32
	next   uint32 // free groups
	open   bool
	paused bool
}

// groups keeps groups and their pages in chunks that never move.
type groups struct {
	recs  [][]group
	pages [][]page

	shift, mask           uint32
	freeRec, freshRec     uint32
	freePage, freshPage   uint32
	n, max, pageN, perRec int
}

func (g *groups) init(chunkShift uint32, limit int) {
	g.shift, g.mask = chunkShift, 1<<chunkShift-1
	g.freshRec, g.freshPage = 1, 1
	g.max = limit
}

func (g *groups) rec(i uint32) *group { return &g.recs[i>>(g.shift&31)][i&g.mask] }
func (g *groups) page(i uint32) *page { return &g.pages[i>>(g.shift&31)][i&g.mask] }

// member returns the place of the member at addr.
func (g *groups) member(addr uint32) *uint32 {
	return &g.page(addr >> memberShift)[addr&(pageLen-1)]
}

// find returns the record of h, or nil if it is closed or was never made.
func (g *groups) find(h Group) *group {
	if h.ref == 0 || h.ref >= g.freshRec {
		return nil
	}
	r := g.rec(h.ref)
	if r.gen != h.gen || !r.open {
		return nil
	}
	return r
}

func (g *groups) create() (Group, bool) {
	i := g.freeRec
	if i != 0 {
		g.freeRec = g.rec(i).next
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
	return Group{gen: r.gen, ref: i}, true
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
	r.next = g.freeRec
	g.freeRec = ref
}

// push adds a member and returns its address.
func (g *groups) push(ref uint32, r *group, member uint32) uint32 {
	addr := r.top + 1
	if r.top == 0 || addr&(pageLen-1) == 0 {
		p := g.newPage()
		pg := g.page(p)
		pg[pageGroup], pg[pagePrev] = ref, r.top>>memberShift
		addr = p<<memberShift | pageFirst
	}
	*g.member(addr) = member
	r.top = addr
	r.n++
	return addr
}

// remove takes out the member at addr and returns the member that took its
// place, which has to learn its new address; moved is false if there is none.
func (g *groups) remove(addr uint32) (member uint32, moved bool) {
	r := g.rec(g.page(addr >> memberShift)[pageGroup])
	last := r.top
	member = *g.member(last)
	*g.member(addr) = member
	g.pop(r)
	return member, last != addr
}

// pop drops the newest member.
func (g *groups) pop(r *group) {
	r.n--
	if r.top&(pageLen-1) > pageFirst {
		r.top--
		return
	}
	p := r.top >> memberShift
	below := g.page(p)[pagePrev]
	r.top = 0
	if below != 0 {
		r.top = below<<memberShift | (pageLen - 1)
	}
	g.page(p)[pagePrev] = g.freePage
	g.freePage = p
	g.pageN--
}

func (g *groups) newPage() uint32 {
	g.pageN++
	if p := g.freePage; p != 0 {
		g.freePage = g.page(p)[pagePrev]
		return p
	}
	p := g.freshPage
	if int(p) >= len(g.pages)<<g.shift {
		g.pages = append(g.pages, make([]page, g.mask+1))
	}
	g.freshPage++
	return p
}

func (g *groups) bytes() int64 {
	return int64(len(g.recs))<<g.shift*24 + int64(len(g.pages))<<g.shift*pageLen*4
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
	r := w.groups.find(g)
	if r == nil {
		return 0
	}
	n := w.clearGroup(r)
	w.groups.close(g.ref)
	return n
}

// CancelGroup cancels the timers of g and keeps g. It returns how many.
func (w *Wheel[T]) CancelGroup(g Group) int {
	r := w.groups.find(g)
	if r == nil {
		return 0
	}
	return w.clearGroup(r)
}

// GroupLen returns how many timers of g are pending, paused ones included; 0 if
// g is closed or zero.
func (w *Wheel[T]) GroupLen(g Group) int {
	if r := w.groups.find(g); r != nil {
		return int(r.n)
	}
	return 0
}

// clearGroup cancels all members. It goes page by page, and looks at a page's
// timers once before it touches any, so that their cache misses overlap.
func (c *core) clearGroup(r *group) int {
	n := int(r.n)
	for r.top != 0 {
		pg := c.groups.page(r.top >> memberShift)
		live := r.top & (pageLen - 1)
		var sink uint64
		for _, m := range pg[pageFirst : live+1] {
			if m&pinFlag == 0 {
				sink += *c.word(m >> entryBits)
				sink += uint64(c.meta(m >> entryBits).deadline)
			}
		}
		c.touched = sink
		for i := live; i >= pageFirst; i-- {
			m := pg[i]
			c.groups.pop(r)
			if m&pinFlag != 0 {
				c.dropPin(m &^ pinFlag)
				continue
			}
			c.uncount(m >> entryBits)
			c.clear(m)
		}
	}
	c.n -= n
	return n
}

// owner returns the group of the member at addr.
func (g *groups) owner(addr uint32) Group {
	ref := g.page(addr >> memberShift)[pageGroup]
	return Group{gen: g.rec(ref).gen, ref: ref}
}
