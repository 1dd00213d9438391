package tick_test

import (
	"fmt"
	"slices"
)

// model is what the rules say.
type model struct {
	now, seq int
	scopes   []*mScope
	timers   []*mTimer // with handles, in order of creation
	live     []*mTimer
	running  *mTimer // whose callback runs
	epoch    int     // scopes behind the fence with a number up to it have ended
	born     int
	log      []string
}

type mScope struct {
	n             int
	parent        *mScope
	kids          []*mScope
	born          int // behind the fence; 0: not
	closed, pause bool
	keys          map[int]*mTimer
}

type mTimer struct {
	scope    *mScope
	name     string
	deadline int // remaining while frozen
	grid     int // point of the next run of a periodic, relative while frozen
	seq      int
	period   int
	later    *op
	live     bool
	frozen   bool
}

func newModel() *model { return &model{scopes: []*mScope{{keys: map[int]*mTimer{}}}} }

func (m *model) alive(s *mScope) bool { return !s.closed && (s.born == 0 || s.born > m.epoch) }

func (s *mScope) frozen() bool { return s != nil && (s.pause || s.parent.frozen()) }

func (m *model) arm(t *mTimer, d int) {
	m.seq++
	t.seq, t.live, t.frozen = m.seq, true, t.scope.frozen()
	if t.deadline = max(d, 1); !t.frozen {
		t.deadline += m.now
	}
	t.grid = t.deadline
	if !slices.Contains(m.live, t) {
		m.live = append(m.live, t)
	}
}

func (m *model) kill(t *mTimer) bool {
	was := t.live
	t.live = false
	m.live = slices.DeleteFunc(m.live, func(o *mTimer) bool { return o == t })
	return was
}

func (m *model) reset(t *mTimer, d int) bool {
	if !m.alive(t.scope) || !t.live && m.running != t {
		return false
	}
	m.arm(t, d)
	return true
}

func (m *model) subtree(s *mScope, f func(*mScope)) {
	f(s)
	for _, k := range s.kids {
		m.subtree(k, f)
	}
}

// refreeze makes frozen what is to be, and thaws the rest in the old order.
func (m *model) refreeze(s *mScope) {
	m.subtree(s, func(c *mScope) {
		var mine []*mTimer
		for _, t := range m.live {
			if t.scope == c && t.frozen != c.frozen() {
				mine = append(mine, t)
			}
		}
		slices.SortFunc(mine, func(a, b *mTimer) int {
			if a.deadline != b.deadline {
				return a.deadline - b.deadline
			}
			return a.seq - b.seq
		})
		for _, t := range mine {
			if t.frozen = c.frozen(); t.frozen {
				t.deadline = max(0, t.deadline-m.now)
				t.grid -= m.now
				continue
			}
			t.grid += m.now // the pause did not take place
			m.seq++
			t.seq = m.seq
			t.deadline = m.now + max(1, t.deadline)
		}
	})
}

func (m *model) close(s *mScope) (n int) {
	if s.closed {
		return 0
	}
	if s.parent != nil {
		s.parent.kids = slices.DeleteFunc(s.parent.kids, func(k *mScope) bool { return k == s })
	}
	m.subtree(s, func(c *mScope) { c.closed = true })
	return m.release(s)
}

func (m *model) release(s *mScope) (n int) {
	for _, k := range s.kids {
		n += m.release(k)
	}
	for _, t := range slices.Clone(m.live) {
		if t.scope == s {
			m.kill(t)
			n++
		}
	}
	m.log = append(m.log, fmt.Sprint("closed ", s.n))
	return n
}

func (m *model) add(p *mScope, born int) {
	s := &mScope{n: len(m.scopes), parent: p, born: born, keys: map[int]*mTimer{}}
	if s.closed = !m.alive(p); !s.closed {
		p.kids = append(p.kids, s)
	}
	m.scopes = append(m.scopes, s)
}

func (m *model) do(o *op) string {
	s := m.scopes[o.a%len(m.scopes)]
	var tm *mTimer
	if len(m.timers) > 0 {
		tm = m.timers[len(m.timers)-1-o.a%len(m.timers)]
	}
	switch o.what {
	case "after", "every":
		if !m.alive(s) {
			return "true"
		}
		t := &mTimer{scope: s, name: fmt.Sprint("timer ", len(m.timers)), later: o.later}
		if o.what == "every" {
			t.period = max(o.b, 1)
		}
		m.timers = append(m.timers, t)
		m.arm(t, max(o.b, 1))
		return "false"
	case "keyed":
		if !m.alive(s) {
			return "true"
		}
		k := o.b % 2
		if old := s.keys[k]; old != nil {
			m.kill(old)
		}
		s.keys[k] = &mTimer{scope: s, name: fmt.Sprint("key ", k), later: o.later}
		m.arm(s.keys[k], o.b)
		return "false"
	case "unkey":
		t := s.keys[o.b%2]
		if !m.alive(s) {
			return "false" // the close counts it
		}
		delete(s.keys, o.b%2)
		return fmt.Sprint(t != nil && m.kill(t))
	case "rekey":
		t := s.keys[o.b%2]
		return fmt.Sprint(t != nil && m.reset(t, o.b))
	case "stop":
		return fmt.Sprint(tm != nil && m.alive(tm.scope) && m.kill(tm))
	case "reset":
		return fmt.Sprint(tm != nil && m.reset(tm, o.b))
	case "pause", "resume":
		want := o.what == "pause"
		if s.pause == want || !m.alive(s) {
			return "false"
		}
		s.pause = want
		m.refreeze(s)
		return "true"
	}
	return m.tree(o, s)
}

// tree is do for what changes the tree.
func (m *model) tree(o *op, s *mScope) string {
	switch o.what {
	case "child":
		m.add(s, s.born)
	case "behind":
		m.born++
		m.add(m.scopes[0], m.born)
	case "fence":
		n := 0
		for _, s := range m.scopes {
			if s.born > m.epoch && !s.closed {
				n++
			}
		}
		m.epoch = m.born
		return fmt.Sprint(n)
	case "release":
		n := 0
		for _, s := range m.scopes {
			if s.born > 0 && !m.alive(s) && s.parent == m.scopes[0] {
				n += m.close(s)
			}
		}
		return fmt.Sprint(n)
	case "close":
		if s.parent != nil {
			return fmt.Sprint(m.close(s))
		}
	}
	return ""
}

func (m *model) step() []string {
	m.now++
	var due []*mTimer
	for _, t := range m.live {
		if !t.frozen && t.deadline == m.now {
			due = append(due, t)
		}
	}
	slices.SortFunc(due, func(a, b *mTimer) int { return a.seq - b.seq })
	for _, t := range due {
		if !t.live || t.frozen || t.deadline != m.now {
			continue // stopped, paused, or moved by a callback before it
		}
		if !m.alive(t.scope) {
			m.kill(t)
			continue
		}
		if t.period > 0 {
			next := t.grid + t.period
			for next <= m.now { // it was carried by a pause while due
				next += t.period
			}
			m.arm(t, next-m.now)
		} else {
			m.kill(t)
		}
		m.running = t
		m.log = append(m.log, t.name)
		if t.later != nil {
			m.log = append(m.log, m.do(t.later))
		}
		m.running = nil
		if k := t.scope.keys; !t.live && len(k) > 0 {
			for key, o := range k {
				if o == t {
					delete(k, key)
				}
			}
		}
	}
	log := m.log
	m.log = nil
	return log
}

func (m *model) pending() (n int) {
	for _, t := range m.live {
		if m.alive(t.scope) {
			n++
		}
	}
	return n
}
