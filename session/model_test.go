package session_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"

	"github.com/tickwheel/tickwheel/session"
	"github.com/tickwheel/tickwheel/tick"
)

// The registry against a model: a list of connections, a list of sessions, and
// two kinds of timers, all searched from end to end.

const (
	modelGrace = 4
	modelIdle  = 7
	modelSlice = 2
	modelMax   = 3
	modelNames = 4
)

var errAll = errors.New("session: everybody out")

type mConn struct {
	open    bool
	session *mSess
	idle    *mTimer
}

type mSess struct {
	name    string
	conn    *mConn
	grace   *mTimer
	ended   bool // nothing runs any more
	gone    bool // released
	hanging bool // ended by closeAll, not released
}

type mTimer struct {
	deadline, seq int
	f             func()
}

type model struct {
	now, seq int
	conns    []*mConn
	sessions []*mSess // in order of login
	timers   []*mTimer
	log      []string
}

func (m *model) after(d int, f func()) *mTimer {
	m.seq++
	t := &mTimer{m.now + d, m.seq, f}
	m.timers = append(m.timers, t)
	return t
}

func (m *model) stop(t *mTimer) {
	m.timers = slices.DeleteFunc(m.timers, func(o *mTimer) bool { return o == t })
}

func (m *model) online() (n int) {
	for _, s := range m.sessions {
		if !s.ended {
			n++
		}
	}
	return n
}

func (m *model) end(s *mSess, reason string) {
	if s.gone {
		return
	}
	if s.hanging {
		reason = errAll.Error()
	}
	s.ended, s.gone, s.hanging = true, true, false
	m.log = append(m.log, fmt.Sprint(s.name, " ", reason))
	m.stop(s.grace)
	m.unbind(s)
}

func (m *model) unbind(s *mSess) {
	c := s.conn
	s.conn = nil
	if c != nil && c.session == s {
		m.stop(c.idle)
		c.session = nil
	}
}

func (m *model) bind(s *mSess, c *mConn) {
	m.stop(c.idle)
	c.idle = m.after(modelIdle, func() { m.end(s, session.ErrIdle.Error()) })
	s.conn, c.session = c, s
}

func (m *model) login(c *mConn, name string) string {
	if !c.open {
		return "closed"
	}
	if s := c.session; s != nil && !s.ended {
		if s.name == name {
			return "same"
		}
		return "logged in"
	}
	var old *mSess
	for _, s := range m.sessions {
		if s.name == name && !s.gone {
			old = s
			if !s.ended {
				break
			}
		}
	}
	if old != nil && !old.ended && old.conn == nil {
		m.bind(old, c)
		m.stop(old.grace)
		return "resumed"
	}
	alive := old != nil && !old.ended
	if !alive && m.online() >= modelMax {
		return "full"
	}
	s := &mSess{name: name}
	m.bind(s, c)
	if alive {
		m.end(old, session.ErrTakeover.Error())
	}
	for _, o := range slices.Clone(m.sessions) {
		if o.name == name && o.hanging {
			m.end(o, "")
		}
	}
	m.sessions = append(m.sessions, s)
	if alive {
		return "replaced"
	}
	return "fresh"
}

func (m *model) closeConn(c *mConn) {
	if !c.open {
		return
	}
	c.open = false
	m.stop(c.idle)
	if s := c.session; s != nil && !s.ended {
		m.unbind(s)
		s.grace = m.after(modelGrace, func() { m.end(s, session.ErrLost.Error()) })
	}
}

func (m *model) touch(c *mConn) {
	if c.idle == nil || !slices.Contains(m.timers, c.idle) {
		return
	}
	m.stop(c.idle)
	c.idle = m.after(modelIdle, c.idle.f)
}

func (m *model) closeAll() {
	for _, s := range m.sessions {
		if !s.ended {
			s.ended, s.hanging = true, true
		}
	}
}

func (m *model) step() {
	m.now++
	var due []*mTimer
	for _, t := range m.timers {
		if t.deadline == m.now {
			due = append(due, t)
		}
	}
	slices.SortFunc(due, func(a, b *mTimer) int { return a.seq - b.seq })
	for _, t := range due {
		if slices.Contains(m.timers, t) {
			m.stop(t)
			t.f()
		}
	}
	n := 0
	for _, s := range m.sessions {
		if s.hanging && n < modelSlice {
			m.end(s, "")
			n++
		}
	}
}

// outcome puts what Login returned in the model's words.
func outcome(o session.Outcome, err error) string {
	switch {
	case errors.Is(err, session.ErrLoggedIn):
		return "logged in"
	case errors.Is(err, session.ErrFull):
		return "full"
	case err != nil:
		return "closed"
	}
	return o.String()
}

func TestRegistryAgainstAModel(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		l, r := world(t, tick.Config{Budget: 1}, session.Config{Grace: modelGrace * interval, Idle: modelIdle * interval,
			CloseBudget: modelSlice, MaxSessions: modelMax})
		if err := l.SetBudget(0); err != nil {
			rt.Fatal(err)
		}
		m := &model{}
		var conns []*conn
		var log []string
		r.OnClose(func(s *sess, reason error) {
			text := reason.Error()
			if errors.Is(reason, session.ErrLost) {
				text = session.ErrLost.Error() // without the cause
			}
			log = append(log, s.ID()+" "+text)
		})
		for range rapid.IntRange(1, 120).Draw(rt, "calls") {
			what := rapid.SampledFrom([]string{"connect", "login", "login", "login", "logout", "lost", "touch", "all", "step", "step", "step"}).Draw(rt, "call")
			name := string(rune('a' + rapid.IntRange(0, modelNames-1).Draw(rt, "name")))
			i := rapid.IntRange(0, 5).Draw(rt, "conn")
			if len(conns) == 0 {
				what = "connect"
			} else {
				i = len(conns) - 1 - i%len(conns)
			}
			switch what {
			case "connect":
				conns, m.conns = append(conns, r.Connect()), append(m.conns, &mConn{open: true})
			case "login":
				_, o, err := conns[i].Login(name, nil)
				assert.Equal(rt, m.login(m.conns[i], name), outcome(o, err), "login of %s on %d", name, i)
			case "logout":
				if s, ok := r.Find(name); ok {
					s.Logout(nil)
				}
				for _, s := range m.sessions {
					if s.name == name && !s.ended {
						m.end(s, session.ErrLogout.Error())
					}
				}
			case "lost":
				conns[i].Close(errors.New("eof"))
				m.closeConn(m.conns[i])
			case "touch":
				conns[i].Touch()
				m.touch(m.conns[i])
			case "all":
				r.CloseAll(errAll)
				m.closeAll()
			case "step":
				l.Step()
				m.step()
			}
			ok := assert.Equal(rt, m.log, log, "sessions ended, after %s", what) &&
				assert.Equal(rt, m.online(), r.Len(), "sessions after %s", what) &&
				assert.Equal(rt, len(m.timers), l.Timers(), "timers after %s", what)
			for k, c := range conns {
				s := m.conns[k].session
				ok = ok && assert.Equal(rt, s != nil && !s.ended, c.Session() != nil, "session of connection %d after %s", k, what)
			}
			if !ok || rt.Failed() {
				rt.FailNow()
			}
		}
	})
}
