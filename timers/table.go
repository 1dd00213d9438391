package timers

// table maps ticks to places by linear hashing (Litwin 1980): it grows by splitting
// one bucket at a time, so that no insert pays for a rehash of the whole. A place is
// good until the next put or del. A line is a cache line, so that a look-up misses
// the cache once.
type table struct {
	lines   [][]line // chunks; line i is the first of bucket i
	extra   [][]line // further lines of crowded buckets, from 1
	free    uint32   // freed spill lines, linked by next
	fresh   uint32   // spill lines from here on were never used
	n       int
	buckets uint32
	level   uint32 // 1<<level <= buckets < 2<<level
}

const (
	perLine       = 3
	linesPerChunk = 64
	growAt        = 1 // entries a bucket, on average
)

// line holds up to three entries, anywhere. Only the first line of a bucket may be empty.
type line struct {
	key  [perLine]int64 // plus 1; 0 where unused
	val  [perLine]uint64
	num  [perLine]uint32
	next uint32 // spill line, 0 none
}

// place is an entry of a table: line nil if there is none.
type place struct {
	line, prev *line // prev is the bucket's line before, nil for the first
	at         uint32
}

// val and num are what a table keeps for a key.
func (p place) val() *uint64 { return &p.line.val[p.at] }
func (p place) num() *uint32 { return &p.line.num[p.at] }

// find returns the index of a key, perLine if it is not in l; of the key -1, one that
// is unused. It compares all without a branch between: where a key stands can't be
// predicted.
func (l *line) find(key int64) uint32 {
	at := uint32(perLine)
	if l.key[2] == key+1 {
		at = 2
	}
	if l.key[1] == key+1 {
		at = 1
	}
	if l.key[0] == key+1 {
		at = 0
	}
	return at
}

// set makes an unused entry that of key.
func (l *line) set(at uint32, key int64) {
	l.key[at], l.val[at], l.num[at] = key+1, 0, 0
}

func (t *table) bucket(key int64) uint32 {
	h := uint64(key) * 0x9E3779B97F4A7C15
	h ^= h >> 32
	b := uint32(h) & (2<<(t.level&31) - 1)
	if b >= t.buckets {
		b &= 1<<(t.level&31) - 1
	}
	return b
}

func (t *table) first(b uint32) *line { return &t.lines[b/linesPerChunk][b%linesPerChunk] }
func (t *table) more(i uint32) *line  { return &t.extra[i/linesPerChunk][i%linesPerChunk] }

// get returns the place of key.
func (t *table) get(key int64) (place, bool) {
	if t.n == 0 {
		return place{}, false
	}
	l := t.first(t.bucket(key))
	if at := l.find(key); at < perLine {
		return place{l, nil, at}, true
	}
	return t.spilled(l, key)
}

// spilled is get for the lines after l.
func (t *table) spilled(l *line, key int64) (place, bool) {
	for l.next != 0 {
		prev := l
		l = t.more(l.next)
		if at := l.find(key); at < perLine {
			return place{l, prev, at}, true
		}
	}
	return place{}, false
}

// put returns the place of key, adding it with zeros if there is none, and whether
// there was one.
func (t *table) put(key int64) (p place, had bool) {
	if t.n == int(t.buckets)*growAt {
		t.split()
	}
	l := t.first(t.bucket(key))
	if at := l.find(key); at < perLine {
		return place{l, nil, at}, true
	}
	if l.next != 0 {
		if p, had = t.spilled(l, key); had {
			return p, true
		}
	}
	t.n++
	return t.add(l, key), false
}

// spill adds key to the bucket whose first line l is full.
func (t *table) spill(l *line, key int64) place {
	for {
		prev := l
		if l.next == 0 {
			l.next = t.newLine()
		}
		l = t.more(l.next)
		if at := l.find(-1); at < perLine {
			l.set(at, key)
			return place{l, prev, at}
		}
	}
}

func (t *table) newLine() uint32 {
	if i := t.free; i != 0 {
		t.free = t.more(i).next
		*t.more(i) = line{}
		return i
	}
	if t.fresh == 0 {
		t.fresh = 1
	}
	if int(t.fresh) >= len(t.extra)*linesPerChunk {
		t.extra = append(t.extra, make([]line, linesPerChunk))
	}
	t.fresh++
	return t.fresh - 1
}

// split adds one bucket and shares the entries of its twin with it.
func (t *table) split() {
	if int(t.buckets) >= len(t.lines)*linesPerChunk {
		t.lines = append(t.lines, make([]line, linesPerChunk))
	}
	t.buckets++
	if t.buckets == 1 {
		return
	}
	if t.buckets > 2<<t.level {
		t.level++
	}
	twin := (t.buckets - 1) & (1<<t.level - 1)
	old := *t.first(twin)
	*t.first(twin) = line{}
	for {
		for i, k := range old.key {
			if k == 0 {
				continue
			}
			p := t.add(t.first(t.bucket(k-1)), k-1)
			*p.val(), *p.num() = old.val[i], old.num[i]
		}
		i := old.next
		if i == 0 {
			return
		}
		l := t.more(i)
		old = *l
		*l = line{next: t.free}
		t.free = i
	}
}

// add adds key to the bucket whose first line is l.
func (t *table) add(l *line, key int64) place {
	if at := l.find(-1); at < perLine {
		l.set(at, key)
		return place{l, nil, at}
	}
	return t.spill(l, key)
}

// del removes the entry at p.
func (t *table) del(p place) {
	l := p.line
	l.key[p.at] = 0
	t.n--
	if p.prev != nil && l.key == [perLine]int64{} {
		i := p.prev.next
		p.prev.next = l.next
		*l = line{next: t.free}
		t.free = i
	}
}

// bytes is what the lines hold.
func (t *table) bytes() int64 {
	return int64(len(t.lines)+len(t.extra)) * linesPerChunk * size[line]()
}
