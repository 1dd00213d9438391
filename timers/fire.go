package timers

import (
	"fmt"
	"math"
	"math/bits"
)

// maxTick is the last tick a wheel can reach: every deadline within the horizon
// of it can still be counted.
const maxTick = math.MaxInt64 - Tick(maxHorizon) - 1<<21

// Advance makes to the tick in hand, passing through every tick from Now+1, and
// calls fire for each timer due, lane by lane, with Now at the timer's turn. It
// starts at most as many callbacks as the budget allows; the rest is carried to
// the next Advance, in order, and [Firing.Late] tells how long it waited. Only
// callbacks started count against the budget. Advance(Now()) runs nothing.
//
// Within the budget lanes are served urgent, normal, bulk, but a lower lane is
// sure of its share, and a lane's carried timers go before its newly due ones.
//
// If a callback panics or calls runtime.Goexit, the wheel is whole and the rest
// of the tick is first in line: the next Advance goes on with it, with what is
// left of the budget, and its Report covers both.
//
// Advance panics if to is before Now, beyond tick 3*1<<61 - 1<<21, where time
// ends, or called from a callback. Its cost is that of the timers it fires;
// ticks without timers are skipped in constant time.
func (w *Wheel[T]) Advance(to Tick, fire func(Firing[T])) Report {
	if to == w.now+1 && (to <= w.quiet || w.idle()) {
		w.now = to
		return Report{From: to - 1, To: to}
	}
	return w.run(to, fire)
}

// idle tells whether nothing at all is to be done in the next tick.
func (w *Wheel[T]) idle() bool {
	if w.busy || w.cut || w.waiting || !w.calm() {
		return false
	}
	w.starved = [Lanes]int{}
	return true
}

func (w *Wheel[T]) run(to Tick, fire func(Firing[T])) Report {
	w.begin(to)
	defer w.stop()
	if w.cut {
		w.cut = false
		w.drain(fire)
		w.endTick()
	} else {
		w.report = Report{From: w.now}
		w.end = math.MaxUint64
		if w.budget > 0 {
			w.end = w.fired + uint64(w.budget)
		}
	}
	for w.now < to {
		if w.due == [Lanes]uint32{} {
			w.starved = [Lanes]int{} // nobody waits: what comes next starts afresh
		}
		if to-w.now > 1 && !w.skip(to) {
			break
		}
		w.enter()
		if w.waiting && w.left() > 0 {
			w.beginTick()
			w.drain(fire)
			w.endTick()
		}
	}
	w.report.To = w.now
	w.report.Carried = int(w.due[0]) + int(w.due[1]) + int(w.due[2])
	w.busy = false
	return w.report
}

// left is how many callbacks may still start.
func (w *Wheel[T]) left() int { return int(min(w.end-w.fired, math.MaxInt)) }

// begin opens an Advance; stop closes it, also when a callback unwinds it.
func (w *Wheel[T]) begin(to Tick) {
	switch {
	case w.busy:
		panic("timers: Advance called from a callback")
	case to < w.now:
		panic(fmt.Sprintf("timers: Advance(%d): the wheel is at tick %d already", to, w.now))
	case to > maxTick:
		panic(fmt.Sprintf("timers: Advance(%d): the last tick is %d", to, maxTick))
	}
	w.busy = true
	w.quiet = 0
	w.settle()
}

func (w *Wheel[T]) stop() {
	if w.inHand != 0 { // a callback unwound it
		w.leavePlace()
		if w.wipe != nil && w.curRef>>entryBits == w.inHand {
			w.wipe(w.curRef)
		}
		w.putDown(false)
	}
	w.cut = w.busy
	w.busy = false
	if w.wipe != nil {
		w.warmed = *new(T)
	}
	w.cur = Handle{}
}

// skip passes over ticks before to in which nothing will fire. It returns
// false if it reached to.
func (w *Wheel[T]) skip(to Tick) bool {
	if w.waiting && w.left() > 0 {
		return true
	}
	t, ok := w.nextMarked()
	if !ok || t > to {
		w.jump(to)
		return false
	}
	if t > w.now+1 {
		w.jump(t - 1)
	}
	return true
}

// beginTick fixes what each lane may use of the budget in the tick in hand.
func (w *Wheel[T]) beginTick() {
	w.pass = 0
	w.order = [Lanes]uint32{0, 1, 2}
	w.ran = [Lanes]int{}
	for rank := range w.due {
		w.hungry[rank] = w.due[rank] > 0
	}
	// Of what is left, not of the budget as set: that may have been changed
	// since a callback interrupted this Advance.
	left := w.left()
	share := func(rank int, part float64) int {
		n := int(float64(left) * part)
		if n == 0 && left >= 3 {
			n = 1
		}
		return min(n, int(w.due[rank]))
	}
	w.reserve = [Lanes]int{0, share(1, w.shares.Normal), share(2, w.shares.Bulk)}
	if left < 3 {
		w.serveStarved()
	}
}

// serveStarved puts the lane that waited longest first, if it waited too long.
func (w *Wheel[T]) serveStarved() {
	worst := uint32(0)
	for rank := range uint32(Lanes) {
		if w.hungry[rank] && w.starved[rank] > w.starved[worst] {
			worst = rank
		}
	}
	if w.starved[worst] < starvedTicks {
		return
	}
	copy(w.order[1:worst+1], w.order[:worst])
	w.order[0] = worst
}

func (w *Wheel[T]) endTick() {
	for rank := range w.starved {
		if w.hungry[rank] && w.ran[rank] == 0 {
			w.starved[rank]++
		} else {
			w.starved[rank] = 0
		}
	}
	w.setWaiting(w.due != [Lanes]uint32{})
}

// drain runs the due lists in the order of lanes: first with what is reserved
// for the lanes behind held back, then with what is left.
func (w *Wheel[T]) drain(fire func(Firing[T])) {
	for ; w.pass < 2*Lanes && w.left() > 0; w.pass++ {
		held := 0
		if w.pass < Lanes {
			for _, rank := range w.order[w.pass+1:] {
				held += w.reserve[rank]
			}
		}
		rank := w.order[w.pass%Lanes]
		h := w.head(dueHead(rank))
		for ahead := 0; w.due[rank] > 0 && w.left() > held; ahead-- {
			if ahead == 0 {
				ahead = w.warmBlocks(h.next, dueHead(rank))
			}
			w.runBlock(h.next, laneOf[rank], uint64(held), fire)
		}
	}
}

// warmBlocks looks at the blocks that come next, so that their cache misses
// overlap, and returns how many those are.
func (w *Wheel[T]) warmBlocks(b, end uint32) (n int) {
	for ; n < 16 && b != end; n++ {
		w.warmed = *w.pay(b << entryBits)
		b = w.head(b).next
	}
	return n
}

// runBlock fires the timers of block b, the first of the due list of its lane,
// while more than held callbacks are left.
func (w *Wheel[T]) runBlock(b uint32, lane Lane, held uint64, fire func(Firing[T])) {
	p := &w.head(b).word
	pays := w.payloads(b)
	f := Firing[T]{Deadline: w.dueAt(b), Lane: lane}
	f.Late = Span(w.now - f.Deadline)
	due := &w.due[rankOf[lane]]
	w.inHand, w.inLane, w.began = b, lane, w.fired
	ahead := uint64(liveMask) // entries not looked at yet
	for w.end-w.fired > held {
		// Read again for every timer: a callback may have cancelled the next.
		word := *p
		live := word & ahead
		if live == 0 {
			w.putDown(true)
			return
		}
		i := bits.TrailingZeros64(live)
		ahead = liveMask << (i + 1) & liveMask
		ref := b<<entryBits | uint32(i)
		if w.live != nil && w.fires(ref) && !w.live(&pays[i]) {
			w.Cancel(w.handleOf(ref))
			continue
		}
		f.Payload = pays[i]
		if word>>(pinShift+i)&1 != 0 {
			if !w.takePinned(ref, &f) {
				continue
			}
		} else {
			f.Handle, f.Missed = Handle{word>>genShift<<32 | uint64(ref)}, 0
			w.cur, w.curRef, w.place = f.Handle, ref, w.linkOf(ref)
			*p = word &^ (1 << i)
			*due--
		}
		w.fired++
		fire(f)
		if w.place != 0 {
			w.leavePlace()
		}
		if w.wipe != nil {
			pays[i] = *new(T)
		}
	}
	w.putDown(false)
}

// leavePlace has the one-shot whose callback ran leave its group.
func (w *Wheel[T]) leavePlace() {
	if w.place != 0 {
		w.groups.vacate(w.place)
		w.place = 0
	}
}

// putDown ends the firing of the block in hand. If it is done, what is left in it
// are forwarders and paused timers.
func (w *Wheel[T]) putDown(done bool) {
	b := w.inHand
	w.inHand = 0
	ran := int(w.fired - w.began)
	w.ran[rankOf[w.inLane]] += ran
	w.report.Fired += ran
	if w.head(b).word&liveMask == 0 {
		w.unlink(b)
		w.release(b)
	} else if done {
		w.park(b)
	}
}
