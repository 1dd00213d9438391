package tick_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/tickwheel/tickwheel/tick"
	"github.com/tickwheel/tickwheel/tick/ticktest"
)

// Whatever is thrown, wherever: the rest of the tick runs, periodics go on, and
// somebody is told whose callback it was.
func TestT10_APanicEndsItsCallbackOnly(t *testing.T) {
	var nilMap map[string]int
	throws := map[string]func(){
		"error":   func() { panic(errors.New("boom")) },
		"string":  func() { panic("boom") },
		"nil map": func() { nilMap["x"] = 1 },
		"nil":     func() { panic(nil) },
		"custom":  func() { panic(struct{ code int }{7}) },
	}
	for name, throw := range throws {
		t.Run(name, func(t *testing.T) {
			var told []tick.PanicInfo
			l := ticktest.New(t, tick.Config{OnPanic: func(p tick.PanicInfo) { told = append(told, p) }})
			kind := l.Kind("bad")
			session := l.Root().Child()
			ran, runs := 0, 0
			must(session.Schedule(tick.Spec{At: 3, Kind: kind}, func(tick.Firing) { throw() })) // first of its tick
			must(session.AfterFunc(3*interval, func() { ran++ }))
			must(l.Root().Schedule(tick.Spec{Every: interval, Kind: kind}, func(tick.Firing) {
				if runs++; runs == 3 {
					throw()
				}
			}))
			l.OnTick(func(time.Duration) { ran++ })
			ticktest.Steps(l, 5)
			assert.Equal(t, 1+5, ran)
			assert.Equal(t, 5, runs, "the periodic goes on")
			if assert.Len(t, told, 2) {
				assert.Equal(t, "bad", told[0].Name)
				assert.Equal(t, tick.PhaseTimers, told[0].Phase)
				assert.EqualValues(t, 3, told[0].Tick)
				assert.NotNil(t, told[0].Value)
				assert.Contains(t, string(told[0].Stack), "TestT10_")
			}
			assert.EqualValues(t, 2, l.Stats().Panics)
		})
	}
}

// A panic anywhere in a tick: posts, inputs, systems, flush, results, hooks.
func TestT10_EveryPhaseGoesOn(t *testing.T) {
	var phases []tick.Phase
	l := ticktest.New(t, tick.Config{OnPanic: func(p tick.PanicInfo) { phases = append(phases, p.Phase) }})
	ran := 0
	good, bad := func() { ran++ }, func() { panic("boom") }
	s := l.Root().Child()
	s.OnClose(func(error) { bad() })
	s.OnClose(func(error) { good() })
	for _, f := range []func(){bad, good} {
		assert.NoError(t, l.Post(f))
		l.OnInput(func(any) { f() })
		l.OnTick(func(time.Duration) { f() })
		l.OnFlush(f)
		l.OnStop(f)
		must(l.Root().AfterFunc(0, f))
		assert.NoError(t, tick.Offload(l.Root(), tick.Job[int]{Run: noJob}, func(int, error) { f() }))
	}
	must(l.Root().AfterFunc(0, func() { s.Close(nil) }))
	assert.NoError(t, l.Input(1))
	l.Step()
	assert.Equal(t, []tick.Phase{tick.PhaseInbox, tick.PhaseInbox, tick.PhaseTimers, tick.PhaseTimers,
		tick.PhaseSystems, tick.PhaseFlush}, phases)
	assert.Equal(t, 6, ran)
	l.Step()
	assert.Equal(t, 6+3, ran, "result, system, flush")
	assert.NoError(t, l.Stop(t.Context()))
	assert.Equal(t, 6+3+1, ran, "stop hook")
}

func TestT11_GoexitUnderRunIsCountedAndContinued(t *testing.T) {
	var out bytes.Buffer
	l := must(tick.New(tick.Config{Interval: ms, Logger: slog.New(slog.NewTextHandler(&out, nil))}))
	ctx, cancel := context.WithCancel(t.Context())
	var log []string
	must(l.Root().AfterFunc(ms, func() { log = append(log, "a"); runtime.Goexit() }))
	must(l.Root().AfterFunc(ms, func() { log = append(log, "b") }))
	l.OnTick(func(time.Duration) {
		switch l.Now() {
		case 1:
			log = append(log, "same tick")
			runtime.Goexit()
		case 3:
			cancel()
		}
	})
	l.OnStop(func() { runtime.Goexit() })
	l.OnStop(func() { log = append(log, "stopped") })
	assert.NoError(t, l.Run(ctx))
	assert.Equal(t, []string{"a", "b", "same tick", "stopped"}, log)
	assert.EqualValues(t, 3, l.Stats().Goexits)
	assert.Contains(t, out.String(), "runtime.Goexit\" kind=other tick=1")
	assert.NoError(t, l.Stop(t.Context()))
}

// Under Step a Goexit belongs to the caller's goroutine, as t.FailNow needs; the
// next Step finishes the tick first.
func TestT11_GoexitUnderStepPassesThrough(t *testing.T) {
	l := ticktest.New(t, tick.Config{})
	var log []tick.Tick
	must(l.Root().AfterFunc(0, func() { runtime.Goexit() }))
	must(l.Root().AfterFunc(0, func() { log = append(log, l.Now()) }))
	must(l.Root().AfterFunc(2*interval, func() { log = append(log, l.Now()) }))
	returned := false
	done := make(chan struct{})
	go func() {
		defer close(done)
		l.Step()
		returned = true
	}()
	<-done
	assert.False(t, returned)
	assert.Empty(t, log)
	l.Step()
	assert.Equal(t, []tick.Tick{1, 2}, log)
	assert.EqualValues(t, 2, l.Stats().Ticks)
}

// A goroutine that ends in the middle of closing a scope leaves no hook behind.
func TestGoexitInACloseHook(t *testing.T) {
	l := ticktest.New(t, tick.Config{})
	s := l.Root().Child()
	var log []string
	s.Child().OnClose(func(error) { log = append(log, "child"); runtime.Goexit() })
	s.OnClose(func(error) { log = append(log, "parent") })
	done := make(chan struct{})
	go func() {
		defer close(done)
		s.Close(nil)
	}()
	<-done
	assert.Equal(t, []string{"child", "parent"}, log)
	assert.False(t, s.Alive())
	assert.True(t, l.Step())
}

// With no handler, with one, and with one that panics itself: as Config.OnPanic
// says, and always counted.
func TestK08_PanicHandling(t *testing.T) {
	tests := []struct {
		name    string
		handler func(tick.PanicInfo)
		logs    []string
		panics  uint64
	}{
		{"no handler", nil, []string{"boom", "kind=job", "TestK08_"}, 1},
		{"handler", quiet, nil, 1},
		{"handler that panics", func(tick.PanicInfo) { panic("worse") }, []string{"boom", "worse", "OnPanic panicked"}, 2},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var out bytes.Buffer
			l := must(tick.New(tick.Config{OnPanic: tt.handler, Logger: slog.New(slog.NewTextHandler(&out, nil))}))
			var got error
			j := tick.Job[int]{Kind: l.Kind("job"), Run: func(context.Context) (int, error) { panic("boom") }}
			assert.NoError(t, tick.Offload(l.Root(), j, func(_ int, err error) { got = err }))
			ticktest.Steps(l, 2)
			var p *tick.PanicError
			if assert.ErrorAs(t, got, &p) {
				assert.Equal(t, "boom", p.Value)
			}
			assert.Equal(t, tt.panics, l.Stats().Panics)
			assert.EqualValues(t, 1, l.Stats().Jobs.Panicked)
			for _, s := range tt.logs {
				assert.Contains(t, out.String(), s)
			}
			if tt.logs == nil {
				assert.Empty(t, out.String())
			}
			assert.NoError(t, l.Stop(t.Context()))
		})
	}
}

func TestPanicErrorUnwraps(t *testing.T) {
	err := errors.New("boom")
	assert.ErrorIs(t, &tick.PanicError{Value: err}, err)
	assert.NotErrorIs(t, &tick.PanicError{Value: "boom"}, err)
	assert.ErrorContains(t, &tick.PanicError{Goexit: true}, "Goexit")
}
