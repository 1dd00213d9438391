package plot

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"gonum.org/v1/plot/vg"
)

// Where things stand in the latency picture, in points. The text of a panel is
// beside it, not above it, so that panels are close and one look down the
// common time axis compares the policies.
const (
	margin    = 24.0
	gutterW   = 128.0               // the panels' names and numbers
	plotX0    = 204.0               // left edge of the panels
	plotX1    = width - margin - 54 // right edge, before the budget's label
	columnGap = 26.0
	zoomPart  = 0.40 // of the plots' width, with a close-up
	headroom  = 17.0 // above the highest value, for its label
	panelGap  = 14.0
	rowH      = 15.0 // of the marks' labels
	barCol    = 0.5  // a pixel column
	maxRows   = 6    // of the marks' labels
)

var (
	titleStyle   = style{19, true, ink}
	subStyle     = style{12, false, muted}
	nameStyle    = style{13, true, ink}
	labelStyle   = style{10.5, false, muted}
	valueStyle   = style{10.5, false, ink}
	tickStyle    = style{10.5, false, muted}
	worstStyle   = style{11, true, ink}
	captionStyle = style{10, false, muted}
)

// gridDash is for what is only a help to the eye: marks of events.
var gridDash = []vg.Length{3, 2.5}

// latency is the picture of [TickLatency] while it is drawn.
type latency struct {
	*figure
	o     Options
	vr    durationRange
	cols  []timeColumn
	top   float64 // of the first panel
	panel float64 // height of one
	n     int
}

// timeColumn is a stretch of time with its place on the page: the whole run, and the
// close-up if there is one.
type timeColumn struct {
	x       axis
	heading string
	flags   []flag
}

func drawLatency(f Format, runs []Run, o Options) *figure {
	o = o.normal("Tick duration over time")
	l := &latency{o: o, vr: rangeOf(runs, o), n: max(len(runs), 1)}
	l.panel = panelHeight(l.n)

	from, to := timeRange(runs, o)
	l.cols = timeColumns(from, to, o)
	// Widths are measured before the height is known, on a picture thrown away.
	probe := newFigure(SVG, 10)
	hidden, rows := 0, 0
	for i := range l.cols {
		c := &l.cols[i]
		c.flags = probe.layFlags(o.Marks, c.x)
		for _, fl := range c.flags {
			if fl.row < 0 {
				hidden++
				continue
			}
			rows = max(rows, fl.row+1)
		}
	}
	head := 76.0
	if o.Subtitle == "" {
		head -= 18
	}
	strip := float64(rows)*rowH + 8
	if len(l.cols) > 1 {
		strip += 18
	}
	strip = max(strip, 20) // without marks the axis' unit would touch the key
	body := float64(l.n)*(l.panel+panelGap) - panelGap
	h := margin + head + strip + body + 72
	l.figure = newFigure(f, h)
	l.top = h - margin - head - strip

	l.header(o, h-margin)
	l.key(h - margin - head + 10)
	for _, c := range l.cols {
		l.strip(c, rows)
	}
	l.text(tickStyle, plotX0-8, l.top+8, right, "ms, log scale")
	for i := range l.n {
		y1 := l.top - float64(i)*(l.panel+panelGap)
		if i < len(runs) {
			l.drawPanel(runs[i], i, y1)
		} else {
			l.text(labelStyle, (plotX0+plotX1)/2, y1-l.panel/2, centre, "no runs")
		}
	}
	l.timeAxis()
	l.caption(hidden)
	return l.figure
}

// panelHeight gives a lone panel room and keeps a dozen on one screen.
func panelHeight(n int) float64 {
	switch {
	case n == 1:
		return 250
	case n == 2:
		return 160
	case n <= 6:
		return 96
	}
	return 80
}

func timeColumns(from, to float64, o Options) []timeColumn {
	z0, z1 := seconds(o.Zoom.From), seconds(o.Zoom.To)
	if z1 <= z0 || z0 >= to || z1 <= from {
		return []timeColumn{{x: linearAxis(from, to, plotX0, plotX1)}}
	}
	z0, z1 = widen(max(z0, from), min(z1, to))
	// On a whole point, or the bars of the close-up straddle pixels and blur.
	split := math.Round(plotX0 + (plotX1-plotX0-columnGap)*(1-zoomPart))
	return []timeColumn{
		{x: linearAxis(from, to, plotX0, split), heading: "The whole run"},
		{x: linearAxis(z0, z1, split+columnGap, plotX1),
			heading: fmt.Sprintf("Close-up, %s to %s s", clock(z0), clock(z1))},
	}
}

// clock writes a time in seconds, to the hundredth where there is one.
func clock(s float64) string {
	t := strconv.FormatFloat(s, 'f', 2, 64)
	t = strings.TrimSuffix(strings.TrimRight(t, "0"), ".")
	whole, frac, dot := strings.Cut(t, ".")
	sign := ""
	if strings.HasPrefix(whole, "-") {
		sign, whole = "−", whole[1:]
	}
	if dot {
		frac = "." + frac
	}
	return sign + thousands(whole) + frac
}

// header writes title and subtitle below y. Their height is fixed, so that the
// pictures of one report line up.
func (f *figure) header(o Options, y float64) {
	f.text(titleStyle, margin, y-8, left, f.fit(titleStyle, o.Title, width-2*margin))
	f.text(subStyle, margin, y-32, left, f.fit(subStyle, o.Subtitle, width-2*margin))
}

// key explains the colours, in the order in which the eye meets them.
func (l *latency) key(y float64) {
	x := margin
	item := func(swatch func(x float64), text string) {
		swatch(x)
		l.text(valueStyle, x+16, y, left, text)
		x += 16 + l.width(valueStyle, text) + 22
	}
	if l.o.Interval <= 0 {
		item(func(x float64) { l.fill(within, rect{x, y - 4.5, x + 10, y + 4.5}) }, "tick")
		return
	}
	item(func(x float64) { l.fill(within, rect{x, y - 4.5, x + 10, y + 4.5}) }, "tick within the budget")
	item(func(x float64) { l.fill(beyond, rect{x, y - 4.5, x + 10, y + 4.5}) }, "tick over the budget")
	item(func(x float64) { l.line(budgetC, 1.2, nil, pt(x-2, y), pt(x+12, y)) },
		"budget: one interval, "+exact(ms(l.o.Interval))+" ms")
}

// strip draws a column's heading and the labels of its marks above the panels.
func (l *latency) strip(c timeColumn, rows int) {
	base := l.top + 8
	if c.heading != "" {
		s := style{11, true, ink}
		y := base + float64(rows)*rowH + 10
		l.text(s, c.x.p0, y, left, l.fit(s, c.heading, c.x.p1-c.x.p0))
	}
	bottom := l.top - float64(l.n)*(l.panel+panelGap) + panelGap
	for i, fl := range c.flags {
		if hiddenBehind(c.flags, i) {
			continue
		}
		y := l.top
		if fl.row >= 0 {
			y = base + (float64(fl.row)+0.9)*rowH - 3
		}
		l.line(muted, 0.7, gridDash, pt(fl.x, y), pt(fl.x, bottom))
	}
	for _, fl := range c.flags {
		if fl.row < 0 {
			continue
		}
		y := base + (float64(fl.row)+0.5)*rowH - 2
		w := l.width(valueStyle, fl.label)
		if fl.tx < fl.x { // to the left of its line, where others' lines may pass
			l.fill(paper, rect{fl.tx - 2, y - 6, fl.tx + w + 2, y + 6})
		}
		l.text(valueStyle, fl.tx, y, left, fl.label)
	}
}

func (l *latency) timeAxis() {
	y := l.top - float64(l.n)*(l.panel+panelGap) + panelGap
	for _, c := range l.cols {
		for _, m := range c.marks(l.figure) {
			l.line(frame, 0.8, nil, pt(m.pos, y), pt(m.pos, y-4))
			w := l.width(tickStyle, m.label)
			x := min(max(m.pos-w/2, c.x.p0-8), c.x.p1+8-w)
			l.text(tickStyle, x, y-12, left, m.label)
		}
	}
	l.text(tickStyle, (l.cols[0].x.p0+l.cols[0].x.p1)/2, y-29, centre,
		l.fit(tickStyle, l.o.TimeLabel, l.cols[0].x.p1-l.cols[0].x.p0))
	if len(l.cols) > 1 {
		c := l.cols[1]
		l.text(tickStyle, (c.x.p0+c.x.p1)/2, y-29, centre, "the same axis, stretched")
	}
}

func (c timeColumn) marks(f *figure) []mark {
	return c.x.marks(24, func(s string) float64 { return f.width(tickStyle, s) })
}

func (l *latency) caption(hidden int) {
	text := "Ticks that share a pixel are drawn from the lowest to the highest; none is left out."
	if l.vr.clamped > 0 {
		text += " " + floorNote(l.vr)
	}
	if hidden > 0 {
		text += fmt.Sprintf(" %s marks have no room for a label.", count(hidden))
	}
	l.text(captionStyle, margin, margin-6, left, l.fit(captionStyle, text, width-2*margin))
}

// floorNote says what the axis cannot show: where it ends and what was moved.
func floorNote(r durationRange) string {
	if r.clamped == 1 {
		return fmt.Sprintf("1 tick below %s ms is drawn at it.", exact(r.lo))
	}
	return fmt.Sprintf("%s ticks below %s ms are drawn at it.", count(r.clamped), exact(r.lo))
}
