package tick_test

import (
	"fmt"
	"reflect"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/tickwheel/tickwheel/tick"
	"github.com/tickwheel/tickwheel/tick/ticktest"
)

// A duration without a unit is 5 ns: a timer rounds up to a tick, a period that
// short is an error that says so.
func TestA01_ADurationWithoutUnit(t *testing.T) {
	l := ticktest.New(t, tick.Config{})
	fired := tick.Tick(0)
	must(l.Root().AfterFunc(5, func() { fired = l.Now() }))
	l.Step()
	assert.EqualValues(t, 1, fired)
	_, err := l.Root().Every(5, func(tick.Firing) {})
	assert.ErrorIs(t, err, tick.ErrPeriod)
	assert.ErrorContains(t, err, "5ns is less than the interval of 50ms")
	_, err = tick.New(tick.Config{Interval: 50})
	assert.ErrorContains(t, err, "Interval is 50ns: want 1ms to 10s")
}

// Sixteen goroutines reset one timer through the inbox: the last one wins.
func TestA04_ResetFromManyGoroutines(t *testing.T) {
	l := must(tick.New(tick.Config{Interval: ms}))
	stop := run(t, l)
	fired := 0
	var tm tick.Timer
	assert.NoError(t, l.Call(t.Context(), func() { tm = must(l.Root().AfterFunc(time.Hour, func() { fired++ })) }))
	var g sync.WaitGroup
	for range 16 {
		g.Go(func() {
			for range size(1_000, 100_000) {
				for l.Post(func() { assert.True(t, tm.Reset(time.Hour)) }) != nil {
					runtime.Gosched()
				}
			}
		})
	}
	g.Wait()
	done := make(chan struct{})
	assert.NoError(t, l.Call(t.Context(), func() {
		assert.True(t, tm.Reset(0))
		must(l.Root().AfterFunc(ms, func() { close(done) }))
	}))
	<-done
	stop()
	assert.Equal(t, 1, fired)
}

// There is no channel to drain: Stop is all of it.
func TestA07_NoChannelToDrain(t *testing.T) {
	typ := reflect.TypeFor[tick.Timer]()
	for i := range typ.NumField() {
		assert.NotEqual(t, reflect.Chan, typ.Field(i).Type.Kind())
	}
	l := ticktest.New(t, tick.Config{})
	tm := must(l.Root().AfterFunc(0, func() {}))
	l.Step()
	assert.False(t, tm.Stop()) // ported code ends here
}

// A second registration is called as well, in order.
func TestA08_EveryRegistrationIsCalled(t *testing.T) {
	l := must(tick.New(tick.Config{}))
	var log []string
	for i := range 2 {
		say := func(s string) { log = append(log, fmt.Sprint(s, i)) }
		l.OnTick(func(time.Duration) { say("tick") })
		l.OnFlush(func() { say("flush") })
		l.OnInput(func(any) { say("input") })
		l.OnStop(func() { say("stop") })
	}
	assert.NoError(t, l.Input(0))
	l.Step()
	assert.NoError(t, l.Stop(t.Context()))
	assert.Equal(t, "input0 input1 tick0 tick1 flush0 flush1 stop0 stop1", strings.Join(log, " "))
}

func TestKindIsTheSameForTheSameName(t *testing.T) {
	l := ticktest.New(t, tick.Config{})
	a, b := l.Kind("respawn"), l.Kind("buff")
	assert.NotEqual(t, a, b)
	assert.Equal(t, a, l.Kind("respawn"))
	assert.Equal(t, "buff", l.KindName(b))
	assert.Equal(t, "other", l.KindName(0))
	assert.PanicsWithValue(t, "tick: Loop.KindName: kind 9999 is not of this loop", func() { l.KindName(9999) })
}

func TestNilFunctionsPanic(t *testing.T) {
	l := ticktest.New(t, tick.Config{})
	s := l.Root().Child()
	for name, f := range map[string]func(){
		"AfterFunc": func() { _, _ = s.AfterFunc(0, nil) },
		"Schedule":  func() { _, _ = s.Schedule(tick.Spec{}, nil) },
		"Keyed":     func() { _ = s.Keyed(1, tick.Spec{}, nil) },
		"OnClose":   func() { s.OnClose(nil) },
		"OnClosed":  func() { s.OnClosed(nil) },
		"OnTick":    func() { l.OnTick(nil) },
		"OnFlush":   func() { l.OnFlush(nil) },
		"OnInput":   func() { l.OnInput(nil) },
		"OnStop":    func() { l.OnStop(nil) },
		"Post":      func() { _ = l.Post(nil) },
		"Call":      func() { _ = l.Call(t.Context(), nil) },
		"Offload":   func() { _ = tick.Offload(s, tick.Job[int]{}, nil) },
	} {
		func() {
			defer func() { assert.Contains(t, fmt.Sprint(recover()), name) }()
			f()
		}()
	}
}

// The 90 % call costs the caller's closure and nothing else.
func TestAfterFuncAndStopDoNotAllocate(t *testing.T) {
	l := ticktest.New(t, tick.Config{})
	s := l.Root().Child()
	f := func() {}
	g := func(tick.Firing) {}
	pair := func() {
		tm := must(s.AfterFunc(time.Second, f))
		tm.Reset(2 * time.Second)
		tm.Stop()
		p := must(s.Schedule(tick.Spec{Every: time.Second, Lane: tick.Bulk, Jitter: tick.Jitter{Late: 100 * ms}}, g))
		p.Stop()
	}
	pair()
	assert.Zero(t, testing.AllocsPerRun(1000, pair))
}

// A tick in steady state leaves nothing to the garbage collector: timers, posts,
// systems, statistics, an observer.
func TestTicksDoNotAllocate(t *testing.T) {
	fires, ticks := 0, 0
	l := ticktest.New(t, tick.Config{Clock: ticktest.NewClock(), Observer: &tick.Observer{
		Fire: func(tick.FireInfo) { fires++ }, Tick: func(*tick.TickInfo) { ticks++ }}})
	var f func()
	f = func() { must(l.Root().AfterFunc(0, f)) }
	for range 100 {
		f()
	}
	must(l.Root().Every(interval, func(tick.Firing) {}))
	l.OnTick(func(time.Duration) {})
	post := func() {}
	step := func() { _ = l.Post(post); l.Step() }
	for range 100 {
		step()
	}
	assert.Zero(t, testing.AllocsPerRun(100, step))
	assert.Equal(t, 101*ticks, fires)
}

// The observer sees each firing, in order, with what a trace needs.
func TestObserverSeesFirings(t *testing.T) {
	var seen []tick.FireInfo
	l := ticktest.New(t, tick.Config{Budget: 2, Observer: &tick.Observer{Fire: func(f tick.FireInfo) { seen = append(seen, f) }}})
	k := l.Kind("k")
	must(l.Root().Schedule(tick.Spec{At: 1, Kind: k}, func(tick.Firing) {}))
	must(l.Root().Schedule(tick.Spec{At: 1, Lane: tick.Urgent}, func(tick.Firing) {}))
	must(l.Root().Schedule(tick.Spec{At: 1, Kind: k}, func(tick.Firing) {}))
	ticktest.Steps(l, 2)
	assert.Equal(t, []tick.FireInfo{
		{Tick: 1, Lane: tick.Urgent, Seq: 2}, {Tick: 1, Kind: k, Seq: 1}, {Tick: 2, Kind: k, Seq: 3, Late: 1},
	}, seen)
}

// Two loops with the same seed and calls do the same.
func TestSameSeedSameRun(t *testing.T) {
	trace := func(seed uint64) (seen []tick.FireInfo) {
		l := ticktest.New(t, tick.Config{Seed: seed, Budget: 7, Observer: &tick.Observer{Fire: func(f tick.FireInfo) { seen = append(seen, f) }}})
		for range 500 {
			must(l.Root().Schedule(tick.Spec{After: time.Second, Jitter: tick.Jitter{Early: 500 * ms, Late: 2 * time.Second}}, func(tick.Firing) {}))
		}
		ticktest.Steps(l, 200)
		assert.Equal(t, seed, l.Stats().Seed)
		return seen
	}
	assert.Equal(t, trace(7), trace(7))
	assert.NotEqual(t, trace(7), trace(8))
}
