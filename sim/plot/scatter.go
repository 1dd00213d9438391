package plot

import (
	"fmt"
	"io"
	"math"
	"slices"

	"gonum.org/v1/plot/vg"
)

// A Scatter shows what things cost each other: a point a thing, one panel for each
// pair of figures, side by side.
type Scatter struct {
	Title, Subtitle, Caption string
	// Columns are the figures that points have. Formats play no part in it.
	Columns []Column
	Panels  []Panel
	// Groups name the colours, in a legend above the panels.
	Groups []string
	Points []Point
	// Paths are indexes of Points that a line joins, such as settings that differ in
	// one thing. Those that are out of range are left out.
	Paths [][]int
}

// A Panel has one figure to the right and one upwards, both on logarithmic scales.
type Panel struct {
	Name string
	X, Y int // indexes of Columns
	// Limit is a value of Y that should not be passed, named LimitName. 0 or less
	// means none.
	Limit     float64
	LimitName string
}

// A Point is one thing.
type Point struct {
	// Label stands beside the point where there is room.
	Label string
	// Values has a figure for each column. What is not above 0, or missing, has no
	// place on a logarithmic scale and stands at the low end.
	Values []float64
	Group  int
	// Hollow points are those that do not do. Strong ones stand out: they have a ring
	// and get their label before others.
	Hollow, Strong bool
}

// Limits of a [Scatter]: past them nothing could be told apart.
const (
	MaxPoints = 1000
	MaxPanels = 3
)

const (
	scatterH   = 300.0 // of a panel
	scatterGap = 62.0  // left of a panel, for the figures of its axis
	scatterTop = 40.0  // above it, for its name and that of its axis
	legendRowH = 16.0
	pointR     = 4.2
)

// DrawScatter draws a scatter and writes the picture to w. It returns an error if
// there are more than [MaxPoints] points or [MaxPanels] panels or w fails; it panics if
// f is not a Format.
func DrawScatter(w io.Writer, f Format, s Scatter) error {
	if f != PNG && f != SVG {
		panic(fmt.Sprintf("plot: DrawScatter: unknown format %v", f))
	}
	if len(s.Points) > MaxPoints || len(s.Panels) > MaxPanels {
		return fmt.Errorf("plot: %d points in %d panels, at most %d and %d fit one picture: plot fewer at a time",
			len(s.Points), len(s.Panels), MaxPoints, MaxPanels)
	}
	if err := drawScatter(f, s).write(w); err != nil {
		return fmt.Errorf("plot: writing %v: %w", f, err)
	}
	return nil
}

func drawScatter(f Format, s Scatter) *figure {
	head := 62.0
	if s.Subtitle == "" {
		head -= 16
	}
	probe := newFigure(SVG, 1) // measures texts before the height is known
	places, rows := probe.legend(s)
	h := margin + head + legendRowH*float64(rows) + scatterTop + scatterH + 86
	fig := newFigure(f, h)
	o := Options{Title: s.Title, Subtitle: s.Subtitle}
	fig.header(o.normal("Comparison"), h-margin)
	top := h - margin - head
	for i, p := range places {
		y := top - legendRowH*(float64(p.row)+0.5) + 9
		fig.dot(series[i%len(series)], p.x+4, y, pointR)
		fig.text(valueStyle, p.x+13, y, left, p.name)
	}
	top -= legendRowH * float64(rows)
	each := (width - margin) / float64(max(len(s.Panels), 1))
	for i, p := range s.Panels {
		x0 := each * float64(i)
		d := scatterPanel{figure: fig, s: s, p: p}
		d.draw(rect{x0 + scatterGap, top - scatterTop - scatterH, x0 + each - 6, top - scatterTop})
	}
	fig.text(captionStyle, margin, margin-6, left, fig.fit(captionStyle, clean(s.Caption), width-2*margin))
	return fig
}

// legendPlace is where the name of a group stands.
type legendPlace struct {
	name string
	x    float64
	row  int
}

// legend flows the names of groups into rows.
func (f *figure) legend(s Scatter) (places []legendPlace, rows int) {
	x := margin
	for _, g := range s.Groups {
		name := f.fit(valueStyle, clean(g), 220)
		w := 13 + f.width(valueStyle, name) + 18
		if x > margin && x+w > width-margin {
			x, rows = margin, rows+1
		}
		places = append(places, legendPlace{name, x, rows})
		x += w
	}
	if len(places) > 0 {
		rows++
	}
	return places, rows
}

// scatterPanel is a panel while it is drawn.
type scatterPanel struct {
	*figure
	s     Scatter
	p     Panel
	x, y  axis
	taken []rect        // by points and texts
	lines [][2]vg.Point // of paths
}

func (d *scatterPanel) draw(r rect) {
	d.x = d.axis(d.p.X, 0, r.x0+8, r.x1-8)
	d.y = d.axis(d.p.Y, d.p.Limit, r.y0+8, r.y1-8)
	d.ground(r)
	for _, path := range d.s.Paths {
		var ps []vg.Point
		for _, i := range path {
			if i >= 0 && i < len(d.s.Points) {
				x, y := d.place(d.s.Points[i])
				ps = append(ps, pt(x, y))
			}
		}
		d.line(frame, 1, nil, ps...)
		for i := 1; i < len(ps); i++ {
			d.lines = append(d.lines, [2]vg.Point{ps[i-1], ps[i]})
		}
	}
	// What stands out is drawn last, so that nothing covers it, and of points that
	// coincide the first.
	for _, layer := range []func(Point) bool{
		func(p Point) bool { return p.Hollow && !p.Strong },
		func(p Point) bool { return !p.Hollow && !p.Strong },
		func(p Point) bool { return p.Strong },
	} {
		for _, p := range slices.Backward(d.s.Points) {
			if layer(p) {
				d.point(p)
			}
		}
	}
	d.labels(r)
}

// axis is that of a column, wide enough for its values and limit.
func (d *scatterPanel) axis(column int, limit, p0, p1 float64) axis {
	lo, hi := math.Inf(1), 0.0
	if limit > 0 {
		lo, hi = limit, limit
	}
	for _, p := range d.s.Points {
		if v := value(p, column); v > 0 {
			lo, hi = min(lo, v), max(hi, v)
		}
	}
	if hi == 0 {
		lo, hi = 1, 1
	}
	if hi < lo*minRatio { // see minRatio: a thousandth is no difference
		mid := math.Sqrt(lo) * math.Sqrt(hi)
		lo, hi = mid/2, mid*2
	}
	return logAxis(lo, hi, p0, p1)
}

// value is a figure of p that has a place on a logarithmic scale, or 0.
func value(p Point, column int) float64 {
	if column < 0 || column >= len(p.Values) {
		return 0
	}
	if v := p.Values[column]; v > 0 && !math.IsInf(v, 1) {
		return v
	}
	return 0
}

func (d *scatterPanel) place(p Point) (x, y float64) {
	return d.x.pos(value(p, d.p.X)), d.y.pos(value(p, d.p.Y))
}

// ground draws what is behind the points, and the names of all axes.
func (d *scatterPanel) ground(r rect) {
	limit := d.p.Limit > 0
	if limit {
		d.fill(beyondT, rect{r.x0, d.y.pos(d.p.Limit), r.x1, r.y1})
	}
	for _, m := range d.y.marks(tickGap, func(string) float64 { return 0 }) {
		d.line(rule, 0.7, nil, pt(r.x0, m.pos), pt(r.x1, m.pos))
		d.text(tickStyle, r.x0-7, m.pos, right, m.label)
	}
	for _, m := range d.x.marks(24, func(s string) float64 { return d.width(tickStyle, s) }) {
		d.line(rule, 0.7, nil, pt(m.pos, r.y0), pt(m.pos, r.y1))
		d.text(tickStyle, m.pos, r.y0-12, centre, m.label)
	}
	for _, p := range d.y.minors() {
		d.line(frame, 0.6, nil, pt(r.x0-3, p), pt(r.x0, p))
	}
	for _, p := range d.x.minors() {
		d.line(frame, 0.6, nil, pt(p, r.y0), pt(p, r.y0-3))
	}
	d.line(frame, 0.8, nil, pt(r.x0, r.y1), pt(r.x0, r.y0), pt(r.x1, r.y0))
	room := r.x1 - r.x0
	d.text(nameStyle, r.x0, r.y1+28, left, d.fit(nameStyle, clean(d.p.Name), room))
	d.text(tickStyle, r.x0, r.y1+11, left, d.fit(tickStyle, "↑ "+d.name(d.p.Y), room))
	d.text(tickStyle, r.x1, r.y0-29, right, d.fit(tickStyle, d.name(d.p.X)+" →", room))
	if limit {
		y := d.y.pos(d.p.Limit)
		d.line(budgetC, 1.1, nil, pt(r.x0, y), pt(r.x1, y))
		s := style{10.5, true, budgetC}
		ty := y + 8
		if ty+capHeight*s.size/2 > r.y1-2 {
			ty = y - 8
		}
		d.text(s, r.x1-4, ty, right, d.fit(s, clean(d.p.LimitName), room/2))
		d.taken = append(d.taken, boxOf(d.texts[len(d.texts)-1]))
		d.lines = append(d.lines, [2]vg.Point{pt(r.x0, y), pt(r.x1, y)})
	}
}

func (d *scatterPanel) name(column int) string {
	if column < 0 || column >= len(d.s.Columns) {
		return ""
	}
	return clean(d.s.Columns[column].Name)
}

func (d *scatterPanel) point(p Point) {
	x, y := d.place(p)
	c := series[max(p.Group, 0)%len(series)]
	if p.Strong {
		d.dot(ink, x, y, pointR+3.2)
		d.dot(paper, x, y, pointR+1.8)
	}
	d.dot(paper, x, y, pointR+0.7)
	d.dot(c, x, y, pointR)
	if p.Hollow {
		d.dot(paper, x, y, pointR-1.5)
	}
}

// labels writes those labels that find room: on no other text and no point.
func (d *scatterPanel) labels(r rect) {
	for _, p := range d.s.Points {
		x, y := d.place(p)
		d.taken = append(d.taken, rect{x - pointR, y - pointR, x + pointR, y + pointR})
	}
	type at struct{ x, y int }
	labelled := map[at]bool{} // of points that coincide the first is named
	for _, strong := range []bool{true, false} {
		for _, p := range d.s.Points {
			x, y := d.place(p)
			key := at{int(x / 2), int(y / 2)}
			text := clean(p.Label)
			if p.Strong != strong || text == "" || labelled[key] {
				continue
			}
			labelled[key] = true
			s := style{10, strong, muted}
			if strong {
				s = style{11, true, ink}
			}
			d.label(s, d.fit(s, text, (r.x1-r.x0)/2), x, y, r)
		}
	}
}

// label writes text beside x, y where there is room for it, clear of lines if it can
// be, or nowhere.
func (d *scatterPanel) label(s style, text string, x, y float64, r rect) {
	w, h := d.width(s, text), capHeight*s.size
	away := pointR + 4.5
	if s.bold {
		away += 3
	}
	for _, clear := range []bool{true, false} {
		for _, c := range []struct{ x, y, align float64 }{
			{away, 0, left}, {-away, 0, right}, {0, away + h/2, centre}, {0, -away - h/2, centre},
			{away - 2, away - 1, left}, {away - 2, 1 - away, left}, {2 - away, away - 1, right}, {2 - away, 1 - away, right},
		} {
			x0 := x + c.x - c.align*w
			box := rect{x0 - 2, y + c.y - h/2 - 2, x0 + w + 2, y + c.y + h/2 + 2}
			if box.x0 < r.x0 || box.x1 > r.x1 || box.y0 < r.y0 || box.y1 > r.y1 || d.covered(box, x, y) || clear && d.crossed(box) {
				continue
			}
			d.text(s, x+c.x, y+c.y, c.align, text)
			d.taken = append(d.taken, box)
			return
		}
	}
}

// covered tells whether something other than the point at x, y is in box.
func (d *scatterPanel) covered(box rect, x, y float64) bool {
	for _, t := range d.taken {
		own := t.x0 == x-pointR && t.y0 == y-pointR
		if !own && box.x0 < t.x1 && t.x0 < box.x1 && box.y0 < t.y1 && t.y0 < box.y1 {
			return true
		}
	}
	return false
}

// crossed tells whether a line goes through box.
func (d *scatterPanel) crossed(box rect) bool {
	for _, l := range d.lines {
		from, to := 0.0, 1.0 // the part of the line that is in box
		for _, c := range []struct{ a, b, lo, hi float64 }{
			{float64(l[0].X), float64(l[1].X), box.x0, box.x1}, {float64(l[0].Y), float64(l[1].Y), box.y0, box.y1},
		} {
			t0, t1 := (c.lo-c.a)/(c.b-c.a), (c.hi-c.a)/(c.b-c.a)
			if c.a == c.b { // along the other axis: all of it or nothing
				t0, t1 = 0, 1
				if c.a < c.lo || c.a > c.hi {
					t0, t1 = 1, 0
				}
			} else if t0 > t1 {
				t0, t1 = t1, t0
			}
			from, to = max(from, t0), min(to, t1)
		}
		if from < to {
			return true
		}
	}
	return false
}

func boxOf(p placed) rect { return rect{p.x0, p.y0, p.x1, p.y1} }
