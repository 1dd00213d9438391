package oracle

import (
	"time"

	"github.com/tickwheel/tickwheel/timers"
)

// Grid is the pace of a loop that sheds: where the ticks are meant to start.
type Grid struct {
	Interval time.Duration
	CatchUp  int64

	started bool
	base    time.Duration // intended start of the last tick
	next    time.Duration
	shed    int64
}

// Start makes now the start of tick 0.
func (g *Grid) Start(now time.Duration) {
	g.started, g.base, g.next = true, now, now+g.Interval
}

// Next is when the next tick is meant to start, if nothing is given up before.
func (g *Grid) Next() time.Duration { return g.next }

// Shed is how many intervals have been given up.
func (g *Grid) Shed() int64 { return g.shed }

// Tick enters the tick that begins at now and returns its intended start, how late
// it is, and how many intervals were given up before it.
func (g *Grid) Tick(now time.Duration) (start, late time.Duration, shed int64, err error) {
	if now < g.next {
		return 0, 0, 0, broken(Pace, "a tick ran at %v, before its start at %v", now, g.next)
	}
	overdue := int64((now-g.next)/g.Interval) + 1
	if shed = max(0, overdue-g.CatchUp); shed > 0 {
		g.next += time.Duration(shed) * g.Interval
		g.shed += shed
	}
	g.base, g.next = g.next, g.next+g.Interval
	return g.base, now - g.base, shed, nil
}

// After returns how many ticks from the current one a timer of d, asked for at
// now, is due, and how long after the exact instant that is.
func (g *Grid) After(now, d time.Duration) (ticks timers.Tick, lead int64) {
	d = max(d, 0)
	off := time.Duration(0)
	if g.started {
		off = max(0, now-g.base)
		// What will be given up before the next tick does not count.
		if behind := int64(off / g.Interval); behind > g.CatchUp {
			off -= time.Duration(behind-g.CatchUp) * g.Interval
		}
	}
	// The sum may not fit: whole intervals and rests apart.
	rest := off%g.Interval + d%g.Interval
	ticks = timers.Tick(off/g.Interval) + timers.Tick(d/g.Interval) + timers.Tick(rest/g.Interval)
	if rest %= g.Interval; rest > 0 {
		return ticks + 1, int64(g.Interval - rest)
	}
	return max(ticks, 1), 0
}
