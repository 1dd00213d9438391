package check

// births numbers the things that a call makes, also one that a callback makes
// again and again: the same thing has the same number in a run in which other
// calls are left out.
type births map[int]uint64

func (b births) next(p *op) uint64 {
	b[p.n]++
	return uint64(p.n)<<20 | b[p.n]
}

// pick chooses from a list by weights that only the thing and the call decide
// (rendezvous hashing, Thaler & Ravishankar 1998). An index would name another
// thing as soon as one call is left out, and no failure could be made small. Three
// times of four only good ones are chosen from, if there are any.
func pick[T any](list []T, a int, birth func(T) uint64, good func(T) bool) (best T, ok bool) {
	weight := uint64(0)
	for _, strict := range []bool{a&3 != 0, false} {
		for _, x := range list {
			if strict && !good(x) {
				continue
			}
			if h := mix(birth(x)<<24 ^ uint64(a)); !ok || h > weight {
				best, weight, ok = x, h, true
			}
		}
		if ok {
			break
		}
	}
	return best, ok
}

// mix is the finalizer of SplitMix64 (Steele, Lea & Flood 2014).
func mix(x uint64) uint64 {
	x += 0x9E3779B97F4A7C15
	x = (x ^ x>>30) * 0xBF58476D1CE4E5B9
	x = (x ^ x>>27) * 0x94D049BB133111EB
	return x ^ x>>31
}
