package report

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"time"

	"github.com/tickwheel/tickwheel/tick"
)

// Tick is a line of ticks.csv. Lanes are in the order they run: urgent, normal,
// bulk.
type Tick struct {
	Tick                       int64
	Start, StartLate, Duration time.Duration
	Phase                      [tick.Phases]time.Duration
	Shed                       int64
	Fired, Carried             int32
	Backlog, Late              [tick.Lanes]int32
	Inputs, Results            int32
	Jobs, JobsEnded, Panics    int32
	JobsRan, JobWait           time.Duration
	// Slowest is the kind that took most of the tick, an index of Run.Names.
	Slowest     int32
	SlowestTime time.Duration
}

// maxPrealloc bounds the memory that a number in a file asks for.
const maxPrealloc = 1 << 20

// rows reads ticks.csv by the names of its columns, so that their order may
// change and new ones may come.
type rows struct {
	c    *csv.Reader
	at   map[string]int
	row  []string
	line int
	err  error
}

func newRows(r io.Reader) (*rows, error) {
	c := csv.NewReader(r)
	c.ReuseRecord = true
	head, err := c.Read()
	if err != nil {
		return nil, cut(err)
	}
	rs := &rows{c: c, at: map[string]int{}}
	for i, name := range head {
		rs.at[name] = i
	}
	for _, name := range tickColumns {
		if _, ok := rs.at[name]; !ok {
			return nil, fmt.Errorf("it has no column %q", name)
		}
	}
	return rs, nil
}

func (rs *rows) next() bool {
	row, err := rs.c.Read()
	rs.line, _ = rs.c.FieldPos(0)
	if err != nil {
		if err != io.EOF {
			rs.err = err
			if errors.Is(err, csv.ErrFieldCount) {
				rs.err = fmt.Errorf("line %d has %d columns of %d: it ends too early", rs.line, len(row), len(rs.at))
			}
		}
		return false
	}
	rs.row = row
	return true
}

func (rs *rows) text(column string) string { return rs.row[rs.at[column]] }

func (rs *rows) bad(column string) {
	if rs.err == nil {
		rs.err = fmt.Errorf("line %d: %s is %q", rs.line, column, rs.text(column))
	}
}

func (rs *rows) ms(column string) time.Duration {
	v, err := strconv.ParseFloat(rs.text(column), 64)
	if err != nil || !(v >= 0 && v < math.MaxInt64/1e6) { // not NaN either
		rs.bad(column)
		return 0
	}
	return inNS(v)
}

func (rs *rows) int(column string) int64 {
	v, err := strconv.ParseInt(rs.text(column), 10, 64)
	if err != nil || v < 0 {
		rs.bad(column)
		return 0
	}
	return v
}

func (rs *rows) small(column string) int32 { return int32(min(rs.int(column), math.MaxInt32)) }

// readTicks gives each run its ticks. Each must have as many as run.json says.
func readTicks(r io.Reader, runs []*Run) error {
	rs, err := newRows(r)
	if err != nil {
		return err
	}
	by := map[string]*Run{}
	kinds := map[*Run]map[string]int32{}
	for _, run := range runs {
		by[run.Name] = run
		run.Names = []string{""}
		kinds[run] = map[string]int32{"": 0}
		run.Ticks = make([]Tick, 0, min(max(run.RunMeta.Ticks, 0), maxPrealloc))
	}
	for rs.next() {
		run := by[rs.text("policy")]
		if run == nil {
			return fmt.Errorf("line %d: policy %q is not in run.json", rs.line, rs.text("policy"))
		}
		t := rs.tick()
		name := rs.text("slowest_kind")
		id, ok := kinds[run][name]
		if !ok {
			id = int32(len(run.Names))
			// The reader uses the memory of the row again.
			name = string([]byte(name))
			run.Names, kinds[run][name] = append(run.Names, name), id
		}
		t.Slowest = id
		run.Ticks = append(run.Ticks, t)
		if rs.err != nil {
			return rs.err
		}
	}
	if rs.err != nil {
		return rs.err
	}
	for _, run := range runs {
		if len(run.Ticks) != run.RunMeta.Ticks {
			return fmt.Errorf("policy %q has %d ticks of %d", run.Name, len(run.Ticks), run.RunMeta.Ticks)
		}
	}
	return nil
}

// tick is the row in hand.
func (rs *rows) tick() Tick {
	return Tick{
		Tick:  rs.int("tick"),
		Start: rs.ms("start_ms"), StartLate: rs.ms("start_late_ms"), Duration: rs.ms("duration_ms"),
		Phase: [tick.Phases]time.Duration{rs.ms("inbox_ms"), rs.ms("timers_ms"), rs.ms("systems_ms"), rs.ms("flush_ms")},
		Shed:  rs.int("shed_before"),
		Fired: rs.small("fired"), Carried: rs.small("carried"),
		Backlog: [tick.Lanes]int32{rs.small("backlog_urgent"), rs.small("backlog_normal"), rs.small("backlog_bulk")},
		Late:    [tick.Lanes]int32{rs.small("late_urgent"), rs.small("late_normal"), rs.small("late_bulk")},
		Inputs:  rs.small("inputs"), Results: rs.small("results"),
		Jobs: rs.small("jobs"), JobsEnded: rs.small("jobs_ended"), Panics: rs.small("panics"),
		JobsRan: rs.ms("jobs_ran_ms"), JobWait: rs.ms("job_wait_ms"), SlowestTime: rs.ms("slowest_ms"),
	}
}
