package plot

import (
	"bytes"
	"io"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// cloud is a scatter of n points with odd values.
func cloud(n int) Scatter {
	s := Scatter{
		Title: "A title", Subtitle: "what of", Caption: "A caption.",
		Columns: []Column{{Name: "one"}, {Name: "two, with a name that is longer than there is room for beside its axis"}, {Name: "three"}},
		Panels: []Panel{{Name: "left", X: 0, Y: 1, Limit: 3, LimitName: "the limit"}, {Name: "right", X: 2, Y: 1},
			{Name: "a panel of columns that do not exist", X: 7, Y: -1}},
		Groups: []string{"a", "a group with a name that is very long and needs a row for itself, or so it seems", "c", "d", "e", "f"},
		Paths:  [][]int{{0, 1, 2}, {}, {5}, {-1, 2, 1 << 30}},
	}
	odd := []float64{0, -1, math.NaN(), math.Inf(1), 1e-300, 1e300, 5, 5.0000001, 3, 40}
	for i := range n {
		s.Points = append(s.Points, Point{Label: strings.Repeat("point ", 1+i%20), Group: i - 1, Hollow: i%2 == 0, Strong: i%7 == 0,
			Values: []float64{odd[i%10], odd[(i+3)%10], odd[(3*i+6)%10]}})
	}
	return s
}

func TestScatterDrawsAnyInput(t *testing.T) {
	short := cloud(3)
	short.Points[1].Values = nil
	for name, s := range map[string]Scatter{
		"nothing": {}, "no points": cloud(0), "no panels": {Points: cloud(4).Points}, "one": cloud(1),
		"odd values": cloud(10), "missing values": short, "as many as fit": cloud(MaxPoints),
	} {
		t.Run(name, func(t *testing.T) {
			for _, f := range []Format{PNG, SVG} {
				fig := drawScatter(f, s)
				checkTexts(t, fig)
				if f == SVG {
					checkXML(t, fig)
				}
			}
		})
	}
	require.ErrorContains(t, DrawScatter(io.Discard, PNG, cloud(MaxPoints+1)), "1001 points")
	require.ErrorContains(t, DrawScatter(io.Discard, SVG, Scatter{Panels: make([]Panel, 4)}), "4 panels")
	require.Panics(t, func() { _ = DrawScatter(io.Discard, Format(7), cloud(1)) })
}

func TestScatterTextsNeverMeet(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := Scatter{Columns: []Column{{Name: "x"}, {Name: "y"}}, Panels: []Panel{{Name: "p", X: 0, Y: 1, Limit: rapid.Float64Range(0, 10).Draw(t, "limit"), LimitName: "limit"}}}
		for range rapid.IntRange(0, 40).Draw(t, "points") {
			s.Points = append(s.Points, Point{
				Label:  rapid.StringMatching(`[a-z0-9 ]{0,12}`).Draw(t, "label"),
				Values: []float64{rapid.Float64Range(0, 100).Draw(t, "x"), rapid.Float64Range(0.01, 10).Draw(t, "y")},
				Strong: rapid.Bool().Draw(t, "strong"),
			})
			s.Paths = append(s.Paths, []int{len(s.Points) - 1, 0})
		}
		checkTexts(t, drawScatter(SVG, s))
	})
}

func TestScatterNamesWhatMatters(t *testing.T) {
	s := Scatter{
		Title: "Storms", Columns: []Column{{Name: "busy"}, {Name: "late"}}, Groups: []string{"cap"},
		Panels: []Panel{{Name: "Cost", X: 0, Y: 1, Limit: 50, LimitName: "budget"}},
		Points: []Point{
			{Label: "first", Values: []float64{10, 20}}, {Label: "the same again", Values: []float64{10, 20}},
			{Label: "take this", Values: []float64{40, 60}, Strong: true},
		},
	}
	got := texts(drawScatter(SVG, s))
	for _, want := range []string{"Storms", "cap", "Cost", "↑ late", "busy →", "budget", "take this", "first"} {
		require.Contains(t, got, want+"\n")
	}
	require.NotContains(t, got, "the same again", "of points that coincide the first is named")
	var a, b bytes.Buffer
	require.NoError(t, DrawScatter(&a, PNG, s))
	require.NoError(t, DrawScatter(&b, PNG, s))
	require.Equal(t, a.Bytes(), b.Bytes())
}
