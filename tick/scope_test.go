package tick_test

import (
	"context"
	"errors"
	"runtime"
	"testing"
	"time"
	"weak"

	"github.com/stretchr/testify/assert"

	"github.com/tickwheel/tickwheel/tick"
	"github.com/tickwheel/tickwheel/tick/ticktest"
)

// One-shot, periodic, keyed, carried over, far, in a child, and on its way to a
// worker: after the close none runs, and nothing keeps the owner alive.
func TestS01_NothingRunsAfterTheClose(t *testing.T) {
	l := ticktest.New(t, tick.Config{Budget: 5, NearTicks: 64, ChunkBlocks: 4})
	bad := func() { t.Error("ran after the close") }
	type player struct{ pad [1 << 10]byte }
	owner := func() weak.Pointer[player] {
		p := new(player)
		s := l.Root().Child()
		touch := func() { p.pad[0]++; bad() }
		for range 20 { // 5 run, 15 are carried over
			must(s.Schedule(tick.Spec{At: 1, Lane: tick.Bulk}, func(tick.Firing) { p.pad[0]++ }))
		}
		for _, d := range []time.Duration{2 * interval, time.Minute, 24 * time.Hour} {
			must(s.AfterFunc(d, touch))
		}
		must(s.Every(2*interval, func(tick.Firing) { touch() }))
		assert.NoError(t, s.Keyed("k", tick.Spec{After: 2 * interval}, func(tick.Firing) { touch() }))
		must(s.Child().AfterFunc(2*interval, touch))
		l.Step()
		assert.NoError(t, tick.Offload(s, tick.Job[int]{Run: func(context.Context) (int, error) { touch(); return 0, nil }}, func(int, error) { touch() }))
		assert.Equal(t, 15+3+1+1+1, s.Close(nil))
		assert.Equal(t, 15+3+1+1+1, s.Cancelled())
		assert.Zero(t, s.Len())
		return weak.Make(p)
	}()
	assert.Zero(t, l.Timers())
	ticktest.Steps(l, 2*64*3)
	runtime.GC()
	runtime.GC()
	assert.Nil(t, owner.Value(), "the player is collectable")
	assert.EqualValues(t, 1, l.Stats().Jobs.DroppedDead)
}

// A, B, C of one session share a tick; whoever closes the session, B and C are
// skipped, and cost nothing of the budget.
func TestS03_CloseInACallbackSkipsTheSiblings(t *testing.T) {
	for _, by := range []string{"own", "other"} {
		t.Run(by, func(t *testing.T) {
			l := ticktest.New(t, tick.Config{Budget: 2})
			s := l.Root().Child()
			var log []string
			closer := l.Root()
			if by == "own" {
				closer = s
			}
			must(closer.AfterFunc(interval, func() { log = append(log, "A"); s.Close(nil) }))
			must(s.AfterFunc(interval, func() { log = append(log, "B") }))
			must(s.AfterFunc(interval, func() { log = append(log, "C") }))
			must(l.Root().AfterFunc(interval, func() { log = append(log, "D") }))
			l.Step()
			assert.Equal(t, []string{"A", "D"}, log)
		})
	}
}

func TestCloseEndsChildrenFirstAndOnce(t *testing.T) {
	l := ticktest.New(t, tick.Config{})
	why := errors.New("why")
	var log []string
	name := func(s *tick.Scope, n string) *tick.Scope {
		s.OnClose(func(reason error) {
			assert.Equal(t, why, reason)
			assert.Equal(t, why, s.Reason())
			assert.False(t, s.Alive())
			assert.Zero(t, s.Close(nil), "closing in the hook does nothing")
			assert.False(t, s.OnClose(func(error) {}))
			log = append(log, n)
		})
		s.OnClosed(func(error) { log = append(log, n+" closed") })
		return s
	}
	a := name(l.Root().Child(), "a")
	b := name(a.Child(), "b")
	c := name(b.Child(), "c")
	d := name(a.Child(), "d")
	ctx := c.Context()
	assert.NoError(t, ctx.Err())
	a.Close(why)
	assert.Equal(t, []string{"c", "c closed", "b", "b closed", "d", "d closed", "a", "a closed"}, log)
	assert.Equal(t, why, context.Cause(ctx))
	assert.Equal(t, why, context.Cause(d.Context()), "asked for afterwards")
	assert.Zero(t, a.Close(why))
	late := a.Child()
	assert.False(t, late.Alive())
	assert.Equal(t, why, late.Reason())
	_, err := late.AfterFunc(0, func() {})
	assert.ErrorIs(t, err, tick.ErrClosed)
	assert.Panics(t, func() { l.Root().Close(nil) })
}

// Closing a middle child leaves its siblings in place.
func TestCloseUnlinksFromTheParent(t *testing.T) {
	for i := range 3 {
		l := ticktest.New(t, tick.Config{})
		p := l.Root().Child()
		kids := []*tick.Scope{p.Child(), p.Child(), p.Child()}
		var ended []int
		for k, s := range kids {
			s.OnClose(func(error) { ended = append(ended, k) })
		}
		kids[i].Close(nil)
		p.Close(nil)
		assert.Len(t, ended, 3)
		assert.Equal(t, i, ended[0])
	}
}

func TestS07_StopTwiceAndLateIsFalse(t *testing.T) {
	l := ticktest.New(t, tick.Config{})
	s := l.Root().Child()
	var zero tick.Timer
	assert.False(t, zero.Stop())
	assert.False(t, zero.Reset(time.Second))
	_, pending := zero.Remaining()
	assert.False(t, pending)

	twice := must(s.AfterFunc(interval, func() {}))
	assert.True(t, twice.Stop())
	assert.False(t, twice.Stop())
	fired := must(s.AfterFunc(interval, func() {}))
	var self tick.Timer
	self = must(s.AfterFunc(interval, func() { assert.False(t, self.Stop(), "in its own callback") }))
	var every tick.Timer
	runs := 0
	every = must(s.Every(interval, func(tick.Firing) {
		runs++
		assert.True(t, every.Stop(), "a periodic in its own callback")
		assert.False(t, every.Stop())
	}))
	ticktest.Steps(l, 3)
	assert.Equal(t, 1, runs)
	for _, tm := range []*tick.Timer{&fired, &self, &every} {
		assert.False(t, tm.Stop())
		assert.False(t, tm.Reset(time.Second), "Reset never revives")
	}
	closed := must(s.AfterFunc(interval, func() { t.Error("ran") }))
	s.Close(nil)
	assert.False(t, closed.Stop())
	assert.False(t, closed.Reset(time.Second))
	after := must(l.Root().AfterFunc(time.Hour, func() {}))
	assert.NoError(t, l.Stop(t.Context()))
	assert.False(t, after.Stop())
	assert.False(t, after.Reset(0))
}

// In its own callback Reset arms a one-shot again; copies of it are inert then.
func TestResetReArmsInItsCallback(t *testing.T) {
	l := ticktest.New(t, tick.Config{})
	var at []tick.Tick
	var tm tick.Timer
	tm = must(l.Root().AfterFunc(interval, func() {
		at = append(at, l.Now())
		if len(at) < 3 {
			assert.True(t, tm.Reset(2*interval))
		}
	}))
	ticktest.Steps(l, 10)
	assert.Equal(t, []tick.Tick{1, 3, 5}, at)

	tm = must(l.Root().AfterFunc(interval, func() { at = append(at, l.Now()) }))
	copied := tm
	assert.True(t, tm.Reset(3*interval))
	assert.False(t, copied.Stop())
	left, ok := tm.Remaining()
	assert.True(t, ok)
	assert.Equal(t, 3*interval, left)
	ticktest.Steps(l, 3)
	assert.Equal(t, []tick.Tick{1, 3, 5, 13}, at)
}

// What a session holds is what is pending, however much has come and gone.
func TestS10_TheSetOfTimersIsTheLiveOnes(t *testing.T) {
	l := ticktest.New(t, tick.Config{})
	s := l.Root().Child()
	n := size(20_000, 1_000_000)
	for i := range n {
		must(s.AfterFunc(0, func() {}))
		assert.NoError(t, s.Keyed(i, tick.Spec{}, func(tick.Firing) {}))
		tm := must(s.AfterFunc(time.Hour, func() {}))
		assert.True(t, tm.Stop())
		assert.NoError(t, s.Keyed(-i-1, tick.Spec{}, func(tick.Firing) {}))
		assert.True(t, s.StopKeyed(-i-1))
		l.Step()
		if i%1000 == 0 {
			assert.Zero(t, s.Len())
			assert.Zero(t, s.KeyedLen())
		}
	}
	assert.Zero(t, l.Timers())
}

func TestPauseFreezesASubtree(t *testing.T) {
	l := ticktest.New(t, tick.Config{})
	s := l.Root().Child()
	kid := s.Child()
	var log []string
	must(s.AfterFunc(4*interval, func() { log = append(log, "s") }))
	must(kid.AfterFunc(4*interval, func() { log = append(log, "kid") }))
	must(l.Root().AfterFunc(4*interval, func() { log = append(log, "root") }))
	ticktest.Steps(l, 2)
	assert.True(t, s.Pause())
	assert.False(t, s.Pause(), "once is enough")
	assert.True(t, kid.Paused())
	late := s.Child()
	must(late.AfterFunc(interval, func() { log = append(log, "late") }))
	ticktest.Steps(l, 10)
	assert.Equal(t, []string{"root"}, log)

	assert.True(t, kid.Pause(), "its own pause besides")
	assert.True(t, s.Resume())
	assert.False(t, s.Resume())
	assert.False(t, s.Paused())
	assert.True(t, kid.Paused())
	l.Step()
	assert.Equal(t, []string{"root", "late"}, log)
	l.Step()
	assert.Equal(t, []string{"root", "late", "s"}, log)
	assert.True(t, kid.Resume())
	ticktest.Steps(l, 2)
	assert.Equal(t, []string{"root", "late", "s", "kid"}, log)
	s.Close(nil)
	assert.False(t, s.Pause())
	assert.False(t, s.Resume())
}

// Keyed: the key always names the live timer. Set 8, 6 later move to 7, 3 later
// remove; set twice; move and remove; replace from its own callback.
func TestW23_AKeyNamesTheLiveTimer(t *testing.T) {
	l := ticktest.New(t, tick.Config{NearTicks: 64, ChunkBlocks: 4})
	s := l.Root().Child()
	var at []tick.Tick
	note := func(f tick.Firing) { at = append(at, f.Tick) }
	assert.NoError(t, s.Keyed("k", tick.Spec{After: 8 * interval}, note))
	ticktest.Steps(l, 6)
	assert.True(t, s.ResetKeyed("k", 7*interval))
	ticktest.Steps(l, 3)
	assert.True(t, s.StopKeyed("k"))
	assert.False(t, s.StopKeyed("k"))
	assert.False(t, s.ResetKeyed("k", interval))
	ticktest.Steps(l, 100)
	assert.Empty(t, at)

	assert.NoError(t, s.Keyed("k", tick.Spec{After: 5 * interval}, note))
	assert.NoError(t, s.Keyed("k", tick.Spec{After: 2 * interval}, note))
	assert.True(t, s.ResetKeyed("k", interval/2))
	assert.Equal(t, 1, s.Len())
	ticktest.Steps(l, 10)
	assert.Equal(t, []tick.Tick{110}, at)

	at = nil
	assert.NoError(t, s.Keyed("k", tick.Spec{}, func(f tick.Firing) {
		note(f)
		if len(at) == 1 {
			assert.True(t, s.ResetKeyed("k", 2*interval))
		} else if len(at) == 2 {
			assert.NoError(t, s.Keyed("k", tick.Spec{After: 3 * interval}, note))
		}
	}))
	ticktest.Steps(l, 20)
	assert.Equal(t, []tick.Tick{120, 122, 125}, at)
	assert.Zero(t, s.KeyedLen())
}

// A refused replacement leaves the old timer; a full wheel still replaces.
func TestKeyedWhenRefused(t *testing.T) {
	l := ticktest.New(t, tick.Config{MaxTimers: 1, Horizon: 100})
	s := l.Root().Child()
	var log []string
	assert.NoError(t, s.Keyed("k", tick.Spec{After: interval}, func(tick.Firing) { log = append(log, "old") }))
	assert.ErrorIs(t, s.Keyed("k", tick.Spec{At: 1000}, func(tick.Firing) {}), tick.ErrHorizon)
	assert.ErrorIs(t, s.Keyed("other", tick.Spec{}, func(tick.Firing) {}), tick.ErrFull)
	assert.Equal(t, 1, s.Len())
	assert.NoError(t, s.Keyed("k", tick.Spec{After: interval}, func(tick.Firing) { log = append(log, "new") }))
	l.Step()
	assert.Equal(t, []string{"new"}, log)
}

// A fence ends everybody behind it at one stroke; releasing comes later, and dead
// timers meanwhile neither run nor cost budget.
func TestFenceEndsManyAtOnce(t *testing.T) {
	l := ticktest.New(t, tick.Config{Budget: 1})
	f := l.NewFence()
	ran := 0
	var all []*tick.Scope
	for range 100 {
		s := f.Child(l.Root())
		must(s.AfterFunc(interval, func() { t.Error("ran behind the fence") }))
		must(s.Child().AfterFunc(interval, func() { t.Error("ran behind the fence") }))
		all = append(all, s)
	}
	must(l.Root().AfterFunc(interval, func() { ran++ }))
	assert.Equal(t, 200, f.Close(nil))
	assert.Zero(t, f.Close(nil))
	fresh := f.Child(l.Root())
	must(fresh.AfterFunc(2*interval, func() { ran++ }))
	for _, s := range all {
		assert.False(t, s.Alive())
		_, err := s.AfterFunc(0, func() {})
		assert.ErrorIs(t, err, tick.ErrClosed)
	}
	ticktest.Steps(l, 2)
	assert.Equal(t, 2, ran, "within a budget of 1")
	for _, s := range all {
		s.Close(nil)
	}
	assert.True(t, fresh.Alive())
	assert.Panics(t, func() { f.Child(fresh) })
	assert.Equal(t, 1, f.Close(nil))
	assert.False(t, fresh.Alive())
	fresh.Close(nil)
}

func TestW22_TimersAreLimited(t *testing.T) {
	l := ticktest.New(t, tick.Config{MaxTimers: 1000})
	made := 0
	for range 5000 {
		if _, err := l.Root().AfterFunc(10*ms, func() {}); err == nil {
			made++
		} else {
			assert.ErrorIs(t, err, tick.ErrFull)
		}
	}
	assert.Equal(t, 1000, made)
	l.Step()
	must(l.Root().AfterFunc(10*ms, func() {}))
}

// A timer on the wrong scope keeps a player alive; on the session's it does not.
func TestA11_TheSessionsScopeLetsGo(t *testing.T) {
	l := ticktest.New(t, tick.Config{})
	type player struct{ pad [1 << 10]byte }
	on := func(s *tick.Scope) weak.Pointer[player] {
		p := new(player)
		must(s.AfterFunc(30*time.Minute, func() { p.pad[0]++ }))
		return weak.Make(p)
	}
	s := l.Root().Child()
	right, wrong := on(s), on(l.Root())
	s.Close(nil)
	ticktest.Steps(l, 3)
	runtime.GC()
	runtime.GC()
	assert.Nil(t, right.Value())
	assert.NotNil(t, wrong.Value(), "the mistake that session-scoped timers avoid")
}
