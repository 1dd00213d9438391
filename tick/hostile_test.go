package tick_test

import (
	"context"
	"io"
	"log/slog"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/tickwheel/tickwheel/tick"
	"github.com/tickwheel/tickwheel/tick/ticktest"
)

// A context that has ended leaves no time for jobs, but the loop ends.
func TestStopWithAnEndedContextStops(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for range 50 { // a select that may choose either would pass one run in two
		l := must(tick.New(tick.Config{}))
		hooks := 0
		l.OnStop(func() { hooks++ })
		l.Step()
		assert.NoError(t, l.Stop(ctx))
		assert.NoError(t, l.Stop(ctx))
		assert.Equal(t, 1, hooks)
		assert.Equal(t, tick.Ended, l.Health().Condition)
	}
}

// stalled returns a loop whose first timer stalls, so that time is given up
// before tick 2, and runs what is due.
func stalled(t *testing.T, c tick.Config) (l *tick.Loop, drive func()) {
	l, clock := paced(t, c)
	must(l.Root().AfterFunc(0, func() { clock.Advance(20 * interval) }))
	return l, func() { ticktest.Drive(l, clock, 30*interval) }
}

func TestObserverShedIsACallback(t *testing.T) {
	t.Run("panics", func(t *testing.T) {
		var caught []any
		l, drive := stalled(t, tick.Config{
			OnPanic:  func(p tick.PanicInfo) { caught = append(caught, p.Value, p.Name, p.Tick) },
			Observer: &tick.Observer{Shed: func(tick.ShedInfo) { panic("in Shed") }},
		})
		systems := 0
		l.OnTick(func(time.Duration) { systems++ })
		drive()
		assert.Equal(t, []any{"in Shed", "loop/observer", tick.Tick(2)}, caught)
		assert.EqualValues(t, l.Now(), systems)
	})
	t.Run("stops", func(t *testing.T) {
		var l *tick.Loop
		var err error
		l, drive := stalled(t, tick.Config{Observer: &tick.Observer{Shed: func(tick.ShedInfo) { err = l.Stop(context.Background()) }}})
		drive()
		assert.ErrorIs(t, err, tick.ErrInTick)
		assert.Equal(t, tick.Ended, l.Health().Condition)
		assert.EqualValues(t, 2, l.Now())
	})
	t.Run("exits", func(t *testing.T) {
		shed := 0
		l, drive := stalled(t, tick.Config{Logger: slog.New(slog.NewTextHandler(io.Discard, nil)),
			Observer: &tick.Observer{Shed: func(tick.ShedInfo) { shed++; runtime.Goexit() }}})
		systems := 0
		l.OnTick(func(time.Duration) { systems++ })
		aside(drive)
		drive()
		assert.Equal(t, 1, shed)
		assert.EqualValues(t, l.Now(), systems)
		assert.EqualValues(t, 1, l.Stats().Goexits)
	})
}

// aside runs f, which may exit, on a goroutine of its own.
func aside(f func()) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		f()
	}()
	<-done
}

// What a panicking observer was told of happens all the same.
func TestAnObserverThatPanicsLosesNothing(t *testing.T) {
	l := ticktest.New(t, tick.Config{OnPanic: quiet, Observer: &tick.Observer{
		Fire: func(tick.FireInfo) { panic("fire") },
		Job:  func(tick.JobInfo) { panic("job") },
		Tick: func(*tick.TickInfo) { panic("tick") },
	}})
	timers, results := 0, 0
	for range 3 {
		must(l.Root().AfterFunc(0, func() { timers++ }))
		assert.NoError(t, tick.Offload(l.Root(), tick.Job[int]{Run: noJob}, func(int, error) { results++ }))
	}
	ticktest.Steps(l, 2)
	assert.Equal(t, 3, timers)
	assert.Equal(t, 3, results)
	assert.EqualValues(t, 3+3+2, l.Stats().Panics)

	for range 3 {
		assert.NoError(t, tick.Offload(l.Root(), tick.Job[int]{Run: noJob}, nil))
	}
	assert.NoError(t, l.Stop(t.Context()))
	assert.EqualValues(t, 6, l.Stats().Jobs.Done, "counted at the end as well")
}

// Config.OnPanic that exits its goroutine is a callback that exits.
func TestOnPanicThatExitsIsCounted(t *testing.T) {
	l := must(tick.New(tick.Config{OnPanic: func(tick.PanicInfo) { runtime.Goexit() }}))
	ran, closed := 0, 0
	for range 3 {
		must(l.Root().AfterFunc(0, func() { ran++; panic("x") }))
	}
	sc := l.Root().Child()
	for range 3 {
		sc.OnClose(func(error) { closed++; panic("x") })
	}
	must(l.Root().AfterFunc(0, func() { sc.Close(nil) }))
	for range 5 {
		aside(func() { l.Step() })
	}
	s := l.Stats()
	assert.Equal(t, 3, ran)
	assert.Equal(t, 3, closed, "hooks behind it run")
	assert.EqualValues(t, 6, s.Panics)
	assert.EqualValues(t, 3+1, s.Goexits, "all hooks end the same goroutine")
	assert.NoError(t, l.Stop(t.Context()))
}

// Handlers that a handler adds wait for the next tick, whatever the phase.
func TestHandlersAddedByAHandlerWaitForTheNextTick(t *testing.T) {
	l := ticktest.New(t, tick.Config{})
	var systems, flushes, inputs int
	var system func(time.Duration)
	var flush func()
	var input func(any)
	system = func(time.Duration) { systems++; l.OnTick(system) }
	flush = func() { flushes++; l.OnFlush(flush) }
	input = func(any) { inputs++; l.OnInput(input) }
	l.OnTick(system)
	l.OnFlush(flush)
	l.OnInput(input)
	for _, want := range []int{1, 3, 7} {
		assert.NoError(t, l.Input(0))
		l.Step()
		assert.Equal(t, []int{want, want, want}, []int{systems, flushes, inputs})
	}
}

func TestAnOverlapThatDoesNotExistPanics(t *testing.T) {
	l := ticktest.New(t, tick.Config{})
	assert.PanicsWithValue(t, "tick: OffloadEvery: Overlap(-7) does not exist", func() {
		_, _ = tick.OffloadEvery(l.Root(), tick.Spec{Every: interval}, tick.Overlap(-7),
			func(tick.Firing) tick.Job[int] { return tick.Job[int]{Run: noJob} }, nil)
	})
}
