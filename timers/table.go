package timers

// table maps ticks to values by linear hashing (Litwin 1980): it grows by
// splitting one bucket at a time, so that no insert pays for a rehash of the
// whole. Pointers it hands out are good until the next put or del.
type table[V any] struct {
	lines   [][]line[V] // chunks; line i is the first of bucket i
	spill   [][]line[V] // further lines of crowded buckets, from 1
	free    uint32      // freed spill lines, linked by next
	fresh   uint32      // spill lines from here on were never used
	n       int
	buckets uint32
	level   uint32 // 1<<level <= buckets < 2<<level
}

const (
	perLine       = 5
	linesPerChunk = 64
	growAt        = 3 // entries a bucket, on average
)

type line[V any] struct {
	next uint32 // spill line, 0 none
	used uint32
	key  [perLine]int64 // plus 1; 0 where unused
	val  [perLine]V
}

// find returns the place of a key, perLine if it is not in l. It compares all without
// a branch between: where a key stands can't be predicted.
func (l *line[V]) find(key int64) uint32 {
	at := uint32(perLine)
	for i, k := range l.key {
		if k == key+1 {
			at = uint32(i)
		}
	}
	return at
}

func (t *table[V]) bucket(key int64) uint32 {
	h := uint64(key) * 0x9E3779B97F4A7C15
	h ^= h >> 32
	b := uint32(h) & (2<<t.level - 1)
	if b >= t.buckets {
		b &= 1<<t.level - 1
	}
	return b
}

func (t *table[V]) first(b uint32) *line[V] {
	return &t.lines[b/linesPerChunk][b%linesPerChunk]
}

func (t *table[V]) more(i uint32) *line[V] {
	return &t.spill[i/linesPerChunk][i%linesPerChunk]
}

// get returns the value of key, or nil.
func (t *table[V]) get(key int64) *V {
	if t.n == 0 {
		return nil
	}
	for l := t.first(t.bucket(key)); ; l = t.more(l.next) {
		if at := l.find(key); at < perLine {
			return &l.val[at]
		}
		if l.next == 0 {
			return nil
		}
	}
}

// put returns the value of key, adding a zero one if there is none, and whether
// there was one.
func (t *table[V]) put(key int64) (v *V, had bool) {
	if t.n == int(t.buckets)*growAt {
		t.split()
	}
	l := t.first(t.bucket(key))
	for {
		if at := l.find(key); at < perLine {
			return &l.val[at], true
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
func (t *table[V]) add(l *line[V], key int64) *V {
	for l.used == perLine {
		if l.next == 0 {
			l.next = t.newLine()
		}
		l = t.more(l.next)
	}
	i := l.used
	l.used++
	l.key[i], l.val[i] = key+1, *new(V) // a deleted entry left its value
	return &l.val[i]
}

func (t *table[V]) newLine() uint32 {
	if i := t.free; i != 0 {
		t.free = t.more(i).next
		*t.more(i) = line[V]{}
		return i
	}
	if t.fresh == 0 {
		t.fresh = 1
	}
	if int(t.fresh) >= len(t.spill)*linesPerChunk {
		t.spill = append(t.spill, make([]line[V], linesPerChunk))
	}
	t.fresh++
	return t.fresh - 1
}

// split adds one bucket and shares the entries of its twin with it.
func (t *table[V]) split() {
	if int(t.buckets) >= len(t.lines)*linesPerChunk {
		t.lines = append(t.lines, make([]line[V], linesPerChunk))
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
	*t.first(twin) = line[V]{}
	for {
		for i := range old.used {
			key := old.key[i] - 1
			*t.add(t.first(t.bucket(key)), key) = old.val[i]
		}
		i := old.next
		if i == 0 {
			return
		}
		l := t.more(i)
		old = *l
		*l = line[V]{next: t.free}
		t.free = i
	}
}

// del removes key, which must be present.
func (t *table[V]) del(key int64) {
	l := t.first(t.bucket(key))
	var prev *line[V]
	at := l.find(key)
	for at == perLine {
		prev, l = l, t.more(l.next)
		at = l.find(key)
	}
	hit := l
	for l.next != 0 {
		prev, l = l, t.more(l.next)
	}
	// The last entry of the bucket takes the place.
	last := l.used - 1
	hit.key[at], hit.val[at] = l.key[last], l.val[last]
	l.key[last] = 0
	l.used = last
	if last == 0 && prev != nil {
		i := prev.next
		prev.next = 0
		*l = line[V]{next: t.free}
		t.free = i
	}
	t.n--
}

// bytes is what the lines hold.
func (t *table[V]) bytes() int64 {
	return int64(len(t.lines)+len(t.spill)) * linesPerChunk * size[line[V]]()
}
