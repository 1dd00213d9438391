package schemes

import "github.com/tickwheel/tickwheel/timers"

// Heap is a binary heap by (deadline, scheduling order). With eager cancel each
// timer knows its place, and Cancel takes O(log n) as Schedule and firing do.
type Heap struct {
	base
	slots []slot
	seq   uint64
}

// slot carries what is compared, so that sifting does not visit the timers.
type slot struct {
	at  timers.Tick
	seq uint64
	t   *Timer
}

func (a slot) before(b slot) bool { return a.at < b.at || a.at == b.at && a.seq < b.seq }

// NewHeap makes an empty heap.
func NewHeap(c Config) *Heap {
	c.check("NewHeap")
	h := &Heap{}
	h.init(c)
	return h
}

// Schedule files a timer. It takes O(log n) time, and O(n) when the heap grows.
func (h *Heap) Schedule(deadline timers.Tick, payload uint64) *Timer {
	t := &Timer{payload: payload}
	h.seq++
	h.slots = append(h.slots, slot{})
	h.up(len(h.slots)-1, slot{max(deadline, h.now+1), h.seq, t})
	h.live++
	return t
}

// Cancel reports whether t was pending. It takes O(log n) time, or constant time
// if cancel is lazy.
func (h *Heap) Cancel(t *Timer) bool {
	if t == nil || !t.pending() {
		return false
	}
	i := int(t.key)
	t.key = gone
	h.live--
	if !h.lazy {
		h.remove(i)
	}
	return true
}

// Advance fires what is due up to the tick to.
func (h *Heap) Advance(to timers.Tick, fire func(uint64)) Report {
	return h.advance(to, func(uint64) {}, fire)
}

// advance is Advance; dropped hears of each entry that was cancelled lazily.
func (h *Heap) advance(to timers.Tick, dropped, fire func(uint64)) (r Report) {
	h.begin(to)
	defer h.end()
	for len(h.slots) > 0 && h.slots[0].at <= to {
		s := h.slots[0]
		h.remove(0)
		if !s.t.pending() {
			r.Touched++
			dropped(s.t.payload)
			continue
		}
		h.now = s.at
		s.t.key = gone
		h.live--
		r.Fired++
		fire(s.t.payload)
	}
	h.now = to
	return r
}

// remove takes out place i and fills it with the last.
func (h *Heap) remove(i int) {
	last := len(h.slots) - 1
	s := h.slots[last]
	h.slots[last] = slot{}
	h.slots = h.slots[:last]
	switch {
	case i == last:
	case i > 0 && s.before(h.slots[(i-1)/2]):
		h.up(i, s)
	default:
		h.down(i, s)
	}
}

// up puts s at place i or above.
func (h *Heap) up(i int, s slot) {
	for i > 0 {
		parent := (i - 1) / 2
		if !s.before(h.slots[parent]) {
			break
		}
		h.put(i, h.slots[parent])
		i = parent
	}
	h.put(i, s)
}

// down puts s at place i or below.
func (h *Heap) down(i int, s slot) {
	for {
		child := 2*i + 1
		if child >= len(h.slots) {
			break
		}
		if child+1 < len(h.slots) && h.slots[child+1].before(h.slots[child]) {
			child++
		}
		if !h.slots[child].before(s) {
			break
		}
		h.put(i, h.slots[child])
		i = child
	}
	h.put(i, s)
}

// put stores s at place i and tells its timer, unless nobody will ask.
func (h *Heap) put(i int, s slot) {
	h.slots[i] = s
	if !h.lazy {
		s.t.key = int64(i)
	}
}

// Close forgets all timers.
func (h *Heap) Close() {
	h.slots = nil
	h.live = 0
}
