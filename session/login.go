package session

import (
	"fmt"

	"github.com/tickwheel/tickwheel/tick"
)

// login is [Conn.Login].
func (r *Registry[P]) login(c *Conn[P], id string, p P) (*Session[P], Outcome, error) {
	if err := r.mayLogin(c, id); err != nil {
		return nil, 0, err
	}
	if s := c.Session(); s != nil {
		return s, Same, nil
	}
	old := r.live.byID[id]
	if old != nil && old.Detached() {
		if err := old.resume(c); err != nil {
			return nil, 0, err
		}
		return old, Resumed, nil
	}
	if old == nil && r.live.n+r.coming >= r.cfg.MaxSessions {
		return nil, 0, fmt.Errorf("%w: %d", ErrFull, r.cfg.MaxSessions)
	}
	// Everything that can fail comes before the old session ends.
	if err := c.watch(id); err != nil {
		return nil, 0, err
	}
	return r.replace(c, id, p, old)
}

// mayLogin returns why c can't log in under id, nil if it can or has.
func (r *Registry[P]) mayLogin(c *Conn[P], id string) error {
	switch old := r.live.byID[id]; {
	case !c.Alive():
		return cutOff(c, id)
	case r.loop.Stopping():
		return stopped(id)
	case c.Session() != nil && c.session.id != id:
		return fmt.Errorf("%w: %q: log it out before %q logs in", ErrLoggedIn, c.session.id, id)
	case c.Session() != nil:
		return nil
	case r.ending[id] > 0, old != nil && !old.Alive(): // the latter: a hook below the session runs
		return fmt.Errorf("%w: %q", ErrEnding, id)
	case c.coming:
		return fmt.Errorf("%w: its login is under way, %q can't log in", ErrLoggedIn, id)
	}
	return nil
}

func stopped(id string) error {
	return fmt.Errorf("session: login of %q: %w", id, tick.ErrStopped)
}

func cutOff[P any](c *Conn[P], id string) error {
	return fmt.Errorf("session: login of %q: connection: %w", id, c.Reason())
}

// replace ends what there is under id and makes a session of c. Hooks of the game
// run meanwhile: they may end the goroutine, close c, stop the loop, log others
// in. So c has no session before they are done, and what is reserved for it is
// given back however they end.
func (r *Registry[P]) replace(c *Conn[P], id string, p P, old *Session[P]) (s *Session[P], o Outcome, err error) {
	c.session, c.coming = nil, true
	r.coming++
	r.ending[id]++
	defer func() {
		c.coming = false
		r.coming--
		r.ended(id)
		if s == nil {
			c.idle.Stop()
		}
	}()
	for _, d := range r.dying { // ended by CloseAll, not released yet
		if s := d.byID[id]; s != nil {
			if s.Close(nil); !s.left { // being closed: we are in a hook below it
				return nil, 0, fmt.Errorf("%w: %q", ErrEnding, id)
			}
		}
	}
	if old != nil {
		o = Replaced
		old.Close(ErrTakeover)
	}
	switch {
	case r.loop.Stopping():
		return nil, 0, stopped(id)
	case !c.Alive():
		return nil, 0, cutOff(c, id)
	}
	if s = r.add(c, id, p); s == nil {
		return nil, 0, stopped(id)
	}
	return s, o, nil
}

// ended takes back one mark of r.ending.
func (r *Registry[P]) ended(id string) {
	if r.ending[id]--; r.ending[id] == 0 {
		delete(r.ending, id)
	}
}

// add makes a session and counts it among the living, or returns nil if the loop
// has just begun to stop.
func (r *Registry[P]) add(c *Conn[P], id string, p P) *Session[P] {
	scope := r.fence.Child(r.loop.Root())
	if !scope.Alive() {
		return nil
	}
	r.gen++
	s := &Session[P]{Scope: scope, Player: p, id: id, gen: r.gen, reg: r, cohort: r.live}
	s.bind(c)
	l := s.cohort
	l.byID[s.id] = s
	l.n++
	if s.prev = l.last; s.prev != nil {
		s.prev.next = s
	} else {
		l.first = s
	}
	l.last = s
	s.OnClose(func(error) { r.remove(s) })
	for _, f := range r.hooks {
		s.OnClosed(func(reason error) { f(s, reason) })
	}
	s.OnClosed(func(error) {
		r.ended(s.id)
		s.unbind()
	})
	return s
}
