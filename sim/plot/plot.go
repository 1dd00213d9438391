package plot

import (
	"context"
	"fmt"
	"io"
	"math"
	"time"
)

// A Sample is one tick: when it began and how long it took.
type Sample struct {
	// At is when the tick began, counted from the start of the run.
	At time.Duration
	// Latency is how long the tick took. Negative is taken as zero.
	Latency time.Duration
}

// A Run is one panel of the latency picture and one line of the percentiles.
type Run struct {
	// Name is the heading, usually the policy. Too long a name is shortened.
	Name string
	// Ticks may be in any order and of any number. None is a panel that says so.
	Ticks []Sample
	// Lengths are the latencies of Ticks in rising order, as [Lengths] makes them.
	// nil means that each picture sorts them for itself.
	Lengths []time.Duration
}

// A Mark is an event drawn as a vertical line through all panels.
type Mark struct {
	At    time.Duration
	Label string
}

// A Window is a stretch of the run, From included, To excluded.
type Window struct {
	From, To time.Duration
}

// Options say what the picture is about. The zero value draws: without budget,
// marks and close-up.
type Options struct {
	// Title is the headline. Empty means a general one for the picture.
	Title string
	// Subtitle is the line below it: scenario, seed, clock. Empty means none.
	Subtitle string
	// TimeLabel names the horizontal axis. Empty means "simulated time, s".
	TimeLabel string
	// Interval is the tick's budget. A tick that took longer has overrun and is
	// drawn in another colour. 0 or less means no budget and no overruns.
	Interval time.Duration
	// Floor is the least duration the axis shows; shorter ticks are drawn at it.
	// 0 or less means 10 µs. A floor above Interval is taken as Interval, so that
	// the budget line is always where it belongs.
	Floor time.Duration
	// Marks are the events of the scenario. Those outside the time axis are not
	// drawn.
	Marks []Mark
	// Zoom, if not empty, adds a second column to the latency picture that
	// shows this stretch alone. A storm lasts seconds of a run of minutes:
	// without a close-up it is a few pixels wide.
	Zoom Window

	ctx context.Context // of the drawing; a picture that was stopped is never written
}

// stopped tells, in loops over ticks, whether to leave off at the i-th of them.
func (o Options) stopped(i int) bool { return i%(1<<16) == 0 && o.ctx != nil && o.ctx.Err() != nil }

// MaxRuns is how many runs fit one picture. Past it the lines of the
// percentiles can no longer be told apart.
const MaxRuns = 24

// Format is how a picture is encoded.
type Format int

const (
	// PNG is 1,800 pixels wide: 900 at the two pixels a point of today's screens.
	PNG Format = iota
	// SVG names its font, Liberation Sans, and falls back on Arial, which has
	// the same widths.
	SVG
)

func (f Format) String() string {
	switch f {
	case PNG:
		return "png"
	case SVG:
		return "svg"
	}
	return fmt.Sprintf("Format(%d)", int(f))
}

// TickLatency draws the duration of every tick over time, one panel a run, and
// writes the picture to w. All panels share their axes.
//
// It returns an error if there are more than [MaxRuns] runs or w fails, and that
// of ctx soon after ctx has ended, with nothing written; it panics if f is not a
// Format. It takes time proportional to the number of
// ticks, and n log n for the percentiles in the panels' summaries, and for
// the longest run a copy of its latencies.
func TickLatency(ctx context.Context, w io.Writer, f Format, runs []Run, o Options) error {
	return render(ctx, w, f, "TickLatency", runs, o, drawLatency)
}

// Percentiles draws the percentile spectrum of tick durations, one line a run,
// and writes the picture to w. The horizontal axis counts nines, so that the
// worst tick in ten thousand has as much room as the worst in ten. Marks, Zoom
// and TimeLabel play no part in it.
//
// Percentiles are exact: the nearest rank of the sorted ticks, not a histogram.
// Errors, panics and cost are those of [TickLatency].
func Percentiles(ctx context.Context, w io.Writer, f Format, runs []Run, o Options) error {
	return render(ctx, w, f, "Percentiles", runs, o, drawSpectrum)
}

func render(ctx context.Context, w io.Writer, f Format, name string, runs []Run, o Options, draw func(Format, []Run, Options) *figure) error {
	if f != PNG && f != SVG {
		panic(fmt.Sprintf("plot: %s: unknown format %v", name, f))
	}
	if len(runs) > MaxRuns {
		return fmt.Errorf("plot: %d runs, at most %d fit one picture: plot fewer at a time", len(runs), MaxRuns)
	}
	o.ctx = ctx
	fig := draw(f, runs, o)
	if ctx.Err() != nil {
		return fmt.Errorf("plot: %w", ctx.Err())
	}
	if err := fig.write(w); err != nil {
		return fmt.Errorf("plot: writing %v: %w", f, err)
	}
	return nil
}

// normal returns o with defaults filled in and text made drawable.
func (o Options) normal(title string) Options {
	if o.Floor <= 0 {
		o.Floor = 10 * time.Microsecond
	}
	if o.Interval > 0 {
		o.Floor = min(o.Floor, o.Interval)
	}
	o.Title, o.Subtitle, o.TimeLabel = clean(o.Title), clean(o.Subtitle), clean(o.TimeLabel)
	if o.Title == "" {
		o.Title = title
	}
	if o.TimeLabel == "" {
		o.TimeLabel = "simulated time, s"
	}
	return o
}

// over says whether a tick of this length has overrun.
func (o Options) over(d time.Duration) bool { return o.Interval > 0 && d > o.Interval }

// ms is d in milliseconds.
func ms(d time.Duration) float64 { return float64(max(d, 0)) / float64(time.Millisecond) }

// seconds is d in seconds. It never decreases as d grows, which splitting d into
// whole seconds and a rest does not promise once both are rounded.
func seconds(d time.Duration) float64 { return float64(d) / float64(time.Second) }

// durationRange is the part of the vertical axis that the data needs.
type durationRange struct {
	lo, hi  float64 // ms, lo > 0
	clamped int     // ticks below lo, drawn at lo
}

// minRatio is the least hi/lo of a vertical axis. Ticks that differ by a
// thousandth are the same to whoever reads the picture; blown up to the full
// height they would look like trouble.
const minRatio = 4

// rangeOf finds the vertical range shared by all runs and the budget.
func rangeOf(runs []Run, o Options) durationRange {
	least, most := time.Duration(math.MaxInt64), time.Duration(0)
	if o.Interval > 0 {
		least, most = o.Interval, o.Interval
	}
	below := 0
	for _, r := range runs {
		for i, s := range r.Ticks {
			if o.stopped(i) {
				break
			}
			if s.Latency < o.Floor {
				below++
				continue
			}
			least, most = min(least, s.Latency), max(most, s.Latency)
		}
	}
	floor := ms(o.Floor)
	r := durationRange{lo: floor, hi: max(ms(most), floor), clamped: below}
	if below == 0 && most > 0 {
		r.lo = max(niceBelow(0.85*ms(least)), floor)
	}
	if r.hi < r.lo*minRatio {
		r.hi = r.lo * minRatio
	}
	return r
}

// timeRange is the stretch of time, in seconds, that the ticks of all runs cover.
func timeRange(runs []Run, o Options) (from, to float64) {
	lo, hi := math.Inf(1), math.Inf(-1)
	for _, r := range runs {
		for i, s := range r.Ticks {
			if o.stopped(i) {
				break
			}
			lo, hi = min(lo, seconds(s.At)), max(hi, seconds(s.At))
		}
	}
	if lo > hi {
		lo, hi = 0, 1
	}
	if lo > 0 && lo < hi/10 {
		lo = 0
	}
	// The last tick needs its own width, or it would hang over the edge; without
	// any, it would be just outside and get lost.
	hi += max(seconds(o.Interval), 1e-4*(hi-lo))
	if hi <= lo {
		hi = lo + 1
	}
	return widen(lo, hi)
}

// widen makes from < to by enough that a float64 tells the marks between them
// apart: durations near the end of the representable range are microseconds
// apart in seconds.
func widen(from, to float64) (float64, float64) {
	least := max(1e-3, 1e-9*max(math.Abs(from), math.Abs(to)))
	if to-from < least {
		mid := from + (to-from)/2
		return mid - least/2, mid + least/2
	}
	return from, to
}
