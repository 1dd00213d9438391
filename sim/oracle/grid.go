package oracle

import (
	"time"

	"github.com/tickwheel/tickwheel/timers"
)

// Grid is the pace of a loop: where the ticks are meant to start.
type Grid struct {
	Interval time.Duration
	CatchUp  int64
	// Floor is the lowest speed of a loop that dilates, in millionths; 0 is a loop
	// that sheds at once.
	Floor int64

	started, open bool
	base          time.Duration // intended start of the last tick
	begun         time.Duration // when it began
	next          time.Duration
	shed          int64
	given         time.Duration // length of what was shed
	slowdown      int64         // how far the speed is below fullSpeed
	lengths       []time.Duration
}

// Start makes now the start of tick 0.
func (g *Grid) Start(now time.Duration) {
	g.started, g.base, g.next = true, now, now+g.Interval
}

// Next is when the next tick is meant to start, if nothing is given up before.
func (g *Grid) Next() time.Duration { return g.next }

// Shed is how many intervals have been given up, ShedTime how long they were.
func (g *Grid) Shed() int64 { return g.shed }

// ShedTime is the length of the intervals that have been given up.
func (g *Grid) ShedTime() time.Duration { return g.given }

// Tick enters the tick that begins at now and returns its intended start, how late
// it is, and how many intervals were given up before it.
func (g *Grid) Tick(now time.Duration) (start, late time.Duration, shed int64, err error) {
	if now < g.next {
		return 0, 0, 0, broken(Pace, "a tick ran at %v, before its start at %v", now, g.next)
	}
	gap := g.gap(g.Speed())
	overdue := int64((now-g.next)/gap) + 1
	if shed = max(0, overdue-g.CatchUp); shed > 0 {
		g.next += time.Duration(shed) * gap
		g.given += time.Duration(shed) * gap
		g.shed += shed
	}
	g.base, g.next = g.next, g.next+gap
	g.begun, g.open = now, true
	return g.base, now - g.base, shed, nil
}

// End is the end of the tick in hand, which decides how long the next one may take.
func (g *Grid) End(now time.Duration) {
	g.slowdown = fullSpeed - g.speedAfter(now)
	g.lengths = append(g.lengths, now-g.begun)
	g.open = false
	g.next = g.base + g.gap(g.Speed())
}

// After returns how many ticks from the current one a timer of d, asked for at
// now, is due, and how long after the exact instant that is.
func (g *Grid) After(now, d time.Duration) (ticks timers.Tick, lead int64) {
	d = max(d, 0)
	if !g.started {
		return g.round(0, d)
	}
	speed := g.Speed()
	if g.open { // as if the tick ended now
		speed = g.speedAfter(now)
	}
	gap := g.gap(speed)
	off := max(0, now-g.base)
	// What will be given up before the next tick does not count.
	if behind := int64(off / gap); behind > g.CatchUp {
		off -= time.Duration(behind-g.CatchUp) * gap
	}
	ticks, lead = g.round(g.gameTime(off, gap), d)
	if n := g.soonest(off, d, speed); n > ticks {
		return n, 0
	}
	return ticks, lead
}

// round adds off and d, of game time, up to ticks. The sum may not fit: whole
// intervals and rests apart.
func (g *Grid) round(off, d time.Duration) (ticks timers.Tick, lead int64) {
	rest := off%g.Interval + d%g.Interval
	ticks = timers.Tick(off/g.Interval) + timers.Tick(d/g.Interval) + timers.Tick(rest/g.Interval)
	if rest %= g.Interval; rest > 0 {
		return ticks + 1, int64(g.Interval - rest)
	}
	return max(ticks, 1), 0
}
