package tick_test

import (
	"fmt"
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
		return fmt.Sprint(r.fence.Close(nil))
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
