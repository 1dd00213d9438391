package tick

import (
	"math"
	"math/bits"
	"time"
)

const (
	subBits = 5            // 32 buckets a power of two: 1.6 % error at most
	subs    = 1 << subBits // values below subs are exact
	octaves = 64 - subBits
)

// Histogram counts values from 0 to 1<<63-1 in buckets whose width grows with
// the value: quantiles are exact below 32 and within 1.6 % above. Negative
// values count as 0. Its size is bounded: 0.5 KB, and 256 bytes more the first
// time a value falls into a power of two. The zero Histogram is empty and ready;
// it is not for concurrent use.
type Histogram struct {
	count    uint64
	sum      float64
	min, max int64
	zeros    uint64
	octave   [octaves]*[subs]uint64
}

// Record counts v. It takes constant time.
func (h *Histogram) Record(v int64) { h.add(v, 1) }

func (h *Histogram) add(v int64, n uint64) {
	v = max(v, 0)
	if h.count == 0 {
		h.min, h.max = v, v
	}
	h.count += n
	if v == 0 { // by far the most common value of most of ours
		h.zeros += n
		h.min = 0
		return
	}
	h.sum += float64(v) * float64(n)
	h.min, h.max = min(h.min, v), max(h.max, v)
	o, s := bucket(v)
	if h.octave[o] == nil {
		h.octave[o] = new([subs]uint64)
	}
	h.octave[o][s] += n
}

// bucket returns where v > 0 is counted.
func bucket(v int64) (octave, sub int) {
	if v < subs {
		return 0, int(v)
	}
	shift := bits.Len64(uint64(v)) - subBits - 1
	return shift + 1, int(v>>shift) - subs
}

// bounds returns the smallest value of a bucket and how many it holds.
func bounds(octave, sub int) (low, width int64) {
	if octave == 0 {
		return int64(sub), 1
	}
	shift := octave - 1
	return (subs + int64(sub)) << shift, 1 << shift
}

// recordSeries counts first, first-step, first-2*step … n values in all, those
// below 0 as 0. It visits buckets, not values: a night asleep at 1 ms a tick is
// 30 million of them.
func (h *Histogram) recordSeries(first, step int64, n int64) {
	first = max(first, 0)
	for n > 0 {
		low := int64(0)
		if first > 0 {
			low, _ = bounds(bucket(first))
		}
		k := n
		if step > 0 && first > 0 {
			k = min(n, (first-low)/step+1)
		}
		h.add(first, uint64(k))
		if step > 0 && k > 1 && first > 0 { // add took all k for the first
			h.sum -= float64(step) * float64(k) * float64(k-1) / 2
			h.min = min(h.min, first-(k-1)*step)
		}
		n -= k
		first = max(0, first-k*step)
	}
}

// Merge adds what o has counted.
func (h *Histogram) Merge(o *Histogram) {
	if o.count == 0 {
		return
	}
	if h.count == 0 {
		h.min, h.max = o.min, o.max
	}
	h.min, h.max = min(h.min, o.min), max(h.max, o.max)
	h.count, h.sum, h.zeros = h.count+o.count, h.sum+o.sum, h.zeros+o.zeros
	for i, b := range o.octave {
		if b == nil {
			continue
		}
		if h.octave[i] == nil {
			h.octave[i] = new([subs]uint64)
		}
		for j, n := range b {
			h.octave[i][j] += n
		}
	}
}

// Clone returns a copy that shares nothing with h.
func (h *Histogram) Clone() *Histogram {
	c := new(Histogram)
	c.Merge(h)
	return c
}

// Reset forgets everything but the memory.
func (h *Histogram) Reset() {
	for _, b := range h.octave {
		if b != nil {
			*b = [subs]uint64{}
		}
	}
	h.count, h.sum, h.zeros, h.min, h.max = 0, 0, 0, 0, 0
}

// Count is how many values were recorded.
func (h *Histogram) Count() uint64 { return h.count }

// Min is the smallest value recorded, exactly; 0 if there is none.
func (h *Histogram) Min() int64 { return h.min }

// Max is the largest value recorded, exactly; 0 if there is none.
func (h *Histogram) Max() int64 { return h.max }

// Mean is the mean of the values recorded; 0 if there is none.
func (h *Histogram) Mean() float64 {
	if h.count == 0 {
		return 0
	}
	return h.sum / float64(h.count)
}

// Quantile returns the value that a part q of the values recorded, from 0 to 1,
// does not exceed: the middle of its bucket, within Min and Max. It returns 0 if
// nothing was recorded and panics if q is out of range.
func (h *Histogram) Quantile(q float64) int64 {
	if !(q >= 0 && q <= 1) {
		panic("tick: Histogram.Quantile: q is outside [0, 1]")
	}
	if h.count == 0 {
		return 0
	}
	rank := min(max(uint64(math.Ceil(q*float64(h.count))), 1), h.count)
	if rank == h.count {
		return h.max
	}
	if rank <= h.zeros {
		return 0
	}
	seen := h.zeros
	for o, b := range h.octave {
		if b == nil {
			continue
		}
		for s, n := range b {
			if seen += n; seen >= rank {
				low, width := bounds(o, s)
				return min(max(low+width/2, h.min), h.max)
			}
		}
	}
	return h.max
}

// QuantileDuration is Quantile for values that are nanoseconds.
func (h *Histogram) QuantileDuration(q float64) time.Duration { return time.Duration(h.Quantile(q)) }
