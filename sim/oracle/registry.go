package oracle

import (
	"fmt"
	"slices"
	"time"

	"github.com/tickwheel/tickwheel/timers"
)

// Reasons for which sessions end, and outcomes of logins, as the oracle calls them.
const (
	Logout   = "logout"
	Takeover = "takeover"
	Dropped  = "lost"
	Idle     = "idle"
	Evening  = "mass logout"
	Stop     = "stopped"

	Fresh    = "fresh"
	Replaced = "replaced"
	Resumed  = "resumed"
	Same     = "same"
	Full     = "full"
	NoTimer  = "no timer for the idle timeout"
	Other    = "logged in under another name"
	NoConn   = "connection closed"
)

// Registry is who is logged in.
type Registry struct {
	Tree  *Tree
	Scope *Scope // of connections and grace timers
	// Grace, IdleAfter, GraceRuns and Max are those of the configuration.
	Grace, IdleAfter time.Duration
	GraceRuns        bool
	Max              int
	// Due turns a duration into a tick.
	Due func(time.Duration) timers.Tick

	sessions []*Session // alive, in order of login
	dying    []*Session // ended by CloseAll and not released, the oldest first
	logins   int
	internal int
}

// Conn is a connection.
type Conn struct {
	Scope   *Scope
	Session *Session
	// Own is a connection that ends with its session.
	Own  bool
	idle *Timer
}

// Session is one login.
type Session struct {
	Name, Label string
	Scope       *Scope
	conn        *Conn
	grace       *Timer
	frozen      bool
	paused      bool
	ended       bool
	all         string // the reason of the mass logout that ended it
}

// Alive reports whether nothing has ended s.
func (s *Session) Alive() bool { return !s.ended && s.Scope.Alive() }

// Detached reports whether s is in grace.
func (s *Session) Detached() bool { return s.Alive() && s.conn == nil }

func (r *Registry) schedule(s *Scope, d time.Duration) *Timer {
	at := r.Due(d)
	if !r.Tree.Open(s) || len(r.Tree.Wheel.Refuses(at, s.Group)) > 0 {
		return nil
	}
	r.internal--
	return r.Tree.Wheel.Add(r.internal, at, timers.Urgent, s.Group)
}

func (r *Registry) stop(t *Timer) {
	if t != nil {
		r.Tree.Wheel.Cancel(t)
	}
}

// Connect makes a connection.
func (r *Registry) Connect() *Conn { return &Conn{Scope: r.Tree.Child(r.Scope, "")} }

// Find returns the session of a name, nil if there is none.
func (r *Registry) Find(name string) *Session {
	for _, s := range r.sessions {
		if s.Name == name {
			return s
		}
	}
	return nil
}

// Sessions are those that are alive.
func (r *Registry) Sessions() []*Session { return slices.Clone(r.sessions) }

// Closing is how many sessions a mass logout has ended that were not released.
func (r *Registry) Closing() int { return len(r.dying) }

// Live is the session that c is logged in to.
func (c *Conn) Live() *Session {
	if c.Session != nil && c.Session.Alive() {
		return c.Session
	}
	return nil
}

// watch starts the idle timeout and reports whether there is a timer for it.
func (r *Registry) watch(c *Conn) bool {
	r.stop(c.idle)
	if r.IdleAfter == 0 {
		return true
	}
	c.idle = r.schedule(c.Scope, r.IdleAfter)
	return c.idle != nil
}

// Login logs c in and returns what that did.
func (r *Registry) Login(c *Conn, name string) (*Session, string) {
	old := r.Find(name)
	switch now := c.Live(); {
	case !c.Scope.Alive():
		return nil, NoConn
	case now != nil && now.Name != name:
		return nil, Other
	case now != nil:
		return now, Same
	case old != nil && old.Detached():
		if !r.watch(c) {
			return nil, NoTimer
		}
		old.conn, c.Session = c, old
		r.stop(old.grace)
		if old.frozen {
			if old.frozen = false; !old.paused {
				r.Tree.Resume(old.Scope)
			}
		}
		return old, Resumed
	case old == nil && len(r.sessions) >= r.Max:
		return nil, Full
	}
	if !r.watch(c) {
		return nil, NoTimer
	}
	c.Session = nil
	for _, s := range slices.Clone(r.dying) {
		if s.Name == name {
			r.End(s, "")
		}
	}
	outcome := Fresh
	if old != nil {
		outcome = Replaced
		r.End(old, Takeover)
	}
	r.logins++
	s := &Session{Name: name, Label: fmt.Sprintf("session %s#%d", name, r.logins), conn: c}
	s.Scope = r.Tree.Child(r.Tree.Root, "")
	s.Scope.fenced, s.Scope.told = true, []string{s.Label}
	c.Session = s
	r.sessions = append(r.sessions, s)
	return s, outcome
}

// End ends a session and returns how many timers that cancelled.
func (r *Registry) End(s *Session, reason string) int {
	if s.Scope.Closed {
		return 0
	}
	if s.all != "" {
		reason = s.all
	}
	s.ended = true
	is := func(o *Session) bool { return o == s }
	r.sessions, r.dying = slices.DeleteFunc(r.sessions, is), slices.DeleteFunc(r.dying, is)
	n := r.Tree.Close(s.Scope, reason)
	r.stop(s.grace)
	r.unbind(s)
	return n
}

func (r *Registry) unbind(s *Session) {
	c := s.conn
	s.conn = nil
	if c == nil || c.Session != s {
		return
	}
	r.stop(c.idle)
	if c.Session = nil; c.Own {
		r.Tree.Close(c.Scope, "")
	}
}

// Hangup closes a connection.
func (r *Registry) Hangup(c *Conn) {
	if c.Scope.Closed {
		return
	}
	r.Tree.Close(c.Scope, Dropped)
	if s := c.Session; s != nil {
		r.Detach(s)
	}
}

// Detach takes the connection from s and reports whether it had one.
func (r *Registry) Detach(s *Session) bool {
	if s.conn == nil || !s.Alive() {
		return false
	}
	r.unbind(s)
	if r.Grace == 0 {
		r.End(s, Dropped)
		return true
	}
	if !r.GraceRuns {
		s.frozen = true
		r.Tree.Pause(s.Scope)
	}
	if s.grace = r.schedule(r.Scope, r.Grace); s.grace == nil { // none, no grace
		r.End(s, Dropped)
	}
	return true
}

// Touch puts the idle timeout of c off.
func (r *Registry) Touch(c *Conn) {
	if c.idle != nil && c.Scope.Alive() && c.idle.Pending() {
		r.Tree.Wheel.Reset(c.idle, r.Due(r.IdleAfter))
	}
}

// Pause and Resume are the game's.
func (r *Registry) Pause(s *Session) bool {
	if !s.Alive() || s.paused || !s.frozen && !r.Tree.Pause(s.Scope) {
		return false
	}
	s.paused = true
	return true
}

// Resume takes back Pause.
func (r *Registry) Resume(s *Session) bool {
	if !s.Alive() || !s.paused {
		return false
	}
	s.paused = false
	return s.frozen || r.Tree.Resume(s.Scope)
}

// CloseAll ends everybody at one stroke and returns how many those are.
func (r *Registry) CloseAll(reason string) int {
	n := len(r.sessions)
	if n == 0 {
		return 0
	}
	for _, s := range r.sessions {
		s.all = reason
	}
	r.dying = append(r.dying, r.sessions...)
	r.sessions = nil
	r.Tree.fall(reason)
	return n
}

// Release releases up to n of those that CloseAll ended.
func (r *Registry) Release(n int) {
	for ; n > 0 && len(r.dying) > 0; n-- {
		r.End(r.dying[0], "")
	}
}

// Expired is the callback of a timer of the registry's own: it ends the session
// that was silent, or whose grace is over.
func (r *Registry) Expired(t *Timer, conns []*Conn) {
	for _, c := range conns {
		if c.idle == t {
			if c.Session != nil {
				r.End(c.Session, Idle)
			}
			return
		}
	}
	for _, s := range r.sessions {
		if s.grace == t {
			r.End(s, Dropped)
			return
		}
	}
	for _, s := range r.dying {
		if s.grace == t {
			r.End(s, Dropped)
			return
		}
	}
}

// Internal returns the id, for Wheel.Fire, of the registry's own timer that comes
// first, 0 if it has none.
func (r *Registry) Internal() int {
	var first *Timer
	for _, t := range r.Tree.Wheel.timers {
		if t.ID < 0 && (first == nil || t.Deadline < first.Deadline || t.Deadline == first.Deadline && t.seq < first.seq) {
			first = t
		}
	}
	if first == nil {
		return 0
	}
	return first.ID
}
