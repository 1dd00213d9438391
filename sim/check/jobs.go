package check

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/tickwheel/tickwheel/sim/oracle"
	"github.com/tickwheel/tickwheel/tick"
)

// longest is how many ticks a job takes at most.
const longest = 20

// How jobs are limited in time. Contexts know real time only, so that a limit is
// either over at once, or never: one in between is the executor's to look at.
const (
	atOnce   = time.Nanosecond
	farAhead = time.Hour
)

// newJob is what the plan says of a job: how long it takes, how it ends, and how
// long it may take.
func (w *world) newJob(p *op, s *scope, key string, length time.Duration) *job {
	w.jobsMade++
	j := &job{id: w.jobsMade, length: length, then: p.then, leave: make(chan struct{})}
	j.m = &oracle.Job{ID: j.id, Key: key, Owner: s.m, Silent: p.a>>12&7 == 0}
	if w.off("timeout") {
		return j
	}
	switch p.a >> 15 & 7 {
	case 0:
		j.m.Timeout = atOnce
	case 1:
		j.m.Timeout = farAhead
	case 2, 3:
		j.m.Timeout = max(length/2, 1)
		if j.m.Timeout == atOnce || j.m.Timeout >= length {
			j.m.Timeout = farAhead
		}
		j.limited = j.m.Timeout < length
	}
	return j
}

// offload gives a worker something to do.
func (w *world) offload(p *op, s *scope, key string, length time.Duration) {
	j := w.newJob(p, s, key, length)
	want := w.jobRefused(j, s)
	w.say("%s offloads job %d, key %q, of %v", s.m.Label(), j.id, key, length)
	owner := s.real
	if w.bug(bugDone) && want == nil {
		owner = w.loop.Root()
	}
	err := tick.Offload(owner, w.realJob(j), w.doneOf(j))
	if !errors.Is(err, want) || (err == nil) != (want == nil) {
		w.broken(oracle.Refusals, "job %d of %s gave %v: want %v", j.id, s.m.Label(), err, want)
	}
}

// jobRefused is the error that offloading j must give; nil is a job accepted.
func (w *world) jobRefused(j *job, s *scope) error {
	switch {
	case w.stopping && s.m != w.tree.Root:
		return tick.ErrStopped
	case !s.m.Alive():
		return tick.ErrClosed
	case !w.jobs.Offload(j.m, w.clock.now):
		return tick.ErrQueueFull
	}
	w.accepted = append(w.accepted, j)
	return nil
}

// realJob is j for the loop, with what is planted.
func (w *world) realJob(j *job) tick.Job[int] {
	t := tick.Job[int]{
		Key: j.m.Key, Timeout: j.m.Timeout,
		Run: func(ctx context.Context) (int, error) { return w.exec.run(ctx, j) },
	}
	switch w.canary {
	case bugKeyOrder:
		t.Key = ""
	case bugTimeout:
		t.Timeout = 0
	}
	return t
}

func (w *world) doneOf(j *job) func(int, error) {
	if j.m.Silent {
		return nil
	}
	return func(got int, err error) { w.done(j, got, err) }
}

// done is the result of a job on the tick goroutine.
func (w *world) done(j *job, got int, err error) {
	if w.err != nil {
		return
	}
	w.say("the result of job %d arrives", j.id)
	w.fail(w.jobs.Apply(j.m))
	if w.facts.callbacks > 0 || !w.facts.open {
		w.broken(oracle.InboxRule, "the result of job %d came outside the inbox phase", j.id)
	}
	var p *tick.PanicError
	fits := false
	switch j.outcome {
	case oracle.JobDone:
		fits = got == j.id && err == nil
	case oracle.JobFailed:
		fits = errors.Is(err, errPlanned)
	case oracle.JobTimedOut:
		fits = errors.Is(err, context.DeadlineExceeded) || j.then == "jobfail" && errors.Is(err, errPlanned)
	case oracle.JobPanicked:
		fits = errors.As(err, &p) && p.Value == any(planned{}) && len(p.Stack) > 0
	case oracle.JobExited:
		fits = errors.As(err, &p) && p.Goexit
	}
	if !fits {
		w.broken(oracle.JobOnce, "job %d has %s and gave %d, %v", j.id, j.outcome, got, err)
	}
}

// jobEnds is the loop's note that a job came to its end.
func (w *world) jobEnds(i tick.JobInfo) {
	w.note(i.Number, uint64(i.Outcome))
	if w.err != nil || i.Outcome == tick.JobRejected {
		return
	}
	w.settled()
	if w.jobs.Panicked(i.Number) {
		w.facts.panics++
		w.panics++
	}
	if w.fail(w.jobs.End(i.Number, i.Outcome.String(), i.Wait, i.Ran)); w.err != nil {
		return
	}
	if m := w.jobs.Find(i.Number); m != nil && !w.bug(bugKeyOrder) && m.Key != i.Key {
		w.broken(oracle.JobOnce, "job %d of key %q ended as one of key %q", m.ID, m.Key, i.Key)
	}
	w.facts.ended = w.accepted[i.Number-1]
	if r := w.facts.ended.repeat; r != nil && !w.jobs.Applying() && !w.jobs.Stopping {
		w.runOver(r)
	}
}

// lastSave is the job of a session that ends: of the root, under the player's key.
func (w *world) lastSave(name string) {
	if w.err == nil && !w.off("offload") {
		w.offload(&op{a: 7<<12 | 7<<15}, w.scopes[0], name, w.o.Interval/2)
	}
}

// sameJobs compares the loop's counts of jobs with ours.
func (w *world) sameJobs(got tick.JobStats) {
	c := &w.jobs.Count
	want := tick.JobStats{
		Run: c.Run, Done: c.Done, Failed: c.Failed, TimedOut: c.TimedOut, Panicked: c.Panicked, Exited: c.Exited,
		DroppedDead: c.Dead, Stale: c.Stale, Rejected: c.Rejected, Kept: c.Kept, Skipped: c.Skipped,
	}
	if got != want {
		w.broken(oracle.Counts, "the loop counted jobs %s", fmt.Sprintf("%+v: want %+v", got, want))
	}
}
