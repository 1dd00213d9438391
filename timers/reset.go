package timers

// Reset moves a pending timer to deadline, an absolute tick, as if it had just
// been scheduled: behind all others of that tick, in the same group and lane,
// without jitter. It returns the timer's new handle, and true; the old handle
// of a one-shot is stale then, while a periodic timer keeps its own. A deadline
// at or before Now means the next tick.
//
// In its own callback a one-shot is scheduled again with the same payload. The
// next run of a periodic timer is moved to deadline and its grid starts there.
// A timer of a paused group stays frozen, with deadline - Now remaining.
//
// It returns h and false, and changes nothing, if the timer fired, was cancelled
// or its group is closed, or if deadline is beyond the horizon: unlike
// time.Timer's, this Reset never revives a timer. It takes constant time.
func (w *Wheel[T]) Reset(h Handle, deadline Tick) (Handle, bool) {
	deadline = max(deadline, w.now+1)
	if Span(deadline-w.now) > w.horizon || h.IsZero() {
		return h, false
	}
	ref, pin := w.find(h)
	switch {
	case ref == 0 && h == w.cur:
		return w.again(deadline)
	case ref == 0:
		return h, false
	case pin != 0:
		w.movePin(pin, deadline)
		return h, true
	}
	b := ref >> entryBits
	to := w.file(deadline, w.lane(b))
	*w.pay(to.ref()) = *w.pay(ref)
	if place := w.linkOf(ref); place != 0 {
		w.setLink(to.ref(), place)
		w.groups.setMember(place, to.ref())
	}
	if w.waiting {
		w.uncount(b)
		w.clear(ref)
		return to, true
	}
	if w.wipe != nil {
		w.wipe(ref)
	}
	w.head(b).word &^= 1 << (ref & entryMask)
	w.armed++
	w.moved++
	w.unsettle(note{uint32(w.head(b).word) | keepsPlace, ref})
	return to, true
}

// again schedules the one-shot in whose callback we are once more.
func (w *Wheel[T]) again(deadline Tick) (Handle, bool) {
	h, err := w.At(deadline, *w.pay(w.curRef), Spec{Group: w.groups.name(w.groupInHand()), Lane: w.inLane})
	if err != nil {
		return w.cur, false
	}
	w.cur = Handle{}
	return h, true
}

// movePin moves a pinned timer.
func (w *Wheel[T]) movePin(i uint32, deadline Tick) {
	p := w.pins.rec(i)
	p.every.grid, p.every.lead, p.every.missed = deadline, 0, 0
	if p.frozen {
		p.remaining = Span(deadline - w.now)
		p.every.grid = Tick(p.remaining) // relative while frozen
		w.stamp++
		p.order, p.index = w.stamp, 0
		return
	}
	old := p.at
	w.placePin(i, deadline)
	w.uncount(old >> entryBits)
	w.vacate(p, old)
}

// placePin gives a pinned timer a new entry; the old one keeps its state.
func (w *Wheel[T]) placePin(i uint32, deadline Tick) {
	p := w.pins.rec(i)
	ref := w.file(deadline, p.lane).ref()
	*w.pay(ref) = *w.pay(p.at)
	w.setPin(ref, i)
	p.at = ref
}

// vacate ends the use of an entry that a pinned timer left, unless it is the
// timer's home, which stays to forward the caller's handle.
func (w *Wheel[T]) vacate(p *pin, ref uint32) {
	if ref != p.home {
		w.clear(ref)
		return
	}
	if w.wipe != nil {
		w.wipe(ref)
	}
}
