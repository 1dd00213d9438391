package sim

import (
	"context"
	"time"

	"github.com/tickwheel/tickwheel/tick"
)

// worker is a clock on which modelled work takes time.
type worker interface {
	tick.Clock
	// Burn spends d of the processor on the calling goroutine.
	Burn(d time.Duration)
	// Block waits for d, or until ctx ends, as for a disk.
	Block(ctx context.Context, d time.Duration) error
}

// Virtual is a clock that moves only when it is told to. It belongs to one
// goroutine.
type Virtual struct {
	now  time.Duration
	step time.Duration // by which the wall clock was put forward
}

// Now returns the time the clock was moved to.
func (c *Virtual) Now() time.Duration { return c.now }

// Wall returns Now on a calendar that starts in 2000, plus the steps of a scenario.
func (c *Virtual) Wall() time.Time {
	return time.Date(2000, time.January, 1, 0, 0, 0, 0, time.UTC).Add(c.now + c.step)
}

// Sleep moves the clock to until, at once.
func (c *Virtual) Sleep(until time.Duration, _ <-chan struct{}) { c.now = max(c.now, until) }

// maxVirtual is where the clock stops, after 36 years: what is reckoned with its
// times stays in an int64.
const maxVirtual = time.Duration(1 << 60)

// Burn moves the clock by d.
func (c *Virtual) Burn(d time.Duration) { c.now += min(d, max(maxVirtual-c.now, 0)) }

// Block moves the clock by d.
func (c *Virtual) Block(_ context.Context, d time.Duration) error {
	c.Burn(d)
	return nil
}

// realClock does the modelled work: it keeps a processor busy or sleeps.
type realClock struct{ tick.Clock }

func (c realClock) Burn(d time.Duration) {
	for end := c.Now() + d; c.Now() < end; {
	}
}

func (c realClock) Block(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
