package tick

import (
	"context"
	"fmt"
	"time"
)

// Job is a piece of work that blocks or computes for long, to be run off the
// tick goroutine. R is what comes back.
type Job[R any] struct {
	// Key orders jobs: of one key, one at a time runs, in the order of the
	// calls; with "" there is no order. It has nothing to do with the owner: the
	// last save of a player is a job of the root under the player's key.
	Key string
	// Kind is what the job is for, from [Loop.Kind].
	Kind Kind
	// Timeout ends the context of Run this long after its start. 0 means never;
	// negative panics. A job that does not look at its context goes on, see
	// JobStats.OldestAge.
	Timeout time.Duration
	// Run does the work. It must use copies of what it needs, never the game's
	// own state: it runs at the same time as the game. ctx ends when the owner
	// closes, with the reason as its cause.
	Run func(ctx context.Context) (R, error)
}

// Outcome is how a job ended.
type Outcome uint8

// The outcomes.
const (
	JobDone     Outcome = iota // returned no error
	JobFailed                  // returned an error
	JobTimedOut                // returned an error after its Timeout
	JobPanicked                // panicked
	JobExited                  // called runtime.Goexit
	JobDropped                 // its owner ended before it started: it did not run
	JobStale                   // it ran, but its owner ended before the result was applied
	JobRejected                // the queue was full: it was not accepted
)

var outcomes = [...]string{"done", "failed", "timed out", "panicked", "exited", "dropped", "stale", "rejected"}

// String returns the outcome in a word or two.
func (o Outcome) String() string {
	if int(o) < len(outcomes) {
		return outcomes[o]
	}
	return fmt.Sprintf("Outcome(%d)", uint8(o))
}

// JobInfo is a job that came to its end.
type JobInfo struct {
	Number  uint64
	Kind    Kind
	Key     string
	Outcome Outcome
	Err     error
	// Wait is the time from the call of Offload to the start, Ran from there to
	// the end.
	Wait, Ran time.Duration
}

// Offload queues j for a worker and returns at once. When j.Run has returned,
// done gets its result on the tick goroutine, in the inbox phase of a later
// tick; a nil done is nobody. A job that panics or exits its goroutine gives a
// [*PanicError].
//
// s is the owner: if s closes before a worker takes the job, Run is not called;
// if it closes later, the context of Run ends; in either case done is never
// called. Work that must outlive a session is a job of [Loop.Root].
//
// Offload returns ErrClosed if s is closed, ErrStopped if the loop is (in OnStop
// and OnClose hooks the root still takes jobs), and ErrQueueFull if there is no
// room, which passes when jobs end. It never blocks. A nil Run, a negative
// Timeout, or a Kind of another loop panics.
func Offload[R any](s *Scope, j Job[R], done func(R, error)) error {
	return s.offload(newTask(j, done))
}

func newTask[R any](j Job[R], done func(R, error)) *Task {
	if j.Run == nil {
		panic("tick: Offload: Job.Run is nil")
	}
	if j.Timeout < 0 {
		panic(fmt.Sprintf("tick: Offload: Job.Timeout is %v: want 0 (none) or more", j.Timeout))
	}
	var r R
	t := &Task{
		kind: j.Kind, key: j.Key, timeout: j.Timeout,
		body: func(ctx context.Context) (err error) { r, err = j.Run(ctx); return err },
	}
	if done != nil {
		t.apply = func(err error) { done(r, err) }
	}
	return t
}

func (s *Scope) offload(t *Task) error {
	l := s.loop
	l.owner.check("Offload")
	l.checkKind("Offload", t.kind)
	if !s.Alive() || (l.Stopping() && (s != l.root || l.tick.stage > stDrain)) {
		return s.refusal()
	}
	q := &l.queue
	full := q.outstanding >= l.cfg.Queue+l.cfg.Workers
	keep := (full || len(q.kept) > 0) && l.cfg.WhenFull == Keep && len(q.kept) < l.cfg.Keep
	if !keep && (full || len(q.kept) > 0) {
		q.counts.Rejected++
		l.observeJob(&Task{kind: t.kind, key: t.key, outcome: JobRejected, err: ErrQueueFull})
		return fmt.Errorf("%w: %d jobs are outstanding and %d kept, which Config.Queue, Workers and Keep are for",
			ErrQueueFull, q.outstanding, len(q.kept))
	}
	q.number++
	t.queue, t.owner, t.number, t.queued = q, s, q.number, l.Time()
	t.ctx = s.Context()
	if keep {
		q.counts.Kept++
		q.kept = append(q.kept, t)
		return nil
	}
	l.submit(t)
	return nil
}

func (l *Loop) submit(t *Task) {
	l.queue.outstanding++
	l.queue.put(t)
	if l.mode.Load() != modeNone {
		l.exec.Ready(l.Time())
	}
}

// unkeep queues the kept jobs there is room for by now, in order.
func (l *Loop) unkeep() {
	q := &l.queue
	n := min(len(q.kept), l.cfg.Queue+l.cfg.Workers-q.outstanding)
	if n <= 0 {
		return
	}
	for _, t := range q.kept[:n] {
		l.submit(t)
	}
	left := copy(q.kept, q.kept[n:])
	clear(q.kept[left:])
	q.kept = q.kept[:left]
}

// applyResult is a job's arrival on the tick goroutine.
func (l *Loop) applyResult(t *Task) {
	l.meter.to(t.kind)
	if l.account(t); t.outcome != JobDropped && t.outcome != JobStale && t.apply != nil {
		t.apply(t.err)
	}
}

// account takes a job that ended out of the books.
func (l *Loop) account(t *Task) {
	q := &l.queue
	q.outstanding--
	c := &q.counts
	if t.outcome != JobDropped {
		c.Run++
	}
	outcome := t.outcome
	if outcome != JobDropped && !t.owner.Alive() && t.owner != l.root {
		t.outcome = JobStale
		c.Stale++
	}
	switch outcome {
	case JobDone:
		c.Done++
	case JobFailed:
		c.Failed++
	case JobTimedOut:
		c.TimedOut++
	case JobPanicked:
		c.Panicked++
	case JobExited:
		c.Exited++
	}
	if t.outcome == JobDropped || t.outcome == JobStale {
		c.DroppedDead++
	}
	l.metrics.job(t)
	if p, ok := t.err.(*PanicError); ok && outcome == JobPanicked {
		l.panicked(PanicInfo{Kind: t.kind, Job: t.number, Value: p.Value, Stack: p.Stack})
	}
	l.observeJob(t)
}

// observeJob tells the observer of a job; its result is applied even if that
// panics.
func (l *Loop) observeJob(t *Task) {
	if o := l.cfg.Observer; o != nil && o.Job != nil {
		defer func() {
			if v := recover(); v != nil {
				l.caught(v, kindObserver)
			}
		}()
		o.Job(JobInfo{Number: t.number, Kind: t.kind, Key: t.key, Outcome: t.outcome, Err: t.err,
			Wait: t.started - t.queued, Ran: t.ended - t.started})
	}
}
