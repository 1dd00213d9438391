package tick

import (
	"math"
	"math/bits"
	"time"
)

// pacer turns clock readings into ticks. It is pure: readings come in, decisions
// go out.
//
// After a stall of 8 intervals with CatchUp 5, under Shed:
//
//	grid   |1   |2   |3   |4   |5   |6   |7   |8   |9   |10
//	runs   [1----------stall-----------------]23456|7   |8
//	shed                                      ^ 3 intervals: tick 2 is now meant
//	                                            for where 5 was
//
// Tick numbers stay contiguous; timers move later in wall time, none is skipped.
type pacer struct {
	interval time.Duration
	catchUp  int64
	dilate   bool
	floor    int64 // lowest ratio, in millionths

	base  time.Duration // intended start of the tick begun last
	begun time.Duration // reading when it began
	open  bool          // it has not ended
	next  time.Duration // intended start of the next one
	gap   time.Duration // next - base: the interval, longer when dilated
	ratio int64         // speed of game time, in millionths

	durations [dilateOver]time.Duration // of the last ticks, a ring
	filled    int
	at        int
	sum       time.Duration
}

const (
	dilateOver = 20        // ticks the average goes over: a second at 50 ms
	dilateStep = 50_000    // most the ratio changes a tick, so that players see no jump
	ratioUnit  = 1_000_000 // ratio 1; integers, so that every machine agrees
)

func newPacer(c Config) pacer {
	return pacer{
		interval: c.Interval, catchUp: int64(c.CatchUp),
		dilate: c.Overrun == Dilate, floor: int64(c.Floor * ratioUnit),
		gap: c.Interval, ratio: ratioUnit,
	}
}

// start makes now the intended start of tick 0.
func (p *pacer) start(now time.Duration) { p.base, p.next = now, now+p.gap }

// due reports whether the next tick is due at now, and how many intervals are
// given up before it so that at most catchUp ticks are overdue. first is the
// lateness the first of the shed intervals would have started with; each
// further one is a gap less late.
func (p *pacer) due(now time.Duration) (ok bool, shed int64, first time.Duration) {
	if now < p.next {
		return false, 0, 0
	}
	overdue := int64((now-p.next)/p.gap) + 1
	if overdue > p.catchUp {
		shed, first = overdue-p.catchUp, now-p.next
		p.next += time.Duration(shed) * p.gap
	}
	return true, shed, first
}

// begin enters the tick that is due; late is its start lateness at now.
func (p *pacer) begin(now time.Duration) (late time.Duration) {
	late = now - p.next
	p.base, p.begun, p.open = p.next, now, true
	p.next = p.base + p.gap
	return late
}

// end takes the duration of the tick begun last and, under Dilate, decides how
// long the next one may take.
func (p *pacer) end(d time.Duration) {
	p.open = false
	if !p.dilate {
		return
	}
	p.ratio = p.speed(d)
	p.sum += d - p.durations[p.at]
	p.durations[p.at] = d
	p.at = (p.at + 1) % dilateOver
	p.filled = min(p.filled+1, dilateOver)
	p.gap = p.gapAt(p.ratio)
	p.next = p.base + p.gap
}

// speed is the ratio that follows if the tick in hand takes d.
func (p *pacer) speed(d time.Duration) int64 {
	want := int64(ratioUnit)
	sum, filled := p.sum+d-p.durations[p.at], min(p.filled+1, dilateOver)
	if avg := sum / time.Duration(filled); avg > p.interval {
		// The product stays far below 1<<63: an interval is at most 10 s.
		want = max(p.floor, int64(p.interval)*ratioUnit/int64(avg))
	}
	return min(max(want, p.ratio-dilateStep), p.ratio+dilateStep)
}

func (p *pacer) gapAt(ratio int64) time.Duration {
	return time.Duration(int64(p.interval) * ratioUnit / ratio)
}

// offset is how far reading now is past the current tick's intended start, less
// what will be shed anyway before the next tick, and the speed until then, both
// as they are if the tick in hand ends now. Without the second part a timer armed
// after a stall inside a tick would be delayed by the stall twice.
func (p *pacer) offset(now time.Duration) (off time.Duration, ratio int64) {
	ratio = p.ratio
	if p.dilate && p.open {
		ratio = p.speed(now - p.begun)
	}
	off, gap := max(0, now-p.base), p.gapAt(ratio)
	if off >= time.Duration(p.catchUp+1)*gap {
		off -= (off/gap - time.Duration(p.catchUp)) * gap
	}
	return off, ratio
}

// gameTime is how much game time off is at ratio, rounded up: a tick of it takes
// a whole gap.
func (p *pacer) gameTime(off time.Duration, ratio int64) time.Duration {
	if ratio == ratioUnit {
		return off
	}
	gap := p.gapAt(ratio)
	hi, lo := bits.Mul64(uint64(off%gap), uint64(p.interval))
	part, rem := bits.Div64(hi, lo, uint64(gap))
	if rem > 0 {
		part++
	}
	return off/gap*p.interval + time.Duration(part)
}

// reach is the number of ticks after which off+d of wall time has passed for
// sure, if the speed recovers from ratio as fast as it may. Only a loop that is
// behind can need more ticks for that than the game time of d takes.
func (p *pacer) reach(off, d time.Duration, ratio int64) (ticks int64) {
	passed := -off
	for ; ratio < ratioUnit; ratio += dilateStep {
		ticks++
		if passed += p.gapAt(ratio); passed >= d {
			return ticks
		}
	}
	if d > math.MaxInt64/2 { // the sum may not fit, and 20 ticks are nothing to it
		return 0
	}
	return ticks + int64((d-passed+p.interval-1)/p.interval)
}
