package report

import (
	"context"
	"io"
	"time"

	"github.com/tickwheel/tickwheel/sim"
	"github.com/tickwheel/tickwheel/sim/plot"
)

// Pictures returns the names of the pictures that Write and Draw make.
func Pictures() []string {
	return []string{"tick-latency.png", "tick-latency.svg", "percentiles.png", "percentiles.svg"}
}

// samples turns a recording into what package plot draws.
func samples(r *sim.Recording) []plot.Sample {
	s := make([]plot.Sample, len(r.Ticks))
	for i := range r.Ticks {
		t := &r.Ticks[i]
		s[i] = plot.Sample{At: t.Start + t.StartLate, Latency: t.Duration}
	}
	return s
}

// draw writes the pictures into dir.
func draw(ctx context.Context, dir string, m Meta, runs []plot.Run) error {
	latency, spectrum := pictureOptions(m)
	picture := func(draw func(context.Context, io.Writer, plot.Format, []plot.Run, plot.Options) error, f plot.Format, o plot.Options) func(io.Writer) error {
		return func(w io.Writer) error { return draw(ctx, w, f, runs, o) }
	}
	return writeFiles(ctx, dir, map[string]func(io.Writer) error{
		"tick-latency.png": picture(plot.TickLatency, plot.PNG, latency),
		"tick-latency.svg": picture(plot.TickLatency, plot.SVG, latency),
		"percentiles.png":  picture(plot.Percentiles, plot.PNG, spectrum),
		"percentiles.svg":  picture(plot.Percentiles, plot.SVG, spectrum),
	})
}

// pictureOptions says what the pictures are about.
func pictureOptions(m Meta) (latency, spectrum plot.Options) {
	latency = plot.Options{
		Title:    "Length of every tick: " + m.Scenario,
		Subtitle: m.About,
		Interval: inNS(m.IntervalMS),
		Floor:    100 * time.Microsecond,
	}
	spectrum = latency
	spectrum.Title = "How long ticks take, by percentile: " + m.Scenario
	if z := m.Zoom; z != nil {
		latency.Zoom = plot.Window{From: inNS(z.FromMS), To: inNS(z.ToMS)}
	}
	for _, k := range m.Marks {
		latency.Marks = append(latency.Marks, plot.Mark{At: inNS(k.AtMS), Label: k.Label})
	}
	if m.Clock == "real" {
		latency.TimeLabel = "time, s"
	}
	return latency, spectrum
}
