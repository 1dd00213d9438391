package tick_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/tickwheel/tickwheel/tick"
	"github.com/tickwheel/tickwheel/tick/ticktest"
)

// Between the fall of the fence and the release of a scope its timers are there
// for Cancelled to count, and to nobody else.
func TestBehindAFallenFenceNothingCanBeStopped(t *testing.T) {
	l := ticktest.New(t, tick.Config{})
	f := l.NewFence()
	s := f.Child(l.Root())
	tm := must(s.AfterFunc(time.Second, func() {}))
	assert.NoError(t, s.Keyed("k", tick.Spec{After: time.Second}, func(tick.Firing) {}))
	held := s.Context()
	out := errors.New("everybody out")
	assert.Equal(t, 1, f.Close(out))
	assert.Equal(t, out, s.Reason())
	assert.Equal(t, out, s.Child().Reason())
	assert.False(t, tm.Stop())
	assert.False(t, tm.Reset(0))
	assert.False(t, s.StopKeyed("k"))
	assert.False(t, s.ResetKeyed("k", 0))
	assert.Zero(t, s.Len())
	assert.Zero(t, s.KeyedLen())
	assert.Equal(t, out, context.Cause(s.Context()))
	assert.Error(t, held.Err())
	assert.Equal(t, 2, s.Close(nil))
	assert.Equal(t, 2, s.Cancelled())
	assert.Zero(t, l.Timers())

	// Each fall has its reason.
	a := f.Child(l.Root())
	assert.Equal(t, 1, f.Close(nil))
	b := f.Child(l.Root())
	assert.Equal(t, 1, f.Close(out))
	assert.Equal(t, tick.ErrClosed, a.Reason())
	assert.Equal(t, out, b.Reason())
	assert.Equal(t, out, context.Cause(b.Context()))
	a.Close(nil)
	b.Close(nil)
}

// Jobs that run behind the fence hear of its fall at once, not when their scopes
// are released.
func TestTheFallOfAFenceEndsTheContextsOfRunningJobs(t *testing.T) {
	l := ticktest.New(t, tick.Config{Executor: tick.Goroutines(3), Workers: 3})
	f := l.NewFence()
	out := errors.New("everybody out")
	begun, causes := make(chan struct{}), make(chan error)
	job := tick.Job[int]{Run: func(ctx context.Context) (int, error) {
		begun <- struct{}{}
		<-ctx.Done()
		causes <- context.Cause(ctx)
		return 0, nil
	}}
	var all []*tick.Scope
	for range 3 {
		s := f.Child(l.Root())
		all = append(all, s)
		assert.NoError(t, tick.Offload(s.Child(), job, func(int, error) { t.Error("done behind the fence") }))
	}
	l.Step()
	for range 3 {
		<-begun
	}
	assert.Equal(t, 6, f.Close(out))
	for range 3 {
		assert.Equal(t, out, <-causes)
	}
	for _, s := range all {
		s.Close(nil)
	}
	l.Step()
}

// The context of a scope that a fence has ended has its cause by then, so its
// hooks and Reason say the same, whoever closes it and the scopes below it.
func TestAScopeBehindAFallenFenceKeepsItsReason(t *testing.T) {
	l := ticktest.New(t, tick.Config{})
	f := l.NewFence()
	parent := f.Child(l.Root())
	child := parent.Child()
	var told []error
	for _, s := range []*tick.Scope{child, parent} {
		s.Context()
		s.OnClose(func(reason error) { told = append(told, reason) })
	}
	out, late := errors.New("everybody out"), errors.New("too late")
	assert.Equal(t, 2, f.Close(out))
	child.Close(late)
	parent.Close(nil)
	assert.Equal(t, []error{out, out}, told)
	for _, s := range []*tick.Scope{child, parent} {
		assert.Equal(t, out, s.Reason())
		assert.Equal(t, out, context.Cause(s.Context()))
	}
}
