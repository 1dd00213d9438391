package timers

// table maps ticks to places by linear hashing (Litwin 1980): it grows by splitting
// one bucket at a time, so that no insert pays for a rehash of the whole. A place is
// good until the next put or del. A line is a cache line, so that a look-up misses
// the cache once.
type table struct {
	lines   [][]line // chunks; line i is the first of bucket i
	spill   [][]line // further lines of crowded buckets, from 1
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

// line holds entries from the front on. Lines of a bucket are full, but the last.
type line struct {
	key  [perLine]int64 // plus 1; 0 where unused
	val  [perLine]uint64
	num  [perLine]uint32
	next uint32 // spill line, 0 none
}

// place is an entry of a table: line nil if there is none.
type place struct {
	line *line
	at   uint32
}

// val and num are what a table keeps for a key.
func (p place) val() *uint64 { return &p.line.val[p.at] }
func (p place) num() *uint32 { return &p.line.num[p.at] }

// find returns the index of a key, perLine if it is not in l; of the key -1, the first
// that is unused. It compares all without a branch between: where a key stands can't
// be predicted.
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
func (t *table) more(i uint32) *line  { return &t.spill[i/linesPerChunk][i%linesPerChunk] }

// get returns the place of key.
func (t *table) get(key int64) (place, bool) {
	if t.n == 0 {
		return place{}, false
	}
	for l := t.first(t.bucket(key)); ; l = t.more(l.next) {
		if at := l.find(key); at < perLine {
			return place{l, at}, true
		}
		if l.next == 0 {
			return place{}, false
		}
	}
}

// put returns the place of key, adding it with zeros if there is none, and whether
// there was one.
func (t *table) put(key int64) (p place, had bool) {
	if t.n == int(t.buckets)*growAt {
		t.split()
	}
	l := t.first(t.bucket(key))
	for {
		if at := l.find(key); at < perLine {
			return place{l, at}, true
		}
		if l.next == 0 {
			break
		}
		l = t.more(l.next)
	}
	t.n++
	return t.add(l, key), false
}

// add appends key to the bucket that l belongs to.
func (t *table) add(l *line, key int64) place {
	at := l.find(-1)
	for at == perLine {
		if l.next == 0 {
			l.next = t.newLine()
		}
		l = t.more(l.next)
		at = l.find(-1)
	}
	l.key[at], l.val[at], l.num[at] = key+1, 0, 0 // a deleted entry left its values
	return place{l, at}
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
	if int(t.fresh) >= len(t.spill)*linesPerChunk {
		t.spill = append(t.spill, make([]line, linesPerChunk))
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
		for i := uint32(0); i < perLine && old.key[i] != 0; i++ {
			key := old.key[i] - 1
			p := t.add(t.first(t.bucket(key)), key)
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

// del removes key, whose place is p.
func (t *table) del(key int64, p place) {
	l := p.line
	var prev *line
	if l.next != 0 || t.first(t.bucket(key)) != l {
		for l = t.first(t.bucket(key)); l.next != 0; l = t.more(l.next) {
			prev = l
		}
	}
	// The last entry of the bucket takes the place.
	last := (l.find(-1) - 1) % perLine
	p.line.key[p.at], p.line.val[p.at], p.line.num[p.at] = l.key[last], l.val[last], l.num[last]
	l.key[last] = 0
	if last == 0 && prev != nil {
		i := prev.next
		prev.next = 0
		*l = line{next: t.free}
		t.free = i
	}
	t.n--
}

// bytes is what the lines hold.
func (t *table) bytes() int64 {
	return int64(len(t.lines)+len(t.spill)) * linesPerChunk * size[line]()
}
