package tick

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
)

// inbox is how other goroutines reach the tick goroutine. Posts and inputs share
// a bound; results of jobs have their own room, which the job queue bounds.
type inbox struct {
	mu      sync.Mutex
	limit   int
	closed  bool
	refused uint64
	items   []item
	results []*Task
}

// item is a post (f) or an input (v).
type item struct {
	f    func()
	v    any
	kind Kind
}

func (b *inbox) put(it item) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		b.refused++
		return ErrStopped
	}
	if len(b.items) >= b.limit {
		b.refused++
		return fmt.Errorf("%w: %d posts and inputs wait for the next tick, which Config.Inbox is for", ErrInboxFull, b.limit)
	}
	b.items = append(b.items, it)
	return nil
}

func (b *inbox) complete(t *Task) {
	b.mu.Lock()
	b.results = append(b.results, t)
	b.mu.Unlock()
}

// take hands out what is there and keeps the given slices for what comes next.
func (b *inbox) take(items []item, results []*Task) ([]item, []*Task) {
	b.mu.Lock()
	defer b.mu.Unlock()
	i, r := b.items, b.results
	b.items, b.results = items[:0], results[:0]
	return i, r
}

func (b *inbox) close() {
	b.mu.Lock()
	b.closed = true
	b.mu.Unlock()
}

func (b *inbox) depth() (items int, refused uint64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.items), b.refused
}

// Post has f run on the tick goroutine in the inbox phase of the next tick that
// begins, after the posts and inputs that were there before. It never waits.
//
// Post returns ErrInboxFull if Config.Inbox posts and inputs wait already, which
// passes with the next tick, and ErrStopped once the loop is stopping; f does not
// run then. A loop that stops before the next tick does not run f either. Any
// goroutine may call Post, callbacks included.
func (l *Loop) Post(f func()) error {
	if f == nil {
		panic("tick: Loop.Post: nil function")
	}
	return l.inbox.put(item{f: f, kind: kindPost})
}

// Input hands v to the [Loop.OnInput] hooks in the inbox phase of the next tick
// that begins. It is Post for values: unlike a function a value can be recorded
// and replayed. Errors and concurrency are those of Post.
func (l *Loop) Input(v any) error {
	return l.inbox.put(item{v: v, kind: kindInput})
}

// Call runs f on the tick goroutine and returns when it has run: nil, or a
// [*PanicError] if f did not return. Otherwise f has not run and never will: if
// ctx ended first Call returns the cause, and else ErrStopped or ErrInboxFull.
//
// A callback or job, of whatever loop, that calls Call gets ErrInTick: its tick
// would wait for a tick. Any other goroutine may call it.
func (l *Loop) Call(ctx context.Context, f func()) error {
	if f == nil {
		panic("tick: Loop.Call: nil function")
	}
	if onLoopStack() {
		return fmt.Errorf("tick: Loop.Call: %w; use Post", ErrInTick)
	}
	c := &call{f: f, done: make(chan error, 1)}
	if err := l.inbox.put(item{f: c.run, kind: kindCall}); err != nil {
		return err
	}
	select {
	case err := <-c.done:
		return err
	case <-ctx.Done():
		if c.state.CompareAndSwap(0, 2) {
			return context.Cause(ctx)
		}
	case <-l.stopped:
		if c.state.CompareAndSwap(0, 2) {
			return ErrStopped
		}
	}
	return <-c.done // f had begun: its end is the answer
}

// call is one Call. state is 0 before f runs, 1 from then on, 2 if given up.
type call struct {
	f     func()
	state atomic.Int32
	done  chan error
}

func (c *call) run() {
	if !c.state.CompareAndSwap(0, 1) {
		return
	}
	clean := false
	defer func() {
		if clean {
			c.done <- nil
			return
		}
		// The panic goes on to the loop, which counts and reports it; the
		// caller gets its value as well.
		v := recover()
		c.done <- &PanicError{Value: v, Goexit: v == nil}
		if v != nil {
			panic(v)
		}
	}()
	c.f()
	clean = true
}
