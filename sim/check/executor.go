package check

import (
	"cmp"
	"context"
	"errors"
	"runtime"
	"slices"
	"time"

	"github.com/tickwheel/tickwheel/sim/oracle"
	"github.com/tickwheel/tickwheel/tick"
)

// executor runs jobs on goroutines that it holds in hand: a job has begun when
// start returns, and goes on to its end when finish says so, in between whatever
// the game does. So a run repeats, and jobs are really running while sessions end.
type executor struct {
	w     *world
	q     *tick.JobQueue
	n     int
	busy  []*running // by end, then number
	begun chan *job
}

type running struct {
	end  time.Duration
	task *tick.Task
	job  *job
	over chan struct{} // nil: its time was up, and it does not run
}

// job is what the world knows of a job.
type job struct {
	id      int
	m       *oracle.Job
	repeat  *repeat // nil if it is no run of a periodic job
	length  time.Duration
	limited bool // it takes longer than it may
	then    string
	leave   chan struct{} // closed: come to your end
	ended   error         // why its context had ended by then, nil if it had not
	outcome string
}

func newExecutor(w *world, n int) *executor {
	return &executor{w: w, n: n, begun: make(chan *job)}
}

func (e *executor) Bind(q *tick.JobQueue) { e.q = q }

func (e *executor) Ready(time.Duration) { e.start() }

func (e *executor) Begin(now time.Duration) {
	e.w.tickBegins()
	e.until(now)
	e.w.jobs.Unkeep()
}

func (e *executor) End(now time.Duration) { e.until(now) }

func (e *executor) Drain(context.Context) {
	for e.start(); len(e.busy) > 0; e.start() {
		e.finish()
	}
}

func (e *executor) until(now time.Duration) {
	for e.start(); len(e.busy) > 0 && e.busy[0].end <= now; e.start() {
		e.finish()
	}
}

// start gives free workers jobs.
func (e *executor) start() {
	for len(e.busy) < e.n {
		t := e.q.Take()
		if t == nil {
			return
		}
		r := e.begin(t)
		length := r.job.length
		if e.w.healthy {
			length = min(length, e.w.o.Interval/2)
		}
		if r.over == nil {
			length = min(length, t.Timeout())
		}
		r.end = e.w.clock.now + length
		e.w.say("job %d of %s begins", r.job.id, r.job.m.Owner.Label())
		e.w.fail(e.w.jobs.Start(r.job.m, e.w.clock.now))
		i, _ := slices.BinarySearchFunc(e.busy, r, func(a, b *running) int {
			return cmp.Or(cmp.Compare(a.end, b.end), cmp.Compare(a.task.Number(), b.task.Number()))
		})
		e.busy = slices.Insert(e.busy, i, r)
	}
}

// begin runs a job up to its middle, unless it would be too long.
func (e *executor) begin(t *tick.Task) *running {
	r := &running{task: t}
	if i := t.Number() - 1; i < uint64(len(e.w.accepted)) {
		r.job = e.w.accepted[i]
	}
	if r.job != nil && t.Timeout() > atOnce && t.Timeout() < r.job.length {
		return r
	}
	r.over = make(chan struct{})
	go func() {
		defer close(r.over)
		t.Run()
	}()
	begun := <-e.begun
	if r.job != begun {
		e.w.broken(oracle.JobOnce, "job %d started as number %d", begun.id, t.Number())
	}
	r.job = begun
	return r
}

// finish lets the job that ends first come to its end.
func (e *executor) finish() {
	r := e.busy[0]
	e.busy = e.busy[1:]
	j, owner := r.job, r.job.m.Owner
	if r.over == nil {
		j.outcome = oracle.JobTimedOut
		r.task.Fail(context.DeadlineExceeded)
	} else {
		close(j.leave)
		<-r.over
		e.context(j)
	}
	e.w.say("job %d of %s has %s", j.id, owner.Label(), j.outcome)
	e.w.jobs.Deliver(j.m, j.outcome, e.w.clock.now)
	r.task.Deliver()
}

// context checks what the context of j came to.
func (e *executor) context(j *job) {
	owner := j.m.Owner
	dead := !owner.Alive() && owner != e.w.tree.Root
	switch {
	case j.m.Timeout == atOnce && !errors.Is(j.ended, context.DeadlineExceeded), j.limited:
		e.w.broken(oracle.JobTime, "job %d went on for longer than its timeout of %v, its context: %v", j.id, j.m.Timeout, j.ended)
	case j.m.Timeout == atOnce:
	case (j.ended != nil) != dead:
		e.w.broken(oracle.JobOwner, "the context of job %d has ended: %v, its owner %s: %v", j.id, j.ended, owner.Label(), dead)
	case dead && reasonOf(j.ended) != owner.Reason:
		e.w.broken(oracle.JobOwner, "the context of job %d has ended for %v, its owner %s for %s", j.id, j.ended, owner.Label(), owner.Reason)
	}
}

// abort lets all jobs end, for a run that is given up.
func (e *executor) abort() {
	for _, r := range e.busy {
		if r.over != nil {
			close(r.job.leave)
			<-r.over
		}
	}
	e.busy = nil
}

// run is the body of a job, on its own goroutine.
func (e *executor) run(ctx context.Context, j *job) (int, error) {
	if _, ok := ctx.Deadline(); ok && j.m.Timeout == atOnce {
		<-ctx.Done() // before its owner can end
	}
	e.begun <- j
	<-j.leave
	j.ended = context.Cause(ctx)
	late := j.m.Timeout == atOnce
	switch {
	case j.then == "panic":
		j.outcome = oracle.JobPanicked
		panic(planned{})
	case j.then == "goexit":
		j.outcome = oracle.JobExited
		runtime.Goexit()
	case late && j.id%3 > 0 || j.then == "jobfail":
		err := errPlanned
		if late && j.then != "jobfail" {
			err = ctx.Err()
		}
		j.outcome = oracle.JobFailed
		if late && j.m.Owner.Alive() { // its timeout alone has ended it
			j.outcome = oracle.JobTimedOut
		}
		return 0, err
	}
	j.outcome = oracle.JobDone
	return j.id, nil
}
