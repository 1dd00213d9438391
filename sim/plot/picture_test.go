package plot

import (
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"image/png"
	"io"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// checkTexts sees to it that every text of a picture can be read: inside the
// picture, and not on top of another.
func checkTexts(t require.TestingT, f *figure) {
	const slack = 0.5 // half a pixel at full size
	for i, a := range f.texts {
		require.True(t, a.x0 >= -slack && a.x1 <= width+slack && a.y0 >= -slack && a.y1 <= f.h+slack,
			"%q is clipped: %+v in a picture %v high", a.text, a, f.h)
		for _, b := range f.texts[:i] {
			apart := a.x0 >= b.x1-slack || b.x0 >= a.x1-slack || a.y0 >= b.y1-slack || b.y0 >= a.y1-slack
			require.True(t, apart, "%q %+v is on top of %q %+v", a.text, a, b.text, b)
		}
	}
}

// checkXML sees to it that any viewer can read what f writes as SVG.
func checkXML(t require.TestingT, f *figure) {
	var b bytes.Buffer
	require.NoError(t, f.write(&b))
	require.NotContains(t, b.String(), "NaN")
	require.NotContains(t, b.String(), "Inf")
	d := xml.NewDecoder(&b)
	for {
		_, err := d.Token()
		if errors.Is(err, io.EOF) {
			return
		}
		require.NoError(t, err)
	}
}

func texts(f *figure) string {
	var b strings.Builder
	for _, p := range f.texts {
		b.WriteString(p.text + "\n")
	}
	return b.String()
}

// flat is n ticks of the same length.
func flat(name string, n int, d time.Duration) Run {
	r := Run{Name: name}
	for i := range n {
		r.Ticks = append(r.Ticks, Sample{time.Duration(i) * interval, d})
	}
	return r
}

var pictures = map[string]func(Format, []Run, Options) *figure{
	"latency":     drawLatency,
	"percentiles": drawSpectrum,
}

func TestEveryInputDraws(t *testing.T) {
	runs, o := storm()
	twelve := append(append(append([]Run{}, runs...), runs...), runs[:2]...)
	noZoom := o
	noZoom.Zoom = Window{}
	huge := Run{Name: "huge", Ticks: []Sample{
		{math.MinInt64, math.MinInt64}, {0, 1}, {math.MaxInt64, math.MaxInt64},
	}}
	for _, c := range []struct {
		name string
		runs []Run
		o    Options
	}{
		{"the storm", runs, o},
		{"no close-up", runs, noZoom},
		{"twelve policies", twelve, o},
		{"no runs", nil, o},
		{"zero value", nil, Options{}},
		{"run without ticks", []Run{{}}, o},
		{"one tick", []Run{flat("one", 1, ms1)}, Options{}},
		{"all zeros", []Run{flat("zero", 100, 0)}, o},
		{"all zeros without budget", []Run{flat("zero", 100, 0)}, Options{}},
		{"all ones", []Run{flat("ones", 100, ms1)}, Options{}},
		{"constant at the budget", []Run{flat("at", 100, interval)}, o},
		{"all over the budget", []Run{flat("over", 3000, 80*ms1)}, o},
		{"negative", []Run{flat("negative", 10, -ms1)}, o},
		{"within one decade", []Run{flat("a", 10, 2*ms1), flat("b", 10, 8*ms1)}, Options{}},
		{"nearly equal", []Run{flat("a", 10, 50*ms1), flat("b", 10, 50*ms1+50_000)}, Options{}},
		{"whole range of a duration", []Run{huge}, o},
		{"whole range without budget", []Run{huge}, Options{}},
		{"floor above everything", runs, Options{Floor: time.Hour}},
		{"close-up outside", runs, Options{Interval: interval, Zoom: Window{time.Hour, 2 * time.Hour}}},
		{"close-up reversed", runs, Options{Interval: interval, Zoom: Window{2, 1}}},
	} {
		for name, draw := range pictures {
			t.Run(c.name+"/"+name, func(t *testing.T) {
				f := draw(SVG, c.runs, c.o)
				checkTexts(t, f)
				checkXML(t, f)
			})
		}
	}
}

func TestAnyInputDrawsReadableText(t *testing.T) {
	duration := rapid.OneOf(
		rapid.Map(rapid.Int64(), func(n int64) time.Duration { return time.Duration(n) }),
		rapid.Map(rapid.Int64Range(0, 200_000_000), func(n int64) time.Duration { return time.Duration(n) }),
		rapid.SampledFrom([]time.Duration{0, 1, ms1, interval, time.Minute}),
	)
	sample := rapid.Custom(func(t *rapid.T) Sample {
		return Sample{duration.Draw(t, "at"), duration.Draw(t, "latency")}
	})
	run := rapid.Custom(func(t *rapid.T) Run {
		return Run{Name: rapid.String().Draw(t, "name"), Ticks: rapid.SliceOfN(sample, 0, 40).Draw(t, "ticks")}
	})
	rapid.Check(t, func(t *rapid.T) {
		runs := rapid.SliceOfN(run, 0, 12).Draw(t, "runs")
		o := Options{
			Title:     rapid.String().Draw(t, "title"),
			Subtitle:  rapid.String().Draw(t, "subtitle"),
			TimeLabel: rapid.String().Draw(t, "time"),
			Interval:  duration.Draw(t, "interval"),
			Floor:     duration.Draw(t, "floor"),
			Zoom:      Window{duration.Draw(t, "from"), duration.Draw(t, "to")},
		}
		for range rapid.IntRange(0, 9).Draw(t, "marks") {
			o.Marks = append(o.Marks, Mark{duration.Draw(t, "mark"), rapid.String().Draw(t, "label")})
		}
		for _, draw := range pictures {
			f := draw(SVG, runs, o)
			checkTexts(t, f)
			checkXML(t, f)
		}
	})
}

func TestSameInputSameBytes(t *testing.T) {
	runs, o := storm()
	for _, f := range []Format{PNG, SVG} {
		for name, draw := range map[string]func(context.Context, io.Writer, Format, []Run, Options) error{
			"TickLatency": TickLatency, "Percentiles": Percentiles,
		} {
			runs := runs
			if f == PNG {
				runs = runs[:1] // pixels are slow to draw and to compress
			}
			var a, b bytes.Buffer
			require.NoError(t, draw(t.Context(), &a, f, runs, o))
			require.NoError(t, draw(t.Context(), &b, f, runs, o))
			require.True(t, bytes.Equal(a.Bytes(), b.Bytes()), "%s as %v differs from itself", name, f)
			if f == PNG {
				img, err := png.Decode(&a)
				require.NoError(t, err)
				require.Equal(t, 2*width, img.Bounds().Dx())
			}
		}
	}
}

func TestPanelsSayWhatHappened(t *testing.T) {
	runs, o := storm()
	got := texts(drawLatency(SVG, runs, o))
	for _, want := range []string{
		"nothing\n", "jitter+cap+workers\n", // every run by name
		"1,049 ms at 90 s\n", // the worst tick, when it was
		"1 of 3,000\n", "0 of 3,000\n",
		"50 ms\n", "all respawn\n", "mass logout\n", "Close-up, 87 to 94 s\n",
	} {
		require.Contains(t, got, want)
	}
	require.NotContains(t, got, "≤", "no tick was moved")
}

func TestFloorIsStated(t *testing.T) {
	runs := []Run{flat("idle", 40, 0), flat("busy", 10, ms1)}
	for name, draw := range pictures {
		got := texts(draw(SVG, runs, Options{Interval: interval}))
		require.Contains(t, got, "≤ 0.01\n", name)
		require.Contains(t, got, "40 ticks below 0.01 ms are drawn at it.", name)
	}
}

func TestMarksWithoutRoomAreCounted(t *testing.T) {
	runs, o := storm()
	o.Zoom, o.Marks = Window{}, nil
	for range 9 {
		o.Marks = append(o.Marks, Mark{70 * time.Second, "the same moment"})
	}
	f := drawLatency(SVG, runs, o)
	checkTexts(t, f)
	require.Equal(t, maxRows, strings.Count(texts(f), "the same moment\n"))
	require.Contains(t, texts(f), "3 marks have no room for a label.")
}
