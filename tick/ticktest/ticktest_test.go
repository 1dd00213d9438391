package ticktest_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"go.uber.org/goleak"

	"github.com/tickwheel/tickwheel/tick"
	"github.com/tickwheel/tickwheel/tick/ticktest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// recorder stands in for a test and notes what would have failed it.
type recorder struct {
	testing.TB
	failures []string
	cleanups []func()
}

func (r *recorder) Helper()          {}
func (r *recorder) Cleanup(f func()) { r.cleanups = append(r.cleanups, f) }
func (r *recorder) Errorf(format string, args ...any) {
	r.failures = append(r.failures, fmt.Sprintf(format, args...))
}

func TestAPanicFailsTheTest(t *testing.T) {
	r := &recorder{TB: t}
	l := ticktest.New(r, tick.Config{})
	k := l.Kind("spell")
	_, err := l.Root().Schedule(tick.Spec{Kind: k}, func(tick.Firing) { panic("boom") })
	assert.NoError(t, err)
	l.Step()
	if assert.Len(t, r.failures, 1) {
		assert.Contains(t, r.failures[0], "panic in tick 1, kind spell: boom")
	}
	for _, f := range r.cleanups {
		f()
	}
	assert.Len(t, r.failures, 1, "nothing was left behind")
	assert.False(t, l.Step(), "stopped by the cleanup")
}

func TestAStuckJobFailsTheTest(t *testing.T) {
	r := &recorder{TB: t}
	l := ticktest.New(r, tick.Config{Executor: tick.Goroutines(1), StopTimeout: time.Millisecond})
	out := make(chan struct{})
	l.Step()
	assert.NoError(t, tick.Offload(l.Root(), tick.Job[int]{Run: func(context.Context) (int, error) { <-out; return 0, nil }}, nil))
	r.cleanups[0]()
	close(out)
	assert.NotEmpty(t, r.failures)
	assert.Contains(t, r.failures[0], "1 jobs running")
}

// Run on a Clock: the test moves time, AwaitSleep tells when the loop has done
// what was due.
func TestClockUnderRun(t *testing.T) {
	c := ticktest.NewClock()
	l := ticktest.New(t, tick.Config{Clock: c})
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { defer close(done); assert.NoError(t, l.Run(ctx)) }()
	c.AwaitSleep()
	for i := range 10 {
		c.Advance(l.Interval())
		for int(l.Now()) <= i {
			c.AwaitSleep()
		}
	}
	assert.EqualValues(t, 10, l.Now())
	cancel()
	<-done
}

func TestClock(t *testing.T) {
	c := ticktest.NewClock()
	began := c.Wall()
	c.Advance(time.Minute)
	c.Shift(-time.Hour)
	assert.Equal(t, time.Minute, c.Now())
	assert.Equal(t, began.Add(-59*time.Minute), c.Wall())
	assert.Panics(t, func() { c.Advance(-1) })
	c.Sleep(time.Second, nil) // long past
	wake := make(chan struct{})
	close(wake)
	c.Sleep(time.Hour, wake)
}

func TestDriveRunsTheTicksOfASpan(t *testing.T) {
	c := ticktest.NewClock()
	l := ticktest.New(t, tick.Config{Clock: c})
	ticktest.Drive(l, c, time.Second)
	assert.EqualValues(t, 20, l.Now())
	ticktest.Drive(l, c, 30*time.Millisecond)
	ticktest.Drive(l, c, 30*time.Millisecond)
	assert.EqualValues(t, 21, l.Now())
	assert.Equal(t, 1060*time.Millisecond, c.Now())
}
