package check

import (
	"time"

	"github.com/tickwheel/tickwheel/sim/oracle"
	"github.com/tickwheel/tickwheel/tick"
)

// tickBegins is the first thing the loop does in a tick.
func (w *world) tickBegins() {
	if w.stopping {
		return
	}
	start, late, shed, err := w.grid.Tick(w.clock.now)
	w.fail(err)
	w.facts = facts{open: true, start: start, late: late, shed: shed, began: w.clock.now, told: w.facts.told}
	if shed != w.facts.told.Intervals {
		w.broken(oracle.ShedCounted, "%d intervals are given up and the observer was told %d", shed, w.facts.told.Intervals)
	}
	w.facts.told = tick.ShedInfo{}
	if w.bug(bugShed) {
		w.facts.shed = 0
	}
	w.posts.inTick, w.posts.waiting = w.posts.waiting, nil
	w.facts.inbox = len(w.posts.inTick)
	if shed > 0 {
		w.say("the loop gives up %d intervals", shed)
	}
}

// gaveUp is the loop's note, before a tick, that wall time is given up.
func (w *world) gaveUp(i tick.ShedInfo) {
	if gap := w.grid.Gap(); i.Tick != w.loop.Now() || i.Time != time.Duration(i.Intervals)*gap {
		w.broken(oracle.ShedCounted, "the observer was told of %v for %d intervals in tick %d: want %v each, in tick %d", i.Time, i.Intervals, i.Tick, gap, w.loop.Now())
	}
	w.facts.told = i
}

// inboxOver is called when the timer phase has begun, for sure.
func (w *world) inboxOver() {
	w.settled()
	if w.silent(); len(w.posts.inTick) > 0 {
		w.broken(oracle.InboxRule, "letter %d did not run in the inbox phase", w.posts.inTick[0].n)
	}
	if !w.wheel.Advancing() && !w.facts.fired {
		w.facts.phase = w.clock.now
	}
	if n := w.jobs.Waiting(); n > 0 {
		w.broken(oracle.JobOnce, "%d results of jobs were there when the tick began, and not applied", n)
	}
}

// timersOver is the end of the timer phase.
func (w *world) timersOver() {
	if w.facts.fired || w.err != nil {
		return
	}
	w.inboxOver()
	w.wheel.Begin(w.loop.Now())
	w.fail(w.wheel.End())
	w.fail(w.tree.Told())
	w.facts.fired = true
	for lane := range tick.Lane(tick.Lanes) {
		w.facts.carried[lane], w.facts.age[lane] = w.wheel.Backlog(lane)
	}
}

// tickEnds compares the loop's account of the tick with ours.
func (w *world) tickEnds(i *tick.TickInfo) {
	f := &w.facts
	f.open = false
	speed := w.grid.Speed()
	w.grid.End(w.clock.now)
	w.watch.Progress(w.clock.now)
	w.note(uint64(i.Tick), uint64(i.Fired), uint64(i.Carried), uint64(i.Shed), uint64(i.Inbox), uint64(i.Jobs))
	if w.err != nil {
		return
	}
	w.over(&w.flushes)
	carried := 0
	for _, n := range f.carried {
		carried += n
	}
	same := func(r oracle.Rule, what string, got, want any) {
		if got != want {
			w.broken(r, "tick %d says %s is %v: want %v", i.Tick, what, got, want)
		}
	}
	same(oracle.ShedCounted, "the number of intervals given up", i.Shed, f.shed)
	same(oracle.Pace, "its start", i.Start, f.start)
	same(oracle.Pace, "its lateness", i.StartLate, f.late)
	same(oracle.Dilation, "its speed", i.Speed, speed)
	same(oracle.Pace, "its length", i.Duration, w.clock.now-f.began)
	same(oracle.Counts, "the number of callbacks", i.Fired, f.callbacks)
	same(oracle.Carried, "the number of carried timers", i.Carried, carried)
	same(oracle.Carried, "the backlog by lane", i.Backlog, f.carried)
	same(oracle.Carried, "the age of the backlog", i.BacklogAge, f.age)
	same(oracle.InboxRule, "the number of posts", i.Inbox, f.inbox)
	same(oracle.Counts, "the number of jobs", i.Jobs, w.jobs.Outstanding())
	same(oracle.Guard, "a cut by the time guard", i.Guarded, f.cut)
	same(oracle.Whole, "the number of panics", i.Panics, f.panics)
	same(oracle.Whole, "the number of Goexits", i.Goexits, f.goexits)
	same(oracle.Counts, "the number of timers", w.loop.Timers(), w.wheel.Len())
	same(oracle.Counts, "the number of sessions", w.reg.Len(), len(w.mreg.Sessions()))
	same(oracle.Counts, "the number of sessions to be released", w.reg.Closing(), w.mreg.Closing())
	if i.Moved > 64 {
		w.broken(oracle.Cascade, "tick %d moved %d timers", i.Tick, i.Moved)
	}
	w.fail(w.tree.Told())
	for _, s := range w.scopes {
		if alive := s.m.Alive(); s.real.Alive() != alive {
			w.broken(oracle.AfterEnd, "%s is alive: %v, want %v", s.m.Label(), !alive, alive)
		} else if n := w.wheel.GroupLen(s.m.Group); alive && s.real.Len() != n {
			w.broken(oracle.Counts, "%s has %d timers: want %d", s.m.Label(), s.real.Len(), n)
		}
	}
}
