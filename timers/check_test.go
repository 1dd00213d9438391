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
	if k.armed+frozen != w.n {
		return fmt.Errorf("at tick %d: %d timers in lists and %d frozen, but Len is %d", w.now, k.armed, frozen, w.n)
	}
	return nil
}

// list walks the blocks from b, checks the links, and counts what will fire.
func (k *checker) list(name string, b, end uint32, rank uint32, skip uint64, ok func(Tick) bool) (fill uint32, err error) {
	c := k.c
	var last meta
	for first := true; b != end; first = false {
		if at, dup := k.seen[b]; dup {
			return 0, fmt.Errorf("block %d of %s is also in %s", b, name, at)
		}
		k.seen[b] = name
		m := *c.meta(b)
		if c.meta(m.next).prev != b || c.meta(m.prev).next != b {
			return 0, fmt.Errorf("block %d of %s: broken links", b, name)
		}
		if *c.word(b)&parkedBit != 0 || *c.word(b)&(liveMask|emptyBit) == 0 {
			return 0, fmt.Errorf("block %d of %s is parked or empty", b, name)
		}
		if w := *c.word(b); w&farBit == 0 && Tick(w>>slotShift&(1<<slotBits-1)) != m.deadline&c.ring.mask {
			return 0, fmt.Errorf("block %d of %s: slot %d for deadline %d", b, name, w>>slotShift&(1<<slotBits-1), m.deadline)
		}
		if c.rank(b) != rank || !ok(m.deadline) {
			return 0, fmt.Errorf("block %d of %s: rank %d, deadline %d", b, name, c.rank(b), m.deadline)
		}
		if !first && (m.deadline < last.deadline || m.deadline == last.deadline && m.stamp <= last.stamp) {
			return 0, fmt.Errorf("block %d of %s is out of order", b, name)
		}
		last = m
		fill += k.firing(b, skip)
		b = m.next
	}
	k.armed += int(fill)
	return fill, nil
}

// firing counts the timers of block b that will fire.
func (k *checker) firing(b uint32, skip uint64) (n uint32) {
	for live := *k.c.word(b) & liveMask &^ skip; live != 0; live &= live - 1 {
		ref := b<<entryBits | uint32(bits.TrailingZeros64(live))
		if !k.c.fires(ref) {
			continue
		}
		n++
		if i := k.c.pinOf(ref); i != 0 && k.c.pins.rec(i).group != 0 || i == 0 && k.c.linkOf(ref) != 0 {
			k.inGroups++
		}
	}
	return n
}

func (k *checker) slot(name string, sl slot, rank uint32, t Tick) error {
	if sl.cur == 0 {
		if sl.fill != 0 {
			return fmt.Errorf("%s is empty but counts %d", name, sl.fill)
		}
		return nil
	}
	c := k.c
	tail := sl.tail()
	first := c.meta(tail).next
	// Open the circle for the walk: up to the tail, then the tail alone.
	var fill uint32
	var stamp uint64
	for b := first; ; b = c.meta(b).next {
		if s := c.meta(b).stamp; s <= stamp {
			return fmt.Errorf("%s: block %d is out of order", name, b)
		} else {
			stamp = s
		}
		skip := uint64(0)
		if b == tail {
			skip = sl.unused()
		}
		n, err := k.list(name, b, c.meta(b).next, rank, skip, func(d Tick) bool { return d == t })
		if b == c.meta(b).next { // alone: list saw nothing
			k.seen[b] = name
			n += k.firing(b, skip)
			k.armed += int(n)
			if c.meta(b).deadline != t || c.rank(b) != rank {
				err = fmt.Errorf("block %d of %s: deadline %d rank %d", b, name, c.meta(b).deadline, c.rank(b))
			}
		}
		if err != nil {
			return err
		}
		fill += n
		if b == tail {
			break
		}
	}
	if fill != sl.fill {
		return fmt.Errorf("%s holds %d timers but counts %d", name, fill, sl.fill)
	}
	live := *c.word(tail) & sl.unused()
	if far := *c.word(tail)&farBit != 0; far && live != 0 || !far && live != sl.unused() {
		return fmt.Errorf("%s: unused entries %b of the tail live: %b", name, sl.unused(), live)
	}
	return nil
}

func (k *checker) due() error {
	for rank := range uint32(Lanes) {
		h := head(rank)
		n, err := k.list(fmt.Sprintf("due %d", rank), k.c.meta(h).next, h, rank, 0, func(d Tick) bool { return d <= k.c.now })
		if err != nil {
			return err
		}
		if n != k.c.due[rank] {
			return fmt.Errorf("due list %d holds %d timers but counts %d", rank, n, k.c.due[rank])
		}
	}
	return nil
}

func (k *checker) near() error {
	r := &k.c.ring
	for off := Tick(1); off <= r.mask+1; off++ {
		t := k.c.now + off
		i := uint64(t & r.mask)
		blocks := false
		for rank := range r.slots {
			if r.slots[rank] == nil {
				continue
			}
			sl := r.slots[rank][i]
			if sl == (slot{}) {
				continue
			}
			blocks = blocks || sl.cur != 0
			if err := k.slot(fmt.Sprintf("slot of tick %d lane %d", t, rank), sl, uint32(rank), t); err != nil {
				return err
			}
		}
		if marked := r.occ[i>>6]>>(i&63)&1 != 0; marked != blocks {
			return fmt.Errorf("tick %d marked %v, has blocks %v", t, marked, blocks)
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
	c := k.c
	n := 0
	for t := c.now + c.reach + 1; ; t++ {
		var ok bool
		if t, ok = c.far.next(t); !ok {
			break
		}
		n++
		l := c.far.lists.get(int64(t))
		if l == nil || l.empty() {
			return fmt.Errorf("far tick %d is in the set but has no lists", t)
		}
		for rank := range l {
			if err := k.slot(fmt.Sprintf("far tick %d lane %d", t, rank), l[rank], uint32(rank), t); err != nil {
				return err
			}
		}
	}
	if first, ok := c.far.next(c.far.edge + 1); ok && first <= c.now+c.reach {
		return fmt.Errorf("far tick %d should be in the ring", first)
	}
	if n != c.far.lists.n {
		return fmt.Errorf("%d far ticks in the set, %d in the table", n, c.far.lists.n)
	}
	if c.far.edge != c.now+c.reach {
		return fmt.Errorf("the far edge is %d, want %d", c.far.edge, c.now+c.reach)
	}
	if first, ok := c.far.far.next(0); ok && first <= c.far.edge+c.far.span {
		return fmt.Errorf("far tick %d should be in the map", first)
	}
	// Of the 64 ticks in coming, those before first have moved on.
	first := c.far.edge + c.far.span + 1
	coming := c.far.coming >> (first & 63) << (first & 63)
	if want := c.far.far.node(0, int64(first>>6)); coming != want {
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
	pages, grouped := 0, 0
	for ref := uint32(1); ref < c.groups.freshRec; ref++ {
		r := c.groups.rec(ref)
		listed := uint32(0)
		for p := r.oldest; p != 0; p = c.groups.page(p).next {
			pages++
			if p == r.newest {
				listed += r.used
				break
			}
			listed += perPage
		}
		found := map[Handle]bool{}
		var err error
		c.members(r, func(m Handle) Handle {
			found[m] = true
			frozen := m.gen&pinFlag != 0 && c.pins.rec(m.ref).frozen
			if frozen != r.paused {
				err = fmt.Errorf("member %x of group %d: frozen %v, group paused %v", m, ref, frozen, r.paused)
			}
			if m.gen&pinFlag == 0 && c.linkOf(m.ref) != ref || m.gen&pinFlag != 0 && c.pins.rec(m.ref).group != ref {
				err = fmt.Errorf("member %x of group %d belongs to another", m, ref)
			}
			return m
		})
		if err != nil {
			return err
		}
		if listed != r.listed {
			return fmt.Errorf("group %d lists %d members, counts %d", ref, listed, r.listed)
		}
		grouped += len(found)
	}
	if want := k.linked(); grouped != want {
		return fmt.Errorf("groups list %d timers of the %d that belong to one", grouped, want)
	}
	if pages != c.groups.pagesUsed {
		return fmt.Errorf("%d pages in groups, %d counted", pages, c.groups.pagesUsed)
	}
	return nil
}

// linked counts the timers that say they belong to a group.
func (k *checker) linked() int {
	c := k.c
	n := k.inGroups
	for i := uint32(1); i < c.pins.fresh; i++ {
		if p := c.pins.rec(i); p.used && p.frozen && p.group != 0 {
			n++
		}
	}
	return n
}

// blocks checks that every block in use is in a list or parked for a reason.
func (k *checker) blocks() error {
	c := k.c
	used := 0
	for b := uint32(firstBlock); b < c.fresh; b++ {
		w := *c.word(b)
		_, listed := k.seen[b]
		switch {
		case w&(liveMask|emptyBit) == 0 && listed:
			return fmt.Errorf("block %d is empty but in a list", b)
		case w&(liveMask|emptyBit) == 0:
			continue
		case w&emptyBit != 0 && !slices.Contains(c.emptied[:c.nEmptied], b):
			return fmt.Errorf("block %d is not in the queue of emptied ones", b)
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
