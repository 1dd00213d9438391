package sim

import "time"

// draws are the random choices of a run: each is a hash of seed, kind, entity
// and number, so that a choice does not depend on how many others were made
// before it, and every policy meets the same ones.
type draws struct{ seed uint64 }

// of returns the draw number n of an entity.
func (d draws) of(kind work, entity, n uint64) uint64 { return d.stream(kind).of(entity, n) }

// stream is the draws of one kind.
type stream uint64

func (d draws) stream(kind work) stream { return stream(mix(d.seed ^ uint64(kind)*0x9E3779B97F4A7C15)) }

func (s stream) of(entity, n uint64) uint64 { return mix(mix(uint64(s)^entity) ^ n) }

// mix is the finalizer of SplitMix64 (Steele, Lea & Flood 2014).
func mix(x uint64) uint64 {
	x += 0x9E3779B97F4A7C15
	x = (x ^ x>>30) * 0xBF58476D1CE4E5B9
	x = (x ^ x>>27) * 0x94D049BB133111EB
	return x ^ x>>31
}

// between maps a draw to a duration in [lo, hi).
func between(x uint64, lo, hi time.Duration) time.Duration {
	if hi <= lo {
		return lo
	}
	return lo + time.Duration(x%uint64(hi-lo))
}
