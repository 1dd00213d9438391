package session

import (
	"iter"
	"math"
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
	ending map[string]int // names whose sessions are being ended or replaced, and how many
	coming int            // logins under way whose session is not in live yet
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
		live: newCohort[P](), ending: map[string]int{},
		idleKind: loop.Kind("session/idle"), graceKind: loop.Kind("session/grace"),
	}
	loop.OnTick(r.sweep)
	loop.OnStop(func() {
		r.CloseAll(tick.ErrStopped)
		r.release(math.MaxInt)
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
	r.loop.CheckOwner("Registry.OnClose")
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

// remove takes s, whose end has begun, out of the books, once.
func (r *Registry[P]) remove(s *Session[P]) {
	if s.left {
		return
	}
	s.left = true
	r.ending[s.id]++
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
	r.loop.CheckOwner("Registry.Find")
	s := r.live.byID[id]
	if s == nil || !s.Alive() { // a hook of a scope below it is running
		return nil, false
	}
	return s, true
}

// Len is how many sessions there are, those in grace included.
func (r *Registry[P]) Len() int {
	r.loop.CheckOwner("Registry.Len")
	return r.live.n
}

// Closing is how many sessions CloseAll has ended that were not released yet.
func (r *Registry[P]) Closing() (n int) {
	r.loop.CheckOwner("Registry.Closing")
	for _, d := range r.dying {
		n += d.n
	}
	return n
}

// All yields the sessions there are when it is called, in order of login. The
// loop's body may log in and out whom it likes; a session that has ended by its
// turn is left out. It copies the list.
func (r *Registry[P]) All() iter.Seq[*Session[P]] {
	r.loop.CheckOwner("Registry.All")
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
// those are. From this instant on nothing of theirs runs, and the contexts of
// their running jobs end. They are released, and their OnClose hooks run, in order of login, Config.CloseBudget in each tick's
// systems phase; all of them before the loop stops. New logins are welcome
// meanwhile, also under the same names. The call takes constant time.
func (r *Registry[P]) CloseAll(reason error) int {
	r.loop.CheckOwner("Registry.CloseAll")
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
	r.fence.Close(reason)
	return d.n
}

func (r *Registry[P]) sweep(_ time.Duration) { r.release(r.cfg.CloseBudget) }

// release releases up to n of the sessions that CloseAll ended, the oldest
// first. A hook that exits its goroutine does not cut it short.
func (r *Registry[P]) release(n int) {
	clean := false
	defer func() {
		if !clean {
			r.release(n)
		}
	}()
	for more := true; more && n > 0; {
		n-- // before: a hook may not return
		more = r.releaseOne()
	}
	clean = true
}

// releaseOne releases the session that was ended first, if there is one.
func (r *Registry[P]) releaseOne() bool {
	for len(r.dying) > 0 {
		s := r.dying[0].first
		if s == nil {
			r.dying = r.dying[1:]
			continue
		}
		// Out of the books here, not by its hook: one that somebody further up
		// the stack is closing already will not call it before we return.
		r.remove(s)
		s.Close(nil)
		return true
	}
	return false
}
