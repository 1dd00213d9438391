package plot

import "math"

// axis maps values to a position between p0 and p1, in points.
type axis struct {
	lo, hi float64 // lo < hi; on a log axis both > 0
	log    bool
	p0, p1 float64
}

// logAxis is a logarithmic axis that survives any range: what isn't positive or
// finite is replaced, a reversed range is turned round, an empty one widened.
func logAxis(lo, hi, p0, p1 float64) axis {
	if math.IsNaN(lo) || lo < 1e-9 {
		lo = 1e-9
	}
	if math.IsNaN(hi) || hi < 1e-9 {
		hi = 1e-9
	}
	lo, hi = min(lo, 1e15), min(hi, 1e15)
	if lo > hi {
		lo, hi = hi, lo
	}
	// Marks need digits: float64 has 15, so a range may not be thinner than 1e-9
	// of its value.
	if hi < lo*(1+1e-9) {
		lo, hi = lo*0.8, hi*1.25
	}
	return axis{lo: lo, hi: hi, log: true, p0: p0, p1: p1}
}

// linearAxis is a linear axis that survives any range, see logAxis.
func linearAxis(lo, hi, p0, p1 float64) axis {
	if math.IsNaN(lo) || math.IsNaN(hi) {
		lo, hi = 0, 1
	}
	lo, hi = max(min(lo, 1e15), -1e15), max(min(hi, 1e15), -1e15)
	if lo > hi {
		lo, hi = hi, lo
	}
	lo, hi = widen(lo, hi)
	return axis{lo: lo, hi: hi, p0: p0, p1: p1}
}

// pos is where v stands. What is off the axis stands at its end.
func (a axis) pos(v float64) float64 {
	if !(v > a.lo) { // NaN too
		return a.p0
	}
	if v >= a.hi {
		return a.p1
	}
	part := (v - a.lo) / (a.hi - a.lo)
	if a.log {
		// Log of a quotient: the difference of two logs loses the digits of a range
		// that is thin compared with its values.
		part = math.Log1p((v-a.lo)/a.lo) / math.Log1p((a.hi-a.lo)/a.lo)
	}
	return a.p0 + part*(a.p1-a.p0)
}

// mark is a labelled point of an axis.
type mark struct {
	at    decimal
	label string
	pos   float64
}

// marks chooses the labelled points: as many as stand apart by gap, with room
// for their labels of the given size along the axis. There are at least two, for any axis
// with room for them.
func (a axis) marks(gap float64, size func(string) float64) []mark {
	var best, fewest []mark
	for _, ds := range a.candidates() {
		ms := a.place(ds)
		if len(ms) < 2 {
			continue
		}
		if len(ms) > len(best) && apart(ms, gap, size) {
			best = ms
		}
		if fewest == nil || len(ms) < len(fewest) {
			fewest = ms
		}
	}
	if best != nil {
		return best
	}
	if len(fewest) > 2 {
		fewest = []mark{fewest[0], fewest[len(fewest)-1]}
	}
	return fewest
}

func apart(ms []mark, gap float64, size func(string) float64) bool {
	for i := 1; i < len(ms); i++ {
		need := gap + (size(ms[i-1].label)+size(ms[i].label))/2
		if math.Abs(ms[i].pos-ms[i-1].pos) < need {
			return false
		}
	}
	return true
}

// place gives marks their label and position. Marks of one linear step get the
// same number of decimals, as in a column of figures.
func (a axis) place(ds []decimal) []mark {
	decimals := 0
	if len(ds) > 1 && ds[0].e == ds[len(ds)-1].e {
		decimals = max(0, -ds[0].e)
	}
	var ms []mark
	for _, d := range ds {
		if v := d.float(); v >= a.lo && v <= a.hi {
			ms = append(ms, mark{d, d.format(decimals), a.pos(v)})
		}
	}
	return ms
}

// candidates are the sets of marks to choose from.
func (a axis) candidates() [][]decimal {
	if !a.log {
		return linearSets(a.lo, a.hi, true)
	}
	e0, e1 := int(math.Floor(math.Log10(a.lo))), int(math.Ceil(math.Log10(a.hi)))
	var sets [][]decimal
	for stride := e1 - e0 + 1; stride >= 1; stride-- {
		var ds []decimal
		for e := e0; e <= e1; e++ {
			if e%stride == 0 {
				ds = append(ds, decimal{1, e})
			}
		}
		sets = append(sets, ds)
	}
	for _, heads := range [][]int64{{1, 3}, {1, 2, 5}} {
		var ds []decimal
		for e := e0; e <= e1; e++ {
			for _, m := range heads {
				ds = append(ds, decimal{m, e})
			}
		}
		sets = append(sets, ds)
	}
	// Within a decade or so, equal steps read better than none.
	if a.hi/a.lo < 20 {
		sets = append(sets, linearSets(a.lo, a.hi, false)...)
	}
	return sets
}

// linearSets are marks at equal steps of 1, 2 or 5 times a power of ten, from
// coarse to fine; clock adds the steps of minutes and hours where they suit.
func linearSets(lo, hi float64, clock bool) [][]decimal {
	span := hi - lo
	top := int(math.Ceil(math.Log10(span)))
	var steps []decimal
	for e := top; e >= top-3; e-- {
		steps = append(steps, decimal{5, e}, decimal{2, e}, decimal{1, e})
	}
	if clock && span > 60 && span <= 3600 {
		steps = []decimal{{6, 2}, {3, 2}, {12, 1}, {6, 1}, {3, 1}, {15, 0}, {1, 1}}
	}
	var sets [][]decimal
	for _, s := range steps {
		step := s.float()
		first, last := math.Ceil(lo/step), math.Floor(hi/step)
		if last-first > 200 {
			break // finer than any picture is wide
		}
		var ds []decimal
		for k := first; k <= last; k++ {
			ds = append(ds, decimal{int64(k) * s.m, s.e})
		}
		sets = append(sets, ds)
	}
	return sets
}

// minors are the positions of 2 to 9 times the powers of ten, the sign by which
// a reader knows a logarithmic axis. More than six decades would be a smear.
func (a axis) minors() []float64 {
	if !a.log || a.hi/a.lo > 1e6 || a.hi/a.lo < 3 {
		return nil
	}
	var ps []float64
	for e := int(math.Floor(math.Log10(a.lo))); e <= int(math.Ceil(math.Log10(a.hi))); e++ {
		for m := int64(1); m <= 9; m++ {
			if v := (decimal{m, e}).float(); v >= a.lo && v <= a.hi {
				ps = append(ps, a.pos(v))
			}
		}
	}
	return ps
}
