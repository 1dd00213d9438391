package session

import (
	"fmt"

	"github.com/tickwheel/tickwheel/tick"
)

// Session is one player from login to its end. It is a scope: AfterFunc, Schedule,
// Every, Keyed, Child, OnClose, Alive, Context and all else of [tick.Scope] are a
// Session's, too; [tick.Offload] wants its Scope. Close, Pause and Resume are the
// Session's own: don't call those of its Scope. It is never reused, so a pointer
// kept too long is harmless.
type Session[P any] struct {
	*tick.Scope
	// Player is the value given to Login, the game's own.
	Player P

	id     string
	gen    uint64
	reg    *Registry[P]
	cohort *cohort[P]
	prev   *Session[P]
	next   *Session[P]
	conn   *Conn[P]   // nil in grace
	grace  tick.Timer // of the registry's scope: it runs while the session is frozen
	frozen bool       // by grace
	paused bool       // by the game
	left   bool       // out of the registry's books
}

// ID returns the name the session logged in under.
func (s *Session[P]) ID() string { return s.id }

// Generation returns the number of the login that made the session, from 1. A
// name that logs in again gets a higher one; a resumed session keeps its own.
func (s *Session[P]) Generation() uint64 { return s.gen }

// Conn returns the connection, nil if the session is in grace or has ended. OnClose
// hooks still see it.
func (s *Session[P]) Conn() *Conn[P] { return s.conn }

// Detached reports whether the session is in grace: without a connection, kept
// for a login to resume it.
func (s *Session[P]) Detached() bool { return s.conn == nil && s.Alive() }

// Logout ends the session and returns how many pending timers that cancelled:
// Close with a reason of ErrLogout if it is nil.
func (s *Session[P]) Logout(reason error) (cancelled int) { return s.Close(reason) }

// Close ends the session as [tick.Scope.Close] ends a scope; a nil reason is
// ErrLogout. The connection stays and may log in again. Closing a session that
// has ended returns 0. For one that CloseAll has ended already, Close releases it
// now, for the reason given to CloseAll.
func (s *Session[P]) Close(reason error) (cancelled int) {
	if reason == nil {
		reason = ErrLogout
	}
	if s.cohort.reason != nil {
		reason = s.cohort.reason
	}
	return s.Scope.Close(reason)
}

// Touch notes a sign of life, see [Conn.Touch].
func (s *Session[P]) Touch() {
	if s.conn != nil {
		s.conn.Touch()
	}
}

// Detach tells the session that its connection was lost, for reason (nil is
// allowed). It is kept for Config.Grace, or ends with ErrLost if that is 0.
// Detach reports false, and does nothing, if the session has no connection.
// [Conn.Close] calls it.
func (s *Session[P]) Detach(reason error) bool {
	if s.conn == nil || !s.Alive() {
		return false
	}
	s.unbind()
	lost := ErrLost
	if reason != nil {
		lost = fmt.Errorf("%w: %w", ErrLost, reason)
	}
	r := s.reg
	if r.cfg.Grace == 0 {
		s.Close(lost)
		return true
	}
	if !r.cfg.GraceRuns {
		s.frozen = true
		s.Scope.Pause()
	}
	t, err := r.scope.Schedule(tick.Spec{After: r.cfg.Grace, Lane: tick.Urgent, Kind: r.graceKind},
		func(tick.Firing) { s.Close(lost) })
	if err != nil { // no timer, no grace: a session must not be kept for ever
		s.Close(lost)
		return true
	}
	s.grace = t
	return true
}

// bind gives s the connection c.
func (s *Session[P]) bind(c *Conn[P]) { s.conn, c.session = c, s }

// unbind takes the connection from s; from here on it reaches nobody.
func (s *Session[P]) unbind() {
	c := s.conn
	if c == nil {
		return
	}
	s.conn = nil
	if c.session == s { // and not another login's already
		c.idle.Stop()
		c.session = nil
		if c.own {
			c.Close(s.Reason())
		}
	}
}

// resume continues s, which is in grace, on c.
func (s *Session[P]) resume(c *Conn[P]) error {
	if err := c.watch(s.id); err != nil {
		return err
	}
	s.bind(c)
	s.grace.Stop()
	if s.frozen {
		s.frozen = false
		if !s.paused {
			s.Scope.Resume()
		}
	}
	return nil
}

// Pause is [tick.Scope.Pause] for the game: it does not mix with the freezing of
// a session in grace. What the game paused, before the connection was lost or
// during grace, stays paused when a login resumes the session.
func (s *Session[P]) Pause() bool {
	if !s.Alive() || s.paused || !s.frozen && !s.Scope.Pause() {
		return false
	}
	s.paused = true
	return true
}

// Resume takes back [Session.Pause], and reports false if there was none or the
// session has ended. In grace its timers stay frozen until a login.
func (s *Session[P]) Resume() bool {
	if !s.Alive() || !s.paused {
		return false
	}
	s.paused = false
	return s.frozen || s.Scope.Resume()
}
