package oracle

import (
	"math/big"
	"time"

	"github.com/tickwheel/tickwheel/timers"
)

// Speeds are in millionths of wall time. A loop that dilates looks at so many
// ticks, and changes its speed by so much in one.
const (
	fullSpeed   = 1_000_000
	mostChange  = fullSpeed / 20
	averageOver = 20
)

// Speed is that of game time in the tick in hand, or in the next one.
func (g *Grid) Speed() int64 { return fullSpeed - g.slowdown }

// gap is how far apart ticks are at a speed.
func (g *Grid) gap(speed int64) time.Duration {
	return time.Duration(int64(g.Interval) * fullSpeed / speed)
}

// Gap is how far apart ticks are now.
func (g *Grid) Gap() time.Duration { return g.gap(g.Speed()) }

// speedAfter is the speed that follows if the tick in hand ends now: what the
// ticks of late have on average, in small steps.
func (g *Grid) speedAfter(now time.Duration) int64 {
	if g.Floor == 0 {
		return fullSpeed
	}
	last := g.lengths[max(0, len(g.lengths)-averageOver+1):]
	sum := now - g.begun
	for _, d := range last {
		sum += d
	}
	mean := int64(sum) / int64(len(last)+1)
	fits := int64(fullSpeed)
	if mean > int64(g.Interval) {
		fits = max(g.Floor, int64(g.Interval)*fullSpeed/mean)
	}
	before := g.Speed()
	switch {
	case fits > before+mostChange:
		return before + mostChange
	case fits < before-mostChange:
		return before - mostChange
	}
	return fits
}

// gameTime is how much game time goes by in off of wall time, rounded up.
func (g *Grid) gameTime(off, gap time.Duration) time.Duration {
	n := new(big.Int).Mul(big.NewInt(int64(off)), big.NewInt(int64(g.Interval)))
	n.Add(n, big.NewInt(int64(gap)-1))
	return time.Duration(n.Quo(n, big.NewInt(int64(gap))).Int64())
}

// soonest is the first tick that is d away for sure, off after the start of this
// one: even if the speed recovers in every tick as fast as it may.
func (g *Grid) soonest(off, d time.Duration, speed int64) timers.Tick {
	if speed == fullSpeed || d > 1<<62 { // so far away some ticks more or less are nothing
		return 0
	}
	ticks, at := timers.Tick(0), -off
	for ; at < d && speed < fullSpeed; speed += mostChange {
		at += g.gap(speed)
		ticks++
	}
	if at < d {
		ticks += timers.Tick((d - at + g.Interval - 1) / g.Interval)
	}
	return ticks
}
