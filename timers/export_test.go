package timers

// Check walks the whole structure and returns the first broken invariant.
func (w *Wheel[T]) Check() error { return w.check() }

// LimitGenerations makes blocks retire after n lives, so that tests see it.
func (w *Wheel[T]) LimitGenerations(n uint32) { w.genLimit = n }
