package report

import (
	"time"

	"github.com/tickwheel/tickwheel/sim"
	"github.com/tickwheel/tickwheel/tick"
)

// MaxPoints is how many points of a run are kept at most. A longer run has points
// of several ticks, so that ten million ticks are read in the memory of this many.
const MaxPoints = 60_000

// Point is a tick, or a stretch of ticks with the highest of each figure in it.
type Point struct {
	// Longest is the longest tick of the stretch, the first of equals, as it was.
	Longest   Tick
	StartLate time.Duration
	JobWait   time.Duration
	// Shed is the sum.
	Shed          int64
	Fired, Jobs   int32
	Backlog, Late [tick.Lanes]int32
	// Busy is how busy the workers were in the second before a tick, in percent.
	Busy int32
}

// pointOf makes a point of one tick.
func pointOf(t *Tick, busy int32) Point {
	return Point{
		Longest: *t, StartLate: t.StartLate, JobWait: t.JobWait, Shed: t.Shed,
		Fired: t.Fired, Jobs: t.Jobs, Backlog: t.Backlog, Late: t.Late, Busy: busy,
	}
}

// Merge puts p and a later point together.
func (p *Point) Merge(q *Point) {
	if q.Longest.Duration > p.Longest.Duration {
		p.Longest = q.Longest
	}
	p.StartLate, p.JobWait = max(p.StartLate, q.StartLate), max(p.JobWait, q.JobWait)
	p.Fired, p.Jobs, p.Busy = max(p.Fired, q.Fired), max(p.Jobs, q.Jobs), max(p.Busy, q.Busy)
	p.Shed += q.Shed
	for lane := range p.Backlog {
		p.Backlog[lane] = max(p.Backlog[lane], q.Backlog[lane])
		p.Late[lane] = max(p.Late[lane], q.Late[lane])
	}
}

// reducer makes the points and the table of long ticks while ticks go by.
type reducer struct {
	run    *Run
	inLast int // ticks in the last point
	busy   busyness
}

func newReducer(run *Run, most int) *reducer {
	run.Per = max((run.RunMeta.Ticks+most-1)/most, 1)
	return &reducer{run: run, busy: busyness{workers: run.Workers}}
}

func (r *reducer) add(t *Tick) {
	p := pointOf(t, r.busy.at(t))
	if n := len(r.run.Points); n == 0 || r.inLast == r.run.Per {
		r.run.Points, r.inLast = append(r.run.Points, p), 1
	} else {
		r.run.Points[n-1].Merge(&p)
		r.inLast++
	}
	r.keepSlow(t)
}

// keepSlow keeps t if it is one of the longest so far, the first of equals. It
// does not rely on what events say: a long tick must not be missed because the
// run that wrote the folder did.
func (r *reducer) keepSlow(t *Tick) {
	slow := r.run.Slow
	at := len(slow)
	for at > 0 && slow[at-1].Duration < t.Duration {
		at--
	}
	if at == sim.SlowTicks {
		return
	}
	if len(slow) < sim.SlowTicks {
		slow = append(slow, SlowTick{})
	}
	copy(slow[at+1:], slow[at:])
	slow[at] = SlowTick{Tick: *t}
	r.run.Slow = slow
}

// busyness is how long jobs ran in the second before a tick. Jobs count when
// they end.
type busyness struct {
	workers int
	sum     time.Duration
	ended   []Tick // with jobs, of the second; only start and time are set
}

func (b *busyness) at(t *Tick) int32 {
	if b.workers <= 0 {
		return 0
	}
	gone := 0
	for gone < len(b.ended) && t.Start-b.ended[gone].Start >= time.Second {
		b.sum -= b.ended[gone].JobsRan
		gone++
	}
	b.ended = b.ended[:copy(b.ended, b.ended[gone:])]
	if t.JobsRan > 0 {
		b.sum += t.JobsRan
		b.ended = append(b.ended, Tick{Start: t.Start, JobsRan: t.JobsRan})
	}
	return int32(min(float64(b.sum)/float64(b.workers)/float64(time.Second)*100+0.5, 100))
}
