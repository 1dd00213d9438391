package timers

// Check walks the whole structure and returns the first broken invariant.
func (w *Wheel[T]) Check() error { return w.check() }

// LimitGenerations makes blocks retire after n lives, so that tests see it.
func (w *Wheel[T]) LimitGenerations(n uint32) { w.genLimit = n }

// Seal makes a snapshot of a body, as a writer that is not ours could.
func Seal(body []byte) []byte {
	o := &writer{}
	o.begin()
	o.b = append(o.b, body...)
	o.seal()
	return o.b
}

// Body is what Seal was given.
func Body(snapshot []byte) []byte { return snapshot[snapHeader : len(snapshot)-snapTrailer] }
