package html

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/tickwheel/tickwheel/sim/report"
)

const gap = 50 * time.Millisecond

// run has a point for each tick.
func run(ticks []report.Tick) *report.Run {
	r := &report.Run{Per: 1}
	for _, t := range ticks {
		r.Points = append(r.Points, report.Point{
			Longest: t, StartLate: t.StartLate, JobWait: t.JobWait, Shed: t.Shed, Fired: t.Fired, Jobs: t.Jobs, Backlog: t.Backlog, Late: t.Late,
		})
	}
	return r
}

func TestEveryTickIsAPointWhereThereIsRoom(t *testing.T) {
	ticks := make([]report.Tick, 100)
	for i := range ticks {
		ticks[i] = report.Tick{Tick: int64(i), Start: time.Duration(i) * gap, Duration: time.Duration(i) * time.Microsecond}
	}
	c := reduce(run(ticks), 100)
	assert.Equal(t, 1, c.Per)
	for i := range ticks {
		assert.EqualValues(t, i, c.Length[i])
		assert.EqualValues(t, i, c.Tick[i])
	}
	assert.Equal(t, 1, reduce(run(nil), 100).Per)
}

// The longest tick, the largest backlog and the latest timer are there, however
// many ticks share a point.
func TestTheWorstOfEachColumnIsKept(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 500).Draw(t, "ticks")
		points := rapid.IntRange(1, 60).Draw(t, "points")
		ticks := make([]report.Tick, n)
		var long int64
		var backlog, late, jobs int32
		var shed int64
		for i := range ticks {
			k := &ticks[i]
			k.Tick, k.Start = int64(i+1), time.Duration(i)*gap
			k.Duration = time.Duration(rapid.Int64Range(0, 1e6).Draw(t, "length")) * time.Microsecond
			k.Backlog[2], k.Late[1] = rapid.Int32().Draw(t, "backlog")&0xFFFF, rapid.Int32().Draw(t, "late")&0xFF
			k.Jobs, k.Shed = rapid.Int32Range(0, 9).Draw(t, "jobs"), rapid.Int64Range(0, 3).Draw(t, "shed")
			long, backlog, late = max(long, us(k.Duration)), max(backlog, k.Backlog[2]), max(late, k.Late[1])
			jobs, shed = max(jobs, k.Jobs), shed+k.Shed
		}
		c := reduce(run(ticks), points)
		require.LessOrEqual(t, len(c.At), points)
		for _, col := range []int{len(c.Tick), len(c.Length), len(c.Busy), len(c.Backlog[0]), len(c.LateBy[2]), len(c.Phases[3])} {
			require.Equal(t, len(c.At), col)
		}
		require.Equal(t, long, slices.Max(c.Length))
		require.Equal(t, backlog, slices.Max(c.Backlog[2]))
		require.Equal(t, late, slices.Max(c.LateBy[1]))
		require.Equal(t, jobs, slices.Max(c.Jobs))
		sum := int64(0)
		for _, s := range c.Shed {
			sum += s
		}
		require.Equal(t, shed, sum)
		require.True(t, slices.IsSorted(c.At), "time goes on")
	})
}

func TestSpectrumCountsWhatAStallHeldUp(t *testing.T) {
	length, response := []time.Duration{}, []time.Duration{}
	for range 99 {
		length, response = append(length, time.Millisecond), append(response, time.Millisecond)
	}
	length, response = append(length, time.Second), append(response, time.Second)
	for n := range 19 { // nineteen intervals of 50 ms were given up
		response = append(response, time.Duration(n+1)*gap)
	}
	slices.Sort(response)
	s := spectrumOf(length, response, 3)
	at := func(vs []int64, x float64) int64 { return vs[slices.Index(s.X, x)] }
	assert.EqualValues(t, 1_000, at(s.Length, 0))
	assert.EqualValues(t, 1_000, at(s.Length, 1), "p90 of the lengths")
	assert.EqualValues(t, 1_000_000, at(s.Length, 3), "the end is the longest")
	assert.Greater(t, at(s.Response, 1), int64(300_000), "p90 of the responses: nineteen starts were held up")
	assert.True(t, slices.IsSorted(s.Length))
	assert.True(t, slices.IsSorted(s.Response))
	assert.Empty(t, spectrumOf(nil, nil, 3).X)
	assert.Equal(t, []int{3, 3, 4, 7}, []int{nines(0), nines(1000), nines(3000), nines(1 << 40)})
}
