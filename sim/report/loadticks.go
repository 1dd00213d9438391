package report

import (
	"bytes"
	"context"
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"strconv"
	"time"

	"github.com/tickwheel/tickwheel/sim/plot"
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

// leastRow is the length of the shortest line of ticks.csv: a folder of n bytes
// has no more than n/leastRow ticks, whatever run.json says. It bounds the memory
// that a number in a file asks for.
const leastRow = 2 * 28

// maxShed is the most intervals that one stall takes, three weeks of 50 ms: each is
// a response of its own in memory.
const maxShed = 1 << 25

// Columns of ticks.csv, places in tickColumns.
const (
	colPolicy = iota
	colTick
	colStart
	colStartLate
	colDuration
	colInbox
	colTimers
	colSystems
	colFlush
	colFired
	colCarried
	colBacklogUrgent
	colBacklogNormal
	colBacklogBulk
	colOldest
	colShed
	colInputs
	colResults
	colJobs
	colSlowest
	colSlowestTime
	colLateUrgent
	colLateNormal
	colLateBulk
	colJobsEnded
	colJobsRan
	colJobWait
	colPanics
)

// rows reads ticks.csv by the names of its columns, so that their order may
// change and new ones may come.
type rows struct {
	lines *lines
	at    [colPanics + 1]int // by column, the place in a row
	width int
	row   [][]byte
	err   error
}

func newRows(r io.Reader) (*rows, error) {
	rs := &rows{lines: newLines(r)}
	head, err := rs.lines.next(nil)
	if err != nil {
		return nil, cut(err)
	}
	rs.width = len(head)
	by := map[string]int{}
	for i, name := range head {
		by[string(name)] = i
	}
	for c, name := range tickColumns {
		i, ok := by[name]
		if !ok {
			return nil, fmt.Errorf("it has no column %q", name)
		}
		rs.at[c] = i
	}
	return rs, nil
}

func (rs *rows) next() bool {
	row, err := rs.lines.next(rs.row[:0])
	switch {
	case err == io.EOF:
		return false
	case err != nil:
		rs.err = err
		return false
	case len(row) != rs.width:
		rs.err = fmt.Errorf("line %d has %d columns of %d: it ends too early", rs.lines.line, len(row), rs.width)
		return false
	}
	rs.row = row
	return true
}

func (rs *rows) text(column int) []byte { return rs.row[rs.at[column]] }

func (rs *rows) bad(column int) {
	if rs.err == nil {
		rs.err = fmt.Errorf("line %d: %s is %q", rs.lines.line, tickColumns[column], rs.text(column))
	}
}

func (rs *rows) ms(column int) time.Duration {
	text := rs.text(column)
	if d, ok := plainMS(text); ok {
		return d
	}
	v, err := strconv.ParseFloat(string(text), 64)
	if err != nil || !(v >= 0 && v < math.MaxInt64/1e6) { // not NaN either
		rs.bad(column)
		return 0
	}
	return inNS(v)
}

// plainMS reads milliseconds as we write them: up to six digits behind the point,
// which is whole nanoseconds. Ten million ticks have 80 million of them.
func plainMS(text []byte) (time.Duration, bool) {
	n, behind := int64(0), -1
	if len(text) == 0 || len(text) > 12 {
		return 0, false
	}
	for _, c := range text {
		switch {
		case c >= '0' && c <= '9':
			n = n*10 + int64(c-'0')
			if behind >= 0 {
				behind++
			}
		case c == '.' && behind < 0:
			behind = 0
		default:
			return 0, false
		}
	}
	if behind > 6 || behind == 0 {
		return 0, false
	}
	for range 6 - max(behind, 0) {
		n *= 10
	}
	return time.Duration(n), true
}

func (rs *rows) int(column int) int64 {
	text := rs.text(column)
	if len(text) == 1 && text[0] >= '0' && text[0] <= '9' {
		return int64(text[0] - '0')
	}
	v, err := strconv.ParseInt(string(text), 10, 64)
	if err != nil || v < 0 {
		rs.bad(column)
		return 0
	}
	return v
}

func (rs *rows) small(column int) int32 { return int32(min(rs.int(column), math.MaxInt32)) }

// tickReader gives each run its ticks.
type tickReader struct {
	ctx   context.Context
	size  int64 // of the file
	by    map[string]*Run
	kinds map[*Run]map[string]int32
	parts map[*Run]*reducer
}

// readTicks gives each run its ticks. Each must have as many as run.json says.
func readTicks(ctx context.Context, r io.Reader, size int64, runs []*Run) error {
	rs, err := newRows(r)
	if err != nil {
		return err
	}
	tr := tickReader{ctx, size, map[string]*Run{}, map[*Run]map[string]int32{}, map[*Run]*reducer{}}
	for _, run := range runs {
		tr.begin(run)
	}
	for n := 0; rs.next(); n++ {
		if n%4096 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if err := tr.add(rs); err != nil {
			return err
		}
	}
	if rs.err != nil {
		return rs.err
	}
	for _, run := range runs {
		if err := tr.end(run); err != nil {
			return err
		}
	}
	return nil
}

func (tr *tickReader) begin(run *Run) {
	tr.by[run.Name] = run
	tr.kinds[run] = map[string]int32{"": 0}
	tr.parts[run] = newReducer(run, MaxPoints)
	room := int(min(max(int64(run.RunMeta.Ticks), 0), tr.size/leastRow+1))
	run.Names = []string{""}
	run.Samples = make([]plot.Sample, 0, room)
	run.Responses = make([]time.Duration, 0, room)
}

// add files the row in hand.
func (tr *tickReader) add(rs *rows) error {
	run := tr.by[string(rs.text(colPolicy))]
	if run == nil {
		return fmt.Errorf("line %d: policy %q is not in run.json", rs.lines.line, rs.text(colPolicy))
	}
	if len(run.Samples) == run.RunMeta.Ticks {
		return fmt.Errorf("line %d: policy %q has more ticks than the %d of run.json", rs.lines.line, run.Name, run.RunMeta.Ticks)
	}
	t := rs.tick()
	kinds, name := tr.kinds[run], rs.text(colSlowest)
	id, ok := kinds[string(name)]
	if !ok {
		id = int32(len(run.Names))
		kinds[string(name)] = id
		run.Names = append(run.Names, kindName(string(name), run.Folder.Meta.Clock == "real"))
	}
	t.Slowest = id
	if t.Shed > maxShed {
		rs.bad(colShed)
		return rs.err
	}
	run.Samples = append(run.Samples, plot.Sample{At: t.Start + t.StartLate, Latency: t.Duration})
	for n := range t.Shed + 1 { // the intervals given up were meant to begin before
		if n%(1<<20) == 1<<20-1 && tr.ctx.Err() != nil {
			return tr.ctx.Err()
		}
		run.Responses = append(run.Responses, t.StartLate+t.Duration+time.Duration(n)*run.Folder.interval())
	}
	run.sums.fired += uint64(t.Fired)
	run.sums.carried += uint64(t.Carried)
	run.sums.shed += t.Shed
	tr.parts[run].add(&t)
	return rs.err
}

// end puts what came in order of time in order of length.
func (tr *tickReader) end(run *Run) (err error) {
	if len(run.Samples) != run.RunMeta.Ticks {
		return fmt.Errorf("policy %q has %d ticks of %d", run.Name, len(run.Samples), run.RunMeta.Ticks)
	}
	if run.Lengths, err = plot.Lengths(tr.ctx, run.Samples); err != nil {
		return err
	}
	if run.Responses, err = plot.Sorted(tr.ctx, run.Responses); err != nil {
		return err
	}
	return run.checkTicks()
}

// tick is the row in hand.
func (rs *rows) tick() Tick {
	return Tick{
		Tick:  rs.int(colTick),
		Start: rs.ms(colStart), StartLate: rs.ms(colStartLate), Duration: rs.ms(colDuration),
		Phase: [tick.Phases]time.Duration{rs.ms(colInbox), rs.ms(colTimers), rs.ms(colSystems), rs.ms(colFlush)},
		Shed:  rs.int(colShed),
		Fired: rs.small(colFired), Carried: rs.small(colCarried),
		Backlog: [tick.Lanes]int32{rs.small(colBacklogUrgent), rs.small(colBacklogNormal), rs.small(colBacklogBulk)},
		Late:    [tick.Lanes]int32{rs.small(colLateUrgent), rs.small(colLateNormal), rs.small(colLateBulk)},
		Inputs:  rs.small(colInputs), Results: rs.small(colResults),
		Jobs: rs.small(colJobs), JobsEnded: rs.small(colJobsEnded), Panics: rs.small(colPanics),
		JobsRan: rs.ms(colJobsRan), JobWait: rs.ms(colJobWait), SlowestTime: rs.ms(colSlowestTime),
	}
}

// fields cuts a line that has no quotes. Most have none: encoding/csv copies each
// line to a string, which for ten million of them is most of the time.
func fields(line []byte, row [][]byte) [][]byte {
	for {
		i := bytes.IndexByte(line, ',')
		if i < 0 {
			return append(row, line)
		}
		row, line = append(row, line[:i]), line[i+1:]
	}
}

// quotedFields cuts a line that has quotes.
func quotedFields(line []byte, row [][]byte) ([][]byte, error) {
	texts, err := csv.NewReader(bytes.NewReader(line)).Read()
	for _, t := range texts {
		row = append(row, []byte(t))
	}
	return row, err
}
