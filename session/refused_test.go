package session_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/tickwheel/tickwheel/session"
	"github.com/tickwheel/tickwheel/tick"
)

// A login that can't have its idle timer changes nothing: nobody is thrown out
// for a session that does not come to be.
func TestALoginThatIsRefusedChangesNothing(t *testing.T) {
	l, r := world(t, tick.Config{MaxTimers: 2}, session.Config{Idle: time.Hour, Grace: time.Minute})
	a := r.Connect()
	ann := login(t, a, "ann", session.Fresh)
	gone := r.Connect()
	bob := login(t, gone, "bob", session.Fresh)
	gone.Close(nil)
	assert.True(t, bob.Detached())
	for id, o := range map[string]*sess{"ann": ann, "bob": bob} {
		_, _, err := r.Connect().Login(id, nil)
		assert.ErrorIs(t, err, tick.ErrFull)
		assert.ErrorContains(t, err, id)
		assert.True(t, o.Alive())
	}
	assert.Equal(t, ann, a.Session())
	assert.True(t, bob.Detached())
	assert.Equal(t, 2, r.Len())
	assert.Equal(t, 2, l.Timers())
}

// Without a timer for it there is no grace: a session is never kept for ever.
func TestGraceWithoutATimerEnds(t *testing.T) {
	l, r := world(t, tick.Config{MaxTimers: 1}, session.Config{Grace: time.Minute})
	c := r.Connect()
	s := login(t, c, "ann", session.Fresh)
	must(l.Root().AfterFunc(time.Hour, func() {}))
	c.Close(nil)
	assert.ErrorIs(t, s.Reason(), session.ErrLost)
	assert.Zero(t, r.Len())
}

func TestCallersBugsPanic(t *testing.T) {
	_, r := world(t, tick.Config{}, session.Config{})
	assert.Panics(t, func() { r.OnClose(nil) })
	assert.Equal(t, "resumed", session.Resumed.String())
	assert.Equal(t, "Outcome(9)", session.Outcome(9).String())
	login(t, r.Connect(), "ann", session.Fresh).Touch()
	assert.Equal(t, 1, r.CloseAll(nil))
}
