package report

import (
	"bytes"
	"encoding/binary"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"

	"github.com/tickwheel/tickwheel/sim"
)

// replayFile is what a run is played again from: a line of JSON with all that
// decides what happens, then for each tick of each run 32 bits of its hash.
const replayFile = "replay.bin"

const replayFormat = "tickwheel-replay/1"

// maxReplay bounds the size of a file that is read.
const maxReplay = 1 << 30

// Replay is what a results folder has to play its runs again.
type Replay struct {
	// Path is the file's.
	Path string `json:"-"`

	Format string `json:"format"`
	Seed   uint64 `json:"seed"`
	// Clock is "virtual" or "real"; only the former can be played again.
	Clock    string       `json:"clock"`
	Scenario sim.Scenario `json:"scenario"`
	Runs     []ReplayRun  `json:"runs"`
}

// ReplayRun is one run.
type ReplayRun struct {
	Policy sim.Policy `json:"policy"`
	// Trace is the hash of the whole run.
	Trace string `json:"trace_hash"`
	// Ticks is how many it has, less than the scenario's if it was interrupted.
	Ticks int `json:"ticks"`

	hashes []byte
}

// Difference is the first tick in which two runs did not do the same.
type Difference struct {
	// Tick is its number.
	Tick int64 `json:"tick"`
	// AtMS is its intended start, of the run that was played again.
	AtMS float64 `json:"at_ms"`
	// Columns are those of ticks.csv that differ. None means that the figures are
	// the same and the order of things is not, or that there is no ticks.csv.
	Columns []ColumnDifference `json:"columns"`
}

// ColumnDifference is a column of ticks.csv.
type ColumnDifference struct {
	Column   string `json:"column"`
	Recorded string `json:"recorded"`
	Now      string `json:"now"`
}

// replayOf returns all that decides what happens in runs, and what came of it.
func replayOf(runs []*sim.Recording) Replay {
	first := runs[0]
	head := Replay{Format: replayFormat, Seed: first.Seed, Clock: clockName(first), Scenario: first.Scenario}
	for _, r := range runs {
		head.Runs = append(head.Runs, ReplayRun{Policy: r.Policy, Trace: r.Trace, Ticks: len(r.Ticks)})
	}
	return head
}

func writeReplay(w io.Writer, runs []*sim.Recording) error {
	head := replayOf(runs)
	var hashes []byte
	for _, r := range runs {
		for i := range r.Ticks {
			hashes = binary.LittleEndian.AppendUint32(hashes, uint32(r.Ticks[i].Hash))
		}
	}
	line, err := json.Marshal(head)
	if err != nil {
		return err
	}
	_, err = w.Write(append(append(line, '\n'), hashes...))
	return err
}

// LoadReplay reads what is needed to play the runs of a results folder, or of its
// replay.bin, again. It returns an error that names the file and the remedy if it
// is missing, foreign or cut short.
func LoadReplay(path string) (*Replay, error) {
	info, err := os.Stat(path)
	if err == nil && info.IsDir() {
		path = filepath.Join(path, replayFile)
		info, err = os.Stat(path)
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("report: %s does not exist: make results with simulate run", path)
	case err != nil:
		return nil, fmt.Errorf("report: %w", err)
	case info.Size() > maxReplay:
		return nil, fmt.Errorf("report: %s has %d bytes: want at most %d", path, info.Size(), maxReplay)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("report: %w", err)
	}
	bad := func(format string, args ...any) error {
		return fmt.Errorf("report: %s %s: make results with simulate run", path, fmt.Sprintf(format, args...))
	}
	line, hashes, ok := bytes.Cut(data, []byte("\n"))
	r := &Replay{Path: path}
	if !ok || json.Unmarshal(line, r) != nil || r.Format != replayFormat {
		return nil, bad("is not a %s that this version reads", replayFile)
	}
	total := 0
	for i := range r.Runs {
		n := r.Runs[i].Ticks
		if n < 0 || n > math.MaxInt32 || 4*n > len(hashes)-total {
			return nil, bad("was cut short, or changed")
		}
		r.Runs[i].hashes = hashes[total : total+4*n]
		total += 4 * n
	}
	if total != len(hashes) || len(r.Runs) == 0 {
		return nil, bad("was cut short, or changed")
	}
	return r, r.checkMeta()
}

// checkMeta compares r with the run.json beside it, if there is one: the file by
// itself is enough to play its runs again.
func (r *Replay) checkMeta() error {
	f := &Folder{Dir: filepath.Dir(r.Path)}
	err := f.read("run.json", &f.Meta)
	switch m := &f.Meta; {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err == nil:
		err = firstOf(f.checkMeta(),
			differs("seed", r.Seed, "run.json", m.Seed),
			differs("clock", r.Clock, "run.json", m.Clock),
			differs("policies", len(r.Runs), "run.json", len(m.Policies)))
		for i := 0; err == nil && i < len(r.Runs); i++ {
			run, other := &r.Runs[i], &m.Policies[i]
			err = firstOf(
				differs("policy", run.Policy.Name, "run.json", other.Name),
				differs("ticks of "+other.Name, run.Ticks, "run.json", other.Ticks),
				differs("trace_hash of "+other.Name, run.Trace, "run.json", other.TraceHash))
		}
	}
	if other := otherRun(""); errors.As(err, &other) {
		return f.foreign(filepath.Base(r.Path), err)
	}
	return err
}

// Compare returns the first difference between run i of r and what was played
// again, nil if both did the same. For the figures it looks into ticks.csv beside
// the file, if there is one.
func (r *Replay) Compare(i int, now *sim.Recording) (*Difference, error) {
	run := &r.Runs[i]
	n := min(run.Ticks, len(now.Ticks))
	for k := range n {
		if binary.LittleEndian.Uint32(run.hashes[4*k:]) != uint32(now.Ticks[k].Hash) {
			return r.difference(run, now, k)
		}
	}
	switch {
	case len(now.Ticks) < run.Ticks:
		return &Difference{Tick: int64(n + 1), Columns: []ColumnDifference{
			{"ticks", fmt.Sprint(run.Ticks), fmt.Sprint(len(now.Ticks))}}}, nil
	case len(now.Ticks) == run.Ticks && now.Trace != run.Trace:
		return &Difference{Tick: int64(n), Columns: []ColumnDifference{{"trace_hash", run.Trace, now.Trace}}}, nil
	}
	return nil, nil
}

func (r *Replay) difference(run *ReplayRun, now *sim.Recording, k int) (*Difference, error) {
	t := &now.Ticks[k]
	d := &Difference{Tick: int64(t.Tick), AtMS: exactMS(t.Start), Columns: []ColumnDifference{}}
	f, err := os.Open(filepath.Join(filepath.Dir(r.Path), "ticks.csv"))
	if errors.Is(err, fs.ErrNotExist) {
		return d, nil
	}
	if err != nil {
		return nil, fmt.Errorf("report: %w", err)
	}
	defer f.Close()
	c := csv.NewReader(f)
	header, err := c.Read()
	got := appendTick(nil, now, t)
	for err == nil {
		var row []string
		if row, err = c.Read(); err != nil {
			break
		}
		if len(row) < 2 || row[0] != got[0] || row[1] != got[1] {
			continue
		}
		for i, name := range tickColumns {
			if i < len(row) && i < len(header) && header[i] == name && row[i] != got[i] {
				d.Columns = append(d.Columns, ColumnDifference{name, row[i], got[i]})
			}
		}
		return d, nil
	}
	if errors.Is(err, io.EOF) { // without this tick: nothing to compare
		return d, nil
	}
	return nil, fmt.Errorf("report: %s: %w", f.Name(), err)
}
