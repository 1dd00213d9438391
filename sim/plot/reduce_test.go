package plot

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestReductionKeepsWorstAndBest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 400).Draw(t, "columns")
		seed := rapid.Uint64().Draw(t, "seed")
		rnd := rand.New(rand.NewPCG(seed, 1))
		var ticks []Sample
		worst, best := time.Duration(-1), time.Duration(math.MaxInt64)
		for range rapid.IntRange(1, 5000).Draw(t, "ticks") {
			d := time.Duration(rnd.Int64N(int64(100 * ms1)))
			ticks = append(ticks, Sample{time.Duration(rnd.Int64N(int64(time.Hour))), d})
			worst, best = max(worst, d), min(best, d)
		}
		o := Options{Interval: interval}
		x := linearAxis(0, 3600, 0, 100)
		gotWorst, gotBest := time.Duration(-1), time.Duration(math.MaxInt64)
		for i, c := range reduce(ticks, o, x, n) {
			gotWorst = max(gotWorst, c.within.hi, c.over.hi)
			gotBest = min(gotBest, c.within.lo, c.over.lo)
			require.LessOrEqual(t, c.within.hi, interval, "column %d", i)
			if !c.over.empty() {
				require.Greater(t, c.over.lo, interval, "column %d", i)
			}
		}
		require.Equal(t, worst, gotWorst, "worst")
		require.Equal(t, best, gotBest, "best")
	})
}

// One tick of a second among ten million of two milliseconds: it is a ten
// thousandth of a pixel wide, and the reason for the picture.
func TestOneBadTickInTenMillionIsDrawn(t *testing.T) {
	r := flat("long", 10_000_000, 2*ms1)
	r.Ticks[7_777_777].Latency = time.Second
	o := Options{Interval: interval}
	from, to := timeRange([]Run{r}, o)
	cols := reduce(r.Ticks, o, linearAxis(from, to, 0, 620), 1240)
	over := 0
	for _, c := range cols {
		if !c.over.empty() {
			over++
			require.Equal(t, extent{time.Second, time.Second}, c.over)
		}
		require.Equal(t, extent{2 * ms1, 2 * ms1}, c.within)
	}
	require.Equal(t, 1, over, "columns with an overrun")
	f := drawLatency(SVG, []Run{r}, o)
	require.Contains(t, texts(f), "1,000 ms at 388,888.85 s\n")
	require.Contains(t, texts(f), "10,000,000\n")
}

func TestLastTickIsOnTheAxis(t *testing.T) {
	for _, o := range []Options{{}, {Interval: 1}, {Interval: interval}} {
		for _, at := range []time.Duration{0, 1, time.Second, 1e6 * time.Second, math.MaxInt64} {
			ticks := []Sample{{0, ms1}, {at, time.Minute}}
			from, to := timeRange([]Run{{Ticks: ticks}}, o)
			s, ok := worstIn(ticks, linearAxis(from, to, 0, 1))
			require.True(t, ok)
			require.Equal(t, time.Minute, s.Latency, "last tick at %v, interval %v", at, o.Interval)
		}
	}
}

func TestQuantileIsTheNearestRank(t *testing.T) {
	var ds []time.Duration
	for i := range 100 {
		ds = append(ds, time.Duration(i+1))
	}
	for _, c := range []struct {
		q    float64
		want time.Duration
	}{
		{0, 1}, {0.005, 1}, {0.01, 1}, {0.07, 7}, {0.5, 50}, {0.501, 51}, {0.99, 99}, {0.999, 100}, {1, 100},
	} {
		require.Equal(t, c.want, quantile(ds, c.q), "quantile(1..100, %v)", c.q)
	}
	require.Equal(t, time.Duration(1), quantile(ds[:1], 0.5))
}

func TestSummaryDoesNotDependOnOrder(t *testing.T) {
	a := []Sample{{2, 7 * ms1}, {1, 7 * ms1}, {3, ms1}, {0, 60 * ms1}, {5, 60 * ms1}}
	b := []Sample{a[4], a[2], a[0], a[3], a[1]}
	o := Options{Interval: interval}
	require.Equal(t, summarize(Run{Ticks: a}, o), summarize(Run{Ticks: b}, o))
	require.Equal(t, Sample{0, 60 * ms1}, summarize(Run{Ticks: a}, o).worst, "the first of equals")
	require.Equal(t, 2, summarize(Run{Ticks: a}, o).overruns)
}

func TestNinesAreEvenlySpaced(t *testing.T) {
	require.InDelta(t, 0, nines(0, 5), 1e-9)
	require.InDelta(t, 1, nines(0.9, 5), 1e-9)
	require.InDelta(t, 3, nines(0.999, 5), 1e-9)
	require.InDelta(t, 5, nines(1, 5), 1e-9)
	var labels []string
	for _, m := range nineMarks(5) {
		labels = append(labels, m.label)
	}
	require.Equal(t, []string{"0", "50", "90", "99", "99.9", "99.99", "100"}, labels)
	require.Equal(t, 5, lastNine([]Run{flat("", 100_000, 1)}))
	require.Equal(t, 6, lastNine([]Run{flat("", 100_001, 1)}))
}
