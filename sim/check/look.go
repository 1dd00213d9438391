package check

import (
	"context"
	"errors"
	"slices"

	"github.com/tickwheel/tickwheel/sim/oracle"
	"github.com/tickwheel/tickwheel/tick"
)

// look asks the loop for all that can be asked, which changes nothing.
func (w *world) look(p *op, s *scope) {
	same := func(what string, got, want any) {
		if got != want {
			w.broken(oracle.Told, "%s is %v: want %v", what, got, want)
		}
	}
	l := w.loop
	same("Time", l.Time(), w.clock.now)
	same("Wall", l.Wall(), w.clock.Wall())
	same("Stopping", l.Stopping(), false)
	same("Timers", l.Timers(), w.wheel.Len())
	next, ok := l.Next()
	wantNext, has := w.wheel.Next()
	same("Next", [2]any{next, ok}, [2]any{wantNext, has})
	condition, age := w.watch.Look(w.clock.now)
	same("Health", l.Health(), tick.Health{Condition: conditionOf(condition), Tick: l.Now(), Age: age})
	w.lookAtScope(s, same)
	if t, ok := pick(w.timers, p.b, func(t *timer) uint64 { return t.birth }, func(t *timer) bool { return t.m.Pending() }); ok && t.real != nil {
		left, pending := t.real.Remaining()
		alive := t.m.Pending() && !t.m.Group.Closed && !t.m.Group.Dead
		same("whether "+t.m.String()+" is pending", pending, alive)
		if alive {
			w.sameRemaining(t)
		} else {
			same("what a timer that is over has left", left.Nanoseconds(), int64(0))
		}
	}
	w.lookAtPeople(same)
	if p.b&7 != 0 { // it copies a lot
		return
	}
	st := l.Stats()
	same("the inbox", st.InboxDepth, len(w.posts.waiting))
	same("the number of running jobs", st.Jobs.Running, len(w.exec.busy))
	oldest := w.clock.now
	for _, r := range w.exec.busy {
		oldest = min(oldest, r.job.m.Begun)
	}
	same("the age of the oldest job", st.Jobs.OldestAge, w.clock.now-oldest)
}

func conditionOf(name string) tick.Condition {
	for _, c := range []tick.Condition{tick.Healthy, tick.Suspended, tick.Stuck} {
		if c.String() == name {
			return c
		}
	}
	return tick.Ended
}

func (w *world) lookAtScope(s *scope, same func(string, any, any)) {
	label, m := s.m.Label(), s.m
	same("whether "+label+" is paused", s.real.Paused(), m.Paused())
	ended := 0
	if m.Closed {
		ended = m.Ended
	}
	same("what the end of "+label+" cancelled", s.real.Cancelled(), ended)
	reason, keys := "", len(m.Keys)
	if !m.Alive() {
		reason, keys = m.Reason, 0
	}
	got := ""
	if err := s.real.Reason(); err != nil {
		got = reasonOf(err)
	}
	same("the reason of "+label, got, reason)
	same("the keys of "+label, s.real.KeyedLen(), keys)
	ctx := s.real.Context()
	same("whether the context of "+label+" has ended", ctx.Err() != nil, !m.Alive())
	if cause := context.Cause(ctx); cause != nil {
		same("the cause of "+label, reasonOf(cause), reason)
	}
}

// lookAtPeople looks at who is logged in, in order of login.
func (w *world) lookAtPeople(same func(string, any, any)) {
	var got, want []string
	for s := range w.reg.All() {
		got = append(got, s.ID())
	}
	for _, m := range w.mreg.Sessions() {
		want = append(want, m.Name)
	}
	same("who is logged in", slices.Equal(got, want), true)
	for _, s := range w.scopes {
		if s.sess == nil {
			continue
		}
		real, m := s.sess.real, s.sess.m
		same("whether "+m.Label+" is in grace", real.Detached(), m.Detached())
		same("the player of "+m.Label, real.Player, s.sess.player)
		if c := real.Conn(); c != nil {
			same("whether the connection of "+m.Label+" is its own", c.Session() == real, m.Alive())
		}
	}
	if _, ok := w.reg.Find("nobody"); ok {
		w.fail(errors.New("check: nobody is logged in"))
	}
}
