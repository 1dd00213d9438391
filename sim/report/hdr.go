package report

import (
	"io"
	"math"
	"math/bits"
	"strings"
	"time"

	hdr "github.com/HdrHistogram/hdrhistogram-go"

	"github.com/tickwheel/tickwheel/sim"
)

// An interval of latency.hlog is a second, or longer where a run would have more
// than maxIntervals: each is compressed by itself and costs some 200 bytes.
const maxIntervals = 300

// writeHDR writes an HdrHistogram interval log, version 1.3, with two tags a
// policy: POLICY/tick is the length of each tick, POLICY/response the time from
// its intended start to its end, with a value for each interval given up. The
// latter is what a client feels; the former leaves out what a stall took from
// the ticks that never ran. Values are nanoseconds to three digits.
func writeHDR(w io.Writer, runs []*sim.Recording) error {
	l := hdr.NewHistogramLogWriter(w)
	if err := l.OutputLogFormatVersion(); err != nil {
		return err
	}
	if err := l.OutputComment("values in ns, maximum in ms, times in seconds of the run"); err != nil {
		return err
	}
	if err := l.OutputStartTime(0); err != nil {
		return err
	}
	if err := l.OutputLegend(); err != nil {
		return err
	}
	for _, r := range runs {
		if err := writeRunHDR(l, r); err != nil {
			return err
		}
	}
	return nil
}

func writeRunHDR(l *hdr.HistogramLogWriter, r *sim.Recording) error {
	if len(r.Ticks) == 0 {
		return nil
	}
	h := newIntervals(r)
	for i := range r.Ticks {
		t := &r.Ticks[i]
		for t.Start >= h.to {
			if err := h.flush(l); err != nil {
				return err
			}
		}
		if err := h.length.RecordValue(clampHDR(t.Duration)); err != nil {
			return err
		}
		response := t.StartLate + t.Duration
		// The intervals given up were meant to begin before.
		if err := recordEach(h.response, response, r.Scenario.Interval, t.Shed+1); err != nil {
			return err
		}
	}
	return h.flush(l)
}

// recordEach records n values, from the first on each longer by step. It takes as
// long as there are places in h for them, not as there are values: a stall of years
// has billions.
func recordEach(h *hdr.Histogram, first, step time.Duration, n int64) error {
	for n > 0 {
		v, same := clampHDR(first), n
		if first < maxHDR {
			// A place holds all values with the same first 11 bits.
			last := time.Duration(v | (1<<max(bits.Len64(uint64(v))-11, 0) - 1))
			same = min(n, int64((last-first)/step)+1)
		}
		if err := h.RecordValues(v, same); err != nil {
			return err
		}
		first += step * time.Duration(same)
		n -= same
	}
	return nil
}

// intervals are the two histograms of the interval in hand.
type intervals struct {
	from, to, step   time.Duration
	length, response *hdr.Histogram
}

// maxHDR is the longest time a histogram holds, about four days.
const maxHDR = time.Duration(1<<48 - 1)

func clampHDR(d time.Duration) int64 { return int64(min(max(d, 0), maxHDR)) }

func newIntervals(r *sim.Recording) *intervals {
	last := r.Ticks[len(r.Ticks)-1].Start
	step := max(time.Second, r.Scenario.Interval)
	if n := last/step + 1; n > maxIntervals {
		step *= (n + maxIntervals - 1) / maxIntervals
	}
	h := &intervals{from: 0, to: step, step: step}
	h.length, h.response = hdr.New(1, int64(maxHDR), 3), hdr.New(1, int64(maxHDR), 3)
	h.length.SetTag(tag(r.Policy.Name) + "/tick")
	h.response.SetTag(tag(r.Policy.Name) + "/response")
	return h
}

// flush writes the interval, if there was a tick in it, and begins the next.
func (h *intervals) flush(l *hdr.HistogramLogWriter) error {
	for _, x := range []*hdr.Histogram{h.length, h.response} {
		if x.TotalCount() == 0 {
			continue
		}
		x.SetStartTimeMs(h.from.Milliseconds())
		x.SetEndTimeMs(h.to.Milliseconds())
		if err := l.OutputIntervalHistogram(x); err != nil {
			return err
		}
		t := x.Tag()
		x.Reset()
		x.SetTag(t)
	}
	h.from, h.to = h.to, h.to+min(h.step, math.MaxInt64-h.to)
	return nil
}

// tag makes a name fit for a tag and for a benchmark: without spaces and commas.
func tag(name string) string {
	return strings.Map(func(r rune) rune {
		if r <= ' ' || r == ',' || r == 0x7f {
			return '_'
		}
		return r
	}, name)
}
