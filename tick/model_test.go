package tick_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"

	"github.com/tickwheel/tickwheel/tick"
	"github.com/tickwheel/tickwheel/tick/ticktest"
)

// The ownership rules against a model that is too simple to be wrong: random
// calls, from outside and from inside callbacks, on a tree of scopes.

// op is one call. a and b choose what it is about, modulo what there is.
type op struct {
	what  string
	a, b  int
	later *op // done by the callback of the timer this one makes
}

func (o *op) String() string {
	if o == nil {
		return "-"
	}
	return fmt.Sprintf("%s(%d,%d,%v)", o.what, o.a, o.b, o.later)
}

var opNames = []string{"after", "after", "after", "every", "keyed", "stop", "stop", "reset", "reset", "unkey", "rekey",
	"child", "child", "close", "pause", "resume", "resume", "behind", "fence", "release"}

func drawOp(t *rapid.T, depth int) *op {
	o := &op{
		what: rapid.SampledFrom(opNames).Draw(t, "op"),
		a:    rapid.IntRange(0, 7).Draw(t, "a"), b: rapid.IntRange(-1, 6).Draw(t, "b"),
	}
	if depth > 0 && rapid.Bool().Draw(t, "nested") {
		o.later = drawOp(t, depth-1)
	}
	return o
}

// subject is the real loop or the model.
type subject interface {
	do(o *op) string
	step() []string
	pending() int
}

// real drives a loop.
type real struct {
	l      *tick.Loop
	fence  *tick.Fence
	scopes []*tick.Scope
	timers []*tick.Timer
	behind []*tick.Scope
	log    []string
}

func newReal(t testing.TB) *real {
	l := ticktest.New(t, tick.Config{NearTicks: 64, ChunkBlocks: 4})
	return &real{l: l, fence: l.NewFence(), scopes: []*tick.Scope{l.Root()}}
}

func (r *real) fire(name string, later *op) {
	r.log = append(r.log, name)
	if later != nil {
		r.log = append(r.log, r.do(later))
	}
}

func (r *real) add(s *tick.Scope) {
	i := len(r.scopes)
	r.scopes = append(r.scopes, s)
	s.OnClose(func(error) { r.log = append(r.log, fmt.Sprint("closed ", i)) })
}

func (r *real) do(o *op) string {
	s := r.scopes[o.a%len(r.scopes)]
	var tm *tick.Timer
	if len(r.timers) > 0 {
		tm = r.timers[len(r.timers)-1-o.a%len(r.timers)]
	}
	d := time.Duration(o.b) * interval
	name := fmt.Sprint("timer ", len(r.timers))
	made := func(t tick.Timer, err error) string {
		if err == nil {
			r.timers = append(r.timers, &t)
		}
		return fmt.Sprint(err != nil)
	}
	switch o.what {
	case "after":
		return made(s.AfterFunc(d, func() { r.fire(name, o.later) }))
	case "every":
		return made(s.Every(max(d, interval), func(tick.Firing) { r.fire(name, o.later) }))
	case "keyed":
		return fmt.Sprint(s.Keyed(o.b%2, tick.Spec{After: d}, func(tick.Firing) { r.fire(fmt.Sprint("key ", o.b%2), o.later) }) != nil)
	case "unkey":
		return fmt.Sprint(s.StopKeyed(o.b % 2))
	case "rekey":
		return fmt.Sprint(s.ResetKeyed(o.b%2, d))
	case "stop":
		return fmt.Sprint(tm != nil && tm.Stop())
	case "reset":
		return fmt.Sprint(tm != nil && tm.Reset(d))
	case "child":
		r.add(s.Child())
	case "behind":
		c := r.fence.Child(r.l.Root())
		r.behind = append(r.behind, c)
		r.add(c)
	case "fence":
		return fmt.Sprint(r.fence.Close())
	case "release":
		n := 0
		for _, c := range r.behind {
			if !c.Alive() {
				n += c.Close(nil)
			}
		}
		return fmt.Sprint(n)
	case "close":
		if s != r.l.Root() {
			return fmt.Sprint(s.Close(nil))
		}
	case "pause":
		return fmt.Sprint(s.Pause())
	case "resume":
		return fmt.Sprint(s.Resume())
	}
	return ""
}

func (r *real) step() []string {
	r.l.Step()
	log := r.log
	r.log = nil
	return log
}

func (r *real) pending() (n int) {
	for _, s := range r.scopes {
		if s.Alive() {
			n += s.Len()
		}
	}
	return n
}

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
	seq      int
	period   int
	key      int
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
				continue
			}
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
		delete(s.keys, o.b%2)
		return fmt.Sprint(t != nil && m.kill(t))
	case "rekey":
		t := s.keys[o.b%2]
		return fmt.Sprint(t != nil && m.reset(t, o.b))
	case "stop":
		return fmt.Sprint(tm != nil && m.kill(tm))
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
			m.arm(t, t.period)
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

func TestOwnershipAgainstAModel(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		var r, m subject = newReal(t), newModel()
		n := rapid.IntRange(1, 60).Draw(rt, "calls")
		for range n {
			if rapid.IntRange(0, 2).Draw(rt, "step") == 0 {
				want := m.step()
				if got := r.step(); !assert.Equal(rt, want, got, "firings of a tick") {
					rt.FailNow()
				}
			} else {
				o := drawOp(rt, 2)
				want := m.do(o)
				if got := r.do(o); !assert.Equal(rt, want, got, "%v", o) {
					rt.FailNow()
				}
			}
			if !assert.Equal(rt, m.pending(), r.pending(), "timers pending") {
				rt.FailNow()
			}
		}
		assert.NoError(rt, r.(*real).l.Stop(t.Context()))
	})
}
