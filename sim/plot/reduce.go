package plot

import (
	"math"
	"slices"
	"time"
)

// column is what happened in one pixel column: the lowest and highest of the
// ticks within the budget, and of those over it. An empty kind has lo > hi.
type column struct {
	within, over extent
}

type extent struct{ lo, hi time.Duration }

var none = extent{math.MaxInt64, -1}

func (e extent) empty() bool { return e.lo > e.hi }

func (e *extent) add(d time.Duration) { e.lo, e.hi = min(e.lo, d), max(e.hi, d) }

// reduce files the ticks that began within x's range into n columns. Nothing is
// averaged or sampled: a tick of a second among a million of a millisecond
// stays as high as it was.
func reduce(ticks []Sample, o Options, x axis, n int) []column {
	cols := make([]column, n)
	for i := range cols {
		cols[i] = column{none, none}
	}
	for i, s := range ticks {
		if o.stopped(i) {
			break
		}
		at := seconds(s.At)
		if at < x.lo || at >= x.hi {
			continue
		}
		c := &cols[min(int(float64(n)*((at-x.lo)/(x.hi-x.lo))), n-1)]
		if o.over(s.Latency) {
			c.over.add(s.Latency)
		} else {
			c.within.add(max(s.Latency, 0))
		}
	}
	return cols
}

// spacing is the time between ticks in seconds, as most of them have it; 0 if
// there are fewer than two.
func spacing(ticks []Sample) float64 {
	if len(ticks) < 2 {
		return 0
	}
	// A thousand gaps tell it as well as ten million.
	gaps := make([]float64, 0, 1000)
	for i := 1; i < len(ticks) && len(gaps) < cap(gaps); i++ {
		gaps = append(gaps, math.Abs(seconds(ticks[i].At)-seconds(ticks[i-1].At)))
	}
	slices.Sort(gaps)
	return gaps[len(gaps)/2]
}

// summary is what a panel says about its run.
type summary struct {
	ticks, overruns int
	p50, p99        time.Duration
	worst           Sample
}

func summarize(r Run, o Options) summary {
	ticks := r.Ticks
	s := summary{ticks: len(ticks)}
	if len(ticks) == 0 {
		return s
	}
	s.worst = ticks[0]
	for i, t := range ticks {
		if o.stopped(i) {
			return s
		}
		if o.over(t.Latency) {
			s.overruns++
		}
		if t.worse(s.worst) {
			s.worst = t
		}
	}
	d := r.lengths(o)
	if len(d) > 0 { // none if stopped
		s.p50, s.p99 = quantile(d, 0.5), quantile(d, 0.99)
	}
	return s
}

// worse orders ticks by length, the first of equals above the others, wherever
// they stand: the answer must not depend on the order of the ticks.
func (s Sample) worse(t Sample) bool {
	return s.Latency > t.Latency || s.Latency == t.Latency && s.At < t.At
}

// worstIn is the worst tick on an axis of time, false if there is none.
func worstIn(ticks []Sample, x axis) (worst Sample, ok bool) {
	for _, t := range ticks {
		if at := seconds(t.At); at >= x.lo && at < x.hi && (!ok || t.worse(worst)) {
			worst, ok = t, true
		}
	}
	return worst, ok
}

// quantile is the nearest rank: the least value that a part q of all values do
// not exceed. ds is sorted and not empty.
func quantile(ds []time.Duration, q float64) time.Duration {
	// 0.07·100 is 7.000000000000001 in floats, which must not round up to rank 8.
	rank := int(math.Ceil(q*float64(len(ds)) - 1e-6))
	return ds[min(max(rank, 1), len(ds))-1]
}
