package race

import (
	"bytes"
	"context"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/tickwheel/tickwheel/sim/plot"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// small takes a fraction of a second for all.
func small() Config {
	c := Defaults()
	c.Timers, c.Ticks, c.Passes, c.Cancels = 2000, 60, 2, 5000
	return c
}

// A trace is played by hand on the simplest structure there is: a deadline for each
// timer.
func TestATraceIsConsistent(t *testing.T) {
	const pending, ticks = 2000, 400
	tr := newTrace(pending, ticks, 7)
	deadline := map[uint32]int{}
	for i, o := range tr.fill {
		if i > 0 && o.delay < tr.fill[i-1].delay {
			t.Fatalf("fill %d is out of order", i)
		}
		deadline[o.timer] = int(o.delay)
	}
	fired := 0
	for now, s := range tr.steps {
		for _, i := range s.cancel {
			if _, ok := deadline[i]; !ok { // an assertion each would take seconds
				t.Fatalf("step %d cancels %d, which is not pending", now, i)
			}
			delete(deadline, i)
		}
		for _, o := range s.file {
			if _, ok := deadline[o.timer]; ok || o.delay <= 0 {
				t.Fatalf("step %d files %+v: want one that is not pending, and a delay", now, o)
			}
			deadline[o.timer] = now + int(o.delay)
		}
		require.Len(t, deadline, pending)
		due := 0
		for i, at := range deadline {
			if at == now+1 {
				due++
				delete(deadline, i)
			}
		}
		require.Equal(t, s.due, due)
		fired += due
	}
	assert.Greater(t, fired, 1000)
	assert.Equal(t, tr, newTrace(pending, ticks, 7), "same seed, same trace")
	assert.NotEqual(t, tr, newTrace(pending, ticks, 8))
}

// Run itself fails if a structure fires what the trace does not have.
func TestEveryStructurePlaysTheTrace(t *testing.T) {
	c := small()
	var said []string
	c.Progress = func(name string) { said = append(said, name) }
	rows, err := Run(t.Context(), c)
	require.NoError(t, err)
	require.Len(t, rows, Count(c))
	var labels []string
	for _, r := range rows {
		labels = append(labels, r.Label())
		assert.Equal(t, rows[0].Fired, r.Fired, r.Label())
		assert.Equal(t, c.Ticks, r.Ticks, r.Label())
		assert.Equal(t, c.Cancels, r.Cancels, r.Label())
		assert.Positive(t, r.Worst, r.Label())
		assert.Positive(t, r.CPU, r.Label())
		assert.Greater(t, r.Live, 20.0, r.Label())
	}
	assert.Equal(t, said, labels)
	for _, want := range []string{"tickwheel", "go-runtime", "goroutines, lazy", "sorted-list", "heap, lazy", "hashed-512", "hierarchy-4x256, lazy"} {
		assert.Contains(t, labels, want)
	}
	assert.NotContains(t, labels, "tickwheel, lazy")
}

func TestCancelledTimersStayWhereCancelIsLazy(t *testing.T) {
	c := small()
	c.Cancels, c.Only = 50_000, []string{"heap"}
	rows, err := Run(t.Context(), c)
	require.NoError(t, err)
	require.Len(t, rows, 2)
	assert.Less(t, rows[0].Dead, int64(200_000), "eager")
	assert.Greater(t, rows[1].Dead, int64(50_000*32), "lazy")
}

func TestPatienceEndsARow(t *testing.T) {
	c := small()
	c.Patience, c.Only = 1, []string{"heap"}
	rows, err := Run(t.Context(), c)
	require.NoError(t, err)
	assert.Equal(t, 1, rows[0].Ticks)
	assert.LessOrEqual(t, rows[0].Cancels, churned)
	var b bytes.Buffer
	require.NoError(t, Table(&b, c, rows))
	assert.Contains(t, b.String(), "1 of 60 ticks")
}

func TestInterrupted(t *testing.T) {
	ctx, interrupt := context.WithCancel(t.Context())
	c := small()
	c.Progress = func(name string) {
		if name == "go-runtime" {
			interrupt()
		}
	}
	rows, err := Run(ctx, c)
	require.NoError(t, err)
	require.Len(t, rows, 1, "what was complete")
	assert.Equal(t, Ours, rows[0].Scheme)
}

func TestValidate(t *testing.T) {
	require.NoError(t, Defaults().Validate())
	c := Config{Timers: 999, Ticks: 0, Passes: 101, Cancels: -1, Patience: -time.Second, Only: []string{"skip-list"}}
	err := c.Validate()
	for _, want := range []string{
		"timers 999: want 1000 to 10000000", "ticks 0: want 1", "passes 101: want 1 to 100", "cancels -1: want 1",
		"patience -1s", `scheme "skip-list": want some of tickwheel, go-runtime, goroutines`,
	} {
		assert.ErrorContains(t, err, want)
	}
	_, err = Run(t.Context(), c)
	assert.Error(t, err)
}

func TestTableAndChart(t *testing.T) {
	c := Defaults()
	rows := []Row{
		{Scheme: Ours, CPU: 12.3, Worst: 45.6, Ticks: 1200, Live: 29.4, Dead: 100, Cancels: 1_000_000},
		{Scheme: "heap", Lazy: true, CPU: 1234, Worst: 5_678_000, Ticks: 7, Live: 80, Dead: 64_000_000, Cancels: 1000},
	}
	var b bytes.Buffer
	require.NoError(t, Table(&b, c, rows))
	for _, want := range []string{
		"scheme      CPU a tick  worst tick  live B/timer  dead MB\n",
		"tickwheel      12.3 µs     45.6 µs            29        0\n",
		"heap, lazy     1.23 ms      5.68 s            80       64  7 of 1,200 ticks  from 1,000 cancels\n",
	} {
		assert.Contains(t, b.String(), want)
	}
	chart := Chart(c, rows)
	assert.True(t, chart.Rows[0].Strong)
	assert.Zero(t, chart.Rows[0].Values[3])
	var svg strings.Builder
	require.NoError(t, plot.Bars(&svg, plot.SVG, chart))
	for _, want := range []string{"heap, lazy", "12.3 µs", "5.68 s", "64"} {
		assert.Contains(t, svg.String(), want)
	}
}
