package report

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

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

// runFile makes a folder one of results: it is removed before the first file is
// written, and written last.
const runFile = "run.json"

// pageFile is the page that simulate report makes of results.
const pageFile = "report.html"

// Write writes all files of a set of runs of one scenario into dir, which
// exists, and has more write what else belongs to them. run.json of an earlier set
// goes first and the new one comes last, so that a folder with files of two sets is
// not one of results. A file that cannot be written does not keep the others from
// it, unless the disk is full: the error names each. It panics if there are no runs;
// a run may have no ticks.
func Write(dir string, runs []*sim.Recording, env Environment, more ...func() error) error {
	if len(runs) == 0 {
		panic("report: Write: no runs")
	}
	pictures := make([]plot.Run, len(runs))
	for i, r := range runs {
		pictures[i] = plot.Run{Name: r.Policy.Name, Ticks: samples(r)}
	}
	draws := func() error { return draw(context.Background(), dir, MetaOf(runs), pictures) }
	return write(dir, runs, env, append([]func() error{draws}, more...))
}

// WriteData writes the files of Write that are no pictures.
func WriteData(dir string, runs []*sim.Recording, env Environment) error {
	return write(dir, runs, env, nil)
}

func write(dir string, runs []*sim.Recording, env Environment, more []func() error) error {
	meta := MetaOf(runs)
	if err := remove(dir, runFile, pageFile); err != nil { // a page of other results would pass for one of these
		return err
	}
	err := writeFiles(context.Background(), dir, map[string]func(io.Writer) error{
		"summary.json":     func(w io.Writer) error { return writeJSON(w, Summarize(runs)) },
		"ticks.csv":        func(w io.Writer) error { return writeTicks(w, runs) },
		"events.jsonl":     func(w io.Writer) error { return writeEvents(w, meta, runs) },
		"latency.hlog":     func(w io.Writer) error { return writeHDR(w, runs) },
		"bench.txt":        func(w io.Writer) error { return writeBench(w, Summarize(runs), env) },
		"environment.json": func(w io.Writer) error { return writeJSON(w, env) },
		replayFile:         func(w io.Writer) error { return writeReplay(w, runs) },
	})
	for _, f := range more {
		if isFull(err) {
			break
		}
		err = errors.Join(err, f())
	}
	if err != nil {
		return err
	}
	return WriteFile(filepath.Join(dir, runFile), func(w io.Writer) error { return writeJSON(w, meta) })
}

// writeFiles writes the files that render has, in the order of Files, and goes on
// past those that it cannot write.
func writeFiles(ctx context.Context, dir string, render map[string]func(io.Writer) error) error {
	var files []File
	for _, name := range Files() {
		if render[name] != nil {
			files = append(files, File{name, render[name]})
		}
	}
	return writeEach(ctx, dir, files)
}

func writeEach(ctx context.Context, dir string, files []File) error {
	var errs []error
	for _, f := range files {
		if ctx.Err() != nil {
			return errors.Join(append(errs, ctx.Err())...)
		}
		if err := WriteFile(filepath.Join(dir, f.Name), f.Render); err != nil {
			errs = append(errs, err)
			if isFull(err) {
				break // the others would say the same
			}
		}
	}
	return errors.Join(errs...)
}

// File is a file to write.
type File struct {
	Name   string
	Render func(io.Writer) error
}

// WriteFiles writes files that belong together into dir, as Write does: the last of
// them is removed first, and written only if all others could be.
func WriteFiles(dir string, files ...File) error {
	last := files[len(files)-1]
	if err := remove(dir, last.Name); err != nil {
		return err
	}
	if err := writeEach(context.Background(), dir, files[:len(files)-1]); err != nil {
		return err
	}
	return WriteFile(filepath.Join(dir, last.Name), last.Render)
}

// isFull tells whether an error is that of a disk, or of a quota, without room.
func isFull(err error) bool { return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) }

// WriteFile is [plot.WriteFile] with errors of this package, which name the path
// once and say that the disk may be full where it is.
func WriteFile(path string, render func(io.Writer) error) error {
	err := plot.WriteFile(path, render)
	var at *fs.PathError
	switch {
	case err == nil:
		return nil
	case isFull(err) && errors.As(err, &at):
		return fmt.Errorf("report: cannot write %s: %w: is the disk full?", path, at.Err)
	case strings.HasPrefix(err.Error(), "plot: "):
		return fileError{err}
	}
	return fmt.Errorf("report: %s: %w", path, err)
}

// fileError is an error of plot.WriteFile that this package returns.
type fileError struct{ err error }

func (e fileError) Error() string { return "report: " + strings.TrimPrefix(e.err.Error(), "plot: ") }
func (e fileError) Unwrap() error { return e.err }
