package check

import (
	"errors"
	"fmt"

	"github.com/tickwheel/tickwheel/session"
	"github.com/tickwheel/tickwheel/sim/oracle"
	"github.com/tickwheel/tickwheel/tick"
)

// people makes the calls of the registry.
func (w *world) people(p *op) {
	name := w.key(1 + p.b%4)
	var c *conn
	if o, ok := pick(w.conns, p.a, func(c *conn) uint64 { return c.birth }, func(c *conn) bool { return c.m.Scope.Alive() }); ok {
		c = o
	}
	switch p.what {
	case "login":
		if c == nil || p.a%3 == 0 {
			c = &conn{birth: w.births.next(p), real: w.reg.Connect(), m: w.mreg.Connect()}
			w.conns = append(w.conns, c)
		}
		w.login(p, c, name)
	case "own":
		w.own(p, name)
	case "detach":
		w.detach(name)
	case "logout":
		w.logout(name)
	case "hangup":
		if c != nil {
			w.hangup(c)
		}
	case "touch":
		if c != nil {
			c.real.Touch()
			w.mreg.Touch(c.m)
		}
	case "masslogout":
		want := w.mreg.CloseAll(oracle.Evening)
		w.say("everybody is logged out: %d sessions", want)
		if n := w.reg.CloseAll(errEvening); n != want {
			w.broken(oracle.Counts, "CloseAll ended %d sessions: want %d", n, want)
		}
	}
}

func (w *world) login(p *op, c *conn, name string) {
	w.say("%s logs in", name)
	m, want := w.mreg.Login(c.m, name)
	w.loggingIn = true
	real, o, err := c.real.Login(name, len(w.scopes))
	w.loggingIn = false
	c.last = name
	w.loggedIn(p, name, m, want, real, o, err)
}

// own logs in on a connection that ends with its session.
func (w *world) own(p *op, name string) {
	w.say("%s logs in on a connection of its own", name)
	c := w.mreg.Connect()
	c.Own = true
	m, want := w.mreg.Login(c, name)
	if m == nil {
		w.tree.Close(c.Scope, "")
	}
	w.owned = append(w.owned, c)
	w.loggingIn = true
	real, o, err := w.reg.Login(name, len(w.scopes))
	w.loggingIn = false
	w.loggedIn(p, name, m, want, real, o, err)
}

// loggedIn compares what came of a login with the oracle's.
func (w *world) loggedIn(p *op, name string, m *oracle.Session, want string, real *session.Session[int], o session.Outcome, err error) {
	if got := outcomeOf(o, err); got != want {
		w.broken(oracle.Inherit, "the login of %s was %s (%v): want %s", name, got, err, want)
		return
	}
	if err != nil {
		return
	}
	if want != oracle.Fresh && want != oracle.Replaced {
		return
	}
	if label := fmt.Sprintf("session %s#%d", real.ID(), real.Generation()); label != m.Label || real.Scope.Len() != 0 {
		w.broken(oracle.Inherit, "the login of %s is %s with %d timers: want %s and none", name, label, real.Scope.Len(), m.Label)
	}
	w.fail(w.tree.Told())
	w.sessionHooks[m.Label] = p.then
	s := &sess{real, m, len(w.scopes)}
	w.scopes = append(w.scopes, &scope{birth: w.births.next(p), real: real.Scope, m: m.Scope, sess: s})
}

func outcomeOf(o session.Outcome, err error) string {
	switch {
	case errors.Is(err, session.ErrLoggedIn):
		return oracle.Other
	case errors.Is(err, session.ErrFull):
		return oracle.Full
	case errors.Is(err, tick.ErrFull):
		return oracle.NoTimer
	case err != nil:
		return oracle.NoConn
	}
	return o.String()
}

func (w *world) logout(name string) {
	m := w.mreg.Find(name)
	real, ok := w.reg.Find(name)
	if ok != (m != nil) {
		w.broken(oracle.Counts, "%s is logged in: %v, want %v", name, ok, !ok)
	}
	if !ok || m == nil {
		return
	}
	w.say("%s logs out", name)
	want := w.mreg.End(m, oracle.Logout)
	if n := real.Logout(nil); n != want {
		w.broken(oracle.Counts, "the logout of %s cancelled %d timers: want %d", name, n, want)
	}
}

func (w *world) hangup(c *conn) {
	w.say("the connection of %s is lost", c.last)
	w.mreg.Hangup(c.m)
	if w.bug(bugInherit) && c.real.Session() == nil {
		if s, ok := w.reg.Find(c.last); ok {
			s.Detach(errHangup)
		}
	}
	c.real.Close(errHangup)
	if live := c.m.Live() != nil; live != (c.real.Session() != nil) {
		w.broken(oracle.Inherit, "the closed connection of %s has a session: %v, want %v", c.last, !live, live)
	}
}

// detach tells a session that its connection is lost, which stays.
func (w *world) detach(name string) {
	m := w.mreg.Find(name)
	real, ok := w.reg.Find(name)
	if !ok || m == nil {
		return
	}
	w.say("%s loses its connection", name)
	want := w.mreg.Detach(m)
	if got := real.Detach(errHangup); got != want {
		w.broken(oracle.Inherit, "the detach of %s gave %v: want %v", name, got, want)
	}
}

// child makes a scope.
func (w *world) child(p *op, s *scope) {
	label := fmt.Sprintf("scope %d", len(w.scopes))
	c := &scope{birth: w.births.next(p), real: s.real.Child(), m: w.tree.Child(s.m, label)}
	w.say("%s makes %s", s.m.Label(), label)
	w.scopes = append(w.scopes, c)
	if ok := c.real.OnClose(func(reason error) {
		w.told(label, reason)
		w.leaveHook(p.then)
	}); ok != c.m.Alive() {
		w.broken(oracle.Refusals, "OnClose of %s gave %v", label, ok)
	}
}

func (w *world) close(p *op, s *scope) {
	if p.b&1 == 0 { // rather one that a mass logout has ended, and that is not released
		if o, ok := pick(w.scopes, p.a|1, func(s *scope) uint64 { return s.birth }, func(s *scope) bool { return s.m.Group.Dead && !s.m.Closed && s.sess == nil }); ok {
			s = o
		}
	}
	if s.m == w.tree.Root || s.sess != nil {
		return
	}
	w.say("%s is closed", s.m.Label())
	want := w.tree.Close(s.m, errClosed.Error())
	if n := s.real.Close(errClosed); n != want {
		w.broken(oracle.Counts, "the close of %s cancelled %d timers: want %d", s.m.Label(), n, want)
	}
	w.fail(w.tree.Told())
}

func (w *world) freeze(s *scope) {
	want, got := false, false
	if s.sess != nil {
		want, got = w.mreg.Pause(s.sess.m), s.sess.real.Pause()
	} else {
		want, got = w.tree.Pause(s.m), s.real.Pause()
	}
	w.say("%s is paused", s.m.Label())
	if got != want {
		w.broken(oracle.Paused, "the pause of %s gave %v: want %v", s.m.Label(), got, want)
	}
}

func (w *world) thaw(s *scope) {
	want, got := false, false
	if s.sess != nil {
		want, got = w.mreg.Resume(s.sess.m), s.sess.real.Resume()
	} else {
		want, got = w.tree.Resume(s.m), s.real.Resume()
	}
	if want {
		w.say("%s is resumed", s.m.Label())
	}
	if got != want {
		w.broken(oracle.Paused, "the resume of %s gave %v: want %v", s.m.Label(), got, want)
	}
	if got && w.bug(bugResume) {
		for _, t := range w.timers {
			if t.real == nil || t.m.Group != s.m.Group {
				continue
			}
			if left, ok := t.real.Remaining(); ok {
				t.real.Reset(left) // behind the others of its tick
				return
			}
		}
	}
}
