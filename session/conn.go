package session

import (
	"fmt"

	"github.com/tickwheel/tickwheel/tick"
)

// Conn is one network connection, with or without a session. It is a scope of its
// own beside the session's: its heartbeat goes on while the session is paused,
// and ends with the connection.
//
// Close it (the scope's Close) when its socket has closed: that starts the grace
// time of its session, or ends it. Alive, Schedule, OnClose and all else of
// [tick.Scope] are a Conn's, too.
//
// Keep the Conn, not the Session, where the network's events arrive, and ask it
// for its Session each time: after a takeover the answer is nil.
type Conn[P any] struct {
	*tick.Scope
	reg     *Registry[P]
	session *Session[P]
	idle    tick.Timer
	own     bool // made by Registry.Login: ends with its session
	coming  bool // its login is under way
}

// Connect returns a new connection, which is not logged in. Close it when the
// socket closes.
func (r *Registry[P]) Connect() *Conn[P] {
	c := &Conn[P]{Scope: r.scope.Child(), reg: r}
	c.OnClose(func(reason error) {
		if s := c.session; s != nil {
			s.Detach(reason)
		}
	})
	return c
}

// Session returns the session that c is logged in to, nil if there is none: not
// logged in, logged out, or replaced by another connection.
func (c *Conn[P]) Session() *Session[P] {
	if s := c.session; s != nil && s.Alive() {
		return s
	}
	return nil
}

// watch starts the idle timeout for the login of id.
func (c *Conn[P]) watch(id string) error {
	c.idle.Stop() // of a session that ended and was not released yet
	d := c.reg.cfg.Idle
	if d == 0 {
		return nil
	}
	t, err := c.Schedule(tick.Spec{After: d, Lane: tick.Urgent, Kind: c.reg.idleKind}, func(tick.Firing) {
		if s := c.session; s != nil {
			s.Close(ErrIdle)
		}
	})
	if err != nil {
		return fmt.Errorf("session: login of %q: idle timeout: %w", id, err)
	}
	c.idle = t
	return nil
}

// Touch notes that the connection has said something, which puts off the idle
// timeout. It takes constant time.
func (c *Conn[P]) Touch() { c.idle.Reset(c.reg.cfg.Idle) }

// Login logs c in under id. What it does depends on who has the name:
//
//   - nobody: a new session with player p (Fresh);
//   - a session in grace: it goes on with c as its connection, the same
//     generation, and its own Player; p is not used (Resumed);
//   - a session on another connection: it ends with ErrTakeover, hooks included,
//     and its connection is left without a session; then a new one with player p
//     begins, which inherits nothing (Replaced);
//   - c itself: nothing changes (Same).
//
// On an error nothing has changed: tick.ErrClosed if c is closed, tick.ErrStopped
// if the loop is, ErrLoggedIn, ErrEnding, ErrFull, or tick.ErrFull if there is no
// timer for the idle timeout. One thing may have: if a hook of the session to be
// replaced closed c, or the loop was stopped meanwhile, that session has ended.
//
// While those hooks run the name is ending, and c has no session.
func (c *Conn[P]) Login(id string, p P) (*Session[P], Outcome, error) {
	return c.reg.login(c, id, p)
}
