package report

import (
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
func draw(dir string, m Meta, runs []plot.Run) error {
	latency, spectrum := pictureOptions(m)
	return writeFiles(dir, map[string]func(io.Writer) error{
		"tick-latency.png": func(w io.Writer) error { return plot.TickLatency(w, plot.PNG, runs, latency) },
		"tick-latency.svg": func(w io.Writer) error { return plot.TickLatency(w, plot.SVG, runs, latency) },
		"percentiles.png":  func(w io.Writer) error { return plot.Percentiles(w, plot.PNG, runs, spectrum) },
		"percentiles.svg":  func(w io.Writer) error { return plot.Percentiles(w, plot.SVG, runs, spectrum) },
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
