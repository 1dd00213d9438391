package check

import (
	"context"
	"errors"
	"runtime"
	"time"

	"github.com/tickwheel/tickwheel/sim/oracle"
	"github.com/tickwheel/tickwheel/tick"
)

// longest is how many ticks a job takes at most.
const longest = 20

// calls makes the calls that the plan has for now.
func (w *world) calls(v via) {
	tick := int(w.loop.Now())
	if v == viaOutside {
		tick++
	}
	for len(w.ops) > 0 && w.ops[0].tick < tick {
		w.ops = w.ops[1:]
	}
	for i := 0; i < len(w.ops) && w.ops[i].tick == tick; i++ {
		p := &w.ops[i]
		switch {
		case p.via == v:
			w.do(p)
		case v == viaSystem && p.via == viaPost:
			w.post(p)
		}
	}
}

// do makes a call.
func (w *world) do(p *op) {
	if w.err != nil || w.healthy || w.stopping {
		return
	}
	w.note(uint64(p.n), uint64(p.via))
	s, _ := pick(w.scopes, p.a, func(s *scope) uint64 { return s.birth }, func(s *scope) bool { return s.m.Alive() })
	switch p.what {
	case "after", "far", "storm", "every", "jitter":
		w.schedules(p, s)
	case "keyed", "unkey", "rekey":
		w.keys(p, s)
	case "stop", "reset":
		w.handles(p)
	case "pause":
		w.freeze(s)
	case "resume":
		w.thaw(s)
	case "budget":
		w.setBudget([]int{0, 1, 2, 3, 5, 20}[p.b%6])
	case "child":
		w.child(p, s)
	case "close":
		w.close(s)
	case "login", "logout", "hangup", "touch", "masslogout":
		w.people(p)
	case "offload":
		w.offload(p, s, w.key(p.b>>3), w.o.Interval*time.Duration(p.b%(longest*8))/8)
	default:
		w.fault(p)
	}
}

// fault is what goes wrong with the machine, or with who uses it.
func (w *world) fault(p *op) {
	switch p.what {
	case "flood":
		n := w.o.Inbox + 2
		if n > 20 {
			n = 5
		}
		for range n {
			w.post(nil)
		}
	case "stall":
		d := w.o.Interval*time.Duration(p.b%64)/8 + 1
		w.say("a stall of %v", d)
		w.clock.now += d
	case "suspend":
		d := w.o.Interval*time.Duration(1000+p.b) + 1
		w.say("the machine sleeps for %v", d)
		w.clock.now += d
	case "clockstep":
		d := time.Duration(p.b-1<<19) * time.Second
		w.say("the date moves by %v", d)
		w.clock.step += d
	}
}

// post posts p, or nothing in particular.
func (w *world) post(p *op) {
	if w.err != nil || w.healthy || w.stopping {
		return
	}
	full := len(w.posts.waiting) >= w.o.Inbox
	n := w.posts.next
	err := error(nil)
	if !full || !w.bug(bugInbox) {
		err = w.loop.Post(func() { w.posted(n, p) })
	}
	switch {
	case full && errors.Is(err, tick.ErrInboxFull):
		w.posts.refused++
		return
	case full:
		w.broken(oracle.InboxRule, "post %d found %d waiting and gave %v: want ErrInboxFull", n, len(w.posts.waiting), err)
		return
	case err != nil:
		w.broken(oracle.InboxRule, "post %d found %d waiting and gave %v", n, len(w.posts.waiting), err)
		return
	}
	w.posts.next++
	w.posts.waiting = append(w.posts.waiting, n)
}

// posted is a post that runs.
func (w *world) posted(n int, p *op) {
	if w.err != nil {
		return
	}
	if len(w.posts.inTick) == 0 || w.posts.inTick[0] != n {
		w.broken(oracle.InboxRule, "post %d ran; those to run in this tick are %v", n, w.posts.inTick)
		return
	}
	w.posts.inTick = w.posts.inTick[1:]
	if p != nil {
		w.do(p)
		w.leave(p)
	}
}

// leave ends a callback as its plan says.
func (w *world) leave(p *op) {
	if w.err != nil || w.healthy || w.stopping {
		return
	}
	switch p.then {
	case "panic":
		w.say("the callback panics")
		w.facts.panics++
		w.panics++
		w.facts.swallow = w.bug(bugPanic) // the next callback
		panic(planned{})
	case "goexit":
		w.say("the callback calls Goexit")
		w.facts.goexits++
		runtime.Goexit()
	}
}

// stopFromCallback stops the loop in a tick.
func (w *world) stopFromCallback() {
	if err := w.loop.Stop(context.Background()); !errors.Is(err, tick.ErrInTick) {
		w.broken(oracle.Stopped, "Stop in a callback gave %v: want ErrInTick", err)
	}
	w.stopping = true
}

func (w *world) setBudget(n int) {
	w.say("the budget is %d from the next tick on", n)
	w.fail(w.loop.SetBudget(w.bugged(n)))
	w.wheel.SetBudget(n)
}

func (w *world) key(n int) string { return []string{"", "a", "b", "c", "d"}[n%5] }

// offload gives a worker something to do.
func (w *world) offload(p *op, s *scope, key string, length time.Duration) {
	w.jobsMade++
	j := &job{id: w.jobsMade, length: length, then: p.then, go_: make(chan struct{})}
	var want error
	switch {
	case w.stopping && s.m != w.tree.Root:
		want = tick.ErrStopped
	case !s.m.Alive():
		want = tick.ErrClosed
	default:
		if j.m = w.jobs.Offload(j.id, key, s.m); j.m == nil {
			want = tick.ErrQueueFull
		}
	}
	if j.m == nil {
		j.m = &oracle.Job{ID: j.id, Key: key, Owner: s.m}
	}
	owner := s.real
	if w.bug(bugDone) && want == nil {
		owner = w.loop.Root()
	}
	if w.bug(bugKeyOrder) {
		key = ""
	}
	w.say("%s offloads job %d, key %q, of %v", s.m.Label(), j.id, key, length)
	err := tick.Offload(owner, tick.Job[int]{
		Key: key, Run: func(ctx context.Context) (int, error) { return w.exec.run(ctx, j) },
	}, func(got int, err error) { w.done(j, got, err) })
	if !errors.Is(err, want) || (err == nil) != (want == nil) {
		w.broken(oracle.Refusals, "job %d of %s gave %v: want %v", j.id, s.m.Label(), err, want)
	}
}

// done is the result of a job on the tick goroutine.
func (w *world) done(j *job, got int, err error) {
	if w.err != nil {
		return
	}
	w.say("the result of job %d arrives", j.id)
	w.fail(w.jobs.Apply(j.m))
	switch {
	case w.facts.callbacks > 0 || !w.facts.open:
		w.broken(oracle.InboxRule, "the result of job %d came outside the inbox phase", j.id)
	case j.outcome == oracle.JobDone && (got != j.id || err != nil),
		j.outcome != oracle.JobDone && err == nil,
		j.outcome == oracle.JobFailed && !errors.Is(err, errPlanned):
		w.broken(oracle.JobOnce, "job %d has %s and gave %d, %v", j.id, j.outcome, got, err)
	}
}

// jobEnds is the loop's note that a job came to its end.
func (w *world) jobEnds(i tick.JobInfo) {
	w.note(i.Number, uint64(i.Outcome))
	if w.err != nil || i.Outcome == tick.JobRejected {
		return
	}
	if w.jobs.Panicked(i.Number) {
		w.facts.panics++
		w.panics++
	}
	w.fail(w.jobs.End(i.Number, i.Outcome.String()))
}

// lastSave is the job of a session that ends: of the root, under the player's key.
func (w *world) lastSave(name string) {
	if w.err == nil && !w.off("offload") {
		w.offload(&op{}, w.scopes[0], name, w.o.Interval/2)
	}
}
