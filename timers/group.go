package timers

// A group lists its members in a queue of pages of one cache line. A member is
// the entry number of its timer, or a pin number. A timer that fires or is
// cancelled only counts down its group: its member stays behind as a stale one,
// told by the entry no longer being live for this group. Whoever adds a member
// to a full page sweeps two old pages if more than half of the members may be
// stale, so that no call pays for more than those. Touching no list on the way
// out is what keeps fire and cancel to the cache lines of the timer itself.
//
// An entry may come back to the same group and be listed twice; whoever goes
// through the members acts on what they find live, which the first visit ends.
// Sweeping goes in passes over what is listed when the pass begins: a bit for
// each entry and pin tells whether this pass listed it anew already, so that
// the second listing is dropped. Without it a group whose timers follow each
// other at few addresses would grow for ever.

const (
	pageNext  = 0 // next newer page
	pageFirst = 1 // members from here
	pageLen   = 16
)

type page [pageLen]uint32

type group struct {
	gen      uint32 // 0: never used
	n        uint32 // timers pending
	listed   uint32 // members in pages, stale ones included
	oldest   uint32 // pages; 0: none
	newest   uint32
	used     uint32 // members in the newest page, plus pageFirst
	nextFree uint32
	last     uint32 // page with which the sweeping pass ends; 0: no pass
	mark     bool   // of living members, except those the pass has yet to reach
	open     bool
	paused   bool
}

// groups keeps groups and their pages in chunks that never move.
type groups struct {
	recs  [][]group
	pages [][]page
	marks [2]bitset // of entries, of pins

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
	if h.ref == 0 || h.ref >= g.freshRec {
		return nil
	}
	r := g.rec(h.ref)
	if r.gen != h.gen || !r.open {
		return nil
	}
	return r
}

// name returns the public name of group ref.
func (g *groups) name(ref uint32) Group {
	if ref == 0 {
		return Group{}
	}
	return Group{gen: g.rec(ref).gen, ref: ref}
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
	r.nextFree = g.freeRec
	g.freeRec = ref
}

// marked returns the set and the bit in it that stand for a member.
func (g *groups) marked(member uint32) (*bitset, uint32) {
	return &g.marks[member>>31], member &^ pinFlag
}

// join lists a member of group ref and counts it.
func (c *core) join(ref uint32, r *group, member uint32) {
	r.n++
	if r.newest == 0 || r.used == pageLen {
		if r.listed > 2*r.n+pageLen {
			c.sweep(ref, r)
		}
	}
	c.groups.list(r, member)
}

// list appends a member, whose mark becomes that of the group.
func (g *groups) list(r *group, member uint32) {
	if r.newest == 0 || r.used == pageLen {
		g.addPage(r)
	}
	g.page(r.newest)[r.used] = member
	r.used++
	r.listed++
	set, i := g.marked(member)
	set.put(i, r.mark)
}

// sweep lists the living members of the two oldest pages anew, each once, and
// drops the rest of them. The newest page is full: a pass ends at its edge.
func (c *core) sweep(ref uint32, r *group) {
	if r.last == 0 {
		r.last, r.mark = r.newest, !r.mark
	}
	for range 2 {
		p := r.oldest
		if p == r.newest {
			return
		}
		old := *c.groups.page(p)
		r.oldest = old[pageNext]
		r.listed -= pageLen - pageFirst
		c.groups.freeOne(p)
		c.warm(old[pageFirst:])
		for _, m := range old[pageFirst:] {
			if set, i := c.groups.marked(m); c.living(ref, m) && set.get(i) != r.mark {
				c.groups.list(r, m)
			}
		}
		if p == r.last {
			r.last = 0
			return
		}
	}
}

// living tells whether member m stands for a pending timer of group ref.
func (c *core) living(ref, m uint32) bool {
	if m&pinFlag != 0 {
		p := c.pins.rec(m &^ pinFlag)
		return p.used && p.group == ref
	}
	w := *c.word(m >> entryBits) >> (m & entryMask)
	return w&1 != 0 && w>>linkShift&1 != 0 && *c.link(m) == ref
}

// warm looks at the timers of a page's members, so that the cache misses of
// the work that follows overlap.
func (c *core) warm(members []uint32) {
	var sink uint64
	for _, m := range members {
		if m&pinFlag == 0 {
			sink += *c.word(m >> entryBits)
			sink += uint64(c.meta(m >> entryBits).prev)
		}
	}
	c.touched = sink
}

// members calls f with the members of a group, stale ones included, the oldest
// page first, and stores what f returns.
func (c *core) members(r *group, f func(m uint32) uint32) {
	mark := r.mark != (r.last != 0) // of pages that the pass has yet to reach
	for p := r.oldest; p != 0; {
		pg := c.groups.page(p)
		end := uint32(pageLen)
		if p == r.newest {
			end = r.used
		}
		c.warm(pg[pageFirst:end])
		for i, m := range pg[pageFirst:end] {
			if v := f(m); v != m {
				pg[pageFirst+i] = v
				set, bit := c.groups.marked(v)
				set.put(bit, mark)
			}
		}
		if p == r.newest {
			return
		}
		if p == r.last {
			mark = r.mark
		}
		p = pg[pageNext]
	}
}

// addPage puts an empty page behind the newest.
func (g *groups) addPage(r *group) {
	g.pagesUsed++
	p := g.freePage
	if p != 0 {
		g.freePage = g.page(p)[pageNext]
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
		g.page(r.newest)[pageNext] = p
	}
	r.newest, r.used = p, pageFirst
}

func (g *groups) freeOne(p uint32) {
	g.page(p)[pageNext] = g.freePage
	g.freePage = p
	g.pagesUsed--
}

// empty gives all pages of a group back.
func (g *groups) empty(r *group) {
	for p := r.oldest; p != 0; {
		next := g.page(p)[pageNext]
		last := p == r.newest
		g.freeOne(p)
		if last {
			break
		}
		p = next
	}
	r.oldest, r.newest, r.used, r.listed, r.n, r.last = 0, 0, 0, 0, 0, 0
}

func (g *groups) bytes() int64 {
	return int64(len(g.recs))<<g.shift*36 + int64(len(g.pages))<<g.shift*pageLen*4 +
		g.marks[0].bytes() + g.marks[1].bytes()
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
		w.groups.close(g.ref)
	}
	return n
}

// CancelGroup cancels the timers of g and keeps g. It returns how many.
func (w *Wheel[T]) CancelGroup(g Group) int {
	r := w.groups.find(g)
	if r == nil {
		return 0
	}
	n := int(r.n)
	w.n -= n
	w.cancelled += uint64(n)
	w.members(r, func(m uint32) uint32 {
		switch {
		case !w.living(g.ref, m):
		case m&pinFlag != 0:
			w.dropPin(m &^ pinFlag)
		default:
			w.uncount(m >> entryBits)
			w.clear(m)
		}
		return m
	})
	w.groups.empty(r)
	return n
}

// GroupLen returns how many timers of g are pending, paused ones included; 0 if
// g is closed or zero.
func (w *Wheel[T]) GroupLen(g Group) int {
	if r := w.groups.find(g); r != nil {
		return int(r.n)
	}
	return 0
}
