package tick

import (
	"context"
	"fmt"
	"sync"
	"time"
)

// JobQueue holds the jobs of a loop for its [Executor]: in order, one of a key at
// a time, and only as long as their owner lives. Any goroutine may use it.
type JobQueue struct {
	loop *Loop

	mu      sync.Mutex
	ready   []*Task // ready[head:] may be taken
	head    int
	keys    map[string]*keyQueue // keys that are taken or waited for
	waiting int                  // jobs in ready or waiting for their key
	running int
	oldest  *Task // taken first of those running; linked in order of taking
	newest  *Task
	sealed  bool // nothing may be taken any more

	// Owned by the tick goroutine.
	outstanding int // queued, running, or delivered and not applied
	number      uint64
	kept        []*Task // WhenFull == Keep
	counts      JobStats
}

// keyQueue is what waits behind the job of a key that is in hand.
type keyQueue struct{ tasks []*Task }

// Task is a job on its way through an [Executor], which calls Do, or Run (or
// Fail) and then, maybe later, Deliver.
type Task struct {
	queue   *JobQueue
	owner   *Scope
	ctx     context.Context
	body    func(context.Context) error
	apply   func(error)
	always  func() // runs on the tick goroutine after apply, whatever became of the job
	number  uint64
	kind    Kind
	key     string
	timeout time.Duration
	queued  time.Duration
	started time.Duration
	ended   time.Duration
	outcome Outcome
	err     error

	prev, next *Task // in the list of those running
	listed     bool
	timed      bool // started and ended were told
}

// Number counts jobs in the order in which they were offloaded, from 1.
func (t *Task) Number() uint64 { return t.number }

// Kind is the job's kind.
func (t *Task) Kind() Kind { return t.kind }

// Key is the job's key, "" if it has none.
func (t *Task) Key() string { return t.key }

// Timeout is how long the job's context lasts from its start, 0 for no limit.
func (t *Task) Timeout() time.Duration { return t.timeout }

// Queued is when the job was offloaded.
func (t *Task) Queued() time.Duration { return t.queued }

// put queues t, which the caller has found room for.
func (q *JobQueue) put(t *Task) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.waiting++
	if t.key == "" {
		q.ready = append(q.ready, t)
		return
	}
	if k, busy := q.keys[t.key]; busy {
		k.tasks = append(k.tasks, t)
		return
	}
	if q.keys == nil {
		q.keys = map[string]*keyQueue{}
	}
	q.keys[t.key] = &keyQueue{}
	q.ready = append(q.ready, t)
}

// Take returns the next job to run and counts it as running, or nil if there is
// none. Jobs whose owner has ended are dropped here: they never run.
func (q *JobQueue) Take() *Task {
	q.mu.Lock()
	defer q.mu.Unlock()
	for q.head < len(q.ready) && !q.sealed {
		t := q.ready[q.head]
		q.ready[q.head] = nil
		if q.head++; q.head == len(q.ready) {
			q.ready, q.head = q.ready[:0], 0
		} else if q.head >= 1024 && q.head*2 >= len(q.ready) {
			n := copy(q.ready, q.ready[q.head:])
			clear(q.ready[n:])
			q.ready, q.head = q.ready[:n], 0
		}
		q.waiting--
		t.started = q.loop.Time()
		if !t.owner.Alive() {
			t.outcome = JobDropped
			t.ended = t.started
			q.passKey(t)
			q.loop.inbox.complete(t)
			continue
		}
		q.running++
		q.list(t)
		return t
	}
	return nil
}

// passKey makes the next job of t's key ready and reports whether there is one.
func (q *JobQueue) passKey(t *Task) bool {
	if t.key == "" {
		return false
	}
	k := q.keys[t.key]
	if len(k.tasks) == 0 {
		delete(q.keys, t.key)
		return false
	}
	q.ready = append(q.ready, k.tasks[0])
	k.tasks[0] = nil
	k.tasks = k.tasks[1:]
	return true
}

func (q *JobQueue) list(t *Task) {
	t.listed = true
	if t.prev = q.newest; t.prev != nil {
		t.prev.next = t
	} else {
		q.oldest = t
	}
	q.newest = t
}

func (q *JobQueue) unlist(t *Task) {
	if t.prev != nil {
		t.prev.next = t.next
	} else {
		q.oldest = t.next
	}
	if t.next != nil {
		t.next.prev = t.prev
	} else {
		q.newest = t.prev
	}
	t.prev, t.next, t.listed = nil, nil, false
}

// Do is Run and Deliver, the second also if the job calls runtime.Goexit.
func (t *Task) Do() {
	defer t.Deliver()
	t.Run()
}

// Run runs the job's function on this goroutine under its context and keeps the
// result for Deliver. A panic is contained. A call of runtime.Goexit ends the
// goroutine, as it must; the result is kept then, too.
//
//go:noinline
func (t *Task) Run() {
	ctx, cancel := jobContext(t.ctx, t.timeout)
	defer cancel()
	clean := false
	defer func() {
		if clean {
			return
		}
		if v := recover(); v != nil {
			t.outcome, t.err = JobPanicked, &PanicError{Value: v, Stack: stack()}
			return
		}
		t.outcome, t.err = JobExited, &PanicError{Goexit: true}
	}()
	err := t.body(ctx)
	switch {
	case err == nil:
		t.outcome = JobDone
	case t.timeout > 0 && ctx.Err() != nil && t.ctx.Err() == nil:
		t.outcome, t.err = JobTimedOut, err
	default:
		t.outcome, t.err = JobFailed, err
	}
	clean = true
}

// Fail ends the job with err without running its function; a virtual executor
// does so with [context.DeadlineExceeded] if the drawn length exceeds Timeout.
func (t *Task) Fail(err error) {
	t.outcome, t.err = JobFailed, err
	if err == context.DeadlineExceeded {
		t.outcome = JobTimedOut
	}
}

// Timed says when the job started and ended, on the loop's clock, for an executor that
// works events off later than they happened. Without it these are the times of Take
// and Deliver, before which it must be called.
func (t *Task) Timed(started, ended time.Duration) {
	t.queue.mu.Lock()
	defer t.queue.mu.Unlock()
	t.started, t.ended, t.timed = started, ended, true
}

// Deliver hands the result to the loop, which applies it in its next inbox phase,
// and lets the next job of the key go. It panics if the job is not running.
func (t *Task) Deliver() {
	q := t.queue
	q.mu.Lock()
	if !t.listed {
		q.mu.Unlock()
		panic(fmt.Sprintf("tick: Task.Deliver: job %d is not running", t.number))
	}
	q.unlist(t)
	q.running--
	now := q.loop.Time()
	if !t.timed {
		t.ended = now
	}
	more := q.passKey(t)
	q.loop.inbox.complete(t)
	q.mu.Unlock()
	if more {
		q.loop.exec.Ready(now)
	}
}

// cancelDead ends the contexts of running jobs whose owners have ended.
func (q *JobQueue) cancelDead() {
	q.mu.Lock()
	defer q.mu.Unlock()
	for t := q.oldest; t != nil; t = t.next {
		if s := t.owner; !s.Alive() {
			s.cancel(s.endedWith())
		}
	}
}

// load returns how many jobs wait and run, and since when the oldest one runs.
func (q *JobQueue) load() (waiting, running int, since time.Duration) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.oldest != nil {
		since = q.oldest.started
	}
	return q.waiting, q.running, since
}

// seal stops Take and returns how many jobs were left behind.
func (q *JobQueue) seal() (waiting, running int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.sealed = true
	return q.waiting, q.running
}
