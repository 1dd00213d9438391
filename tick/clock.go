package tick

import (
	"context"
	"time"
)

// Clock is where a loop under Run or RunDue reads time. Now and Wall may be
// called by any goroutine; Sleep only by the one that drives the loop.
type Clock interface {
	// Now is the time since an origin of the clock's choice. It never goes back
	// and does not follow corrections of the wall clock.
	Now() time.Duration
	// Wall is the date and time of day.
	Wall() time.Time
	// Sleep returns when Now has reached until, or earlier when wake can be
	// received from. It may return early for no reason.
	Sleep(until time.Duration, wake <-chan struct{})
}

// SystemClock returns a new Clock that reads the machine's monotonic clock. This
// file is the only one of the package that does.
func SystemClock() Clock { return &systemClock{origin: time.Now()} }

type systemClock struct {
	origin time.Time
	timer  *time.Timer // reused: a new one each tick would be garbage each tick
}

func (c *systemClock) Now() time.Duration { return time.Since(c.origin) }
func (c *systemClock) Wall() time.Time    { return time.Now() }

func (c *systemClock) Sleep(until time.Duration, wake <-chan struct{}) {
	d := until - c.Now()
	if d <= 0 {
		return
	}
	if c.timer == nil {
		c.timer = time.NewTimer(d)
	} else {
		c.timer.Reset(d)
	}
	select {
	case <-c.timer.C:
	case <-wake:
		c.timer.Stop()
	}
}

// limit returns ctx with a time limit of d of real time, unless it has a
// deadline of its own.
func limit(ctx context.Context, d time.Duration) (context.Context, context.CancelFunc) {
	if _, ok := ctx.Deadline(); ok {
		return context.WithCancel(ctx)
	}
	return context.WithTimeout(ctx, d)
}

// jobContext returns the context a job with timeout d runs under.
func jobContext(ctx context.Context, d time.Duration) (context.Context, context.CancelFunc) {
	if d <= 0 {
		return ctx, func() {}
	}
	return context.WithTimeout(ctx, d)
}
