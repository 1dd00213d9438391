package plot

import (
	"bytes"
	"io"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func chart(rows int) Chart {
	c := Chart{
		Title: "A title", Subtitle: "what of", Caption: "A caption.",
		Columns: []Column{{Name: "one"}, {Name: "two, with a name that is longer than its column has room for"}, {Name: "three"}, {Name: "four"}},
	}
	odd := []float64{0, -1, math.NaN(), math.Inf(1), 1e-300, 1e300, 5, 5.0000001}
	for i := range rows {
		r := ChartRow{Name: strings.Repeat("row ", 1+i%20), Strong: i == 0}
		for k := range 4 {
			r.Values = append(r.Values, odd[(i+k)%len(odd)])
		}
		c.Rows = append(c.Rows, r)
	}
	return c
}

func TestBarsDrawAnyInput(t *testing.T) {
	many := chart(MaxChartRows)
	short := chart(3)
	short.Rows[1].Values = nil
	same := Chart{Columns: []Column{{Name: "all alike"}}, Rows: []ChartRow{{"a", []float64{7}, false}, {"b", []float64{7}, true}}}
	for name, c := range map[string]Chart{
		"nothing": {}, "no rows": chart(0), "no columns": {Rows: []ChartRow{{Name: "alone"}}}, "one": chart(1),
		"odd values": chart(8), "missing values": short, "as many as fit": many, "constant": same,
	} {
		t.Run(name, func(t *testing.T) {
			for _, f := range []Format{PNG, SVG} {
				fig := drawBars(f, c)
				checkTexts(t, fig)
				if f == SVG {
					checkXML(t, fig)
				}
			}
		})
	}
	require.ErrorContains(t, Bars(io.Discard, PNG, chart(MaxChartRows+1)), "101 rows, at most 100")
	require.Panics(t, func() { _ = Bars(io.Discard, Format(7), chart(1)) })
}

func TestBarsSayWhatTheyShow(t *testing.T) {
	c := Chart{
		Title:   "Storms",
		Columns: []Column{{Name: "ms"}, {Name: "bytes", Format: func(v float64) string { return "~" + amount(v) }}},
		Rows:    []ChartRow{{"mine", []float64{1, 20}, true}, {"theirs", []float64{1000, 0}, false}, {"none", []float64{math.NaN()}, false}},
	}
	require.Equal(t, "Storms\nmine\ntheirs\nnone\nms\n1.00\n1,000\n–\nbytes\n~20.0\n~0\n–\n", texts(drawBars(SVG, c)))
	var a, b bytes.Buffer
	require.NoError(t, Bars(&a, SVG, c))
	require.NoError(t, Bars(&b, SVG, c))
	require.Equal(t, a.String(), b.String())
}
