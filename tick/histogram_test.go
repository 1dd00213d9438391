package tick

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"
)

func TestHistogramQuantilesAreWithinThreePercent(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		vs := rapid.SliceOfN(rapid.Int64Range(-5, math.MaxInt64), 1, 200).Draw(t, "values")
		var h Histogram
		for _, v := range vs {
			h.Record(v)
		}
		for i := range vs {
			vs[i] = max(vs[i], 0)
		}
		slices.Sort(vs)
		assert.Equal(t, vs[0], h.Min())
		assert.Equal(t, vs[len(vs)-1], h.Max())
		for _, q := range []float64{0, 0.01, 0.5, 0.9, 0.99, 0.999, 1} {
			want := vs[max(0, int(math.Ceil(q*float64(len(vs))))-1)]
			got := h.Quantile(q)
			assert.InDelta(t, float64(want), float64(got), 0.03*float64(want), "q=%v of %v", q, vs)
		}
	})
}

func TestHistogramBucketsCoverEveryValueOnce(t *testing.T) {
	for _, v := range []int64{1, 31, 32, 33, 63, 64, 65, 1<<31 - 1, 1 << 32, 1<<62 - 1, 1 << 62, math.MaxInt64} {
		o, s := bucket(v)
		low, width := bounds(o, s)
		assert.True(t, low <= v && v-low < width, "value %d in [%d, +%d)", v, low, width)
	}
}

func TestHistogramSeriesEqualsItsValues(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		first := rapid.Int64Range(0, 1<<40).Draw(t, "first")
		step := rapid.Int64Range(0, 1<<36).Draw(t, "step")
		n := rapid.Int64Range(0, 300).Draw(t, "n")
		var a, b Histogram
		a.recordSeries(first, step, n)
		for i := range n {
			b.Record(first - i*step)
		}
		assert.Equal(t, b.count, a.count)
		assert.Equal(t, b.zeros, a.zeros)
		assert.Equal(t, b.min, a.min)
		assert.Equal(t, b.max, a.max)
		assert.InEpsilon(t, 1+b.sum, 1+a.sum, 1e-9)
		assert.Equal(t, b.octave, a.octave)
	})
}

func TestHistogramMergeIsTheSum(t *testing.T) {
	var a, b, both Histogram
	for i := range int64(1000) {
		a.Record(i * i)
		b.Record(i * 1000)
		both.Record(i * i)
		both.Record(i * 1000)
	}
	a.Merge(&b)
	assert.Equal(t, both, a)
	c := a.Clone()
	a.Reset()
	assert.Equal(t, both.octave, c.octave)
	assert.Zero(t, a.Quantile(0.5))
	assert.Panics(t, func() { a.Quantile(math.NaN()) })
}

func TestHistogramDoesNotAllocateOnceWarm(t *testing.T) {
	var h Histogram
	h.Record(1 << 20)
	assert.Zero(t, testing.AllocsPerRun(100, func() { h.Record(1<<20 + 5); h.Record(0) }))
}
