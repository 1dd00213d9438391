package check

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/tickwheel/tickwheel/sim/oracle"
	"github.com/tickwheel/tickwheel/tick"
)

// posts is the inbox, as it must be.
type posts struct {
	next      int       // number of the next letter
	waiting   []*letter // for the next tick
	inTick    []*letter // of this tick, still to run
	refused   uint64
	unhandled uint64
	callers   []*caller
}

// letter is a post, an input or a call on its way.
type letter struct {
	n        int
	p        *op // what it does; nil is nothing
	input    bool
	handlers int  // of an input, that have run
	given    bool // a call that nobody waits for any more: it does not run
	caller   *caller
}

// caller is a goroutine that waits in Loop.Call.
type caller struct {
	entered, left chan struct{}
	once          sync.Once
	err           error
	ran           bool
	then          string // how the function ended
}

// Done is called by Loop.Call when it begins to wait: its letter is in the inbox.
func (c *caller) Done() <-chan struct{} {
	c.once.Do(func() { close(c.entered) })
	return nil
}

// Deadline, Err and Value make a caller a context that never ends.
func (c *caller) Deadline() (time.Time, bool) { return time.Time{}, false }
func (c *caller) Err() error                  { return nil }
func (c *caller) Value(any) any               { return nil }

// quiet reports whether no more calls are to be made.
func (w *world) quiet() bool { return w.err != nil || w.healthy || w.stopping }

// send puts a letter into the inbox by way of a call that returns its error.
func (w *world) send(l *letter, call func() error) {
	full := len(w.posts.waiting) >= w.o.Inbox
	l.n = w.posts.next
	err := error(nil)
	if !full || !w.bug(bugInbox) {
		err = call()
	}
	switch {
	case full && errors.Is(err, tick.ErrInboxFull):
		w.posts.refused++
		return
	case full:
		w.broken(oracle.InboxRule, "letter %d found %d waiting and gave %v: want ErrInboxFull", l.n, len(w.posts.waiting), err)
		return
	case err != nil:
		w.broken(oracle.InboxRule, "letter %d found %d waiting and gave %v", l.n, len(w.posts.waiting), err)
		return
	}
	w.posts.next++
	w.posts.waiting = append(w.posts.waiting, l)
}

// post posts p, or nothing in particular.
func (w *world) post(p *op) {
	if !w.quiet() {
		l := &letter{p: p}
		w.send(l, func() error { return w.loop.Post(func() { w.posted(l) }) })
	}
}

// input gives p to the handlers.
func (w *world) input(p *op) {
	if !w.quiet() {
		l := &letter{p: p, input: true}
		w.send(l, func() error {
			if w.bug(bugInput) && l.n%4 == 0 {
				return nil
			}
			return w.loop.Input(l)
		})
	}
}

// call has p called by a goroutine that waits for it.
func (w *world) call(p *op) {
	if w.quiet() {
		return
	}
	l := &letter{p: p, caller: &caller{entered: make(chan struct{}), left: make(chan struct{})}}
	w.send(l, func() error {
		go func() {
			defer close(l.caller.left)
			l.caller.err = w.loop.Call(l.caller, func() { w.posted(l) })
		}()
		select {
		case <-l.caller.entered:
			w.posts.callers = append(w.posts.callers, l.caller)
			return nil
		case <-l.caller.left:
			return l.caller.err
		}
	})
}

// badCall makes a call that can't be answered: from a callback, or by somebody who
// does not wait.
func (w *world) badCall() {
	never := func() { w.broken(oracle.InboxRule, "the function of a call ran that had failed") }
	if w.facts.open {
		if err := w.loop.Call(context.Background(), never); !errors.Is(err, tick.ErrInTick) {
			w.broken(oracle.Returns, "Call in a callback gave %v: want ErrInTick", err)
		}
		return
	}
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(errPlanned)
	w.send(&letter{given: true}, func() error {
		err := w.loop.Call(ctx, never)
		if w.bug(bugCall) {
			return w.loop.Post(never)
		}
		if errors.Is(err, errPlanned) {
			return nil
		}
		return err
	})
}

// answered checks what the callers of the last tick were told.
func (w *world) answered() {
	for _, c := range w.posts.callers {
		<-c.left
		var p *tick.PanicError
		fits := c.ran
		switch {
		case c.then == "":
			fits = fits && c.err == nil
		case c.then == "panic":
			fits = fits && errors.As(c.err, &p) && p.Value == any(planned{})
		default:
			fits = fits && errors.As(c.err, &p) && p.Goexit
		}
		if !fits {
			w.broken(oracle.Returns, "a call whose function ran: %v, and ended by %q, gave %v", c.ran, c.then, c.err)
		}
	}
	w.posts.callers = nil
}

// silent takes the letters that nobody hears of out of the front of the inbox.
func (w *world) silent() {
	for ps := &w.posts; len(ps.inTick) > 0; ps.inTick = ps.inTick[1:] {
		switch l := ps.inTick[0]; {
		case l.given:
		case l.input && w.o.Handlers == 0:
			ps.unhandled++
		default:
			return
		}
	}
}

// handler returns the handler of inputs of a number.
func (w *world) handler(i int) func(any) {
	return func(v any) {
		l, ok := v.(*letter)
		switch {
		case w.err != nil:
		case !ok || l.handlers != i:
			w.broken(oracle.InboxRule, "handler %d was given %v out of turn", i, v)
		case i < w.o.Handlers-1:
			w.arrives(l)
			if l.handlers++; l.n&1 == 1 {
				w.does(l)
			}
		default:
			if w.arrives(l); w.err == nil {
				w.posts.inTick = w.posts.inTick[1:]
			}
			if w.o.Handlers == 1 || l.n&1 == 0 {
				w.does(l)
			}
		}
	}
}

// posted is a post or a call that runs.
func (w *world) posted(l *letter) {
	if w.err != nil {
		return
	}
	if w.arrives(l); w.err != nil {
		return
	}
	w.posts.inTick = w.posts.inTick[1:]
	w.does(l)
}

// arrives checks that it is the turn of l.
func (w *world) arrives(l *letter) {
	w.settled()
	w.silent()
	if len(w.posts.inTick) == 0 || w.posts.inTick[0] != l {
		w.broken(oracle.InboxRule, "letter %d ran out of turn: %d are to run in this tick", l.n, len(w.posts.inTick))
	}
}

func (w *world) does(l *letter) {
	if l.caller != nil {
		l.caller.ran = true
	}
	if l.p == nil {
		return
	}
	panics := w.panics
	defer func() {
		switch {
		case l.caller == nil:
		case w.exiting:
			l.caller.then = "goexit"
		case l.p.then == "panic" && w.panics > panics:
			l.caller.then = "panic"
		}
	}()
	w.do(l.p)
	panics = w.panics // not those of hooks
	w.leave(l.p)
}
