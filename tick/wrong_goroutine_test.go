package tick_test

import (
	"context"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/tickwheel/tickwheel/tick"
)

// The check costs a microsecond a call, so it is behind a build tag; this builds
// and runs it.
func TestA06_UnderTheBuildTag(t *testing.T) {
	out, err := exec.CommandContext(t.Context(), "go", "test", "-tags", "tickdebug", "-run", "TestA06_TheWrongGoroutineIsTold|TestStop|Example", ".").CombinedOutput()
	assert.NoError(t, err, "%s", out)
}

// What any goroutine may call, called by many while the loop runs.
func TestWhatAnyGoroutineMayCall(t *testing.T) {
	l := must(tick.New(tick.Config{Interval: ms}))
	s := l.Root().Child()
	stop := run(t, l)
	done := make(chan struct{})
	for range 4 {
		go func() {
			for range 200 {
				_ = l.Post(func() {})
				_ = l.Input(1)
				_, _, _, _ = l.Now(), l.Time(), l.Wall(), l.Health()
				_ = s.Alive()
				_ = l.KindName(l.Kind("k"))
				_ = l.Stats()
			}
			assert.NoError(t, l.Call(context.Background(), func() {}))
			done <- struct{}{}
		}()
	}
	for range 4 {
		<-done
	}
	stop()
	assert.NoError(t, l.Stop(t.Context()))
}
