package plot

import (
	"bytes"
	"image/color"
	"image/png"
	"io"
	"math"
	"slices"
	"strings"
	"unicode"

	stdfont "golang.org/x/image/font"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/font/liberation"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"
)

// width is that of every picture, in points: one is a pixel when the picture is
// shown 900 wide, as a README does.
const width = 900

// dpi makes a point two pixels.
const dpi = 144

// figure is a picture being drawn: y counts upwards from the bottom, in points.
// It draws with gonum's canvas and fonts but not with its plot.Plot, whose
// logarithmic axes panic on zeros and constants and whose panels each choose
// their own margins.
type figure struct {
	vg.Canvas
	h     float64
	fonts *font.Cache
	texts []placed
	write func(io.Writer) error
}

// placed is a text and the box it fills, kept so that tests can see to it that
// nothing overlaps and nothing is clipped.
type placed struct {
	text           string
	x0, y0, x1, y1 float64
}

// newFigure starts a picture h points high.
func newFigure(f Format, h float64) *figure {
	fig := &figure{h: h, fonts: font.NewCache(liberation.Collection())}
	if f == SVG {
		c := vgsvg.New(width, vg.Length(h))
		fig.Canvas = c
		fig.write = func(w io.Writer) error {
			var b bytes.Buffer
			if _, err := c.WriteTo(&b); err != nil {
				return err
			}
			_, err := w.Write(portable(b.Bytes()))
			return err
		}
	} else {
		c := vgimg.NewWith(vgimg.UseWH(width, vg.Length(h)), vgimg.UseDPI(dpi))
		fig.Canvas = c
		fig.write = func(w io.Writer) error { return png.Encode(w, c.Image()) }
	}
	// SVG has no paper of its own: on a dark page black text would vanish.
	fig.fill(paper, rect{0, 0, width, h})
	return fig
}

type rect struct{ x0, y0, x1, y1 float64 }

func pt(x, y float64) vg.Point { return vg.Point{X: vg.Length(x), Y: vg.Length(y)} }

// fillBatch is how many rectangles make one path. One path for all makes a
// small SVG but costs the PNG rasterizer the square of their number, because
// each line of pixels is a list searched from its start.
const fillBatch = 64

// fill paints rectangles of one colour.
func (f *figure) fill(c color.Color, rs ...rect) {
	f.SetColor(c)
	for batch := range slices.Chunk(rs, fillBatch) {
		p := make(vg.Path, 0, 5*len(batch))
		for _, r := range batch {
			p.Move(pt(r.x0, r.y0))
			p.Line(pt(r.x1, r.y0))
			p.Line(pt(r.x1, r.y1))
			p.Line(pt(r.x0, r.y1))
			p.Close()
		}
		f.Fill(p)
	}
}

func (f *figure) dot(c color.Color, x, y, r float64) {
	var p vg.Path
	p.Move(pt(x+r, y))
	p.Arc(pt(x, y), vg.Length(r), 0, 2*math.Pi)
	p.Close()
	f.SetColor(c)
	f.Fill(p)
}

// line strokes a polyline; dash may be nil.
func (f *figure) line(c color.Color, w float64, dash []vg.Length, ps ...vg.Point) {
	if len(ps) < 2 {
		return
	}
	var p vg.Path
	p.Move(ps[0])
	for _, q := range ps[1:] {
		p.Line(q)
	}
	f.SetColor(c)
	f.SetLineWidth(vg.Length(w))
	f.SetLineDash(dash, 0)
	f.Stroke(p)
}

// style is how a text looks.
type style struct {
	size  float64
	bold  bool
	color color.Color
}

func (f *figure) face(s style) font.Face {
	ft := font.Font{Typeface: "Liberation", Variant: "Sans", Size: vg.Length(s.size)}
	if s.bold {
		ft.Weight = stdfont.WeightBold
	}
	return f.fonts.Lookup(ft, ft.Size)
}

func (f *figure) width(s style, text string) float64 {
	face := f.face(s)
	return float64(face.Width(text))
}

const (
	left   = 0.0
	centre = 0.5
	right  = 1.0
)

// capHeight is how high Liberation's capitals stand, as a part of the size.
const capHeight = 0.72

// text writes on one line: align says which point of it x is, y its middle.
func (f *figure) text(s style, x, y, align float64, text string) {
	if text == "" {
		return
	}
	w := f.width(s, text)
	x -= align * w
	base := y - capHeight*s.size/2
	f.SetColor(s.color)
	f.FillString(f.face(s), pt(x, base), text)
	f.texts = append(f.texts, placed{text, x, base, x + w, base + capHeight*s.size})
}

// fit shortens text to the room there is, ending it in an ellipsis.
func (f *figure) fit(s style, text string, room float64) string {
	if f.width(s, text) <= room {
		return text
	}
	runes := []rune(text)
	lo, hi := 0, len(runes)
	for lo < hi { // the longest prefix that fits
		mid := (lo + hi + 1) / 2
		if f.width(s, shortened(runes, mid)) <= room {
			lo = mid
		} else {
			hi = mid - 1
		}
	}
	if lo == 0 {
		return ""
	}
	return shortened(runes, lo)
}

func shortened(runes []rune, n int) string {
	return strings.TrimSpace(string(runes[:n])) + "…"
}

// maxText bounds a text before it is measured: a name of a megabyte would cost
// seconds, and no picture shows more than this.
const maxText = 300

// clean makes text drawable: one line of printable characters. XML allows no
// control characters, and fonts have no glyphs for them.
func clean(text string) string {
	if len(text) > 4*maxText {
		text = text[:4*maxText]
	}
	text = strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) || r == unicode.ReplacementChar {
			return ' '
		}
		return r
	}, text)
	runes := []rune(strings.Join(strings.Fields(text), " "))
	return string(runes[:min(len(runes), maxText)])
}

// portable gives the font a fallback of the same widths, because most viewers
// don't have Liberation and would take their serif font, and makes a point a
// pixel, so that the SVG is as wide as the PNG is shown.
func portable(svg []byte) []byte {
	svg = bytes.ReplaceAll(svg, []byte("font-family:Liberation Sans;"),
		[]byte("font-family:Liberation Sans,Arial,Helvetica,sans-serif;"))
	return bytes.Replace(svg, []byte(`pt"`), []byte(`px"`), 2)
}
