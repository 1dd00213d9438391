package html

import (
	"math"
	"slices"
	"time"

	"github.com/tickwheel/tickwheel/sim/report"
)

// maxPoints is how many points the page has for all runs together. A point costs
// about 80 bytes of the file; past this browsers take long to open it.
const maxPoints = 60_000

// columns are the ticks of a run for the charts: a point for each tick, or for
// each stretch of ticks that has the highest value of each column in it.
// Durations are whole microseconds.
type columns struct {
	// Per is how many ticks a point stands for at most.
	Per     int        `json:"per"`
	Tick    []int64    `json:"tick"` // the longest one's number
	At      []int64    `json:"at"`   // when it began
	Length  []int64    `json:"length"`
	Late    []int64    `json:"late"` // how late it began
	Phases  [4][]int64 `json:"phases"`
	Slowest []int32    `json:"slowest"`
	Fired   []int32    `json:"fired"`
	Backlog [3][]int32 `json:"backlog"`
	LateBy  [3][]int32 `json:"lateBy"`
	Jobs    []int32    `json:"jobs"`
	Busy    []int32    `json:"busy"` // workers, in percent of a second
	Wait    []int64    `json:"wait"`
	Shed    []int64    `json:"shed"` // the sum
}

func us(d time.Duration) int64 { return int64((d + 500) / time.Microsecond) }

// reduce makes at most n points of those of a run.
func reduce(r *report.Run, n int) columns {
	each := max((len(r.Points)+n-1)/n, 1)
	c := columns{
		Per: max(r.Per, 1) * each, Busy: []int32{},
		Tick: []int64{}, At: []int64{}, Length: []int64{}, Late: []int64{}, Wait: []int64{}, Shed: []int64{},
		Slowest: []int32{}, Fired: []int32{}, Jobs: []int32{},
	}
	// Empty, not null, in JSON.
	for i := range c.Phases {
		c.Phases[i] = []int64{}
	}
	for i := range c.Backlog {
		c.Backlog[i], c.LateBy[i] = []int32{}, []int32{}
	}
	for part := range slices.Chunk(r.Points, each) {
		p := part[0]
		for i := range part[1:] {
			p.Merge(&part[1+i])
		}
		c.add(&p)
	}
	return c
}

func (c *columns) add(p *report.Point) {
	t := &p.Longest
	c.Tick, c.At = append(c.Tick, t.Tick), append(c.At, us(t.Start+t.StartLate))
	c.Length, c.Slowest = append(c.Length, us(t.Duration)), append(c.Slowest, t.Slowest)
	for i, d := range t.Phase {
		c.Phases[i] = append(c.Phases[i], us(d))
	}
	c.Late, c.Wait, c.Shed = append(c.Late, us(p.StartLate)), append(c.Wait, us(p.JobWait)), append(c.Shed, p.Shed)
	c.Fired, c.Jobs, c.Busy = append(c.Fired, p.Fired), append(c.Jobs, p.Jobs), append(c.Busy, p.Busy)
	for lane := range p.Backlog {
		c.Backlog[lane] = append(c.Backlog[lane], p.Backlog[lane])
		c.LateBy[lane] = append(c.LateBy[lane], p.Late[lane])
	}
}

// spectrum is a percentile curve: X counts nines, values are microseconds.
type spectrum struct {
	X        []float64 `json:"x"`
	Length   []int64   `json:"length"`
	Response []int64   `json:"response"`
}

// stepsPerNine is how fine a spectrum is.
const stepsPerNine = 60

// nines is how far a spectrum of n values goes: one step to the right is a tenth
// of the ticks left.
func nines(n int) int {
	last := 3
	for m := 1000; m < n && last < 7; m *= 10 {
		last++
	}
	return last
}

// spectrumOf reads percentiles off the lengths of ticks and off their responses,
// the times from the intended start to the end, both in rising order.
func spectrumOf(length, response []time.Duration, last int) spectrum {
	s := spectrum{X: []float64{}, Length: []int64{}, Response: []int64{}}
	if len(length) == 0 || len(response) == 0 {
		return s
	}
	for i := range last*stepsPerNine + 1 {
		x := float64(i) / stepsPerNine
		q := 1 - math.Pow(10, -x)
		if i == last*stepsPerNine {
			q = 1
		}
		s.X = append(s.X, x)
		s.Length = append(s.Length, us(rank(length, q)))
		s.Response = append(s.Response, us(rank(response, q)))
	}
	return s
}

// rank is the nearest rank of q in sorted values.
func rank(sorted []time.Duration, q float64) time.Duration {
	i := int(math.Ceil(q*float64(len(sorted)) - 1e-6))
	return sorted[min(max(i, 1), len(sorted))-1]
}
