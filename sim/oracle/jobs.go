package oracle

import "time"

// Jobs is the work of the workers.
type Jobs struct {
	// Room is how many may be outstanding, Keep how many are held back besides;
	// 0 rejects.
	Room, Keep int
	// Stopping says that done functions run no more.
	Stopping bool

	// Count is how many jobs have come to which end.
	Count JobCount

	all         []*Job
	outstanding int
	kept        []*Job
	delivered   []*Job // results that wait for the tick
	applied     *Job   // its done function is to be called next
}

// Job is one piece of work.
type Job struct {
	ID    int
	Key   string
	Owner *Scope
	// Number is the loop's.
	Number uint64
	// Timeout is how long it may run, 0 for ever.
	Timeout time.Duration
	// Silent is a job without done function.
	Silent bool
	// Queued, Begun and Finished are when it was.
	Queued, Begun, Finished time.Duration

	started, ended, over bool
	outcome              string
	done                 int
}

// JobCount counts jobs by what became of them.
type JobCount struct {
	Run, Done, Failed, TimedOut, Panicked, Exited uint64
	Dead, Stale, Rejected, Kept, Skipped          uint64
}

// Outcomes.
const (
	JobDone     = "done"
	JobFailed   = "failed"
	JobTimedOut = "timed out"
	JobPanicked = "panicked"
	JobExited   = "exited"
	JobDropped  = "dropped"
	JobStale    = "stale"
)

// Outstanding is how many jobs are on their way, kept ones included.
func (j *Jobs) Outstanding() int { return j.outstanding + len(j.kept) }

// Offload adds a job, or reports false if it must be rejected.
func (j *Jobs) Offload(job *Job, now time.Duration) bool {
	full := j.outstanding >= j.Room || len(j.kept) > 0
	if full && len(j.kept) >= j.Keep {
		j.Count.Rejected++
		return false
	}
	job.Number, job.Queued = uint64(len(j.all)+1), now
	j.all = append(j.all, job)
	if full {
		j.kept = append(j.kept, job)
		j.Count.Kept++
	} else {
		j.outstanding++
	}
	return true
}

// Unkeep queues what was held back and has room by now.
func (j *Jobs) Unkeep() {
	n := max(min(len(j.kept), j.Room-j.outstanding), 0)
	j.kept = j.kept[n:]
	j.outstanding += n
}

// Start is a worker that begins with job at now.
func (j *Jobs) Start(job *Job, now time.Duration) error {
	switch {
	case job.Number == 0:
		return broken(JobOnce, "job %d started, which was to be rejected", job.ID)
	case job.started:
		return broken(JobOnce, "job %d started twice", job.ID)
	case !job.Owner.Alive():
		return broken(JobOwner, "job %d started although its owner %s has ended", job.ID, job.Owner.Label())
	}
	for _, k := range j.kept {
		if k == job && !j.Stopping { // the end of the loop queues them all
			return broken(JobOnce, "job %d started while it was held back", job.ID)
		}
	}
	for _, o := range j.all[:job.Number-1] {
		switch {
		case o.Key != job.Key || o.ended || o.over:
		case o.started && o.Key != "":
			return broken(JobOrder, "job %d of key %q started while job %d of it runs", job.ID, job.Key, o.ID)
		case !o.started && o.Owner.Alive():
			return broken(JobOrder, "job %d of key %q started before job %d", job.ID, job.Key, o.ID)
		}
	}
	job.started, job.Begun = true, now
	return nil
}

// Label names a scope as stories do.
func (s *Scope) Label() string {
	if s.Name == "" && len(s.told) > 0 {
		return s.told[0]
	}
	return s.Name
}

// Deliver is a worker that has ended job at now.
func (j *Jobs) Deliver(job *Job, outcome string, now time.Duration) {
	job.ended, job.outcome, job.Finished = true, outcome, now
	j.delivered = append(j.delivered, job)
}

// Find returns the job of a number, nil if there is none.
func (j *Jobs) Find(number uint64) *Job {
	if number == 0 || number > uint64(len(j.all)) {
		return nil
	}
	return j.all[number-1]
}

// End is the loop that has taken note of a job's end, which it says has waited and
// run for so long.
func (j *Jobs) End(number uint64, outcome string, waited, ran time.Duration) error {
	if number == 0 || number > uint64(len(j.all)) {
		return broken(JobOnce, "job number %d came to its end, which nobody offloaded", number)
	}
	job := j.all[number-1]
	want := job.outcome
	switch {
	case job.over:
		return broken(JobOnce, "job %d came to its end twice", job.ID)
	case !job.started && job.Owner.Alive():
		return broken(JobOnce, "job %d was %s without a start, although its owner %s lives", job.ID, outcome, job.Owner.Label())
	case !job.started:
		want = JobDropped
	case !job.ended:
		return broken(JobOnce, "job %d was %s while it runs", job.ID, outcome)
	case len(j.delivered) == 0 || j.delivered[0] != job:
		return broken(JobOrder, "the result of job %d was applied out of turn", job.ID)
	default:
		j.delivered = j.delivered[1:]
		if !job.Owner.Alive() && job.Owner.parent != nil {
			want = JobStale
		}
	}
	job.over = true
	j.outstanding--
	j.count(job, want)
	if want != JobDropped && (waited != job.Begun-job.Queued || ran != job.Finished-job.Begun) {
		return broken(JobTime, "job %d has waited for %v and run for %v, says the loop: want %v, %v", job.ID, waited, ran, job.Begun-job.Queued, job.Finished-job.Begun)
	}
	if outcome != want {
		return broken(JobOwner, "job %d of %s was %s: want %s", job.ID, job.Owner.Label(), outcome, want)
	}
	if err := j.Settled(); err != nil {
		return err
	}
	if want != JobDropped && want != JobStale && !j.Stopping && !job.Silent {
		j.applied = job
	}
	return nil
}

func (j *Jobs) count(job *Job, as string) {
	c := &j.Count
	if as == JobDropped {
		c.Dead++
		return
	}
	c.Run++
	if as == JobStale {
		c.Dead++
		c.Stale++
	}
	switch job.outcome {
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
}

// Applying reports whether the done function of a job is to be called next.
func (j *Jobs) Applying() bool { return j.applied != nil }

// Apply is the done function of a job.
func (j *Jobs) Apply(job *Job) error {
	if !job.Owner.Alive() {
		return broken(JobOwner, "done of job %d ran although its owner %s has ended", job.ID, job.Owner.Label())
	}
	if j.applied != job || job.done > 0 {
		return broken(JobOnce, "done of job %d ran out of turn, for the %d. time", job.ID, job.done+1)
	}
	job.done++
	j.applied = nil
	return nil
}

// Panicked reports whether the job of a number ran and panicked.
func (j *Jobs) Panicked(number uint64) bool {
	return number > 0 && number <= uint64(len(j.all)) && j.all[number-1].outcome == JobPanicked
}

// Settled checks that the done function of the last job was called.
func (j *Jobs) Settled() error {
	if job := j.applied; job != nil {
		j.applied = nil
		return broken(JobOnce, "done of job %d did not run, although its owner %s lives", job.ID, job.Owner.Label())
	}
	return nil
}

// Idle checks that every job has come to its end.
func (j *Jobs) Idle() error {
	for _, job := range j.all {
		if !job.over {
			return broken(JobOnce, "job %d of %s has not come to its end", job.ID, job.Owner.Label())
		}
	}
	return nil
}

// Waiting reports whether results wait for the next tick, which has to take them.
func (j *Jobs) Waiting() int { return len(j.delivered) }
