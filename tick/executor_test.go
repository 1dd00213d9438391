package tick_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/tickwheel/tickwheel/tick"
	"github.com/tickwheel/tickwheel/tick/ticktest"
)

// byHand is an executor that does what the test says, and panics where it says.
type byHand struct {
	q      *tick.JobQueue
	panics string
}

func (x *byHand) Bind(q *tick.JobQueue) { x.q = q }
func (x *byHand) Ready(time.Duration)   {}
func (x *byHand) Begin(time.Duration)   { x.maybe("begin") }
func (x *byHand) End(time.Duration)     { x.maybe("end") }
func (x *byHand) Drain(context.Context) { x.maybe("drain") }
func (x *byHand) maybe(where string) {
	if x.panics == where {
		panic(where)
	}
}

// What an executor sees of a job, and may do with it.
func TestExecutorContract(t *testing.T) {
	x := &byHand{}
	var seen []tick.JobInfo
	l := ticktest.New(t, tick.Config{Executor: x, Observer: &tick.Observer{Job: func(j tick.JobInfo) { seen = append(seen, j) }}})
	k := l.Kind("save")
	ticktest.Steps(l, 2)
	var errs []error
	for _, key := range []string{"a", "a", "b", ""} {
		j := tick.Job[int]{Key: key, Kind: k, Timeout: time.Second, Run: noJob}
		assert.NoError(t, tick.Offload(l.Root(), j, func(_ int, err error) { errs = append(errs, err) }))
	}
	first, other, free := x.q.Take(), x.q.Take(), x.q.Take()
	assert.Nil(t, x.q.Take(), "the second of key a waits for the first")
	assert.Equal(t, []uint64{1, 3, 4}, []uint64{first.Number(), other.Number(), free.Number()})
	assert.Equal(t, "a", first.Key())
	assert.Equal(t, k, first.Kind())
	assert.Equal(t, time.Second, first.Timeout())
	assert.Equal(t, 2*interval, first.Queued())
	assert.Equal(t, 3, l.Stats().Jobs.Running)

	first.Fail(context.DeadlineExceeded)
	first.Deliver()
	assert.Panics(t, first.Deliver)
	second := x.q.Take()
	assert.EqualValues(t, 2, second.Number())
	why := errors.New("why")
	other.Fail(why)
	other.Deliver()
	second.Do()
	free.Do()
	l.Step()
	assert.Equal(t, []error{context.DeadlineExceeded, why, nil, nil}, errs)
	var outcomes []string
	for _, j := range seen {
		outcomes = append(outcomes, j.Outcome.String())
		assert.Equal(t, k, j.Kind)
		assert.Zero(t, j.Wait)
	}
	assert.Equal(t, []string{"timed out", "failed", "done", "done"}, outcomes)
}

// An executor that panics costs the loop nothing but that call.
func TestABrokenExecutorDoesNotHoldTheLoop(t *testing.T) {
	for _, where := range []string{"begin", "end", "drain"} {
		t.Run(where, func(t *testing.T) {
			var told []string
			l := must(tick.New(tick.Config{Executor: &byHand{panics: where}, OnPanic: func(p tick.PanicInfo) { told = append(told, p.Name) }}))
			ran := 0
			must(l.Root().Every(interval, func(tick.Firing) { ran++ }))
			ticktest.Steps(l, 3)
			assert.Equal(t, 3, ran)
			assert.NoError(t, l.Stop(t.Context()))
			assert.NotEmpty(t, told)
			for _, name := range told {
				assert.NotEqual(t, "other", name, "the executor is named")
			}
		})
	}
}

// Jobs that were kept because the queue was full are run before the loop ends.
func TestStopRunsWhatWasKept(t *testing.T) {
	for _, driven := range []bool{false, true} {
		l := must(tick.New(tick.Config{Queue: 1, Workers: 1, WhenFull: tick.Keep, Keep: 10}))
		ran := 0
		hook := func() {
			for range 12 {
				assert.NoError(t, tick.Offload(l.Root(), tick.Job[int]{Key: "one at a time", Run: func(context.Context) (int, error) {
					ran++
					return 0, nil
				}}, nil))
			}
			assert.ErrorIs(t, tick.Offload(l.Root(), tick.Job[int]{Run: noJob}, nil), tick.ErrQueueFull)
		}
		l.OnStop(hook)
		if driven {
			l.Step()
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		assert.NoError(t, l.Stop(ctx))
		cancel()
		assert.Equal(t, 12, ran)
	}
}

func TestWordsForPeople(t *testing.T) {
	assert.Equal(t, "stuck", tick.Stuck.String())
	assert.Equal(t, "stale", tick.JobStale.String())
	assert.Equal(t, "Outcome(99)", tick.Outcome(99).String())
	assert.Equal(t, "systems", tick.PhaseSystems.String())
	assert.Equal(t, "outside a tick", tick.Phase(9).String())
	assert.Panics(t, func() { tick.Goroutines(0) })
}
