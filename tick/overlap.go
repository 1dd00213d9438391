package tick

import "fmt"

// Overlap says what a periodic job does when its time has come and earlier runs
// have not ended. The zero Overlap is Skip; see also [Parallel].
type Overlap int

const (
	// Skip leaves the run out and counts it in JobStats.Skipped.
	Skip Overlap = 0
	// QueueOne remembers one run, which starts when the one before has ended;
	// any more are left out and counted.
	QueueOne Overlap = -1
)

// Parallel lets up to n runs go on at the same time, n >= 1; a further one is left
// out and counted. It panics if n < 1.
func Parallel(n int) Overlap {
	if n < 1 {
		panic(fmt.Sprintf("tick: Parallel: %d runs at a time: want at least 1", n))
	}
	return Overlap(n)
}

// OffloadEvery runs a job periodically, as sp says (sp.Every must be set), until
// the returned timer is stopped or s closes. At each run next is called on the
// tick goroutine to make the job, which is the moment to copy what the job needs;
// its result goes to done, which may be nil. Runs never pile up: o says what
// happens when one is due before the last has ended.
//
// A run that finds the queue full is left out; done gets the error of [Offload].
// Errors and panics are those of [Scope.Schedule] for a periodic; an Overlap that
// is none of Skip, QueueOne and Parallel panics.
func OffloadEvery[R any](s *Scope, sp Spec, o Overlap, next func(Firing) Job[R], done func(R, error)) (Timer, error) {
	if next == nil {
		panic("tick: OffloadEvery: nil function")
	}
	if o < QueueOne {
		panic(fmt.Sprintf("tick: OffloadEvery: Overlap(%d) does not exist", int(o)))
	}
	if sp.Every == 0 {
		return Timer{}, fmt.Errorf("tick: OffloadEvery: %w: Spec.Every is 0", ErrPeriod)
	}
	p := &repeated{scope: s, limit: max(int(o), 1), queue: o == QueueOne}
	p.start = func(f Firing) {
		t := newTask(next(f), done)
		t.always = p.ended
		if err := s.offload(t); err != nil {
			if t.apply != nil {
				t.apply(err)
			}
			return
		}
		p.running++
	}
	t, err := s.Schedule(sp, p.due)
	p.timer = t
	return t, err
}

// repeated is a periodic job. It holds no goroutine and no list: what is left out
// costs nothing.
type repeated struct {
	scope   *Scope
	timer   Timer
	limit   int
	queue   bool
	running int
	waiting bool   // a run is due as soon as one ends
	last    Firing // of the run that waits
	start   func(Firing)
}

func (p *repeated) due(f Firing) {
	switch {
	case p.running < p.limit:
		p.start(f)
	case p.queue && !p.waiting:
		p.waiting, p.last = true, f
	default:
		p.scope.loop.queue.counts.Skipped++
	}
}

// ended runs on the tick goroutine for every run that was accepted, whatever
// became of it.
func (p *repeated) ended() {
	p.running--
	if !p.waiting {
		return
	}
	p.waiting = false
	// Stopped meanwhile? Then the run that waited is not wanted any more.
	if _, pending := p.timer.Remaining(); pending {
		p.start(p.last)
	}
}
