package report

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	hdr "github.com/HdrHistogram/hdrhistogram-go"

	"github.com/tickwheel/tickwheel/sim"
	"github.com/tickwheel/tickwheel/sim/plot"
)

// Set is what one or several results folders hold.
type Set struct {
	// Meta is that of the folder, or what several have in common.
	Meta Meta
	// Folders are in the order they were given in.
	Folders []*Folder
	// Runs are those of all folders, in order.
	Runs []*Run
}

// Folder is a results folder.
type Folder struct {
	Dir     string
	Meta    Meta
	Summary Summary
	Env     Environment
	// Plan tells that the folder has scenario.yaml, the scenario as it was played.
	Plan bool
	// Subject is the policy that is judged, "" if the folder does not say.
	Subject string

	scenario *sim.Scenario // of scenario.yaml, nil if it can't be read
}

// Run is one policy of a results folder. Of its ticks only what is shown is kept:
// 32 bytes each, and at most MaxPoints points.
type Run struct {
	RunMeta
	// Label is Name, with the folder where several have a policy of that name.
	Label   string
	Folder  *Folder
	Summary PolicySummary
	// Samples are when each tick began, and its length.
	Samples []plot.Sample
	// Lengths are those of all ticks, and Responses the times from their intended
	// starts to their ends, with one for each interval given up. Both rise.
	Lengths, Responses []time.Duration
	// Points are in order of time, each of Per ticks, the last of Per or fewer.
	Points []Point
	Per    int
	// Names are what Tick.Slowest means; the first is "".
	Names []string
	// Slow are the longest ticks, the longest first; Events what is in
	// events.jsonl of others.
	Slow   []SlowTick
	Events []Event

	// sums are those of columns of ticks.csv.
	sums struct {
		fired, carried uint64
		shed           int64
	}
}

// SlowTick is one of the longest ticks of a run.
type SlowTick struct {
	Tick
	// Kinds are what its timers did, as far as the run has noted it.
	Kinds []KindTime
	// What is a word for the stall or storm that began in it, if one did.
	What string
}

// Loader reads results folders. The zero value does.
type Loader struct {
	// Progress is told, now and then, how much of each ticks.csv is read, 0 to 1.
	// nil means nobody.
	Progress func(dir string, done float64)
}

// Load reads folders with the zero [Loader], to the end.
func Load(dirs ...string) (*Set, error) { return Loader{}.Load(context.Background(), dirs...) }

// Load reads one or several results folders. It returns an error that names the
// folder, the file, the line where there is one, and the remedy: if a folder is
// missing, empty, of another program, incomplete or cut short, if folders have
// different intervals or clocks, or have more runs than a picture holds; and that
// of ctx soon after ctx has ended. It panics without a folder.
//
// It takes about a second for each million ticks, and 60 MB.
func (l Loader) Load(ctx context.Context, dirs ...string) (*Set, error) {
	if len(dirs) == 0 {
		panic("report: Load: no folders")
	}
	s := &Set{}
	for _, dir := range dirs {
		f, runs, err := l.folder(ctx, dir)
		if err != nil {
			return nil, err
		}
		s.Folders = append(s.Folders, f)
		s.Runs = append(s.Runs, runs...)
	}
	if len(s.Runs) > plot.MaxRuns {
		return nil, fmt.Errorf("report: %d runs in %d folders: at most %d fit one picture: take fewer folders", len(s.Runs), len(dirs), plot.MaxRuns)
	}
	if err := s.merge(); err != nil {
		return nil, err
	}
	s.label()
	return s, nil
}

// merge finds what the folders have in common.
func (s *Set) merge() error {
	first := s.Folders[0]
	s.Meta = first.Meta
	if len(s.Folders) == 1 {
		return nil
	}
	s.Meta.Policies = nil
	var parts []string
	for _, f := range s.Folders {
		m := f.Meta
		if m.IntervalMS != first.Meta.IntervalMS || m.Clock != first.Meta.Clock {
			return fmt.Errorf("report: %s has ticks of %v ms by the %s clock, %s of %v ms by the %s clock: they have no budget in common: look at them one by one",
				first.Dir, first.Meta.IntervalMS, first.Meta.Clock, f.Dir, m.IntervalMS, m.Clock)
		}
		if m.Scenario != first.Meta.Scenario {
			s.Meta.Scenario = "several scenarios"
		}
		if fmt.Sprint(m.Marks) != fmt.Sprint(first.Meta.Marks) {
			s.Meta.Marks, s.Meta.Zoom = nil, nil
		}
		s.Meta.DurationMS = max(s.Meta.DurationMS, m.DurationMS)
		s.Meta.Policies = append(s.Meta.Policies, m.Policies...)
		parts = append(parts, fmt.Sprintf("%s (%s, seed %d)", f.Dir, m.Scenario, m.Seed))
	}
	s.Meta.About = strings.Join(parts, ", ") + " · " + first.Meta.Clock + " clock"
	return nil
}

// label gives runs names that differ.
func (s *Set) label() {
	seen := map[string]int{}
	for _, r := range s.Runs {
		seen[r.Name]++
	}
	bases := map[string]int{}
	for _, f := range s.Folders {
		bases[filepath.Base(f.Dir)]++
	}
	for _, r := range s.Runs {
		r.Label = r.Name
		if base := filepath.Base(r.Folder.Dir); seen[r.Name] > 1 && bases[base] == 1 {
			r.Label = base + ": " + r.Name
		} else if seen[r.Name] > 1 {
			r.Label = r.Folder.Dir + ": " + r.Name
		}
	}
}

func (l Loader) folder(ctx context.Context, dir string) (*Folder, []*Run, error) {
	entries, err := os.ReadDir(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil, fmt.Errorf("report: there is no folder %s: make results with simulate run --out %s", dir, dir)
	case err != nil:
		return nil, nil, fmt.Errorf("report: no folder of results: %w: name one that simulate run has written", err)
	case len(entries) == 0:
		return nil, nil, fmt.Errorf("report: the folder %s is empty: make results with simulate run --out %s", dir, dir)
	}
	f := &Folder{Dir: dir}
	if err := f.read("run.json", &f.Meta); err != nil {
		_, ours := os.Stat(filepath.Join(dir, "summary.json"))
		switch {
		case errors.Is(err, fs.ErrNotExist) && ours == nil:
			return nil, nil, fmt.Errorf("report: %s has no run.json, so it holds no complete run: run the scenario again, or wait for the run that writes there", dir)
		case errors.Is(err, fs.ErrNotExist):
			return nil, nil, fmt.Errorf("report: %s has no run.json, so it is no folder of results, or one of an older version: make results with simulate run --out ANOTHER", dir)
		}
		return nil, nil, err
	}
	if err := f.checkMeta(); err != nil {
		return nil, nil, err
	}
	if err := errors.Join(f.read("summary.json", &f.Summary), f.read("environment.json", &f.Env)); err != nil {
		return nil, nil, err
	}
	if err := f.checkSummary(); err != nil {
		return nil, nil, err
	}
	f.readPlan()
	var runs []*Run
	for i, p := range f.Meta.Policies {
		runs = append(runs, &Run{RunMeta: p, Label: p.Name, Folder: f, Summary: f.Summary.Policies[i]})
	}
	err = f.open("ticks.csv", func(r io.Reader, size int64) error {
		return readTicks(ctx, &measured{r: r, size: size, told: func(done float64) {
			if l.Progress != nil {
				l.Progress(dir, done)
			}
		}}, size, runs)
	})
	if err == nil {
		err = f.open("events.jsonl", func(r io.Reader, _ int64) error { return readEvents(ctx, r, runs) })
	}
	if err == nil {
		err = f.open("latency.hlog", func(r io.Reader, _ int64) error { return checkHDR(ctx, r, runs) })
	}
	if err != nil {
		return nil, nil, err
	}
	for _, run := range runs {
		run.nameSlow()
	}
	return f, runs, nil
}

// measured tells how much of a file has been read, at most a hundred times.
type measured struct {
	r                io.Reader
	size, read, next int64
	told             func(float64)
}

func (m *measured) Read(b []byte) (int, error) {
	n, err := m.r.Read(b)
	if m.read += int64(n); m.read >= m.next {
		m.next = m.read + m.size/100 + 1
		m.told(min(float64(m.read)/float64(max(m.size, 1)), 1))
	}
	return n, err
}

// checkMeta refuses what no run of ours can have written.
func (f *Folder) checkMeta() error {
	m := f.Meta
	switch {
	case m.Format != metaFormat:
		return fmt.Errorf("report: %s: format %q: this version reads %q: run the scenario again", filepath.Join(f.Dir, "run.json"), m.Format, metaFormat)
	case !(inNS(m.IntervalMS) > 0):
		return f.broken("run.json", fmt.Errorf("interval_ms is %v", m.IntervalMS))
	case len(m.Policies) == 0:
		return f.broken("run.json", errors.New("it has no policies"))
	}
	if err := m.checkTimes(); err != nil {
		return f.broken("run.json", err)
	}
	return nil
}

// broken is the error of a file that is not as it was written.
func (f *Folder) broken(name string, err error) error {
	return fmt.Errorf("report: %s is incomplete or damaged: %w: run the scenario again", filepath.Join(f.Dir, name), err)
}

func (f *Folder) open(name string, read func(r io.Reader, size int64) error) error {
	file, err := os.Open(filepath.Join(f.Dir, name))
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("report: %s has no %s: run the scenario again: %w", f.Dir, name, err)
		}
		return fmt.Errorf("report: %w", err)
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return fmt.Errorf("report: %w", err)
	}
	err = read(bufio.NewReaderSize(file, 1<<16), info.Size())
	if err == nil || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	if other := otherRun(""); errors.As(err, &other) {
		return f.foreign(name, err)
	}
	return f.broken(name, err)
}

// read reads a JSON file, whole and with nothing behind it.
func (f *Folder) read(name string, v any) error {
	return f.open(name, func(r io.Reader, _ int64) error {
		d := json.NewDecoder(r)
		if err := d.Decode(v); err != nil {
			return cut(err)
		}
		if _, err := d.Token(); err != io.EOF {
			return errors.New("something follows its end")
		}
		return nil
	})
}

// cut says what an early end of a file is.
func cut(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return errors.New("it ends too early")
	}
	return err
}

// readEvents gives each run its lines. Each must have its last one.
func readEvents(ctx context.Context, r io.Reader, runs []*Run) error {
	by, ended := map[string]*Run{}, map[string]bool{}
	for _, run := range runs {
		by[run.Name] = run
	}
	d := json.NewDecoder(r)
	for line := 1; ; line++ {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		var e Event
		if err := d.Decode(&e); err == io.EOF {
			break
		} else if err != nil {
			return fmt.Errorf("line %d: %w", line, cut(err))
		}
		if err := e.check(); err != nil {
			return fmt.Errorf("line %d: %w", line, err)
		}
		run := by[e.Policy]
		switch {
		case e.Type == "mark":
		case run == nil:
			return fmt.Errorf("line %d: policy %q is not in run.json", line, e.Policy)
		case e.Type == "end":
			ended[e.Policy] = true
			if err := run.checkEnd(&e); err != nil {
				return err
			}
		case e.Type == "slow":
			if i := slices.IndexFunc(run.Slow, func(s SlowTick) bool { return s.Tick.Tick == e.Tick }); i >= 0 {
				run.Slow[i].Kinds = e.Kinds
			}
		default:
			run.Events = append(run.Events, e)
		}
	}
	for _, run := range runs {
		if !ended[run.Name] {
			return fmt.Errorf("it ends too early: policy %q has no last line", run.Name)
		}
	}
	return nil
}

// checkHDR compares the log with the ticks.
func checkHDR(ctx context.Context, r io.Reader, runs []*Run) error {
	l := hdr.NewHistogramLogReader(r)
	sums := map[string]*hdr.Histogram{}
	for {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		h, err := l.NextIntervalHistogram()
		if err == io.EOF || err == nil && h == nil {
			break
		}
		if err != nil {
			return err
		}
		if sums[h.Tag()] == nil {
			sums[h.Tag()] = newHDR()
		}
		if n := sums[h.Tag()].Merge(h); n != 0 {
			return fmt.Errorf("%s has %d values that are too long", h.Tag(), n)
		}
	}
	for _, run := range runs {
		length, response := tag(run.Name)+"/tick", tag(run.Name)+"/response"
		n := int64(0)
		if sums[length] != nil {
			n = sums[length].TotalCount()
		}
		if n != int64(run.RunMeta.Ticks) {
			return fmt.Errorf("policy %q has %d ticks of %d", run.Name, n, run.RunMeta.Ticks)
		}
		if err := firstOf(checkLog(ctx, sums[length], length, run.Lengths),
			checkLog(ctx, sums[response], response, run.Responses)); err != nil {
			return err
		}
	}
	return nil
}

// Draw writes the pictures of s into dir, which exists, as Write does. After ctx
// has ended it begins no more and returns the error of ctx. A picture that cannot
// be written does not keep the others from it.
func Draw(ctx context.Context, dir string, s *Set) error {
	runs := make([]plot.Run, len(s.Runs))
	for i, r := range s.Runs {
		runs[i] = plot.Run{Name: r.Label, Ticks: r.Samples, Lengths: r.Lengths}
	}
	return draw(ctx, dir, s.Meta, runs)
}

// Interval is the length of a tick.
func (s *Set) Interval() time.Duration { return inNS(s.Meta.IntervalMS) }

func (f *Folder) interval() time.Duration { return inNS(f.Meta.IntervalMS) }
