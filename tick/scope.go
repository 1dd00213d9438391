package tick

import (
	"context"
	"fmt"
	"sync/atomic"

	"github.com/tickwheel/tickwheel/timers"
)

// Scope is what timers and jobs belong to and end with: the loop, a session, a
// monster, a buff. Scopes form a tree below [Loop.Root]; closing one closes
// those below it first.
//
// A Scope is never reused, so a pointer kept past its end is harmless: it is not
// Alive, its methods refuse. Alive may be called by any goroutine, the rest
// belongs to the tick goroutine.
type Scope struct {
	loop   *Loop
	parent *Scope
	first  *Scope // children in order of creation
	last   *Scope
	prev   *Scope
	next   *Scope

	fence    *Fence
	born     uint64
	closed   atomic.Bool
	hasGroup bool
	paused   bool  // by its own Pause
	frozen   int32 // how many of it and its ancestors are paused
	group    timers.Group

	reason error
	ended  int // timers that closing it and what was below cancelled
	ctx    context.Context
	cancel context.CancelCauseFunc
	keyed  map[any]*keyedTimer
	hooks  []func(reason error)
	finals []func(reason error) // after hooks
}

// Loop returns the loop s belongs to.
func (s *Scope) Loop() *Loop { return s.loop }

// Alive reports whether s is open: one or two atomic loads. Any goroutine may
// call it; for all but the tick goroutine the answer may be old when it arrives.
func (s *Scope) Alive() bool {
	return !s.closed.Load() && (s.fence == nil || s.born > s.fence.epoch.Load())
}

// Child returns a new scope that ends with s at the latest. It costs about 200
// bytes. The child of a paused scope is frozen until s resumes; the child of a
// closed scope, or of any while the loop stops, is closed.
func (s *Scope) Child() *Scope { return s.child(s.fence, s.born) }

func (s *Scope) child(f *Fence, born uint64) *Scope {
	s.loop.owner.check("Scope.Child")
	c := &Scope{loop: s.loop, parent: s, fence: f, born: born, frozen: s.frozen}
	if !s.Alive() || s.loop.Stopping() {
		c.closed.Store(true)
		if c.reason = ErrStopped; !s.Alive() {
			c.reason = s.endedWith()
		}
		return c
	}
	if f != nil {
		f.open++
	}
	if c.prev = s.last; c.prev != nil {
		c.prev.next = c
	} else {
		s.first = c
	}
	s.last = c
	return c
}

// Reason returns why s was closed, nil while it is alive.
func (s *Scope) Reason() error {
	s.loop.owner.check("Scope.Reason")
	if s.Alive() {
		return nil
	}
	return s.endedWith()
}

func (s *Scope) endedWith() error {
	switch {
	case s.reason != nil:
		return s.reason
	case s.fence != nil && !s.closed.Load():
		return s.fence.reason(s.born)
	}
	return ErrClosed
}

// Cancelled is how many timers the close of s cancelled, its children's
// included; 0 while it is open. An OnClose hook can tell the player.
func (s *Scope) Cancelled() int {
	s.loop.owner.check("Scope.Cancelled")
	return s.ended
}

// Len is how many timers of s, its children not included, are pending.
func (s *Scope) Len() int {
	s.loop.owner.check("Scope.Len")
	if !s.hasGroup || !s.Alive() {
		return 0
	}
	return s.loop.wheel.GroupLen(s.group)
}

// Context returns a context that ends with s; its cause is the reason s was
// closed for. It is made at the first call. Root's ends when Stop gives up on
// the last jobs.
func (s *Scope) Context() context.Context {
	s.loop.owner.check("Scope.Context")
	if s.ctx == nil {
		s.ctx, s.cancel = context.WithCancelCause(context.Background())
	}
	if s.cancel != nil && !s.Alive() { // maybe behind a fence, not released yet
		s.cancel(s.endedWith())
	}
	return s.ctx
}

// OnClose has f called when s is closed, after its timers are gone and its
// children's hooks have run. Hooks run in the order of registration, each once;
// they may write and offload for the root, but schedule nothing for s. On a
// closed scope OnClose returns false and f is not called.
func (s *Scope) OnClose(f func(reason error)) bool {
	s.loop.owner.check("Scope.OnClose")
	if f == nil {
		panic("tick: Scope.OnClose: nil function")
	}
	if !s.Alive() {
		return false
	}
	s.hooks = append(s.hooks, f)
	return true
}

// OnClosed is OnClose for whoever keeps books on scopes: f runs after all OnClose
// hooks of s.
func (s *Scope) OnClosed(f func(reason error)) bool {
	s.loop.owner.check("Scope.OnClosed")
	if f == nil {
		panic("tick: Scope.OnClosed: nil function")
	}
	if !s.Alive() {
		return false
	}
	s.finals = append(s.finals, f)
	return true
}

// Close ends s and the scopes below it and returns how many pending timers that
// cancelled. Nothing of theirs runs from then on: timers, even if due in this
// very tick, keyed and periodic ones; jobs that have not started; and the
// results of jobs that have, whose context ends with reason as its cause. Then
// the OnClose hooks run, those of children first. A nil reason is ErrClosed. A scope
// that [Fence.Close] has ended keeps the reason given there.
//
// Closing a closed scope does nothing and returns 0. The root ends with the
// loop; closing it panics. It takes time proportional to the timers and scopes
// that end.
func (s *Scope) Close(reason error) (cancelled int) {
	s.loop.owner.check("Scope.Close")
	if s.parent == nil {
		panic("tick: Scope.Close: the root scope ends with Loop.Stop")
	}
	if s.closed.Load() {
		return 0
	}
	switch {
	case !s.Alive(): // behind a fence that fell: its context has ended for that reason
		reason = s.endedWith()
	case reason == nil:
		reason = ErrClosed
	}
	s.unlink()
	return s.loop.end(s, reason)
}

func (s *Scope) unlink() {
	p := s.parent
	if s.prev != nil {
		s.prev.next = s.next
	} else {
		p.first = s.next
	}
	if s.next != nil {
		s.next.prev = s.prev
	} else {
		p.last = s.prev
	}
	s.prev, s.next = nil, nil
}

// end closes the unlinked tree s. Everything mechanical happens before the first
// hook, so that a hook that panics finds the whole tree closed.
func (l *Loop) end(s *Scope, reason error) (cancelled int) {
	s.walk(func(c *Scope) { c.closed.Store(true) })
	l.runHooks(s.release(reason, nil))
	return s.ended
}

// release gives back what s and the closed scopes below it hold, children first,
// and adds their hooks to those given.
func (s *Scope) release(reason error, hooks []closeHook) []closeHook {
	for c := s.first; c != nil; c = c.next {
		hooks = c.release(reason, hooks)
		s.ended += c.ended
	}
	s.reason = reason
	if s.hasGroup {
		s.ended += s.loop.wheel.CloseGroup(s.group)
		s.hasGroup = false
	}
	s.keyed = nil
	if s.cancel != nil {
		s.cancel(reason)
	}
	if s.fence != nil {
		s.fence.released(s)
	}
	for _, f := range s.hooks {
		hooks = append(hooks, closeHook{f, reason})
	}
	for _, f := range s.finals {
		hooks = append(hooks, closeHook{f, reason})
	}
	s.hooks, s.finals = nil, nil
	return hooks
}

// walk visits s and what is below it, parents first.
func (s *Scope) walk(f func(*Scope)) {
	f(s)
	for c := s.first; c != nil; c = c.next {
		c.walk(f)
	}
}

type closeHook struct {
	f      func(error)
	reason error
}

// runHooks runs each hook even if those before it panic or exit the goroutine.
func (l *Loop) runHooks(hooks []closeHook) {
	if len(hooks) == 0 {
		return
	}
	kind := l.meter.kind
	for len(hooks) > 0 {
		l.meter.to(kindClose)
		h := hooks[0]
		hooks = hooks[1:]
		func() {
			clean := false
			defer func() {
				if clean {
					return
				}
				exited := true
				defer func() {
					if exited { // this goroutine ends, the rest can't wait
						l.runHooks(hooks)
					}
				}()
				if v := recover(); v != nil {
					l.caught(v, kindClose) // Config.OnPanic may exit, too
					exited = false
				}
			}()
			h.f(h.reason)
			clean = true
		}()
	}
	l.meter.to(kind)
}

// Pause freezes the timers of s and of the scopes below it: each keeps the time
// it has left, and none fires. It reports false if s was paused by an earlier
// call or is closed. Jobs are not affected. It takes time proportional to the
// timers frozen.
func (s *Scope) Pause() bool {
	s.loop.owner.check("Scope.Pause")
	if s.paused || !s.Alive() {
		return false
	}
	s.paused = true
	s.walk(func(c *Scope) {
		if c.frozen++; c.frozen == 1 && c.hasGroup {
			s.loop.wheel.Pause(c.group)
		}
	})
	return true
}

// Resume lets the timers of s and of the scopes below it run again, with the time
// they had left and in the order they had; those below another paused scope stay
// frozen. It reports false if s was not paused itself or is closed.
func (s *Scope) Resume() bool {
	s.loop.owner.check("Scope.Resume")
	if !s.paused || !s.Alive() {
		return false
	}
	s.paused = false
	s.walk(func(c *Scope) {
		if c.frozen--; c.frozen == 0 && c.hasGroup {
			s.loop.wheel.Resume(c.group)
		}
	})
	return true
}

// Paused reports whether the timers of s are frozen, by s or a scope above it.
func (s *Scope) Paused() bool {
	s.loop.owner.check("Scope.Paused")
	return s.frozen > 0
}

// open returns the group of s, made at its first timer: a scope without timers
// costs the wheel nothing.
func (s *Scope) open() (timers.Group, error) {
	if !s.Alive() {
		return timers.Group{}, s.refusal()
	}
	if s.hasGroup {
		return s.group, nil
	}
	g, err := s.loop.wheel.NewGroup()
	if err != nil {
		return g, fmt.Errorf("tick: %w: %d scopes have timers, which Config.MaxScopes is for", ErrFull, s.loop.cfg.MaxScopes)
	}
	s.group, s.hasGroup = g, true
	if s.frozen > 0 {
		s.loop.wheel.Pause(g)
	}
	return g, nil
}

func (s *Scope) refusal() error {
	if s.loop.Stopping() {
		return ErrStopped
	}
	return ErrClosed
}
