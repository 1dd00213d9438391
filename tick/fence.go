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
	falls []fall
}

// fall is one Close: the reason of the scopes born up to epoch, if not up to an
// earlier one's. They are kept while any of those scopes is.
type fall struct {
	epoch  uint64
	reason error
}

// NewFence returns a fence with nothing behind it.
func (l *Loop) NewFence() *Fence {
	l.owner.check("Loop.NewFence")
	return &Fence{loop: l}
}

// Child is parent.Child behind f. It panics if parent is behind a fence itself.
func (f *Fence) Child(parent *Scope) *Scope {
	f.loop.owner.check("Fence.Child")
	if parent.fence != nil {
		panic("tick: Fence.Child: the parent is behind a fence already")
	}
	if parent.loop != f.loop {
		panic("tick: Fence.Child: the parent is of another loop")
	}
	f.born++
	return parent.child(f, f.born)
}

// Close ends every scope behind f for reason (nil is ErrClosed) and returns how
// many that were. Scopes made by Child from now on are not affected. The contexts
// of their running jobs end now. It takes constant time, and a look at each
// running job; each scope must still be closed for its timers to be released,
// its hooks to run and, if no job of it runs, its context to end.
func (f *Fence) Close(reason error) int {
	f.loop.owner.check("Fence.Close")
	n := f.open
	if n == 0 {
		return 0
	}
	if reason == nil {
		reason = ErrClosed
	}
	f.falls = append(f.falls, fall{f.born, reason})
	f.epoch.Store(f.born)
	f.open, f.ended = 0, f.ended+n
	f.loop.gate(n)
	f.loop.queue.cancelDead()
	return n
}

// reason returns what the scope born as the given one ended for.
func (f *Fence) reason(born uint64) error {
	for _, e := range f.falls {
		if born <= e.epoch {
			return e.reason
		}
	}
	return ErrClosed
}

// released takes a scope that was closed out of the count.
func (f *Fence) released(s *Scope) {
	if s.born > f.epoch.Load() {
		f.open--
		return
	}
	if f.ended--; f.ended == 0 {
		f.falls = nil
	}
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
