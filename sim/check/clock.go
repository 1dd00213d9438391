package check

import "time"

// clock is the machine's, moved by faults alone.
type clock struct {
	now  time.Duration
	step time.Duration // by which the date was set
}

func (c *clock) Now() time.Duration { return c.now }

func (c *clock) Wall() time.Time {
	return time.Date(2000, time.January, 1, 0, 0, 0, 0, time.UTC).Add(c.now + c.step)
}

func (c *clock) Sleep(until time.Duration, _ <-chan struct{}) { c.now = max(c.now, until) }
