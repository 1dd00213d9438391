package plot

import (
	"cmp"
	"fmt"
	"image/color"
	"math"
	"slices"
	"strings"
	"time"

	"gonum.org/v1/plot/vg"
)

const (
	spectrumX0 = 84.0
	spectrumX1 = 672.0
	spectrumH  = 340.0 // of the plot
	endGap     = 15.0  // between the names at the ends of the lines
)

// nines maps a part q of all ticks to the horizontal axis: one unit for each
// nine, 0 for q = 0, and end for the worst tick.
func nines(q float64, end int) float64 {
	if q >= 1 {
		return float64(end)
	}
	return min(-math.Log10(1-max(q, 0)), float64(end))
}

// nineMarks are the labelled percentiles of an axis of the given length.
func nineMarks(end int) []mark {
	ms := []mark{{label: "0", pos: 0}, {label: "50", pos: nines(0.5, end)}, {label: "90", pos: 1}}
	for k := 2; k < end; k++ {
		label := "99"
		if k > 2 {
			label += "." + strings.Repeat("9", k-2)
		}
		ms = append(ms, mark{label: label, pos: float64(k)})
	}
	return append(ms, mark{label: "100", pos: float64(end)})
}

// end is what is named at the right end of the spectrum: a line or the budget.
type end struct {
	text   string
	style  style
	y, ty  float64 // where it is, where its text goes
	leader color.Color
}

func drawSpectrum(f Format, runs []Run, o Options) *figure {
	o = o.normal("Percentiles of tick duration")
	vr := rangeOf(runs, o)
	head := 62.0
	if o.Subtitle == "" {
		head -= 16
	}
	h := margin + head + spectrumH + 72
	fig := newFigure(f, h)
	fig.header(o, h-margin)

	y1 := h - margin - head
	y0 := y1 - spectrumH
	y := logAxis(vr.lo, vr.hi, y0, y1-10)
	last := lastNine(runs)
	x := linearAxis(0, float64(last), spectrumX0, spectrumX1)
	fig.spectrumGround(x, y, y1, last, vr, o)

	var ends []end
	if o.Interval > 0 {
		p := y.pos(ms(o.Interval))
		fig.line(budgetC, 1.1, nil, pt(x.p0, p), pt(x.p1, p))
		ends = append(ends, end{text: "budget, " + exact(ms(o.Interval)) + " ms", style: style{10.5, true, budgetC}, y: p, leader: budgetC})
	}
	for i, r := range runs {
		ends = append(ends, fig.spectrumLine(r, r.lengths(o), i, len(runs), x, y, last))
	}
	if len(runs) == 0 {
		fig.text(labelStyle, (x.p0+x.p1)/2, y0+spectrumH/3, centre, "no runs")
	}
	fig.nameEnds(ends, x.p1, y0, y1)
	fig.spectrumCaption(vr)
	return fig
}

// lastNine is where the axis ends: past 99.99 it goes on for as long as the
// largest run has ticks to tell the nines apart.
func lastNine(runs []Run) int {
	most := 0
	for _, r := range runs {
		most = max(most, len(r.Ticks))
	}
	last := 5
	for n := 100_000; n < most && last < 7; n *= 10 {
		last++
	}
	return last
}

func (f *figure) spectrumGround(x, y axis, y1 float64, last int, vr durationRange, o Options) {
	if o.Interval > 0 {
		f.fill(beyondT, rect{x.p0, y.pos(ms(o.Interval)), x.p1, y1})
	}
	for _, p := range y.minors() {
		f.line(frame, 0.6, nil, pt(x.p0-3, p), pt(x.p0, p))
	}
	for _, m := range durationMarks(y, vr) {
		f.line(rule, 0.7, nil, pt(x.p0, m.pos), pt(x.p1, m.pos))
		f.line(frame, 0.8, nil, pt(x.p0-5, m.pos), pt(x.p0, m.pos))
		f.text(tickStyle, x.p0-8, m.pos, right, m.label)
	}
	for _, m := range nineMarks(last) {
		p := x.pos(m.pos)
		f.line(rule, 0.7, nil, pt(p, y.p0), pt(p, y1))
		f.line(frame, 0.8, nil, pt(p, y.p0), pt(p, y.p0-4))
		f.text(tickStyle, p, y.p0-12, centre, m.label)
	}
	f.line(frame, 0.8, nil, pt(x.p0, y1), pt(x.p0, y.p0), pt(x.p1, y.p0))
	f.text(tickStyle, margin, y1+10, left, "ms, log scale")
	f.text(tickStyle, (x.p0+x.p1)/2, y.p0-30, centre, "percentile of all ticks; 100 is the worst tick")
}

// spectrumLine draws one run and returns what to write at its end. Earlier lines
// are wider, so that of several that coincide each still shows at the edges.
func (f *figure) spectrumLine(r Run, ds []time.Duration, i, n int, x, y axis, last int) end {
	clr := series[i%len(series)]
	dash := dashes[i/len(series)%len(dashes)]
	name := f.fit(valueStyle, runName(r, i), 130)
	e := end{text: name + "  no ticks", style: style{10.5, true, ink}, y: y.p0, leader: clr}
	if len(ds) == 0 {
		return e
	}
	var ps []vg.Point
	prev := time.Duration(-1)
	for p := x.p0; p <= x.p1; p++ {
		q := 1 - math.Pow(10, -(p-x.p0)/(x.p1-x.p0)*float64(last))
		v := quantile(ds, q)
		if prev >= 0 && v != prev { // a step: the value holds up to its rank
			ps = append(ps, pt(p, y.pos(ms(prev))))
		}
		ps, prev = append(ps, pt(p, y.pos(ms(v)))), v
	}
	worst := ds[len(ds)-1]
	ps = append(ps, pt(x.p1, y.pos(ms(prev))), pt(x.p1, y.pos(ms(worst))))
	w := 1.6 + 1.8*float64(n-1-i)/float64(max(n-1, 1))
	f.line(clr, w, dash, ps...)
	e.y = y.pos(ms(worst))
	e.text = fmt.Sprintf("%s  %s ms", name, amount(ms(worst)))
	f.dot(clr, x.p1, e.y, 3)
	return e
}

// nameEnds writes the names beside the ends of the lines, which says more than a legend and
// covers nothing. Names that would overlap move apart and keep a leader.
func (f *figure) nameEnds(ends []end, x, y0, y1 float64) {
	slices.SortStableFunc(ends, func(a, b end) int { return cmp.Compare(b.y, a.y) })
	next := y1
	for i := range ends {
		ends[i].ty = min(ends[i].y, next)
		next = ends[i].ty - endGap
	}
	next = y0
	for i := len(ends) - 1; i >= 0; i-- {
		ends[i].ty = max(ends[i].ty, next)
		next = ends[i].ty + endGap
	}
	for _, e := range ends {
		f.line(e.leader, 1.6, nil, pt(x+5, e.y), pt(x+14, e.ty), pt(x+18, e.ty))
		f.text(e.style, x+22, e.ty, left, f.fit(e.style, e.text, width-margin-x-22))
	}
}

func (f *figure) spectrumCaption(vr durationRange) {
	text := "Named at the right: each run's worst tick."
	if vr.clamped > 0 {
		text += " " + floorNote(vr)
	}
	f.text(captionStyle, margin, margin-6, left, f.fit(captionStyle, text, width-2*margin))
}
