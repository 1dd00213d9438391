package schemes

import (
	"fmt"

	"github.com/tickwheel/tickwheel/timers"
)

// Timer is a timer of a Scheme, and the handle to cancel it with. It is never
// used again for another timer, so a stale one is harmless.
type Timer struct {
	next, prev *Timer
	// key is what the scheme files the timer by: its deadline, rounds to wait, or
	// place in a heap. It is never negative while the timer is pending; a lazily
	// cancelled one keeps its complement, for those who sort by it.
	key     int64
	payload uint64
}

const gone = -1 // the key of a timer that fired

// pending reports whether t will fire.
func (t *Timer) pending() bool { return t.key >= 0 }

// sortKey is the key t was filed by, cancelled or not.
func (t *Timer) sortKey() int64 {
	if t.key < 0 {
		return ^t.key
	}
	return t.key
}

// unlink takes t out of its list.
func (t *Timer) unlink() {
	t.prev.next, t.next.prev = t.next, t.prev
	t.next, t.prev = nil, nil
}

// list is a circle of timers through a sentinel, so that a timer leaves it
// without knowing which list it is in. It must not be copied once init ran.
type list struct{ end Timer }

func (l *list) init() { l.end.next, l.end.prev = &l.end, &l.end }

// front returns the first timer, nil if there is none.
func (l *list) front() *Timer {
	if l.end.next == &l.end {
		return nil
	}
	return l.end.next
}

// push appends t.
func (l *list) push(t *Timer) { l.end.insertBefore(t) }

// insertBefore links t in front of at.
func (at *Timer) insertBefore(t *Timer) {
	t.next, t.prev = at, at.prev
	at.prev.next = t
	at.prev = t
}

// base is what the schemes made of lists share.
type base struct {
	now       timers.Tick
	live      int
	lazy      bool
	advancing bool
	// due holds what the tick in hand has left to fire. It outlives a panic.
	due list
}

func (b *base) init(c Config) {
	b.now, b.lazy = c.Start, c.Lazy
	b.due.init()
}

// Now is the last tick reached.
func (b *base) Now() timers.Tick { return b.now }

// Len is how many timers are pending.
func (b *base) Len() int { return b.live }

// Cancel reports whether t was pending. It takes constant time.
func (b *base) Cancel(t *Timer) bool {
	if t == nil || !t.pending() {
		return false
	}
	t.key = ^t.key
	b.live--
	if !b.lazy {
		t.unlink()
	}
	return true
}

// begin guards an Advance until end.
func (b *base) begin(to timers.Tick) {
	if b.advancing {
		panic("schemes: Advance called from a callback")
	}
	if to < b.now {
		panic(fmt.Sprintf("schemes: Advance to %d: time is at %d already", to, b.now))
	}
	b.advancing = true
}

func (b *base) end() { b.advancing = false }

// fireDue fires what is in due, in order.
func (b *base) fireDue(fire func(uint64), r *Report) {
	for t := b.due.front(); t != nil; t = b.due.front() {
		t.unlink()
		if !t.pending() {
			r.Touched++
			continue
		}
		t.key = gone
		b.live--
		r.Fired++
		fire(t.payload)
	}
}
