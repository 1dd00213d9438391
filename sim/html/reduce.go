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

// reduce makes at most n points of ticks.
func reduce(ticks []report.Tick, workers int, n int) columns {
	c := columns{
		Per: max((len(ticks)+n-1)/n, 1), Busy: []int32{},
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
	for part := range slices.Chunk(ticks, c.Per) {
		c.add(part)
	}
	c.Busy = busy(ticks, workers, c.Per)
	return c
}

// add puts ticks together into a point.
func (c *columns) add(ticks []report.Tick) {
	worst := &ticks[0]
	p := report.Tick{}
	for i := range ticks {
		t := &ticks[i]
		if t.Duration > worst.Duration {
			worst = t
		}
		p.StartLate, p.JobWait = max(p.StartLate, t.StartLate), max(p.JobWait, t.JobWait)
		p.Fired, p.Jobs, p.Shed = max(p.Fired, t.Fired), max(p.Jobs, t.Jobs), p.Shed+t.Shed
		for lane := range p.Backlog {
			p.Backlog[lane] = max(p.Backlog[lane], t.Backlog[lane])
			p.Late[lane] = max(p.Late[lane], t.Late[lane])
		}
	}
	c.Tick, c.At = append(c.Tick, worst.Tick), append(c.At, us(worst.Start+worst.StartLate))
	c.Length, c.Slowest = append(c.Length, us(worst.Duration)), append(c.Slowest, worst.Slowest)
	for i, d := range worst.Phase {
		c.Phases[i] = append(c.Phases[i], us(d))
	}
	c.Late, c.Wait, c.Shed = append(c.Late, us(p.StartLate)), append(c.Wait, us(p.JobWait)), append(c.Shed, p.Shed)
	c.Fired, c.Jobs = append(c.Fired, p.Fired), append(c.Jobs, p.Jobs)
	for lane := range p.Backlog {
		c.Backlog[lane] = append(c.Backlog[lane], p.Backlog[lane])
		c.LateBy[lane] = append(c.LateBy[lane], p.Late[lane])
	}
}

// busy is how much of the second before each tick its workers were busy, in
// percent, the highest of each point. Jobs count when they end.
func busy(ticks []report.Tick, workers, per int) []int32 {
	out := []int32{}
	sum, from := time.Duration(0), 0
	for i := range ticks {
		sum += ticks[i].JobsRan
		for from < i && ticks[i].Start-ticks[from].Start >= time.Second {
			sum -= ticks[from].JobsRan
			from++
		}
		if i%per == 0 {
			out = append(out, 0)
		}
		if workers > 0 {
			share := int32(min(float64(sum)/float64(workers)/float64(time.Second)*100+0.5, 100))
			out[len(out)-1] = max(out[len(out)-1], share)
		}
	}
	return out
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

// spectrumOf sorts the ticks by length and by response, the time from the
// intended start to the end, in which each interval given up counts.
func spectrumOf(ticks []report.Tick, interval time.Duration, last int) spectrum {
	length := make([]int64, 0, len(ticks))
	response := make([]int64, 0, len(ticks))
	for i := range ticks {
		t := &ticks[i]
		length = append(length, int64(t.Duration))
		for n := range t.Shed + 1 {
			response = append(response, int64(t.StartLate+t.Duration+time.Duration(n)*interval))
		}
	}
	slices.Sort(length)
	slices.Sort(response)
	s := spectrum{X: []float64{}, Length: []int64{}, Response: []int64{}}
	if len(ticks) == 0 {
		return s
	}
	for i := range last*stepsPerNine + 1 {
		x := float64(i) / stepsPerNine
		q := 1 - math.Pow(10, -x)
		if i == last*stepsPerNine {
			q = 1
		}
		s.X = append(s.X, x)
		s.Length = append(s.Length, us(time.Duration(rank(length, q))))
		s.Response = append(s.Response, us(time.Duration(rank(response, q))))
	}
	return s
}

// rank is the nearest rank of q in sorted values.
func rank(sorted []int64, q float64) int64 {
	i := int(math.Ceil(q*float64(len(sorted)) - 1e-6))
	return sorted[min(max(i, 1), len(sorted))-1]
}
