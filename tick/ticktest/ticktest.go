// Package ticktest helps to test programs that embed package tick.
//
// [New] makes a loop for [tick.Loop.Step]: no goroutine, no clock, jobs at the
// end of the tick, and a check at the end of the test that nothing was left
// behind. [Clock] is a clock under the test's control for loops that keep pace.
//
// # Guarantees
//
//   - The same calls give the same ticks: seeds are fixed, no real time is read
//     but for the Timeout of jobs.
//   - A panic in a callback fails the test, unless Config.OnPanic is set.
//
// # Units
//
// Those of package tick.
//
// # Concurrency
//
// A loop made by New belongs to the goroutine of the test. A Clock may be used by
// any goroutine.
//
// # Not provided
//
// Assertions. The package imports testing, so it belongs in test files only.
package ticktest

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/tickwheel/tickwheel/tick"
)

// New returns a loop made of c for the test to Step. Fields of c keep their
// meaning, except that Seed 0 is 1 and a nil OnPanic fails the test with the
// panic and its stack.
//
// When the test ends the loop is stopped, which cancels what is pending, and the
// test fails if a job did not end. A Config that New of package tick refuses ends
// the test.
//
// Jobs run on the goroutine of the test, where the race detector cannot see one
// that touches the game's state. Config.Executor: tick.Goroutines(1) shows it.
func New(t testing.TB, c tick.Config) *tick.Loop {
	t.Helper()
	if c.Seed == 0 {
		c.Seed = 1
	}
	if c.OnPanic == nil {
		c.OnPanic = func(p tick.PanicInfo) {
			t.Errorf("panic in tick %d, kind %s: %v\n%s", p.Tick, p.Name, p.Value, p.Stack)
		}
	}
	l, err := tick.New(c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := l.Stop(context.Background()); err != nil && !errors.Is(err, tick.ErrInTick) {
			t.Errorf("the loop did not end: %v", err)
		}
		if s := l.Stats(); s.Timers != 0 || s.Jobs.Running != 0 || s.Jobs.Waiting != 0 {
			t.Errorf("left behind: %d timers, %d jobs running, %d waiting", s.Timers, s.Jobs.Running, s.Jobs.Waiting)
		}
	})
	return l
}

// Steps runs n ticks.
func Steps(l *tick.Loop, n int) {
	for range n {
		l.Step()
	}
}

// Clock is a [tick.Clock] that stands still until it is moved.
type Clock struct {
	mu    sync.Mutex
	now   time.Duration
	shift time.Duration // of the wall clock against now
	moved chan struct{} // closed and replaced when now moves
	naps  chan struct{} // closed and replaced when a sleeper comes
	sleep int
}

// NewClock returns a clock at 0, which is the beginning of 2030 on the wall.
func NewClock() *Clock {
	return &Clock{moved: make(chan struct{}), naps: make(chan struct{})}
}

// Now returns how far the clock was moved.
func (c *Clock) Now() time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

// Wall returns the date: Now past 2030, and what Shift added.
func (c *Clock) Wall() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC).Add(c.now + c.shift)
}

// Advance moves the clock by d, which must not be negative. It runs nothing: a
// callback that calls it is a callback that takes d.
func (c *Clock) Advance(d time.Duration) {
	if d < 0 {
		panic("ticktest: Clock.Advance: negative duration")
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now += d
	c.sleep = 0 // all of them wake and look again
	close(c.moved)
	c.moved = make(chan struct{})
}

// Shift moves the wall clock alone, forward or back, as an administrator does.
func (c *Clock) Shift(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.shift += d
}

// Sleep waits until the clock was moved to until, or wake can be received from.
func (c *Clock) Sleep(until time.Duration, wake <-chan struct{}) {
	for {
		c.mu.Lock()
		if c.now >= until {
			c.mu.Unlock()
			return
		}
		moved := c.moved
		c.sleep++
		close(c.naps)
		c.naps = make(chan struct{})
		c.mu.Unlock()
		select {
		case <-moved:
		case <-wake:
			c.mu.Lock()
			defer c.mu.Unlock()
			if c.moved == moved {
				c.sleep--
			}
			return
		}
	}
}

// AwaitSleep waits until somebody sleeps on the clock, such as a loop under Run
// that has done what was due.
func (c *Clock) AwaitSleep() {
	for {
		c.mu.Lock()
		naps, sleeping := c.naps, c.sleep
		c.mu.Unlock()
		if sleeping > 0 {
			return
		}
		<-naps
	}
}

// Drive runs l, which is made with clock c, by [tick.Loop.RunDue] until the clock
// has moved by d: it moves the clock to the start of each tick.
func Drive(l *tick.Loop, c *Clock, d time.Duration) {
	end := c.Now() + d
	for {
		next, ok := l.RunDue()
		if !ok {
			return
		}
		if now := c.Now(); next > now {
			if next > end {
				c.Advance(max(0, end-now))
				return
			}
			c.Advance(next - now)
		} else if now > end {
			return
		}
	}
}
