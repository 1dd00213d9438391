package plot

import (
	"fmt"
	"io"
	"math"
)

// A Chart compares things by several figures: a row a thing, a column a figure.
type Chart struct {
	Title, Subtitle, Caption string
	Columns                  []Column
	Rows                     []ChartRow
}

// A Column is one figure, on a logarithmic scale of its own.
type Column struct {
	Name string
	// Format writes the figure beside its bar. nil means three digits that matter.
	Format func(float64) string
}

// A ChartRow is one thing.
type ChartRow struct {
	Name string
	// Values has a figure for each column. Zero has no bar, and neither has what is
	// negative or not finite, which is written as a dash; so is one that is missing.
	Values []float64
	// Strong rows stand out.
	Strong bool
}

// MaxChartRows is how many rows fit a picture.
const MaxChartRows = 100

const (
	chartX0    = 168.0 // right of the names
	chartRowH  = 19.0
	chartHeadH = 26.0
	chartRoom  = 62.0 // of a column, for the figures beside the bars
)

// Bars draws a chart and writes the picture to w. It returns an error if there are
// more than [MaxChartRows] rows or w fails; it panics if f is not a Format.
func Bars(w io.Writer, f Format, c Chart) error {
	if f != PNG && f != SVG {
		panic(fmt.Sprintf("plot: Bars: unknown format %v", f))
	}
	if len(c.Rows) > MaxChartRows {
		return fmt.Errorf("plot: %d rows, at most %d fit one picture: plot fewer at a time", len(c.Rows), MaxChartRows)
	}
	if err := drawBars(f, c).write(w); err != nil {
		return fmt.Errorf("plot: writing %v: %w", f, err)
	}
	return nil
}

func drawBars(f Format, c Chart) *figure {
	head := 62.0
	if c.Subtitle == "" {
		head -= 16
	}
	body := chartHeadH + chartRowH*float64(max(len(c.Rows), 1))
	h := margin + head + body + 44
	fig := newFigure(f, h)
	o := Options{Title: c.Title, Subtitle: c.Subtitle}
	fig.header(o.normal("Comparison"), h-margin)
	top := h - margin - head
	if len(c.Rows) == 0 {
		fig.text(labelStyle, width/2, top-body/2, centre, "no rows")
	}
	for i, r := range c.Rows {
		y := top - chartHeadH - chartRowH*(float64(i)+0.5)
		if r.Strong {
			fig.fill(beyondT, rect{margin, y - chartRowH/2, width - margin, y + chartRowH/2})
		}
		s := valueStyle
		s.bold = r.Strong
		fig.text(s, margin+4, y, left, fig.fit(s, clean(r.Name), chartX0-margin-14))
	}
	for k := range c.Columns {
		fig.chartColumn(c, k, top)
	}
	fig.text(captionStyle, margin, margin-6, left, fig.fit(captionStyle, clean(c.Caption), width-2*margin))
	return fig
}

// chartColumn draws figure k of all rows.
func (f *figure) chartColumn(c Chart, k int, top float64) {
	each := (width - margin - chartX0) / float64(len(c.Columns))
	x0 := chartX0 + each*float64(k)
	name := style{10.5, true, ink}
	f.text(name, x0, top-chartHeadH/2, left, f.fit(name, clean(c.Columns[k].Name), each-8))
	lo, hi := math.Inf(1), 0.0
	for _, r := range c.Rows {
		if v, ok := figureOf(r, k); ok && v > 0 {
			lo, hi = min(lo, v), max(hi, v)
		}
	}
	// A decade below the least, so that it has a bar as well.
	x := logAxis(lo/10, hi, x0, x0+each-chartRoom)
	write := c.Columns[k].Format
	if write == nil {
		write = amount
	}
	for i, r := range c.Rows {
		y := top - chartHeadH - chartRowH*(float64(i)+0.5)
		text, end := "–", x0
		if v, ok := figureOf(r, k); ok {
			text = write(v)
			if v > 0 {
				end = x.pos(v)
				colour := within
				if r.Strong {
					colour = beyond
				}
				f.fill(colour, rect{x0, y - 5, end, y + 5})
			}
		}
		s := valueStyle
		s.bold = r.Strong
		f.text(s, end+4, y, left, f.fit(s, clean(text), x0+each-end-8))
	}
	f.line(frame, 0.8, nil, pt(x0, top-chartHeadH), pt(x0, top-chartHeadH-chartRowH*float64(max(len(c.Rows), 1))))
}

// figureOf returns figure k of a row, if there is one.
func figureOf(r ChartRow, k int) (float64, bool) {
	if k >= len(r.Values) {
		return 0, false
	}
	v := r.Values[k]
	return v, v >= 0 && !math.IsInf(v, 1) // false for NaN
}
