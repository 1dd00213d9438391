package oracle

// Repeated is a periodic job: what becomes of a run whose time has come while
// earlier ones are under way.
type Repeated struct {
	// Limit is how many runs may be under way, Queue whether one more waits.
	Limit int
	Queue bool

	running int
	waiting bool
}

// Due is the time of a run, and reports whether it starts now. One that does not,
// and does not wait, is counted.
func (r *Repeated) Due(j *Jobs) bool {
	switch {
	case r.running < r.Limit:
		return true
	case r.Queue && !r.waiting:
		r.waiting = true
	default:
		j.Count.Skipped++
	}
	return false
}

// Waits reports whether a run waits for the one before it.
func (r *Repeated) Waits() bool { return r.waiting }

// Accepted is a run that a worker gets.
func (r *Repeated) Accepted() { r.running++ }

// Ended is a run that is over, and reports whether the one that waited starts: not
// if there is none, or the timer is not pending any more.
func (r *Repeated) Ended(pending bool) bool {
	r.running--
	was := r.waiting
	r.waiting = false
	return was && pending
}
