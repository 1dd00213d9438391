package sim

import (
	"cmp"
	"math/bits"
	"slices"
	"time"

	"github.com/tickwheel/tickwheel/tick"
)

// CostSample is how long some runs of a sort of work took together. Many samples
// with few runs each tell how they differ, one with all runs only their mean.
type CostSample struct {
	// Work is the name of a kind, a storm or a job, one of tick, input, login and
	// logout, or a name with "/arm" (start of a storm's timer) or "/result" (of a
	// job).
	Work string
	Runs int64
	Time time.Duration
}

// costLog measures work on the machine's clock. A nil one measures nothing, as
// under the virtual clock, where costs are what the scenario says. It belongs to the
// tick goroutine.
type costLog struct {
	clock   tick.Clock
	works   map[string]map[uint64]*CostSample // by bucket
	kinds   map[tick.Kind]string              // that are measured
	counted time.Duration                     // so far: what encloses it does not count it again
	timer   string                            // whose callback runs, "" for none
	since   span
}

// span is a moment, and what was counted by then.
type span struct{ now, counted time.Duration }

func newCostLog(c tick.Clock) *costLog {
	return &costLog{clock: c, works: map[string]map[uint64]*CostSample{}, kinds: map[tick.Kind]string{}}
}

// know says that a kind is one of the scenario's.
func (c *costLog) know(k tick.Kind, name string) {
	if c != nil {
		c.kinds[k] = name
	}
}

func (c *costLog) begin() span {
	if c == nil {
		return span{}
	}
	return span{c.clock.Now(), c.counted}
}

// end notes that work has taken the time since s, but for what was counted since
// then, and for known, which is another's.
func (c *costLog) end(work string, s span, known time.Duration) {
	if c != nil {
		all := c.clock.Now() - s.now
		c.add(work, all-(c.counted-s.counted)-known)
		c.counted = s.counted + all
	}
}

// job notes how long a worker took.
func (c *costLog) job(k tick.Kind, d time.Duration) {
	if c == nil {
		return
	}
	if name := c.kinds[k]; name != "" {
		c.add(name, d)
	}
}

// take notes a length that is known.
func (c *costLog) take(work string, d time.Duration) {
	if c != nil {
		c.add(work, d)
	}
}

// stop ends the callback that runs, if one does.
func (c *costLog) stop() {
	if c != nil && c.timer != "" {
		c.end(c.timer, c.since, 0)
		c.timer = ""
	}
}

// fire begins a callback.
func (c *costLog) fire(k tick.Kind) {
	if c == nil {
		return
	}
	c.timer = c.kinds[k]
	c.since = c.begin()
}

// add counts a run in a bucket: 32 for each power of two, with exact sums.
func (c *costLog) add(work string, d time.Duration) {
	d = max(d, 0)
	i := uint64(d)
	if n := bits.Len64(i); n > 6 {
		i = uint64(n)<<5 | i>>(n-6)&31 // past 6<<5: those below stand for themselves
	}
	b := c.works[work]
	if b == nil {
		b = map[uint64]*CostSample{}
		c.works[work] = b
	}
	if b[i] == nil {
		b[i] = &CostSample{Work: work}
	}
	b[i].Runs++
	b[i].Time += d
}

// samples returns what was measured, by name, the shortest first.
func (c *costLog) samples() (all []CostSample) {
	if c == nil {
		return nil
	}
	for _, buckets := range c.works {
		for _, s := range buckets {
			all = append(all, *s)
		}
	}
	slices.SortFunc(all, func(a, b CostSample) int {
		return cmp.Or(cmp.Compare(a.Work, b.Work), cmp.Compare(a.mean(), b.mean()))
	})
	return all
}

func (s CostSample) mean() float64 { return float64(s.Time) / float64(s.Runs) }
