package tick

import (
	"context"
	"fmt"
	"sync"
)

// stopping is how the loop comes to its end.
type stopping struct {
	once   sync.Once
	ctx    context.Context
	cancel context.CancelFunc
	err    error // set before Loop.stopped is closed
}

// Stop ends the loop and returns when nothing of it runs any more. From the call
// on posts and schedules are refused with ErrStopped. The tick in hand is
// finished; the OnStop hooks run; all scopes close with ErrStopped as the reason
// and their timers are cancelled; queued jobs of the root run and running ones
// are waited for, until ctx ends, or Config.StopTimeout has passed if ctx has no
// deadline. The done functions of jobs do not run any more.
//
// Stop returns nil, or an error that wraps ctx's if jobs or a callback had not
// returned by then; they can't be killed, but nothing starts any more. In a
// callback or job, of whatever loop, Stop begins the end and returns ErrInTick
// at once. Stopping twice is fine; both calls wait for the end. Any goroutine
// may call it.
func (l *Loop) Stop(ctx context.Context) error {
	if onLoopStack() {
		// The caller's ctx may well end when the callback does.
		l.beginStop(context.Background())
		return fmt.Errorf("tick: Loop.Stop: the loop stops after this callback: %w", ErrInTick)
	}
	l.beginStop(ctx)
	select {
	case <-l.stopped:
		return l.stop.err
	default:
	}
	select {
	case l.drive <- struct{}{}: // first, or an ended ctx would leave the loop as it is
		l.endAlone()
		return l.stop.err
	default:
	}
	select {
	case <-l.stopped:
	case l.drive <- struct{}{}:
		l.endAlone()
	case <-ctx.Done():
		select {
		case <-l.stopped:
		default:
			return fmt.Errorf("tick: Loop.Stop: a callback has not returned: %w", context.Cause(ctx))
		}
	}
	return l.stop.err
}

// endAlone ends a loop whose token we hold because nobody drives it.
func (l *Loop) endAlone() {
	if l.state.Load() != stateStopped {
		l.owner.take()
	}
	l.leave()
}

func (l *Loop) beginStop(ctx context.Context) {
	l.stop.once.Do(func() {
		l.stop.ctx, l.stop.cancel = limit(ctx, l.cfg.StopTimeout)
		l.state.Store(stateStopping)
		l.inbox.close()
		close(l.wake)
	})
}

// shutdown ends a loop that is stopping, on the goroutine that holds its token.
// Like a tick it goes on where it stopped if a hook exits its goroutine.
func (l *Loop) shutdown() {
	if l.state.Load() == stateStopped {
		return
	}
	l.finish()
	if l.tick.stage == stIdle {
		l.tick.stage, l.tick.cursor = stHooks, 0
		l.finish()
	}
	l.stop.cancel()
	l.owner.release()
	l.state.Store(stateStopped)
	close(l.stopped)
}

// runStop runs one stage of the end.
func (l *Loop) runStop() {
	t := &l.tick
	switch t.stage {
	case stHooks:
		l.meter.to(kindStop)
		for t.cursor < len(l.onStop) {
			f := l.onStop[t.cursor]
			t.cursor++
			f()
		}
		t.stage = stScopes
	case stScopes:
		for c := l.root.first; c != nil; c = l.root.first {
			c.Close(ErrStopped)
		}
		t.stage, t.cursor, t.results = stDrain, 0, nil
		// Not closed yet: jobs of the root are still to run.
		ctx, cancel := l.root.ctx, l.root.cancel
		l.root.cancel = nil
		l.runHooks(l.root.release(ErrStopped, nil))
		l.root.ctx, l.root.cancel = ctx, cancel
	case stDrain:
		l.drain()
		t.stage = stLast
	case stLast:
		l.lastResults()
		t.stage = stEnded
		l.metrics.last(l)
	}
}

// drain runs what the queue still holds: jobs of the root, everybody else's
// being dropped when they are taken.
func (l *Loop) drain() {
	for _, t := range l.queue.kept {
		l.submit(t)
	}
	l.queue.kept = nil
	if l.mode.Load() == modeNone { // never driven: nobody has the queue yet
		l.bind(modePaced)
	}
	l.exec.Drain(l.stop.ctx)
	waiting, running := l.queue.seal()
	l.queue.counts.Abandoned += uint64(waiting + running)
	if waiting+running > 0 {
		l.cfg.Logger.Error("tick: stopped with jobs left behind", "running", running, "waiting", waiting)
		l.stop.err = fmt.Errorf("tick: Loop.Stop: time was up with %d jobs running and %d waiting: %w",
			running, waiting, context.Cause(l.stop.ctx))
	}
	l.root.reason = ErrStopped
	l.root.closed.Store(true)
	if l.root.cancel != nil {
		l.root.cancel(ErrStopped)
	}
}

// lastResults counts the jobs that ended after the last tick; their done
// functions do not run.
func (l *Loop) lastResults() {
	t := &l.tick
	for {
		for t.cursor < len(t.results) {
			r := t.results[t.cursor]
			t.cursor++
			l.account(r)
		}
		t.cursor = 0
		if _, t.results = l.inbox.take(nil, nil); len(t.results) == 0 {
			return
		}
	}
}
