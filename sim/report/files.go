package report

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/tickwheel/tickwheel/sim"
	"github.com/tickwheel/tickwheel/sim/plot"
)

// Files returns the names Write writes, in order.
func Files() []string {
	return []string{
		"summary.json", "run.json", "ticks.csv", "events.jsonl", "latency.hlog", "bench.txt", replayFile,
		"environment.json", "tick-latency.png", "tick-latency.svg", "percentiles.png", "percentiles.svg",
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
// exists. Files of an earlier set are replaced one by one. A file that cannot be
// written does not keep the others from it: the error names each. It panics if
// there are no runs; a run may have no ticks.
func Write(dir string, runs []*sim.Recording, env Environment) error {
	if len(runs) == 0 {
		panic("report: Write: no runs")
	}
	pictures := make([]plot.Run, len(runs))
	for i, r := range runs {
		pictures[i] = plot.Run{Name: r.Policy.Name, Ticks: samples(r)}
	}
	return errors.Join(WriteData(dir, runs, env), draw(context.Background(), dir, MetaOf(runs), pictures))
}

// WriteData writes the files of Write that are no pictures.
func WriteData(dir string, runs []*sim.Recording, env Environment) error {
	meta := MetaOf(runs)
	return writeFiles(context.Background(), dir, map[string]func(io.Writer) error{
		"summary.json":     func(w io.Writer) error { return writeJSON(w, Summarize(runs)) },
		"run.json":         func(w io.Writer) error { return writeJSON(w, meta) },
		"ticks.csv":        func(w io.Writer) error { return writeTicks(w, runs) },
		"events.jsonl":     func(w io.Writer) error { return writeEvents(w, meta, runs) },
		"latency.hlog":     func(w io.Writer) error { return writeHDR(w, runs) },
		"bench.txt":        func(w io.Writer) error { return writeBench(w, Summarize(runs), env) },
		"environment.json": func(w io.Writer) error { return writeJSON(w, env) },
		replayFile:         func(w io.Writer) error { return writeReplay(w, runs) },
	})
}

// writeFiles writes the files that render has, in the order of Files, and goes on
// past those that it cannot write.
func writeFiles(ctx context.Context, dir string, render map[string]func(io.Writer) error) error {
	var errs []error
	for _, name := range Files() {
		if render[name] == nil {
			continue
		}
		if ctx.Err() != nil {
			return errors.Join(append(errs, ctx.Err())...)
		}
		if err := plot.WriteFile(filepath.Join(dir, name), render[name]); err != nil {
			errs = append(errs, fmt.Errorf("report: %s: %w", name, err))
		}
	}
	return errors.Join(errs...)
}
