package plot

import (
	"fmt"
	"image/color"
)

// drawPanel draws run i with its top at y1: numbers on the left, then a plot for each
// time column.
func (l *latency) drawPanel(r Run, i int, y1 float64) {
	y0 := y1 - l.panel
	sum := summarize(r, l.o)
	l.numbers(r, i, sum, y1)

	y := logAxis(l.vr.lo, l.vr.hi, y0, y1-headroom)
	l.valueAxis(y)
	for k, c := range l.cols {
		l.ground(c, y, rect{c.x.p0, y0, c.x.p1, y1})
		if k == 0 && len(l.cols) > 1 {
			z := l.cols[1].x
			l.bracket(c.x.pos(z.lo), c.x.pos(z.hi), y0)
		}
		l.bars(r.Ticks, c.x, y)
	}
	l.budget(y)
	if sum.ticks == 0 {
		x := l.cols[0].x
		ty := y0 + l.panel/3
		l.fill(paper, rect{(x.p0+x.p1)/2 - 50, ty - 7, (x.p0+x.p1)/2 + 50, ty + 7})
		l.text(labelStyle, (x.p0+x.p1)/2, ty, centre, "no ticks recorded")
		return
	}
	l.worst(r.Ticks, sum.worst, l.cols[0], y, y1, true)
	for _, c := range l.cols[1:] {
		// The run's worst tick may be elsewhere; what the storm did is shown here.
		if s, ok := worstIn(r.Ticks, c.x); ok {
			l.worst(r.Ticks, s, c, y, y1, false)
		}
	}
}

// numbers writes the run's name and the figures a reader asks for first.
func (l *latency) numbers(r Run, i int, s summary, y1 float64) {
	name := runName(r, i)
	ns := nameStyle
	for ns.size > 10.5 && l.width(ns, name) > gutterW {
		ns.size -= 0.5
	}
	y := y1 - 7
	l.text(ns, margin, y, left, l.fit(ns, name, gutterW))
	row := func(label, value string, vs style) {
		y -= 14
		l.text(labelStyle, margin, y, left, label)
		l.text(vs, margin+gutterW, y, right, l.fit(vs, value, gutterW-50))
	}
	y -= 3
	if s.ticks == 0 {
		row("ticks", "0", valueStyle)
		return
	}
	row("p50", amount(ms(s.p50))+" ms", valueStyle)
	row("p99", amount(ms(s.p99))+" ms", valueStyle)
	row("max", amount(ms(s.worst.Latency))+" ms", valueStyle)
	if l.o.Interval <= 0 {
		row("ticks", count(s.ticks), valueStyle)
		return
	}
	vs := valueStyle
	if s.overruns > 0 {
		vs = style{10.5, true, budgetC}
	}
	value := fmt.Sprintf("%s of %s", count(s.overruns), count(s.ticks))
	if l.width(vs, value) > gutterW-50 {
		value = count(s.overruns)
	}
	row("overruns", value, vs)
}

func runName(r Run, i int) string {
	if name := clean(r.Name); name != "" {
		return name
	}
	return fmt.Sprintf("run %d", i+1)
}

// valueAxis labels the durations at the left edge.
func (l *latency) valueAxis(y axis) {
	for _, p := range y.minors() {
		l.line(frame, 0.6, nil, pt(plotX0-3, p), pt(plotX0, p))
	}
	for _, m := range l.durationMarks(y) {
		l.line(frame, 0.8, nil, pt(plotX0-5, m.pos), pt(plotX0, m.pos))
		l.text(tickStyle, plotX0-8, m.pos, right, m.label)
	}
}

// tickGap is how far labels of a vertical axis are apart, centre to centre.
const tickGap = 15

func (l *latency) durationMarks(y axis) []mark { return durationMarks(y, l.vr) }

// durationMarks are the labels of a vertical axis. If ticks were moved up to its
// lower end, that end is labelled, and says so.
func durationMarks(y axis, r durationRange) []mark {
	ms := y.marks(tickGap, func(string) float64 { return 0 })
	if r.clamped == 0 {
		return ms
	}
	for len(ms) > 0 && ms[0].pos-y.p0 < tickGap {
		ms = ms[1:]
	}
	return append([]mark{{label: "≤ " + exact(r.lo), pos: y.p0}}, ms...)
}

// ground draws what is behind the data.
func (l *latency) ground(c timeColumn, y axis, r rect) {
	if l.o.Interval > 0 {
		l.fill(beyondT, rect{r.x0, y.pos(ms(l.o.Interval)), r.x1, r.y1})
	}
	for _, m := range l.durationMarks(y) {
		l.line(rule, 0.7, nil, pt(r.x0, m.pos), pt(r.x1, m.pos))
	}
	for _, m := range c.marks(l.figure) {
		l.line(rule, 0.7, nil, pt(m.pos, r.y0), pt(m.pos, r.y1))
	}
	for i, fl := range c.flags {
		if !hiddenBehind(c.flags, i) {
			l.line(muted, 0.7, gridDash, pt(fl.x, r.y1), pt(fl.x, r.y0))
		}
	}
	l.line(frame, 0.8, nil, pt(r.x0, r.y1), pt(r.x0, r.y0), pt(r.x1, r.y0))
}

// bracket shows on the axis of the whole run which part the close-up shows.
func (l *latency) bracket(x0, x1, y0 float64) {
	l.fill(ink, rect{x0, y0 - 2.5, max(x1, x0+2), y0 - 0.5})
}

// bars draws the ticks: from the bottom in a tint, so that a plateau reads as a
// block; from the lowest to the highest of a column in full colour; and what is
// over the budget in the colour of overruns.
func (l *latency) bars(ticks []Sample, x, y axis) {
	n := int((x.p1 - x.p0) / barCol)
	w := barWidth(ticks, x)
	limit := y.p0
	if l.o.Interval > 0 {
		limit = y.pos(ms(l.o.Interval))
	}
	var tint, solid, overTint, over []rect
	cols := reduce(ticks, l.o, x, n)
	for i, c := range cols {
		x0 := x.p0 + float64(i)*barCol
		x1 := min(x0+w, x.p1)
		x0 = min(x0, x1-0.5)
		if !c.within.empty() {
			lo, hi := y.pos(ms(c.within.lo)), y.pos(ms(c.within.hi))
			tint = append(tint, rect{x0, y.p0, x1, lo})
			solid = append(solid, rect{x0, min(lo, hi-0.8), x1, hi + 0.8})
			if i > 0 && w < 2 {
				solid = append(solid, riser(x0, y, cols[i-1].within, c.within)...)
			}
		}
		if !c.over.empty() {
			// Never thinner than can be seen: this is what the picture is for.
			x0 = min(x0, x.p1-1.8)
			x1 = max(x1, x0+1.8)
			overTint = append(overTint, rect{x0, y.p0, x1, limit})
			over = append(over, rect{x0, limit, x1, max(y.pos(ms(c.over.hi)), limit+1.6)})
		}
	}
	for _, layer := range []struct {
		c  color.Color
		rs []rect
	}{{withinT, tint}, {overTintC, overTint}, {within, solid}, {beyond, over}} {
		l.fill(layer.c, layer.rs...)
	}
}

// barWidth is how wide a tick is drawn: four fifths of its time, so that ticks
// are told apart, but never so thin as to vanish.
func barWidth(ticks []Sample, x axis) float64 {
	if len(ticks) == 1 {
		return 7 // it has no neighbours to stay clear of
	}
	return min(max(0.8*spacing(ticks)*(x.p1-x.p0)/(x.hi-x.lo), 1.3), 7)
}

// riser joins the bands of two neighbouring columns, so that a storm of a few
// pixels has sides and not only a roof.
func riser(x float64, y axis, a, b extent) []rect {
	lo, hi := min(a.hi, b.hi), max(a.lo, b.lo)
	if a.empty() || b.empty() || lo >= hi {
		return nil // they touch by themselves
	}
	return []rect{{x - 0.5, y.pos(ms(lo)), x + 0.5, y.pos(ms(hi))}}
}

// budget draws the line that ticks should stay under, and its name beside it.
func (l *latency) budget(y axis) {
	if l.o.Interval <= 0 {
		return
	}
	p := y.pos(ms(l.o.Interval))
	for _, c := range l.cols {
		l.line(budgetC, 1.1, nil, pt(c.x.p0, p), pt(c.x.p1, p))
	}
	s := style{10.5, true, budgetC}
	room := width - plotX1 - 10
	l.text(s, plotX1+6, p, left, l.fit(s, exact(ms(l.o.Interval))+" ms", room))
}

// worst points out the highest tick of a time column, and says when it was if
// dated. The label of an overrun stands beside it, that of another tick above it
// or, if that would meet the budget line, above the line; on the side with
// fewer ticks to cover.
func (l *latency) worst(ticks []Sample, worst Sample, c timeColumn, y axis, y1 float64, dated bool) {
	at := seconds(worst.At)
	x, p := min(c.x.pos(at)+barWidth(ticks, c.x)/2, c.x.p1), y.pos(ms(worst.Latency))
	clr, ts, back := within, worstStyle, paper
	ty := p + 10
	if l.o.Interval > 0 {
		b := y.pos(ms(l.o.Interval))
		if l.o.over(worst.Latency) {
			clr, ts.color = beyond, budgetC
			ty = max(p, b+9)
		} else if ty+7 > b {
			ty = b + 9
		}
		if ty > b {
			back = beyondT
		}
	}
	ty = min(ty, y1-7)
	l.dot(paper, x, p, 3.9)
	l.dot(clr, x, p, 2.9)

	text := amount(ms(worst.Latency)) + " ms"
	if dated {
		text += " at " + clock(at) + " s"
	}
	w := l.width(ts, text)
	tx, n := x+8, l.covered(ticks, c, y, x+8, w, ty)
	lx := max(x-8-w, c.x.p0+2)
	if ln := l.covered(ticks, c, y, lx, w, ty); tx+w > c.x.p1-2 || x-8-w > c.x.p0 && ln < n {
		tx, n = lx, ln
	}
	if n > 0 { // a plateau on both sides: nothing is higher than its highest tick
		ty = min(p+10, y1-7)
		n = l.covered(ticks, c, y, tx, w, ty)
	}
	if n == 0 { // nothing but lines behind it
		l.fill(back, rect{tx - 2, ty - 5.5, tx + w + 2, ty + 5.5})
	}
	l.text(ts, tx, ty, left, text)
}

// covered is how many columns between x and x+w reach up to a label at ty.
func (l *latency) covered(ticks []Sample, c timeColumn, y axis, x, w, ty float64) int {
	n := 0
	cols := reduce(ticks, l.o, c.x, int(c.x.p1-c.x.p0))
	for i := max(int(x-c.x.p0), 0); i < min(int(x+w-c.x.p0)+1, len(cols)); i++ {
		if top := max(cols[i].within.hi, cols[i].over.hi); top >= 0 && y.pos(ms(top)) > ty-6 {
			n++
		}
	}
	return n
}
