package check

import (
	"context"
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
	over chan struct{}
}

// job is what the world knows of a job.
type job struct {
	id      int
	m       *oracle.Job
	length  time.Duration
	then    string
	go_     chan struct{} // closed: come to your end
	ended   bool          // its context had ended by then
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
		r := &running{task: t, over: make(chan struct{})}
		go func() {
			defer close(r.over)
			t.Run()
		}()
		r.job = <-e.begun
		if e.w.healthy {
			r.job.length = min(r.job.length, e.w.o.Interval/2)
		}
		r.end = e.w.clock.now + r.job.length
		e.w.say("job %d of %s begins", r.job.id, r.job.m.Owner.Label())
		e.w.fail(e.w.jobs.Start(r.job.m))
		i, _ := slices.BinarySearchFunc(e.busy, r, func(a, b *running) int {
			if a.end != b.end {
				return int(a.end - b.end)
			}
			return int(a.task.Number()) - int(b.task.Number())
		})
		e.busy = slices.Insert(e.busy, i, r)
	}
}

// finish lets the job that ends first come to its end.
func (e *executor) finish() {
	r := e.busy[0]
	e.busy = e.busy[1:]
	close(r.job.go_)
	<-r.over
	owner := r.job.m.Owner
	if dead := !owner.Alive(); r.job.ended != dead && owner != e.w.tree.Root {
		e.w.broken(oracle.JobOwner, "the context of job %d had ended: %v, its owner %s: %v", r.job.id, r.job.ended, owner.Label(), dead)
	}
	e.w.say("job %d of %s has %s", r.job.id, owner.Label(), r.job.outcome)
	e.w.jobs.Deliver(r.job.m, r.job.outcome)
	r.task.Deliver()
}

// abort lets all jobs end, for a run that is given up.
func (e *executor) abort() {
	for _, r := range e.busy {
		close(r.job.go_)
		<-r.over
	}
	e.busy = nil
}

// run is the body of a job, on its own goroutine.
func (e *executor) run(ctx context.Context, j *job) (int, error) {
	e.begun <- j
	<-j.go_
	j.ended = ctx.Err() != nil
	switch j.then {
	case "panic":
		j.outcome = oracle.JobPanicked
		panic(planned{})
	case "goexit":
		j.outcome = oracle.JobExited
		runtime.Goexit()
	case "jobfail":
		j.outcome = oracle.JobFailed
		return 0, errPlanned
	}
	j.outcome = oracle.JobDone
	return j.id, nil
}
