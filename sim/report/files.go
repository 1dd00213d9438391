package report

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/tickwheel/tickwheel/sim"
	"github.com/tickwheel/tickwheel/sim/plot"
)

// Files returns the names Write writes, in order.
func Files() []string {
	return []string{
		"summary.json", "ticks.csv", "environment.json",
		"tick-latency.png", "tick-latency.svg", "percentiles.png",
	}
}

// MakeDir makes the folder for results, with its parents, and checks that files
// can be made in it, so that a long run does not end in vain.
func MakeDir(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("report: no folder for results: %w: choose another folder", err)
	}
	f, err := os.CreateTemp(dir, ".writable-*")
	if err != nil {
		return fmt.Errorf("report: cannot write results: %w: choose another folder", err)
	}
	f.Close()
	return os.Remove(f.Name())
}

// Write writes all files of a set of runs of one scenario into dir, which
// exists. Files of an earlier set are replaced one by one. It panics if there are
// no runs; a run may have no ticks.
func Write(dir string, runs []*sim.Recording, env Environment) error {
	if len(runs) == 0 {
		panic("report: Write: no runs")
	}
	pictures, opts, spectrum := pictures(runs)
	render := map[string]func(io.Writer) error{
		"summary.json":     func(w io.Writer) error { return writeJSON(w, Summarize(runs)) },
		"ticks.csv":        func(w io.Writer) error { return writeTicks(w, runs) },
		"environment.json": func(w io.Writer) error { return writeJSON(w, env) },
		"tick-latency.png": func(w io.Writer) error { return plot.TickLatency(w, plot.PNG, pictures, opts) },
		"tick-latency.svg": func(w io.Writer) error { return plot.TickLatency(w, plot.SVG, pictures, opts) },
		"percentiles.png":  func(w io.Writer) error { return plot.Percentiles(w, plot.PNG, pictures, spectrum) },
	}
	for _, name := range Files() {
		if err := plot.WriteFile(filepath.Join(dir, name), render[name]); err != nil {
			return fmt.Errorf("report: %w", err)
		}
	}
	return nil
}

// pictures turns recordings into what package plot draws.
func pictures(runs []*sim.Recording) (ps []plot.Run, latency, spectrum plot.Options) {
	for _, r := range runs {
		p := plot.Run{Name: r.Policy.Name, Ticks: make([]plot.Sample, len(r.Ticks))}
		for i := range r.Ticks {
			t := &r.Ticks[i]
			p.Ticks[i] = plot.Sample{At: t.Start + t.StartLate, Latency: t.Duration}
		}
		ps = append(ps, p)
	}
	sc := runs[0].Scenario
	about := about(runs[0], runs[len(runs)-1])
	latency = plot.Options{
		Title:    "Length of every tick: " + sc.Name,
		Subtitle: about,
		Interval: sc.Interval,
		Floor:    100 * time.Microsecond,
		Zoom:     plot.Window{From: max(0, sc.RespawnAt()-time.Second), To: min(sc.Duration, sc.RespawnAt()+5*time.Second)},
	}
	if z := latency.Zoom; sc.Storm == 0 || z.To-z.From > sc.Duration/2 {
		latency.Zoom = plot.Window{} // no storm, or a close-up of nearly all there is
	}
	if sc.Storm > 0 {
		latency.Marks = append(latency.Marks, plot.Mark{At: sc.KillAt(), Label: "kill"}, plot.Mark{At: sc.RespawnAt(), Label: "respawn storm"})
	}
	if sc.Players > 0 {
		latency.Marks = append(latency.Marks, plot.Mark{At: sc.LogoutAt(), Label: "mass logout"})
	}
	if runs[0].Real {
		latency.TimeLabel = "time, s"
	}
	spectrum = plot.Options{
		Title:    "How long ticks take, by percentile: " + sc.Name,
		Subtitle: about,
		Interval: sc.Interval,
		Floor:    100 * time.Microsecond,
	}
	return ps, latency, spectrum
}

// about says in a line what was run, and where it was interrupted if it was.
func about(r, last *sim.Recording) string {
	sc := r.Scenario
	parts := []string{thousands(sc.Players) + " players"}
	if sc.Storm > 0 {
		parts = append(parts, fmt.Sprintf("%s monsters die at %s s and respawn at %s s",
			thousands(sc.Storm), seconds(sc.KillAt()), seconds(sc.RespawnAt())))
	}
	if sc.Players > 0 {
		parts = append(parts, fmt.Sprintf("mass logout at %s s", seconds(sc.LogoutAt())))
	}
	if last.Interrupted {
		parts = append(parts, fmt.Sprintf("INTERRUPTED at %s s of %s", seconds(last.Length()), last.Policy.Name))
	}
	return fmt.Sprintf("%s · seed %d · %s clock", strings.Join(parts, "; "), r.Seed, clockName(r))
}

// seconds writes d in seconds, to the millisecond.
func seconds(d time.Duration) string {
	return strconv.FormatFloat(float64(d.Milliseconds())/1000, 'f', -1, 64)
}
