package tick

import (
	"sync"
	"sync/atomic"
	"time"
)

// Condition is how a loop is doing.
type Condition uint8

// The conditions.
const (
	// Healthy means that ticks come, or that the loop is not driven by a clock.
	Healthy Condition = iota
	// Suspended means that no tick has ended for too long, seen at one look
	// only: a machine that slept looks like that when it wakes.
	Suspended
	// Stuck means that a later look found no progress either: a callback does
	// not return.
	Stuck
	// Ended means that the loop has stopped.
	Ended
)

var conditions = [...]string{"healthy", "suspended", "stuck", "ended"}

// String returns the condition in a word.
func (c Condition) String() string { return conditions[min(int(c), len(conditions)-1)] }

// Health is one look at a loop.
type Health struct {
	Condition Condition
	// Tick is the tick that began last, Age the time since one ended last, or
	// since the loop was started if none has (0 before that and under Step).
	Tick Tick
	Age  time.Duration
}

// watch is what Health knows. The tick goroutine writes two atomics a tick.
type watch struct {
	limit time.Duration
	ended atomic.Int64 // reading at the end of the last tick, notStarted before

	mu      sync.Mutex
	doubt   bool          // the last look found no progress for longer than limit
	doubtOf int64         // what ended was then
	doubtAt time.Duration // when that was noticed first
}

func (w *watch) init(c Config) {
	// Ticks that come late while the loop catches up are no reason to worry.
	w.limit = max(time.Second, time.Duration(c.CatchUp+1)*c.Interval)
	w.ended.Store(notStarted)
}

func (w *watch) progress(now time.Duration) { w.ended.Store(int64(now)) }

// look judges a loop whose clock reads now.
func (w *watch) look(now time.Duration) (c Condition, age time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	ended := w.ended.Load()
	if ended == notStarted {
		return Healthy, 0
	}
	age = max(0, now-time.Duration(ended))
	if age <= w.limit {
		w.doubt = false
		return Healthy, age
	}
	if !w.doubt || w.doubtOf != ended {
		w.doubt, w.doubtOf, w.doubtAt = true, ended, now
		return Suspended, age
	}
	// Two looks in quick succession are one: the loop had no chance to tick.
	if now-w.doubtAt < w.limit {
		return Suspended, age
	}
	return Stuck, age
}

// Health tells whether ticks come, for a watchdog that looks every second or so.
// A loop that has not finished a tick for a second, or CatchUp + 1 intervals if
// that is longer, is Suspended at the first look that notices: the process or
// the machine may have slept. If a later look, at least as much later, finds no
// progress either, it is Stuck. Any goroutine may call it; it takes no lock that
// a tick holds.
func (l *Loop) Health() Health {
	h := Health{Tick: l.Now()}
	switch {
	case l.state.Load() == stateStopped:
		h.Condition = Ended
	case l.mode.Load() == modePaced:
		h.Condition, h.Age = l.watch.look(l.cfg.Clock.Now())
	}
	return h
}
