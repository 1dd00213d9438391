package tick

import "sync/atomic"

// Fence closes many scopes at one stroke. Each scope made by [Fence.Child], and
// every scope below it, is behind the fence; [Fence.Close] ends all that are
// there, in constant time, so that nothing of theirs runs from then on. Closing
// them one by one afterwards, in slices, gives their memory back and runs their
// OnClose hooks. Package session closes all sessions this way.
type Fence struct {
	loop  *Loop
	epoch atomic.Uint64 // scopes born up to here have ended
	born  uint64
	open  int // scopes after epoch that are open
	ended int // scopes up to epoch that were not closed yet
}

// NewFence returns a fence with nothing behind it.
func (l *Loop) NewFence() *Fence { return &Fence{loop: l} }

// Child is parent.Child behind f. It panics if parent is behind a fence itself.
func (f *Fence) Child(parent *Scope) *Scope {
	if parent.fence != nil {
		panic("tick: Fence.Child: the parent is behind a fence already")
	}
	if parent.loop != f.loop {
		panic("tick: Fence.Child: the parent is of another loop")
	}
	f.born++
	return parent.child(f, f.born)
}

// Close ends every scope behind f and returns how many that were. Scopes made by
// Child from now on are not affected. It takes constant time; each scope must
// still be closed for its timers to be released and its hooks to run.
func (f *Fence) Close() int {
	f.loop.owner.check("Fence.Close")
	n := f.open
	f.epoch.Store(f.born)
	f.open, f.ended = 0, f.ended+n
	if n > 0 {
		f.loop.gate(n)
	}
	return n
}

// released takes a scope that was closed out of the count.
func (f *Fence) released(s *Scope) {
	if s.born > f.epoch.Load() {
		f.open--
		return
	}
	f.ended--
	f.loop.gate(-1)
}

// gate adds n to the number of scopes that have ended but still have timers in
// the wheel. While there are any, the wheel asks before it fires: dead timers are
// dropped and cost nothing of the budget.
func (l *Loop) gate(n int) {
	was := l.gated
	l.gated += n
	switch {
	case was == 0 && l.gated > 0:
		l.wheel.SetLive(func(p *payload) bool { return p.scope.Alive() })
	case was > 0 && l.gated == 0:
		l.wheel.SetLive(nil)
	}
}
