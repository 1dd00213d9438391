package check

import (
	"errors"
	"fmt"
	"time"

	"github.com/tickwheel/tickwheel/sim/oracle"
	"github.com/tickwheel/tickwheel/tick"
)

// repeat is a periodic job.
type repeat struct {
	t     *timer
	scope *scope
	m     *oracle.Repeated
	last  tick.Firing // of the run that starts
	kept  tick.Firing // of the run that waits
	// behind says that the run that starts has waited: it follows a result.
	behind bool
}

// debt is what the loop has to do next: start a run of a periodic job, or tell
// that it was refused. The zero debt is none.
type debt struct {
	start   *repeat
	refused *job
	want    error
}

// settled checks that nothing is owed when something else happens.
func (w *world) settled() {
	w.fail(w.jobs.Settled())
	switch d := w.facts.owed; {
	case d.start != nil:
		w.broken(oracle.Overlaps, "a run of periodic job %d did not start, although its time has come", d.start.t.id)
	case d.refused != nil:
		w.broken(oracle.Refusals, "run %d of a periodic job was refused and nobody was told: want %v", d.refused.id, d.want)
	}
	w.facts.owed = debt{}
}

// repeats makes a periodic job.
func (w *world) repeats(p *op, s *scope) {
	iv := w.o.Interval
	sp := tick.Spec{
		Every: iv*9/10 + iv*time.Duration(p.b%1000)/100, Delay: p.b>>11&1 == 1, Lane: tick.Lane(p.a >> 8 % tick.Lanes),
		Kind: w.loop.Kind(fmt.Sprintf("check/job/%d", len(w.timers)+1)),
	}
	r := &repeat{scope: s, m: &oracle.Repeated{Limit: 1}}
	o := tick.Skip
	switch p.b >> 12 & 3 {
	case 0:
		o, r.m.Queue = tick.QueueOne, true
	case 1:
		r.m.Limit = 2 + p.b>>14&1
		o = tick.Parallel(r.m.Limit)
	}
	if w.bug(bugOverlap) {
		o = tick.Parallel(r.m.Limit + 1)
	}
	k, lead := w.grid.After(w.clock.now, sp.Every)
	at := w.loop.Now() + k
	t := &timer{id: len(w.timers) + 1, birth: w.births.next(p), op: *p, notBefore: w.clock.now + sp.Every}
	r.t, t.repeat = t, r
	want := w.refusals(s, at, sp, false)
	next := func(f tick.Firing) tick.Job[int] { return w.realJob(w.runBegins(r, f)) }
	real, err := tick.OffloadEvery(s.real, sp, o, next, func(got int, err error) { w.runEnds(r, got, err) })
	if !w.asWanted(err, want, "periodic job %+v in %s", sp, s.m.Label()) {
		return
	}
	t.real = &real
	t.m = w.wheel.Add(t.id, at, sp.Lane, s.m.Group)
	w.wheel.Repeat(t.m, at, int64(sp.Every), lead, sp.Delay)
	w.timers = append(w.timers, t)
	if w.jobTimers == nil {
		w.jobTimers = map[tick.Kind]*repeat{}
	}
	w.jobTimers[sp.Kind] = r
	w.say("%s schedules periodic job %v, at most %d at a time, one more waits: %v", s.m.Label(), t.m, r.m.Limit, r.m.Queue)
	w.sameRemaining(t)
}

// runDue is the time of a run, which starts now, waits, or is left out.
func (w *world) runDue(r *repeat, i tick.FireInfo) {
	f := tick.Firing{Tick: i.Tick, Deadline: i.Tick - tick.Tick(i.Late), Late: i.Late, Missed: i.Missed, Lane: i.Lane, Kind: i.Kind}
	w.fires(r.t, f)
	if w.err != nil {
		return
	}
	waited := r.m.Waits()
	switch starts := r.m.Due(w.jobs); {
	case starts:
		r.last, r.behind = f, false
		w.facts.owed = debt{start: r}
	case r.m.Waits() && !waited:
		r.kept = f
		w.say("a run of it waits")
	default:
		w.say("a run of it is left out")
	}
}

// runBegins makes the job of a run.
func (w *world) runBegins(r *repeat, f tick.Firing) *job {
	p := r.t.op
	if r.t.op.b>>16&3 < 3 {
		p.then = "" // of the callbacks
	}
	j := w.newJob(&p, r.scope, w.key(p.a>>4), w.o.Interval*time.Duration(p.a%(longest*8))/8)
	j.m.Silent, j.repeat = false, r
	switch {
	case w.err != nil:
		return j
	case w.facts.owed.start != r:
		w.broken(oracle.Overlaps, "a run of periodic job %d starts out of turn", r.t.id)
		return j
	case f != r.last:
		w.broken(oracle.Overlaps, "a run of periodic job %d was told %+v: want %+v", r.t.id, f, r.last)
	}
	w.facts.owed = debt{}
	w.say("periodic job %d makes job %d, key %q, of %v", r.t.id, j.id, j.m.Key, j.length)
	w.clock.now += w.o.Interval * time.Duration(r.t.op.b>>5%8) / 64
	if by := r.t.op.b >> 16 & 3; by == 0 || by == 2 && r.behind {
		w.runCalls(r)
	}
	want := w.jobRefused(j, r.scope)
	if want == nil {
		r.m.Accepted()
	} else {
		w.facts.owed = debt{refused: j, want: want}
	}
	return j
}

// runCalls does what the plan has for the callbacks of r.
func (w *world) runCalls(r *repeat) {
	if w.healthy || w.stopping {
		return
	}
	if r.t.op.later != nil {
		w.do(r.t.op.later)
	}
	w.leave(&r.t.op)
}

// runEnds is the result of a run.
func (w *world) runEnds(r *repeat, got int, err error) {
	if w.err != nil {
		return
	}
	if d := w.facts.owed; d.refused != nil {
		w.facts.owed = debt{}
		w.say("run %d is refused: %v", d.refused.id, err)
		if d.refused.repeat != r || !errors.Is(err, d.want) || got != 0 {
			w.broken(oracle.Refusals, "a run of periodic job %d gave %d, %v: want %v for run %d", r.t.id, got, err, d.want, d.refused.id)
		}
		return
	}
	if w.facts.ended == nil || w.facts.ended.repeat != r {
		w.broken(oracle.JobOnce, "periodic job %d was told of a result, and none of its runs has just ended", r.t.id)
		return
	}
	defer w.runOver(r)
	w.done(w.facts.ended, got, err)
	if by := r.t.op.b >> 16 & 3; by == 1 || by == 2 && r.m.Waits() { // both, one behind the other
		w.runCalls(r)
	}
}

// runOver is behind the end of a run, whatever became of it.
func (w *world) runOver(r *repeat) {
	if w.err == nil && r.m.Ended(r.t.m.Pending() && r.scope.m.Alive()) {
		r.last, r.behind = r.kept, true
		w.facts.owed = debt{start: r}
	}
}

// stopRepeats stops all periodic jobs, or there would be no end of jobs.
func (w *world) stopRepeats() {
	for _, t := range w.timers {
		if t.repeat != nil {
			w.stop(t)
		}
	}
}
