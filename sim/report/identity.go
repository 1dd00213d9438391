package report

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"time"

	hdr "github.com/HdrHistogram/hdrhistogram-go"

	"github.com/tickwheel/tickwheel/sim"
)

// runID is the identity of a set of runs: the same for the same seed, scenario,
// policies and decisions, and by the real clock for the same times of ticks. The
// files of a folder have it, so that one of another run does not pass for theirs.
func runID(runs []*sim.Recording) string {
	h := sha256.New()
	head, err := json.Marshal(replayOf(runs))
	if err != nil { // a scenario of numbers and names: replay.bin is refused, too
		head = fmt.Appendf(nil, "%v", err)
	}
	h.Write(head)
	for _, r := range runs {
		if !r.Real { // the trace says all
			continue
		}
		var b [16]byte
		for i := range r.Ticks {
			binary.LittleEndian.PutUint64(b[:8], uint64(r.Ticks[i].StartLate))
			binary.LittleEndian.PutUint64(b[8:], uint64(r.Ticks[i].Duration))
			h.Write(b[:])
		}
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}

// otherRun says how a file shows that it is of another run than its neighbours.
type otherRun string

func (o otherRun) Error() string { return string(o) }

// differs returns an otherRun unless what a file says is what another one does.
func differs[T comparable](what string, got T, other string, want T) error {
	if got == want {
		return nil
	}
	return otherRun(fmt.Sprintf("%s %v, %s says %v", what, got, other, want))
}

// foreign is the error of a file that is of another run.
func (f *Folder) foreign(name string, err error) error {
	return fmt.Errorf("report: %s is of another run (%w): run again, or take the folder as it was written", filepath.Join(f.Dir, name), err)
}

// firstOf returns the first error of some.
func firstOf(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// checkSummary compares summary.json with run.json.
func (f *Folder) checkSummary() error {
	s, m := &f.Summary, &f.Meta
	if len(s.Policies) != len(m.Policies) {
		return f.broken("summary.json", fmt.Errorf("it has %d policies, run.json has %d", len(s.Policies), len(m.Policies)))
	}
	if !(inNS(s.IntervalMS) > 0) {
		return f.broken("summary.json", fmt.Errorf("interval_ms is %v", s.IntervalMS))
	}
	err := firstOf(
		differs("seed", s.Seed, "run.json", m.Seed),
		differs("scenario", s.Scenario, "run.json", m.Scenario),
		differs("clock", s.Clock, "run.json", m.Clock),
		differs("interval_ms", s.IntervalMS, "run.json", m.IntervalMS),
	)
	for i, p := range s.Policies {
		err = firstOf(err,
			differs("policy", p.Name, "run.json", m.Policies[i].Name),
			differs("trace_hash of "+p.Name, p.TraceHash, "run.json", m.Policies[i].TraceHash))
	}
	if err = firstOf(err, differs("run", s.Run, "run.json", m.Run)); err != nil {
		return f.foreign("summary.json", err)
	}
	for _, p := range s.Policies {
		q := p.StartLateMS
		for _, v := range []float64{q.P50, q.P90, q.P99, q.P999, q.Max} {
			if !sound(v) {
				return f.broken("summary.json", fmt.Errorf("policy %q: start_late_ms has %v", p.Name, v))
			}
		}
	}
	return nil
}

// checkTicks compares what the ticks of r come to with its figures.
func (r *Run) checkTicks() error {
	over := 0
	if i, _ := slices.BinarySearch(r.Lengths, r.Folder.interval()+1); len(r.Lengths) > 0 {
		over = len(r.Lengths) - i
	}
	at := func(perMille int) int64 {
		if len(r.Lengths) == 0 {
			return 0
		}
		rank := (len(r.Lengths)*perMille + 999) / 1000
		return int64(r.Lengths[max(rank, 1)-1])
	}
	lengths := inMS(sim.Quantiles{P50: at(500), P90: at(900), P99: at(990), P999: at(999), Max: at(1000)})
	s, of := &r.Summary, " of "+r.Name
	return firstOf(
		differs("fired"+of, r.sums.fired, "summary.json", s.Fired),
		differs("carried"+of, r.sums.carried, "summary.json", s.Carried),
		differs("intervals shed"+of, r.sums.shed, "summary.json", s.ShedTicks),
		differs("overruns"+of, over, "summary.json", s.Overruns),
		differs("lengths"+of, lengths, "summary.json", s.TickMS),
	)
}

// checkEnd compares the last line of a policy in events.jsonl with its run.
func (r *Run) checkEnd(e *Event) error {
	end := time.Duration(0)
	if n := len(r.Samples); n > 0 {
		end = r.Samples[n-1].At + r.Samples[n-1].Latency
	}
	return firstOf(
		differs("run", e.Run, "run.json", r.Folder.Meta.Run),
		differs("end of "+r.Name, inNS(e.AtMS), "ticks.csv", end))
}

// checkLog compares the histogram of a tag with the times that it is of.
func checkLog(ctx context.Context, got *hdr.Histogram, tag string, times []time.Duration) error {
	want := newHDR()
	for i, d := range times {
		if i%(1<<20) == 1<<20-1 && ctx.Err() != nil {
			return ctx.Err()
		}
		if err := want.RecordValue(clampHDR(d)); err != nil {
			return err
		}
	}
	if got == nil {
		got = newHDR()
	}
	if !got.Equals(want) {
		return otherRun(fmt.Sprintf("%s has %d values up to %.3f ms, ticks.csv has %d up to %.3f ms", tag,
			got.TotalCount(), float64(got.Max())/1e6, want.TotalCount(), float64(want.Max())/1e6))
	}
	return nil
}

func newHDR() *hdr.Histogram { return hdr.New(1, int64(maxHDR), 3) }

// sound tells whether v can be a time in a file of ours: not negative, and no more
// milliseconds than a duration has.
func sound(v float64) bool { return v >= 0 && v < math.MaxInt64/1e6 }

// checkTimes refuses times in run.json that no run of ours has.
func (m *Meta) checkTimes() error {
	bad := func(key string, v float64) error {
		if sound(v) {
			return nil
		}
		return fmt.Errorf("%s is %v", key, v)
	}
	err := bad("duration_ms", m.DurationMS)
	for i, k := range m.Marks {
		err = firstOf(err, bad(fmt.Sprintf("marks[%d].at_ms", i), k.AtMS))
	}
	if z := m.Zoom; z != nil {
		err = firstOf(err, bad("zoom.from_ms", z.FromMS), bad("zoom.to_ms", z.ToMS))
	}
	for i, p := range m.Policies {
		at := fmt.Sprintf("policies[%d].", i)
		err = firstOf(err, bad(at+"jitter_ms", p.JitterMS))
		if p.Ticks < 0 {
			err = firstOf(err, fmt.Errorf("%sticks is %d", at, p.Ticks))
		}
		for j, k := range p.Kinds {
			err = firstOf(err, bad(fmt.Sprintf("%skinds[%d].time_ms", at, j), k.TimeMS))
		}
	}
	return err
}

// eventTypes are what Event.Type may be.
var eventTypes = []string{"mark", "shed", "guard", "job", "slow", "end"}

// check refuses an event that no run of ours has.
func (e *Event) check() error {
	switch {
	case !slices.Contains(eventTypes, e.Type):
		return fmt.Errorf("type is %q", e.Type)
	case !sound(e.AtMS):
		return fmt.Errorf("at_ms is %v", e.AtMS)
	case !sound(e.TimeMS):
		return fmt.Errorf("time_ms is %v", e.TimeMS)
	case e.N < 0:
		return fmt.Errorf("n is %d", e.N)
	case e.Tick < 0:
		return fmt.Errorf("tick is %d", e.Tick)
	}
	for i, k := range e.Kinds {
		if !sound(k.TimeMS) || k.Fired < 0 {
			return fmt.Errorf("kinds[%d] has fired %d and time_ms %v", i, k.Fired, k.TimeMS)
		}
	}
	return nil
}
