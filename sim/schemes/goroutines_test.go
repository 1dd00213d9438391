package schemes_test

import (
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/tickwheel/tickwheel/sim/schemes"
)

// The goroutine of a callback waits for the one that it cancels while Advance waits
// for it: neither may take the other's answer.
func TestAdvanceWaitsForACallbackThatCancels(t *testing.T) {
	for range 200 {
		g := schemes.NewGoroutines(schemes.Config{})
		g.Schedule(1, 1)
		other := g.Schedule(2, 2)
		returned := false
		g.Advance(1, func(uint64) {
			runtime.Gosched() // so that Advance waits first
			require.True(t, g.Cancel(other))
			runtime.Gosched()
			returned = true
		})
		require.True(t, returned)
		g.Close()
	}
}
