package session_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/tickwheel/tickwheel/session"
	"github.com/tickwheel/tickwheel/tick"
	"github.com/tickwheel/tickwheel/tick/ticktest"
)

func TestLoginOutcomes(t *testing.T) {
	l, r := world(t, tick.Config{}, session.Config{Grace: time.Second, MaxSessions: 2})
	a := r.Connect()
	ann := login(t, a, "ann", session.Fresh)
	assert.Equal(t, ann, login(t, a, "ann", session.Same))
	assert.Equal(t, ann, a.Session())
	_, _, err := a.Login("bob", nil)
	assert.ErrorIs(t, err, session.ErrLoggedIn)

	b := r.Connect()
	ann2 := login(t, b, "ann", session.Replaced)
	assert.False(t, ann.Alive())
	assert.Equal(t, session.ErrTakeover, ann.Reason())
	assert.Nil(t, a.Session())
	assert.True(t, a.Alive(), "the connection is the network's to close")
	assert.Greater(t, ann2.Generation(), ann.Generation())

	b.Close(errors.New("reset by peer"))
	assert.True(t, ann2.Detached())
	assert.Equal(t, ann2, login(t, r.Connect(), "ann", session.Resumed))
	assert.False(t, ann2.Detached())

	login(t, r.Connect(), "bob", session.Fresh)
	_, _, err = r.Login("eve", nil)
	assert.ErrorIs(t, err, session.ErrFull)
	_, _, err = b.Login("bob", nil)
	assert.ErrorContains(t, err, `login of "bob": connection: reset by peer`)
	assert.Equal(t, 2, r.Len())
	found, ok := r.Find("ann")
	assert.True(t, ok)
	assert.Equal(t, ann2, found)

	assert.NoError(t, l.Stop(t.Context()))
	_, _, err = r.Login("late", nil)
	assert.ErrorIs(t, err, tick.ErrStopped)
	assert.Zero(t, r.Len())
}

// The old generation dies within the one call, its hook may write but not
// schedule; the new one inherits nothing.
func TestTakeoverEndsTheOldFirst(t *testing.T) {
	l, r := world(t, tick.Config{}, session.Config{})
	var log []string
	r.OnClose(func(s *sess, reason error) {
		log = append(log, s.ID()+": "+reason.Error())
		assert.Equal(t, 2, s.Cancelled())
		assert.NotNil(t, s.Conn(), "bye can be written")
		_, err := s.AfterFunc(0, func() {})
		assert.ErrorIs(t, err, tick.ErrClosed)
		_, _, err = r.Login(s.ID(), nil)
		assert.ErrorIs(t, err, session.ErrEnding)
		assert.Zero(t, r.Len(), "neither the old nor the new")
		assert.NoError(t, tick.Offload(l.Root(), tick.Job[int]{Key: s.ID(), Run: func(context.Context) (int, error) {
			log = append(log, "saved")
			return 0, nil
		}}, nil))
	})
	old := login(t, r.Connect(), "ann", session.Fresh)
	must(old.AfterFunc(interval, func() { t.Error("ran after the takeover") }))
	assert.NoError(t, old.Keyed("regen", tick.Spec{Every: interval}, func(tick.Firing) { t.Error("ran after the takeover") }))
	ctx := old.Context()
	fresh := login(t, r.Connect(), "ann", session.Replaced)
	assert.Equal(t, session.ErrTakeover, context.Cause(ctx))
	assert.Equal(t, []string{"ann: session: replaced by another login"}, log)
	assert.Zero(t, fresh.Len())
	assert.False(t, fresh.StopKeyed("regen"))
	assert.Nil(t, old.Conn())
	ticktest.Steps(l, 3)
	assert.Equal(t, "saved", log[1])
	log = nil
	must(fresh.AfterFunc(time.Hour, func() {}))
	must(fresh.AfterFunc(time.Hour, func() {}))
	assert.Equal(t, 2, fresh.Logout(nil))
	assert.Equal(t, []string{"ann: session: logged out"}, log)
	assert.Zero(t, fresh.Logout(nil))
}

// A hook arms a timer, closes again, closes from two places: refused, once, and
// nothing leaks.
func TestS04_ArmingAndClosingWhileClosing(t *testing.T) {
	l, r := world(t, tick.Config{}, session.Config{Idle: time.Minute})
	hooks := 0
	s := login(t, r.Connect(), "ann", session.Fresh)
	s.OnClose(func(error) {
		hooks++
		_, err := s.AfterFunc(0, func() {})
		assert.ErrorIs(t, err, tick.ErrClosed)
		assert.ErrorIs(t, s.Keyed(1, tick.Spec{}, func(tick.Firing) {}), tick.ErrClosed)
		assert.ErrorIs(t, tick.Offload(s.Scope, tick.Job[int]{Run: func(context.Context) (int, error) { return 0, nil }}, nil), tick.ErrClosed)
		assert.False(t, s.Child().Alive())
		assert.Zero(t, s.Close(nil))
	})
	done := make(chan struct{})
	for range 2 { // two goroutines, by way of the inbox
		go func() {
			assert.NoError(t, l.Post(func() { s.Logout(nil) }))
			done <- struct{}{}
		}()
	}
	<-done
	<-done
	l.Step()
	assert.Equal(t, 1, hooks)
	assert.Zero(t, r.Len())
	assert.Zero(t, l.Timers())
}

// The close of the old connection comes a tick later, seconds later, or before
// the new login is there; packets of the old one are still queued.
func TestS05_LateEventsOfTheOldConnection(t *testing.T) {
	for name, wait := range map[string]int{"same tick": 0, "a tick later": 1, "5 s later": 100} {
		for _, grace := range []time.Duration{0, time.Minute} {
			t.Run(name+" grace "+grace.String(), func(t *testing.T) {
				l, r := world(t, tick.Config{}, session.Config{Grace: grace, Idle: time.Hour})
				a, b := r.Connect(), r.Connect()
				first := login(t, a, "ann", session.Fresh)
				packets := 0
				packet := func(c *conn) func() {
					return func() {
						c.Touch()
						if s := c.Session(); s != nil {
							packets++
						}
					}
				}
				var second *sess
				assert.NoError(t, l.Post(func() { second = login(t, b, "ann", session.Replaced) }))
				assert.NoError(t, l.Post(packet(a)))
				l.Step()
				ran := 0
				must(second.Every(interval, func(tick.Firing) { ran++ }))
				ticktest.Steps(l, wait)
				assert.NoError(t, l.Post(packet(a)))
				assert.NoError(t, l.Post(func() { a.Close(errors.New("eof")) }))
				assert.NoError(t, l.Post(packet(b)))
				ticktest.Steps(l, 5)
				assert.True(t, second.Alive())
				assert.False(t, second.Detached())
				assert.False(t, first.Alive())
				assert.Equal(t, wait+5, ran, "its timers live on")
				assert.Equal(t, 1, packets, "those of the old connection are dropped")
				assert.False(t, first.Detach(nil))
			})
		}
	}
	t.Run("before the new login", func(t *testing.T) {
		_, r := world(t, tick.Config{}, session.Config{Grace: time.Minute})
		a := r.Connect()
		first := login(t, a, "ann", session.Fresh)
		a.Close(nil)
		assert.Equal(t, first, login(t, r.Connect(), "ann", session.Resumed))
		assert.Zero(t, a.Close(nil))
		assert.False(t, first.Detached())
	})
	t.Run("the new connection closes in the old one's hook", func(t *testing.T) {
		_, r := world(t, tick.Config{}, session.Config{Grace: time.Minute})
		b := r.Connect()
		login(t, r.Connect(), "ann", session.Fresh).OnClose(func(error) { b.Close(errors.New("eof")) })
		_, _, err := b.Login("ann", nil)
		assert.ErrorContains(t, err, "eof")
		assert.Zero(t, r.Len())
	})
}

// Input of the tick in which the idle timer is due wins; there is one such timer
// whatever happens.
func TestS06_ActivityRacesTheIdleTimeout(t *testing.T) {
	idle := 30 * time.Second
	l, r := world(t, tick.Config{}, session.Config{Idle: idle, Grace: time.Hour})
	c := r.Connect()
	s := login(t, c, "ann", session.Fresh)
	var end error
	r.OnClose(func(_ *sess, reason error) { end = reason })
	s.OnClose(func(reason error) { end = reason })
	for range 700 { // each tick, for longer than the timeout
		assert.NoError(t, l.Post(c.Touch))
		l.Step()
		assert.Equal(t, 1, l.Timers())
	}
	ticktest.Steps(l, 599)
	assert.NoError(t, l.Post(c.Touch)) // read in the very tick it is due
	l.Step()
	assert.True(t, s.Alive())
	for range 50 { // leave and rejoin
		c.Close(nil)
		assert.Equal(t, 1, l.Timers(), "the grace timer")
		c = r.Connect()
		assert.Equal(t, s, login(t, c, "ann", session.Resumed))
		assert.Equal(t, 1, l.Timers(), "the idle timer")
		l.Step()
	}
	ticktest.Steps(l, 598)
	assert.True(t, s.Alive())
	l.Step()
	assert.Equal(t, session.ErrIdle, end)
	assert.True(t, c.Alive(), "the network closes it")
	s.Touch()
	c.Touch()
	assert.Zero(t, l.Timers())
}

// Frozen or running in grace, by choice; the heartbeat of a connection is
// neither; the end of grace is ErrLost with the cause.
func TestGrace(t *testing.T) {
	for _, runs := range []bool{false, true} {
		l, r := world(t, tick.Config{}, session.Config{Grace: time.Second, GraceRuns: runs})
		why := errors.New("eof")
		a := r.Connect()
		s := login(t, a, "ann", session.Fresh)
		buffs := 0
		must(s.Every(interval, func(tick.Firing) { buffs++ }))
		beats := 0
		must(a.Every(interval, func(tick.Firing) { beats++ }))
		assert.True(t, s.Pause(), "the game pauses, say for a menu")
		ticktest.Steps(l, 2)
		assert.Equal(t, []int{0, 2}, []int{buffs, beats}, "the heartbeat belongs to the connection")
		s.Resume()
		a.Close(why)
		ticktest.Steps(l, 10)
		assert.Equal(t, 2, beats)
		if runs {
			assert.Equal(t, 10, buffs)
		} else {
			assert.Zero(t, buffs)
		}
		b := r.Connect()
		login(t, b, "ann", session.Resumed)
		buffs = 0
		ticktest.Steps(l, 30)
		assert.Equal(t, 30, buffs, "grace is over")
		b.Close(why)
		ticktest.Steps(l, 19)
		assert.True(t, s.Alive())
		l.Step()
		assert.ErrorIs(t, s.Reason(), session.ErrLost)
		assert.ErrorIs(t, s.Reason(), why)
		assert.Zero(t, l.Timers())
	}
}

// A pause of the game's outlives grace and resumption.
func TestResumeKeepsTheGamesPause(t *testing.T) {
	l, r := world(t, tick.Config{}, session.Config{Grace: time.Second})
	a := r.Connect()
	s := login(t, a, "ann", session.Fresh)
	s.Pause()
	a.Close(nil)
	login(t, r.Connect(), "ann", session.Resumed)
	assert.True(t, s.Paused())
	l.Step()
	s.Resume()
	assert.False(t, s.Paused())
}

func TestNoGraceEndsWithTheConnection(t *testing.T) {
	_, r := world(t, tick.Config{}, session.Config{})
	c := r.Connect()
	s := login(t, c, "ann", session.Fresh)
	c.Close(nil)
	assert.ErrorIs(t, s.Reason(), session.ErrLost)
	assert.Zero(t, r.Len())

	// Registry.Login makes a connection that ends with the session.
	s, _, err := r.Login("bob", nil)
	assert.NoError(t, err)
	own := s.Conn()
	s.Logout(nil)
	assert.False(t, own.Alive())
}

// Ten thousand sessions with a heartbeat each tick go in one tick, from the
// network side: nothing runs from then on, and the hooks come in slices.
func TestS09_MassDisconnect(t *testing.T) {
	n, slice := size(2_000, 10_000), 100
	l, r := world(t, tick.Config{Budget: 10 * n}, session.Config{CloseBudget: slice})
	why := errors.New("power cut")
	closed, beats, down := 0, 0, false
	r.OnClose(func(s *sess, reason error) { assert.Equal(t, why, reason); closed++ })
	for i := range n {
		s := must1(r.Login(string(rune('A'+i%26))+time.Duration(i).String(), nil))
		must(s.Every(interval, func(tick.Firing) {
			beats++
			assert.False(t, down, "write after close")
		}))
	}
	l.Step()
	assert.Equal(t, n, beats)
	must(l.Root().AfterFunc(2*interval, func() { beats = 0 }))
	assert.NoError(t, l.Post(func() {
		assert.Equal(t, n, r.CloseAll(why))
		down = true
		assert.Zero(t, r.Len())
		assert.Equal(t, n, r.Closing())
	}))
	for i := range n / slice {
		l.Step()
		assert.Equal(t, (i+1)*slice, closed)
	}
	assert.Zero(t, beats)
	assert.Zero(t, r.Closing())
	assert.Zero(t, l.Timers())
	assert.Zero(t, r.CloseAll(why))
}

// Names are free at once after CloseAll: the login releases the old session first.
func TestLoginWhileEverybodyIsBeingReleased(t *testing.T) {
	l, r := world(t, tick.Config{}, session.Config{CloseBudget: 1})
	why := errors.New("restart")
	var log []string
	r.OnClose(func(s *sess, reason error) { log = append(log, s.ID()) })
	cs := []*conn{r.Connect(), r.Connect(), r.Connect()}
	var old []*sess
	for i, id := range []string{"a", "b", "c"} {
		old = append(old, login(t, cs[i], id, session.Fresh))
	}
	r.CloseAll(why)
	assert.Nil(t, cs[0].Session())
	c := login(t, cs[0], "c", session.Fresh) // a's connection, c's name
	assert.Equal(t, []string{"c"}, log)
	assert.Equal(t, why, old[2].Reason())
	l.Step()
	l.Step()
	assert.Equal(t, []string{"c", "a", "b"}, log)
	assert.True(t, c.Alive())
	assert.Equal(t, c, cs[0].Session(), "releasing a leaves its connection to c")
	old[0].Close(nil)
	assert.Equal(t, 1, r.Len())
}

// The loop's end is everybody's: all hooks, whatever CloseBudget says, and the
// last saves.
func TestStopClosesEverybody(t *testing.T) {
	l, r := world(t, tick.Config{}, session.Config{CloseBudget: 1, Grace: time.Hour, Idle: time.Hour})
	saved := 0
	r.OnClose(func(s *sess, reason error) {
		assert.Equal(t, tick.ErrStopped, reason)
		_, _, err := r.Login("another", nil)
		assert.ErrorIs(t, err, tick.ErrStopped)
		assert.NoError(t, tick.Offload(l.Root(), tick.Job[int]{Key: s.ID(), Run: func(context.Context) (int, error) { saved++; return 0, nil }}, nil))
	})
	for _, id := range []string{"a", "b", "c"} {
		c := r.Connect()
		login(t, c, id, session.Fresh)
		if id == "b" {
			c.Close(nil)
		}
	}
	l.Step()
	assert.NoError(t, l.Stop(t.Context()))
	assert.Equal(t, 3, saved)
}

func TestAllYieldsInOrderOfLogin(t *testing.T) {
	_, r := world(t, tick.Config{}, session.Config{})
	var ss []*sess
	for _, id := range []string{"c", "a", "b"} {
		ss = append(ss, must1(r.Login(id, nil)))
	}
	var ids []string
	for s := range r.All() {
		ids = append(ids, s.ID())
		ss[1].Logout(nil)
	}
	assert.Equal(t, []string{"c", "b"}, ids)
}

func TestConfigReportsEveryBadField(t *testing.T) {
	l := ticktest.New(t, tick.Config{})
	_, err := session.New[int](l, session.Config{Grace: -1, Idle: -1, MaxSessions: -1, CloseBudget: -1})
	for _, f := range []string{"Grace", "Idle", "MaxSessions", "CloseBudget"} {
		assert.ErrorContains(t, err, "session: Config."+f)
	}
}

// A hook that panics is one hook less.
func TestAPanickingHook(t *testing.T) {
	panics := 0
	l, r := world(t, tick.Config{OnPanic: func(tick.PanicInfo) { panics++ }}, session.Config{})
	ran := 0
	r.OnClose(func(*sess, error) { panic("boom") })
	r.OnClose(func(*sess, error) { ran++ })
	s := login(t, r.Connect(), "ann", session.Fresh)
	s.OnClose(func(error) { panic("boom") })
	login(t, r.Connect(), "ann", session.Replaced)
	l.Step()
	assert.Equal(t, []int{2, 1}, []int{panics, ran})
	assert.Equal(t, 1, r.Len())
}

func must1(s *sess, _ session.Outcome, err error) *sess { return must(s, err) }
