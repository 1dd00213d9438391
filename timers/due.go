package timers

import (
	"fmt"
	"math/bits"
)

// advance is the state of an Advance. It outlives the call when a callback
// panics or exits its goroutine, so that the next call goes on in the same tick.
type advance[T any] struct {
	budget int
	shares Shares

	busy   bool
	cut    bool   // the last Advance was interrupted
	end    uint64 // the budget is spent when fired reaches it
	report Report

	// The tick in hand.
	pass     int           // 0 to 2: a lane each, with reserves; 3 to 5: what is left over
	order    [Lanes]uint32 // ranks in the order they are served
	reserve  [Lanes]int    // budget kept for a rank while more urgent ones run
	hungry   [Lanes]bool   // had due timers at the start of the tick
	ran      [Lanes]int    // callbacks started
	starved  [Lanes]int    // ticks in a row hungry without a callback
	inLane   Lane          // of the block in hand
	began    uint64        // count of callbacks when it came to hand
	resuming []uint32      // scratch of Resume
	warmed   T             // keeps loads that only warm the cache from being dropped

	// The one-shot whose callback runs. Its entry is used until that returns: Reset
	// schedules it again with its payload and group.
	cur    Handle
	curRef uint32
	orphan struct { // and the group it lost its place in by CancelGroup
		handle Handle
		group  uint32
	}
}

// starvedTicks is after how many ticks without a callback a lane is served
// first, if the budget is too small for shares.
const starvedTicks = 8

// SetBudget changes how many callbacks one Advance may start, from the next
// Advance on. 0 means no limit; a negative n is an error.
func (w *Wheel[T]) SetBudget(n int) error {
	if n < 0 {
		return fmt.Errorf("timers: SetBudget(%d): want 0 (no limit) or more", n)
	}
	w.budget = n
	return nil
}

// Budget returns how many callbacks one Advance may start; 0 means no limit.
func (w *Wheel[T]) Budget() int { return w.budget }

// SetLive sets a gate that is asked before a due timer fires. If it returns
// false the timer is dropped, as if it had been cancelled, and does not count
// against the budget. The gate must not call the wheel. Nil removes it.
func (w *Wheel[T]) SetLive(live func(*T) bool) { w.live = live }

// Break ends the callbacks of the Advance in progress after the one that calls
// it; the rest is carried. Outside a callback it does nothing.
func (w *Wheel[T]) Break() {
	if w.busy {
		w.end = w.fired
	}
}

// Backlog returns how many timers of lane l are due and wait for the next
// Advance.
func (w *Wheel[T]) Backlog(l Lane) int { return int(w.due[rankOf[l]]) }

// BacklogAge returns for how many ticks the oldest waiting timer of lane l has
// been due, 0 if none waits.
func (w *Wheel[T]) BacklogAge(l Lane) Span {
	rank := rankOf[l]
	if w.due[rank] == 0 {
		return 0
	}
	h := dueHead(rank)
	for b := w.head(h).next; b != h; b = w.head(b).next {
		for live := w.head(b).word & liveMask; live != 0; live &= live - 1 {
			if w.fires(b<<entryBits | uint32(bits.TrailingZeros64(live))) {
				return Span(w.now - w.meta(b).deadline)
			}
		}
	}
	return 0
}

// fires tells whether a live entry holds a timer that will fire, rather than a
// paused one or a forwarder.
func (c *core) fires(ref uint32) bool {
	i := c.pinOf(ref)
	if i == 0 {
		return true
	}
	p := c.pins.rec(i)
	return p.at == ref && !p.frozen
}

// takePinned takes the timer whose entry ref is due and has a pin out of the wheel,
// or on to its next run, and fills f. It returns false if nothing is to be
// called: the timer is paused, or elsewhere and the entry only forwards to it.
func (w *Wheel[T]) takePinned(ref uint32, f *Firing[T]) bool {
	i := w.linkOf(ref)
	p := w.pins.rec(i)
	if p.at != ref || p.frozen {
		return false
	}
	f.Handle, f.Missed = w.handleOf(ref), 0
	w.due[rankOf[p.lane]]--
	w.head(ref >> entryBits).word &^= 1<<(ref&entryMask) | 1<<(pinShift+ref&entryMask)
	if p.every.period == 0 {
		w.cur, w.curRef = f.Handle, ref
		w.place = p.place
		if p.home != ref {
			w.clear(p.home)
		}
		w.pins.freePin(i)
		return true
	}
	w.cur, w.curRef = Handle{}, 0
	w.armed++ // the next run
	f.Missed = w.rearm(i)
	return true
}
