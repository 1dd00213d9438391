package timers

// ring is the inner wheel: one slot for each of the next N ticks and each lane,
// and a bitmap of the ticks that have blocks. Tick t has slot t mod N, and tick
// now's slot is free for now+N as soon as its lists were taken out.
type ring struct {
	bitmap
	slots [Lanes][]slot // allocated when the lane is first used
}

// lane returns the slots of a lane rank.
func (r *ring) lane(rank uint32) []slot {
	if r.slots[rank] == nil {
		r.slots[rank] = make([]slot, r.mask+1)
	}
	return r.slots[rank]
}

// unmarkEmpty unmarks t if no lane has blocks for it.
func (r *ring) unmarkEmpty(t Tick) {
	i := t & r.mask
	for _, s := range r.slots {
		if s != nil && s[i].cur != 0 {
			return
		}
	}
	r.unmark(t)
}

// load counts the timers that will fire at t, which the ring must cover.
func (r *ring) load(t Tick) int {
	n := 0
	for _, s := range r.slots {
		if s != nil {
			n += int(s[t&r.mask].fill)
		}
	}
	return n
}
