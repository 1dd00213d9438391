package session

import (
	"fmt"
	"iter"
	"time"

	"github.com/tickwheel/tickwheel/tick"
)

// Registry knows who is logged in. P is the game's player type, usually a
// pointer. Make one per world; it belongs to its loop and ends with it.
type Registry[P any] struct {
	loop  *tick.Loop
	cfg   Config
	scope *tick.Scope // of connections and grace timers
	fence *tick.Fence // sessions are behind it

	live   *cohort[P]
	dying  []*cohort[P]
	gen    uint64
	ending map[string]bool // names whose OnClose hooks are running
	hooks  []func(*Session[P], error)

	idleKind, graceKind tick.Kind
}

// cohort is the sessions that one CloseAll ends together, so that it need not
// visit them: those alive are one cohort, the next CloseAll makes it a dying one.
type cohort[P any] struct {
	byID        map[string]*Session[P]
	first, last *Session[P] // in order of login
	n           int
	reason      error // nil while alive
}

// New returns an empty registry on loop, or everything that is wrong with c. It
// adds a system and a stop hook to the loop.
func New[P any](loop *tick.Loop, c Config) (*Registry[P], error) {
	c, err := c.withDefaults()
	if err != nil {
		return nil, err
	}
	r := &Registry[P]{
		loop: loop, cfg: c, scope: loop.Root().Child(), fence: loop.NewFence(),
		live: newCohort[P](), ending: map[string]bool{},
		idleKind: loop.Kind("session/idle"), graceKind: loop.Kind("session/grace"),
	}
	loop.OnTick(r.sweep)
	loop.OnStop(func() {
		r.CloseAll(tick.ErrStopped)
		for r.releaseOne() {
			continue
		}
	})
	return r, nil
}

func newCohort[P any]() *cohort[P] { return &cohort[P]{byID: map[string]*Session[P]{}} }

// OnClose adds a hook for the end of every session that logs in from now on. It
// runs after the hooks of the session's own and those of scopes below it, once;
// hooks run in the order in which they were added. The session's timers are gone
// and its Alive is false then; Player, ID, Conn and Cancelled are still there.
// The hook may write and offload for the root scope, such as the last save.
func (r *Registry[P]) OnClose(f func(s *Session[P], reason error)) {
	if f == nil {
		panic("session: Registry.OnClose: nil function")
	}
	r.hooks = append(r.hooks, f)
}

// Login logs in on a connection of its own: it is Connect and [Conn.Login], for
// tests and games without a network. The connection ends with its session.
func (r *Registry[P]) Login(id string, p P) (*Session[P], Outcome, error) {
	c := r.Connect()
	c.own = true
	s, o, err := c.Login(id, p)
	if err != nil {
		c.Close(err)
	}
	return s, o, err
}

func (r *Registry[P]) login(c *Conn[P], id string, p P) (*Session[P], Outcome, error) {
	if !c.Alive() {
		return nil, 0, fmt.Errorf("session: login of %q: connection: %w", id, c.Reason())
	}
	if r.loop.Stopping() {
		return nil, 0, fmt.Errorf("session: login of %q: %w", id, tick.ErrStopped)
	}
	if s := c.session; s != nil && s.Alive() {
		if s.id == id {
			return s, Same, nil
		}
		return nil, 0, fmt.Errorf("%w: %q: log it out before %q logs in", ErrLoggedIn, s.id, id)
	}
	if r.ending[id] {
		return nil, 0, fmt.Errorf("%w: %q", ErrEnding, id)
	}
	old := r.live.byID[id]
	if old != nil && old.Detached() {
		if err := old.resume(c); err != nil {
			return nil, 0, err
		}
		return old, Resumed, nil
	}
	if old == nil && r.Len() >= r.cfg.MaxSessions {
		return nil, 0, fmt.Errorf("%w: %d", ErrFull, r.cfg.MaxSessions)
	}
	r.gen++
	s := &Session[P]{id: id, gen: r.gen, reg: r, Player: p}
	// Everything that can fail comes before the old session ends.
	if err := s.bind(c); err != nil {
		return nil, 0, err
	}
	outcome := Fresh
	if old != nil {
		outcome = Replaced
		old.Close(ErrTakeover)
	}
	for _, d := range r.dying { // ended by CloseAll, not released yet
		if s := d.byID[id]; s != nil {
			s.Close(d.reason)
		}
	}
	if c.session != s { // a hook closed the connection
		return nil, 0, fmt.Errorf("session: login of %q: connection: %w", id, c.Reason())
	}
	r.add(s)
	return s, outcome, nil
}

// add makes s a scope and part of the living.
func (r *Registry[P]) add(s *Session[P]) {
	s.Scope = r.fence.Child(r.loop.Root())
	s.cohort = r.live
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
		delete(r.ending, s.id)
		s.unbind()
	})
}

// remove takes s, whose scope has closed, out of the books.
func (r *Registry[P]) remove(s *Session[P]) {
	r.ending[s.id] = true
	l := s.cohort
	delete(l.byID, s.id)
	l.n--
	if s.prev != nil {
		s.prev.next = s.next
	} else {
		l.first = s.next
	}
	if s.next != nil {
		s.next.prev = s.prev
	} else {
		l.last = s.prev
	}
	s.prev, s.next = nil, nil
	s.grace.Stop()
}

// Find returns the session of id, in grace or not, and whether there is one.
func (r *Registry[P]) Find(id string) (*Session[P], bool) {
	s := r.live.byID[id]
	return s, s != nil
}

// Len is how many sessions there are, those in grace included.
func (r *Registry[P]) Len() int { return r.live.n }

// Closing is how many sessions CloseAll has ended that were not released yet.
func (r *Registry[P]) Closing() (n int) {
	for _, d := range r.dying {
		n += d.n
	}
	return n
}

// All yields the sessions there are when it is called, in order of login. The
// loop's body may log in and out whom it likes; a session that has ended by its
// turn is left out. It copies the list.
func (r *Registry[P]) All() iter.Seq[*Session[P]] {
	list := make([]*Session[P], 0, r.live.n)
	for s := r.live.first; s != nil; s = s.next {
		list = append(list, s)
	}
	return func(yield func(*Session[P]) bool) {
		for _, s := range list {
			if s.Alive() && !yield(s) {
				return
			}
		}
	}
}

// CloseAll ends every session for reason (nil is ErrLogout) and returns how many
// those are. From this instant on nothing of theirs runs. They are released, and
// their OnClose hooks run, in order of login, Config.CloseBudget in each tick's
// systems phase; all of them before the loop stops. New logins are welcome
// meanwhile, also under the same names. The call takes constant time.
func (r *Registry[P]) CloseAll(reason error) int {
	if reason == nil {
		reason = ErrLogout
	}
	d := r.live
	if d.n == 0 {
		return 0
	}
	d.reason = reason
	r.live = newCohort[P]()
	r.dying = append(r.dying, d)
	r.fence.Close()
	return d.n
}

func (r *Registry[P]) sweep(_ time.Duration) {
	for range r.cfg.CloseBudget {
		if !r.releaseOne() {
			return
		}
	}
}

// releaseOne releases the session that was ended first, if there is one.
func (r *Registry[P]) releaseOne() bool {
	for len(r.dying) > 0 {
		if s := r.dying[0].first; s != nil {
			s.Close(nil)
			return true
		}
		r.dying = r.dying[1:]
	}
	return false
}
