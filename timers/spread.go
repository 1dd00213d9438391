package timers

import "math/bits"

// spread draws a deadline, the best of some choices, from the window j opens around
// d, which is after now. The window must be no wider than limit. Draws follow the
// order of calls.
func (w *Wheel[T]) spread(d Tick, j Jitter, choices uint8, limit Span) (Tick, error) {
	if j.Early < 0 || j.Late < 0 || choices > MaxChoices {
		return 0, ErrJitter
	}
	ahead := Span(d - w.now)
	if j.Early > w.horizon || j.Late > w.horizon-ahead {
		return 0, ErrHorizon
	}
	if j.Early+j.Late > limit {
		return 0, ErrJitter
	}
	lo := max(d-Tick(j.Early), w.now+1)
	width := uint64(d + Tick(j.Late) - lo + 1)
	if width == 1 {
		return lo, nil
	}
	best := lo + Tick(w.draw(width))
	if choices < 2 {
		return best, nil
	}
	least := w.load(best)
	for range choices - 1 {
		t := lo + Tick(w.draw(width))
		if n := w.load(t); n < least {
			best, least = t, n
		}
	}
	return best, nil
}

// draw returns a number in [0, n), for n much smaller than 2^64 (Lemire 2019,
// without the rejection step: the bias is below n/2^64).
func (w *Wheel[T]) draw(n uint64) uint64 {
	hi, _ := bits.Mul64(w.rng.Uint64(), n)
	return hi
}
