package report

import (
	"bytes"
	"fmt"
	"image/color"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"
)

// colors can be told apart by those who see red and green alike; ours comes first.
var colors = []color.RGBA{
	{0xd5, 0x5e, 0x00, 255}, {0x00, 0x72, 0xb2, 255}, {0x00, 0x9e, 0x73, 255}, {0xcc, 0x79, 0xa7, 255},
	{0xe6, 0x9f, 0x00, 255}, {0x56, 0xb4, 0xe9, 255}, {0x55, 0x55, 0x55, 255},
}

// picture draws what measure gave as SVG: lines over n if there are several sizes,
// else a point a row. It returns nil if there is nothing to draw.
func picture(measure, title, unit string, results []Result, get func(Result) *float64) ([]byte, error) {
	var rows []Result
	sizes := map[int]bool{}
	for _, x := range results {
		if v := get(x); x.Measure == measure && v != nil && *v > 0 {
			rows = append(rows, x)
			sizes[x.N] = true
		}
	}
	if len(rows) == 0 {
		return nil, nil
	}
	p := plot.New()
	p.Title.Text = title
	p.Title.Padding = vg.Points(8)
	p.BackgroundColor = color.White
	var err error
	height := vg.Points(400)
	if len(sizes) > 2 {
		err = lines(p, unit, rows, get)
	} else {
		err = points(p, unit, rows, get)
		height = vg.Points(90 + 18*float64(len(rows)))
	}
	if err != nil {
		return nil, fmt.Errorf("report: drawing %s: %w", measure, err)
	}
	c := vgsvg.New(vg.Points(680), height)
	// Viewers have other fonts than the one that the plot is laid out for, whose
	// letters may be wider: without a margin labels would be cut off.
	page := draw.New(c)
	page.SetColor(color.White)
	page.Fill(page.Path())
	p.Draw(draw.Crop(page, vg.Points(16), -vg.Points(12), vg.Points(4), -vg.Points(4)))
	var b bytes.Buffer
	if _, err := c.WriteTo(&b); err != nil {
		return nil, fmt.Errorf("report: drawing %s: %w", measure, err)
	}
	return b.Bytes(), nil
}

// lines draws one line a peer over the number of timers, both logarithmic.
func lines(p *plot.Plot, unit string, rows []Result, get func(Result) *float64) error {
	p.X.Label.Text, p.Y.Label.Text = "timers pending", unit
	p.X.Scale, p.Y.Scale = plot.LogScale{}, plot.LogScale{}
	p.Y.Tick.Marker = decades{}
	p.Legend.Top = true
	p.Legend.Padding = vg.Points(2)
	p.Add(plotter.NewGrid())
	var names []string
	series := map[string]plotter.XYs{}
	for _, x := range rows {
		name := Name(x.Row)
		if series[name] == nil {
			names = append(names, name)
		}
		series[name] = append(series[name], plotter.XY{X: float64(x.N), Y: *get(x)})
	}
	lo, hi, ours := math.Inf(1), 0.0, 0
	for i, name := range names {
		l, s, err := plotter.NewLinePoints(series[name])
		if err != nil {
			return err
		}
		for _, xy := range series[name] {
			lo, hi = min(lo, xy.Y), max(hi, xy.Y)
		}
		style(name, i-ours, l, s)
		if isOurs(name) {
			ours++
		}
		p.Add(l, s)
		p.Legend.Add(name, l, s)
	}
	var ticks []plot.Tick
	for _, x := range rows {
		if !slices.ContainsFunc(ticks, func(t plot.Tick) bool { return t.Value == float64(x.N) }) {
			ticks = append(ticks, plot.Tick{Value: float64(x.N), Label: whole(x.N)})
		}
	}
	p.X.Tick.Marker = plot.ConstantTicks(ticks)
	// The legend stands at the right, where room is made for it.
	first, last := ticks[0].Value, ticks[len(ticks)-1].Value
	p.X.Min, p.X.Max = first, last*math.Pow(last/first, 0.4)
	p.Y.Min, p.Y.Max = math.Pow(10, math.Floor(math.Log10(lo))), hi*1.5
	return nil
}

// isOurs tells by the name of a line whether it is ours.
func isOurs(name string) bool { return strings.HasPrefix(name, "tickwheel") }

// style makes ours stand out, without groups as a full line and with them dashed;
// nth counts the others, which share colors only if one is dashed.
func style(name string, nth int, l *plotter.Line, s *plotter.Scatter) {
	s.Shape, l.Width = draw.CircleGlyph{}, vg.Points(1.2)
	dashes := []vg.Length{vg.Points(5), vg.Points(3)}
	others := colors[1:]
	l.Color = others[nth%len(others)]
	if nth/len(others)%2 == 1 {
		l.Dashes = dashes
	}
	if isOurs(name) {
		l.Color, l.Width, l.Dashes = colors[0], vg.Points(2.5), nil
		if strings.HasSuffix(name, "groups") {
			l.Dashes = dashes
		}
	}
	s.Color = l.Color
}

// decades are the marks of a logarithmic axis, with numbers as readers write them.
type decades struct{}

// Ticks labels powers of ten.
func (decades) Ticks(lo, hi float64) []plot.Tick {
	ticks := plot.LogTicks{Prec: -1}.Ticks(lo, hi)
	for i, t := range ticks {
		if t.Label != "" {
			ticks[i].Label = digits(t.Value)
		}
	}
	return ticks
}

// points draws one point a row on a logarithmic axis, with its figure beside it and
// in the order of the table, but variants of the same kind together.
func points(p *plot.Plot, unit string, rows []Result, get func(Result) *float64) error {
	rows = slices.Clone(rows)
	variants := map[string]int{}
	for _, x := range rows {
		if _, ok := variants[x.Variant]; !ok {
			variants[x.Variant] = len(variants)
		}
	}
	slices.SortStableFunc(rows, func(a, b Result) int { return variants[a.Variant] - variants[b.Variant] })
	top := len(rows) - 1
	p.X.Label.Text = unit
	p.X.Scale, p.X.Tick.Marker = plot.LogScale{}, decades{}
	grid := plotter.NewGrid()
	grid.Horizontal.Color = color.Gray{0xe8} // they run through the figures
	p.Add(grid)
	lo, hi := math.Inf(1), 0.0
	names := make([]string, len(rows))
	several := slices.ContainsFunc(rows, func(x Result) bool { return x.N != rows[0].N })
	for i, x := range rows {
		v := *get(x)
		lo, hi = min(lo, v), max(hi, v)
		y := top - i
		if names[y] = Name(x.Row); several {
			names[y] += ", " + whole(x.N)
		}
		at := plotter.XYs{{X: v, Y: float64(y)}}
		s, err := plotter.NewScatter(at)
		if err != nil {
			return err
		}
		s.Shape, s.Radius, s.Color = draw.CircleGlyph{}, vg.Points(4), colors[1]
		if x.Peer == "tickwheel" {
			s.Color = colors[0]
		}
		text := digits(v)
		if strings.HasPrefix(unit, "ns") {
			text = duration(&v)
		}
		label, err := plotter.NewLabels(plotter.XYLabels{XYs: at, Labels: []string{text}})
		if err != nil {
			return err
		}
		label.Offset = vg.Point{X: vg.Points(7), Y: -vg.Points(3.5)}
		p.Add(s, label)
	}
	p.NominalY(names...)
	p.X.Min, p.X.Max = math.Pow(10, math.Floor(math.Log10(lo))), math.Pow(10, math.Ceil(math.Log10(hi*1.01)))
	if math.Log10(p.X.Max/hi) < 0.1*math.Log10(p.X.Max/p.X.Min) {
		p.X.Max *= math.Pow(p.X.Max/p.X.Min, 0.1) // room for the last figure
	}
	p.Y.Min, p.Y.Max = -0.5, float64(len(rows))-0.5
	return nil
}
