package sim

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

var costsHeader = []string{"work", "runs", "ns"}

// Limits of a file of costs.
const (
	maxCostLines = 10_000_000
	maxRuns      = 1 << 36 // of one sample
	maxCostBytes = 1 << 28
)

// measuredValues is how many lengths a measured cost is one of, as of a shape.
const measuredValues = 16

// WriteCosts writes samples as CSV, a line each.
func WriteCosts(w io.Writer, samples []CostSample) error {
	c := csv.NewWriter(w)
	_ = c.Write(costsHeader) // Flush keeps the error
	for _, s := range samples {
		_ = c.Write([]string{s.Work, strconv.FormatInt(s.Runs, 10), strconv.FormatInt(int64(s.Time), 10)})
	}
	c.Flush()
	return c.Error()
}

// ReadCosts reads what WriteCosts or a server has written: a head line
// "work,runs,ns", then for each sample the name of the work, how often it ran, and
// how many nanoseconds that took together. name is what errors call it; they say the
// line, the value and what is wanted.
func ReadCosts(name string, r io.Reader) ([]CostSample, error) {
	in := bufio.NewReader(&limited{r: r, left: maxCostBytes})
	if bom, err := in.Peek(3); err == nil && string(bom) == "\ufeff" {
		_, _ = in.Discard(3) // spreadsheets put it in front
	}
	c := csv.NewReader(in)
	c.FieldsPerRecord, c.ReuseRecord = -1, true
	var all []CostSample
	for n := 0; ; n++ {
		row, err := c.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("sim: %s: %w", name, err) // has the line
		}
		line, _ := c.FieldPos(0)
		switch {
		case n == 0 && !slices.Equal(row, costsHeader):
			return nil, fmt.Errorf("sim: %s:%d: %q: want the head line %s", name, line, strings.Join(row, ","), strings.Join(costsHeader, ","))
		case n == 0:
			continue
		case n > maxCostLines:
			return nil, fmt.Errorf("sim: %s: more than %d lines: put runs of one work together", name, maxCostLines)
		}
		s, err := parseCost(row)
		if err != nil {
			return nil, fmt.Errorf("sim: %s:%d: %w", name, line, err)
		}
		all = append(all, s)
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("sim: %s: no samples: want the head line %s, and a line for each", name, strings.Join(costsHeader, ","))
	}
	return all, nil
}

// limited reads at most left bytes and a line of at most maxCostLine, so that what
// has no line ends does not fill the memory.
type limited struct {
	r          io.Reader
	left, line int
}

const maxCostLine = 1 << 16 // bytes

func (l *limited) Read(b []byte) (int, error) {
	n, err := l.r.Read(b)
	for at := b[:n]; ; {
		i := bytes.IndexByte(at, '\n')
		if i < 0 {
			l.line += len(at)
			break
		}
		l.line, at = 0, at[i+1:]
	}
	if l.left -= n; l.left < 0 {
		return 0, fmt.Errorf("more than %d bytes: put runs of one work together", maxCostBytes)
	}
	if l.line > maxCostLine {
		return 0, fmt.Errorf("a line of more than %d bytes: want %s in each", maxCostLine, strings.Join(costsHeader, ","))
	}
	return n, err
}

func parseCost(row []string) (s CostSample, err error) {
	if len(row) != len(costsHeader) || row[0] == "" {
		return s, fmt.Errorf("%q: want %s, such as respawn,40,412000", strings.Join(row, ","), strings.Join(costsHeader, ","))
	}
	if !utf8.ValidString(row[0]) {
		return s, fmt.Errorf("work %q: want a name in UTF-8", row[0])
	}
	s.Work = strings.Clone(row[0])
	if s.Runs, err = strconv.ParseInt(row[1], 10, 64); err != nil || s.Runs < 1 || s.Runs > maxRuns {
		return s, fmt.Errorf("runs %q: want a whole number, 1 to %d", row[1], int64(maxRuns))
	}
	t, err := strconv.ParseInt(row[2], 10, 64)
	if err != nil || t < 0 || time.Duration(t) > maxLength {
		return s, fmt.Errorf("ns %q: want whole nanoseconds, 0 to %d", row[2], int64(maxLength))
	}
	if s.Time = time.Duration(t); s.Time/time.Duration(s.Runs) >= maxCost {
		return s, fmt.Errorf("ns %q: %v for each of %d: want less than %v", row[2], s.Time/time.Duration(s.Runs), s.Runs, maxCost)
	}
	return s, nil
}

// Measured is what was measured of one sort of work, and the cost that came of it.
type Measured struct {
	Work           string
	Runs           int64
	Mean, P50, P99 time.Duration
	// Max is the mean of the longest sample.
	Max  time.Duration
	Cost Dist
}

// Calibration is what became of the costs of a plan.
type Calibration struct {
	Measured []Measured
	// Kept are works of the plan without a sample, whose costs stay; Foreign are
	// works of samples that the plan does not have.
	Kept, Foreign []string
}

// Calibrate replaces the costs of p by what was measured. Each becomes sixteen
// lengths that are as likely, the mean of each sixteenth of the runs by their length,
// or a single one if they hardly differ: mean and spread stay, to three digits.
// The machine's speed becomes 100 %, since it is the one that costs are for.
//
// The error says that nothing fits: no sample is of a work of the plan.
func (p *Plan) Calibrate(samples []CostSample) (Calibration, error) {
	byWork := map[string][]CostSample{}
	for _, s := range samples {
		byWork[s.Work] = append(byWork[s.Work], s)
	}
	var c Calibration
	known := map[string]bool{}
	for _, t := range p.costed() {
		m, ok := byWork[t.work]
		switch {
		case !ok && !known[t.work]:
			c.Kept = append(c.Kept, t.work)
		case ok:
			got := measured(m)
			*t.cost = got.Cost
			if !known[t.work] {
				c.Measured = append(c.Measured, got)
			}
		}
		known[t.work] = true
	}
	for work := range byWork {
		if !known[work] {
			c.Foreign = append(c.Foreign, work)
		}
	}
	slices.Sort(c.Foreign)
	if len(c.Measured) == 0 {
		return c, fmt.Errorf("sim: no sample is of a work of %s: it has %s, and the samples are of %s: take names of the scenario",
			p.Scenario.Name, strings.Join(c.Kept, ", "), strings.Join(c.Foreign, ", "))
	}
	p.Scenario.Speed = 0
	_, err := p.Check()
	return c, err
}

// target is a cost of a plan and the work it is of.
type target struct {
	work string
	cost *Dist
}

// costed returns what can be measured. Movement is a part of each tick that depends
// on how many are online, so it stays as it is.
func (p *Plan) costed() (ts []target) {
	s := &p.Scenario
	add := func(work string, d *Dist) { ts = append(ts, target{work, d}) }
	add("tick", &s.Costs.Tick)
	if s.everybody() > 0 {
		add("input", &s.Costs.Input)
		add("login", &s.Costs.Login)
		add("logout", &s.Costs.Logout)
	}
	for i := range s.Kinds {
		add(s.Kinds[i].Name, &s.Kinds[i].Cost)
	}
	for i := range s.Jobs {
		add(s.Jobs[i].Name, &s.Jobs[i].Length)
		add(s.Jobs[i].Name+"/result", &s.Jobs[i].Result)
	}
	for i := range s.Storms {
		if st := &s.Storms[i]; st.Do == "" || st.Do == StormTimers {
			add(st.Name+"/arm", &st.Arm)
			add(st.Name, &st.Cost)
		}
	}
	return ts
}

// measured makes a cost of samples of one work.
func measured(samples []CostSample) Measured {
	slices.SortStableFunc(samples, func(a, b CostSample) int { return cmp.Compare(a.mean(), b.mean()) })
	m := Measured{Work: samples[0].Work}
	total := 0.0 // in 64 bits it could overflow
	for _, s := range samples {
		m.Runs += s.Runs
		total += float64(s.Time)
	}
	m.Mean = time.Duration(total / float64(m.Runs))
	m.P50, m.P99 = rankOf(samples, (m.Runs+1)/2), rankOf(samples, m.Runs-m.Runs/100)
	m.Max = time.Duration(samples[len(samples)-1].mean())
	n := min(measuredValues, m.Runs)
	values := make([]time.Duration, n)
	for i := range n {
		from, to := float64(m.Runs)*float64(i)/float64(n), float64(m.Runs)*float64(i+1)/float64(n)
		values[i] = digits(partOf(samples, from, to) / (to - from))
	}
	if first, last := values[0], values[n-1]; last-first <= m.Mean/50 {
		m.Cost = Dist{Lo: max(digits(float64(m.Mean)), 1)} // 0 would be unset
		return m
	}
	m.Cost = OneOf(values...)
	return m
}

// rankOf is the length of the run number rank by its length.
func rankOf(samples []CostSample, rank int64) time.Duration {
	for _, s := range samples {
		if rank -= s.Runs; rank <= 0 {
			return time.Duration(s.mean())
		}
	}
	return 0
}

// partOf is the time of the runs from one rank to another, which may be parts of runs.
func partOf(samples []CostSample, from, to float64) (sum float64) {
	at := 0.0
	for _, s := range samples {
		next := at + float64(s.Runs)
		if part := min(to, next) - max(from, at); part > 0 {
			sum += part * s.mean()
		}
		at = next
	}
	return sum
}

// digits rounds to three.
func digits(ns float64) time.Duration {
	d := time.Duration(ns + 0.5)
	step := time.Duration(1)
	for d/step >= 1_000 {
		step *= 10
	}
	return (d + step/2) / step * step
}
