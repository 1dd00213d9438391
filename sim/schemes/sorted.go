package schemes

import "github.com/tickwheel/tickwheel/timers"

// SortedList is a linked list of timers by deadline: Schedule walks it, O(n);
// Cancel and a tick take constant time.
type SortedList struct {
	base
	timers list
}

// NewSortedList makes an empty list.
func NewSortedList(c Config) *SortedList {
	c.check("NewSortedList")
	s := &SortedList{}
	s.init(c)
	s.timers.init()
	return s
}

// Schedule files a timer behind all that are due no later. It takes O(n) time.
func (s *SortedList) Schedule(deadline timers.Tick, payload uint64) *Timer {
	t := &Timer{key: int64(max(deadline, s.now+1)), payload: payload}
	at := &s.timers.end
	for at.prev != &s.timers.end && at.prev.sortKey() > t.key {
		at = at.prev
	}
	at.insertBefore(t)
	s.live++
	return t
}

// Advance fires what is due up to the tick to.
func (s *SortedList) Advance(to timers.Tick, fire func(uint64)) (r Report) {
	s.begin(to)
	defer s.end()
	for t := s.timers.front(); t != nil && t.sortKey() <= int64(to); t = s.timers.front() {
		t.unlink()
		if !t.pending() {
			r.Touched++
			continue
		}
		s.now = timers.Tick(t.key)
		t.key = gone
		s.live--
		r.Fired++
		fire(t.payload)
	}
	s.now = to
	return r
}

// Close forgets all timers.
func (s *SortedList) Close() {
	s.timers.init()
	s.live = 0
}
