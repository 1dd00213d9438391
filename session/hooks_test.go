package session_test

import (
	"context"
	"fmt"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/tickwheel/tickwheel/session"
	"github.com/tickwheel/tickwheel/tick"
)

// Stop begun by a hook of the session that a login replaces: the login is
// refused, and the end of the loop finds nothing half-made.
func TestStopDuringATakeover(t *testing.T) {
	for _, inTick := range []bool{true, false} {
		t.Run(fmt.Sprint("in a tick ", inTick), func(t *testing.T) {
			l, r := world(t, tick.Config{}, session.Config{Idle: time.Minute})
			var log []string
			r.OnClose(func(s *sess, reason error) {
				log = append(log, fmt.Sprint(s.Generation(), " ", reason))
				_ = l.Stop(t.Context())
			})
			c := r.Connect()
			takeover := func() {
				_, _, err := r.Login("ann", nil)
				assert.NoError(t, err)
				_, _, err = c.Login("ann", nil)
				assert.ErrorIs(t, err, tick.ErrStopped)
				assert.Nil(t, c.Session())
			}
			if inTick {
				assert.NoError(t, l.Post(takeover))
			} else {
				takeover()
			}
			l.Step()
			assert.True(t, l.Stopping())
			assert.NoError(t, l.Stop(t.Context()))
			assert.Equal(t, []string{"1 session: replaced by another login"}, log)
			assert.Zero(t, r.Len()+r.Closing()+l.Timers())
		})
	}
}

// Stop from the hook of a scope below a session finds the session half closed.
func TestStopFromAHookBelowASession(t *testing.T) {
	l, r := world(t, tick.Config{}, session.Config{})
	ann := login(t, r.Connect(), "ann", session.Fresh)
	bob := login(t, r.Connect(), "bob", session.Fresh)
	ended := 0
	r.OnClose(func(*sess, error) { ended++ })
	bob.OnClose(func(error) { ended++ })
	ann.OnClose(func(error) { ended++ })
	ann.Child().OnClose(func(error) { assert.NoError(t, l.Stop(t.Context())) })
	l.Step()
	ann.Logout(nil)
	assert.Equal(t, 2, ended)
	assert.Zero(t, r.Len()+r.Closing())
}

// The name is ending from the first hook of the tree on: that of a child.
func TestANameIsEndingWhileHooksBelowItRun(t *testing.T) {
	for _, all := range []bool{false, true} {
		t.Run(fmt.Sprint("by CloseAll ", all), func(t *testing.T) {
			l, r := world(t, tick.Config{}, session.Config{CloseBudget: 1})
			ann := login(t, r.Connect(), "ann", session.Fresh)
			hooks := 0
			ann.Child().OnClose(func(error) {
				hooks++
				_, _, err := r.Login("ann", nil)
				assert.ErrorIs(t, err, session.ErrEnding)
				_, found := r.Find("ann")
				assert.False(t, found)
			})
			if all {
				assert.Equal(t, 1, r.CloseAll(nil))
				l.Step()
			} else {
				ann.Logout(nil)
			}
			assert.Equal(t, 1, hooks)
			login(t, r.Connect(), "ann", session.Fresh)
			assert.Equal(t, 1, r.Len())
		})
	}
	_, r := world(t, tick.Config{}, session.Config{})
	ann := login(t, r.Connect(), "ann", session.Fresh)
	ann.Child().OnClose(func(error) {
		_, _, err := r.Login("ann", nil)
		assert.ErrorIs(t, err, session.ErrEnding)
	})
	r.CloseAll(nil)
	ann.Scope.Close(nil) // not by way of the session
	assert.Zero(t, r.Closing())
}

// In a takeover hook the new connection has no session yet, and its login can't
// be begun again.
func TestATakeoverHookLooksAtTheNewConnection(t *testing.T) {
	l, r := world(t, tick.Config{}, session.Config{Idle: time.Minute})
	a, b := r.Connect(), r.Connect()
	hooks := 0
	r.OnClose(func(*sess, error) {
		if hooks++; hooks > 1 {
			return
		}
		assert.Nil(t, b.Session())
		_, _, err := b.Login("ann", nil)
		assert.ErrorIs(t, err, session.ErrEnding)
		_, _, err = b.Login("bob", nil)
		assert.ErrorIs(t, err, session.ErrLoggedIn)
		b.Touch()
	})
	login(t, a, "ann", session.Fresh)
	s := login(t, b, "ann", session.Replaced)
	assert.Equal(t, s, b.Session())
	assert.Equal(t, 1, hooks)
	assert.Equal(t, 1, l.Timers())
}

// A takeover hook that does not return, or closes the new connection, leaves it
// without a session and without an idle timeout.
func TestATakeoverHookThatDoesNotReturn(t *testing.T) {
	l, r := world(t, tick.Config{OnPanic: func(tick.PanicInfo) {}}, session.Config{Idle: time.Minute, MaxSessions: 1})
	end := runtime.Goexit
	r.OnClose(func(*sess, error) { end() })
	login(t, r.Connect(), "ann", session.Fresh)
	c := r.Connect()
	done := make(chan struct{})
	go func() {
		defer close(done)
		_, _, _ = c.Login("ann", nil)
		t.Error("the goroutine was to end")
	}()
	<-done
	assert.Nil(t, c.Session())
	assert.Zero(t, r.Len())
	assert.Zero(t, l.Timers())

	login(t, c, "ann", session.Fresh)
	end = func() { panic("in the hook") }
	d := r.Connect()
	s := login(t, d, "ann", session.Replaced)
	assert.Equal(t, s, d.Session())

	e := r.Connect()
	end = func() { e.Close(nil) }
	_, _, err := e.Login("ann", nil)
	assert.ErrorIs(t, err, tick.ErrClosed)
	assert.Nil(t, e.Session())
	assert.Zero(t, r.Len())
	assert.Zero(t, l.Timers())
}

func TestMaxSessionsHoldsInATakeoverHook(t *testing.T) {
	_, r := world(t, tick.Config{}, session.Config{MaxSessions: 2})
	login(t, r.Connect(), "ann", session.Fresh)
	login(t, r.Connect(), "bob", session.Fresh).OnClose(func(error) {
		_, _, err := r.Login("eve", nil)
		assert.ErrorIs(t, err, session.ErrFull)
	})
	login(t, r.Connect(), "bob", session.Replaced)
	assert.Equal(t, 2, r.Len())
}

// Hooks that exit their goroutine neither end the slice of a tick nor the
// release at the end of the loop.
func TestHooksThatExitDoNotCutTheSliceShort(t *testing.T) {
	l := must(tick.New(tick.Config{Interval: time.Millisecond}))
	r := must(session.New[*Player](l, session.Config{CloseBudget: 4}))
	reasons := map[string]int{}
	r.OnClose(func(_ *sess, reason error) {
		reasons[reason.Error()]++
		runtime.Goexit()
	})
	players := func() {
		for i := range 10 {
			_, _, err := r.Connect().Login(fmt.Sprint(i), nil)
			assert.NoError(t, err)
		}
	}
	aside := func(f func()) {
		done := make(chan struct{})
		go func() {
			defer close(done)
			f()
		}()
		<-done
	}
	players()
	assert.Equal(t, 10, r.CloseAll(nil))
	for _, released := range []int{4, 8, 10} {
		aside(func() { l.Step() })
		assert.Equal(t, map[string]int{session.ErrLogout.Error(): released}, reasons)
	}

	assert.NoError(t, l.Post(players))
	aside(func() { l.Step() })
	aside(func() { _ = l.Stop(context.Background()) })
	assert.NoError(t, l.Stop(t.Context()))
	assert.Equal(t, 10, reasons[tick.ErrStopped.Error()])
	assert.Zero(t, r.Len()+r.Closing())
}
