package timers

// A group lists its members by handle, in a queue of pages of one cache line. A
// timer that fires or is cancelled tells its group nothing: its handle stays
// behind, stale. That is what keeps fire and cancel to the cache lines of the
// timer itself. Stale handles are swept in passes over the list: while a pass
// goes on, whoever fills a page sweeps the four oldest ones, so that no call pays
// for more. A pass begins when the list has grown by a quarter of what the pass
// before it kept, or to the double if that found little to sweep.

const perPage = 7

type page struct {
	next    uint32 // newer page
	members [perPage]Handle
}

type group struct {
	gen      uint32 // 0: never used
	listed   uint32 // members in pages, stale ones included
	limit    uint32 // a pass begins when more are listed
	last     uint32 // page with which the pass ends; 0: no pass
	kept     uint32 // by the pass so far
	dropped  uint32
	oldest   uint32 // pages; 0: none
	newest   uint32
	used     uint32 // members in the newest page
	nextFree uint32
	open     bool
	paused   bool
}

// groups keeps groups and their pages in chunks that never move.
type groups struct {
	recs  [][]group
	pages [][]page

	shift, mask         uint32
	freeRec, freshRec   uint32
	freePage, freshPage uint32
	n, max, pagesUsed   int
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
	if i == 0 || i >= g.freshRec {
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
	*r = group{gen: r.gen + 1, open: true, limit: 4 * perPage}
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

// join lists a member of group r.
func (c *core) join(r *group, member Handle) {
	if r.used == perPage {
		if r.last == 0 && r.listed > r.limit {
			r.last, r.kept, r.dropped = r.newest, 0, 0
		}
		if r.last != 0 {
			c.sweep(r)
		}
	}
	c.groups.list(r, member)
}

// list appends a member.
func (g *groups) list(r *group, member Handle) {
	if r.newest == 0 || r.used == perPage {
		g.addPage(r)
	}
	g.page(r.newest).members[r.used] = member
	r.used++
	r.listed++
}

// sweep lists the living members of the oldest four pages anew and drops the
// stale ones. The page the pass ends with is not the newest one any more when
// its turn comes, unless all behind it was swept into nothing.
func (c *core) sweep(r *group) {
	for range 4 {
		p := r.oldest
		old := *c.groups.page(p)
		n := uint32(perPage)
		if r.oldest = old.next; p == r.newest {
			n = r.used
			r.oldest, r.newest, r.used = 0, 0, 0
		}
		r.listed -= n
		c.groups.freeOne(p)
		c.warm(old.members[:n])
		kept := r.listed
		for _, m := range old.members[:n] {
			if c.living(m) {
				c.groups.list(r, m)
			}
		}
		kept = r.listed - kept
		r.kept += kept
		r.dropped += n - kept
		if p == r.last {
			r.last = 0
			r.limit = r.listed + r.kept/4 + 4*perPage
			if r.dropped < r.kept/4 {
				r.limit = 2*r.listed + 4*perPage
			}
			return
		}
	}
}

// living tells whether a member still stands for a pending timer.
func (c *core) living(m Handle) bool {
	if m.gen()&pinFlag != 0 {
		return c.pins.findPin(m) != 0
	}
	w := c.head(m.ref() >> entryBits).word
	return w>>genShift == m.v>>32 && w>>(m.v&entryMask)&1 != 0
}

// warm looks at the timers of a page's members, so that the cache misses of
// the work that follows overlap.
func (c *core) warm(members []Handle) {
	var sink uint64
	for _, m := range members {
		if m.gen()&pinFlag == 0 {
			sink += c.head(m.ref() >> entryBits).word
		}
	}
	c.touched = sink
}

// eachPage calls f with the members of each page of a group, the oldest first. It
// looks at the timers of some pages before it begins with the first of them.
func (c *core) eachPage(r *group, f func(members []Handle)) {
	for p := r.oldest; p != 0; {
		const ahead = 9 // 63 timers
		for q, n := p, 0; n < ahead && q != 0; n++ {
			c.warm(c.groups.page(q).members[:r.filled(q)])
			q = c.groups.after(r, q)
		}
		for n := 0; n < ahead && p != 0; n++ {
			f(c.groups.page(p).members[:r.filled(p)])
			p = c.groups.after(r, p)
		}
	}
}

// members calls f with each living member of a group and stores what it returns.
func (c *core) members(r *group, f func(m Handle) Handle) {
	c.eachPage(r, func(members []Handle) {
		for i, m := range members {
			if c.living(m) {
				members[i] = f(m)
			}
		}
	})
}

// filled returns how many members page p of the group holds.
func (r *group) filled(p uint32) uint32 {
	if p == r.newest {
		return r.used
	}
	return perPage
}

// after returns the page that follows p, 0 if p is the newest.
func (g *groups) after(r *group, p uint32) uint32 {
	if p == r.newest {
		return 0
	}
	return g.page(p).next
}

// addPage puts an empty page behind the newest.
func (g *groups) addPage(r *group) {
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
	if r.newest == 0 {
		r.oldest = p
	} else {
		g.page(r.newest).next = p
	}
	r.newest, r.used = p, 0
}

func (g *groups) freeOne(p uint32) {
	g.page(p).next = g.freePage
	g.freePage = p
	g.pagesUsed--
}

// empty gives all pages of a group back.
func (g *groups) empty(r *group) {
	for p := r.oldest; p != 0; {
		next := g.page(p).next
		last := p == r.newest
		g.freeOne(p)
		if last {
			break
		}
		p = next
	}
	r.oldest, r.newest, r.used, r.listed, r.last = 0, 0, 0, 0, 0
}

func (g *groups) bytes() int64 {
	return int64(len(g.recs))<<g.shift*size[group]() + int64(len(g.pages))<<g.shift*size[page]()
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
		if w.inHand != 0 && w.cur != (Handle{}) && w.linkOf(w.curRef) == g.ref() {
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
	w.eachPage(r, func(members []Handle) {
		for _, m := range members {
			w.Cancel(m)
		}
	})
	n := int(w.Cancelled() - before)
	w.groups.empty(r)
	return n
}

// GroupLen returns how many timers of g are pending, paused ones included; 0 if
// g is closed or zero. It takes time proportional to the group's own timers.
func (w *Wheel[T]) GroupLen(g Group) int {
	r := w.groups.find(g)
	if r == nil {
		return 0
	}
	n := 0
	w.members(r, func(m Handle) Handle {
		n++
		return m
	})
	return n
}
