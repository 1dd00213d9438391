package tick

import "time"

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
	p.base = p.next
	p.next = p.base + p.gap
	return late
}

// end takes the duration of the tick begun last and, under Dilate, decides how
// long the next one may take.
func (p *pacer) end(d time.Duration) {
	if !p.dilate {
		return
	}
	p.sum += d - p.durations[p.at]
	p.durations[p.at] = d
	p.at = (p.at + 1) % dilateOver
	p.filled = min(p.filled+1, dilateOver)
	want := int64(ratioUnit)
	if avg := p.sum / time.Duration(p.filled); avg > p.interval {
		// The product stays far below 1<<63: an interval is at most 10 s.
		want = max(p.floor, int64(p.interval)*ratioUnit/int64(avg))
	}
	p.ratio = min(max(want, p.ratio-dilateStep), p.ratio+dilateStep)
	p.gap = time.Duration(int64(p.interval) * ratioUnit / p.ratio)
	p.next = p.base + p.gap
}

// offset is how far reading now is past the current tick's intended start, less
// what will be shed anyway before the next tick. Without the second part a timer
// armed after a stall inside a tick would be delayed by the stall twice.
func (p *pacer) offset(now time.Duration) time.Duration {
	off := max(0, now-p.base)
	if p.dilate || off < time.Duration(p.catchUp+1)*p.gap {
		return off
	}
	return off - (off/p.gap-time.Duration(p.catchUp))*p.gap
}
