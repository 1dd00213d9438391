//go:build tickdebug

package tick_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/tickwheel/tickwheel/tick"
)

// Tick-only methods from a worker or a network goroutine panic with a hint; Post
// and Call are the way.
func TestA06_TheWrongGoroutineIsTold(t *testing.T) {
	l := must(tick.New(tick.Config{Interval: ms}))
	s := l.Root().Child()
	tm := must(s.AfterFunc(1<<40, func() {}))
	f := l.NewFence()
	stop := run(t, l)
	assert.NoError(t, l.Call(t.Context(), func() {}))
	for name, f := range map[string]func(){
		"Scope.AfterFunc": func() { _, _ = s.AfterFunc(0, func() {}) },
		"Scope.Schedule":  func() { _, _ = s.Schedule(tick.Spec{}, func(tick.Firing) {}) },
		"Scope.Close":     func() { s.Close(nil) },
		"Scope.Child":     func() { s.Child() },
		"Scope.Pause":     func() { s.Pause() },
		"Timer.Stop":      func() { tm.Stop() },
		"Timer.Reset":     func() { tm.Reset(0) },
		"Offload":         func() { _ = tick.Offload(s, tick.Job[int]{Run: noJob}, nil) },
		"Loop.OnTick":     func() { l.OnFlush(func() {}) },
		"Loop.NewFence":   func() { l.NewFence() },
		"Fence.Child":     func() { f.Child(l.Root()) },
		"Fence.Close":     func() { f.Close(nil) },
		"Scope.Len":       func() { s.Len() },
		"Scope.Paused":    func() { s.Paused() },
		"Scope.Cancelled": func() { s.Cancelled() },
		"Scope.Reason":    func() { _ = s.Reason() },
		"Scope.Keyed":     func() { _ = s.Keyed("k", tick.Spec{}, func(tick.Firing) {}) },
		"Scope.KeyedLen":  func() { s.KeyedLen() },
		"StopKeyed none":  func() { s.StopKeyed("none") },
		"ResetKeyed none": func() { s.ResetKeyed("none", 0) },
	} {
		func() {
			defer func() {
				msg := fmt.Sprint(recover())
				assert.Contains(t, msg, "use Loop.Post or Loop.Call", name)
			}()
			f()
		}()
	}
	assert.True(t, s.Alive(), "any goroutine may ask")
	assert.NoError(t, l.Call(t.Context(), func() { assert.Equal(t, 1, s.Close(nil)) }))
	stop()
}
