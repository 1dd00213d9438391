package tick_test

import (
	"flag"
	"testing"

	"go.uber.org/goleak"

	"github.com/tickwheel/tickwheel/tick"
	"github.com/tickwheel/tickwheel/tick/ticktest"
)

var long = flag.Bool("long", false, "run known-failure cases at full size")

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// size returns what a case runs with: small, or full under -long.
func size(small, full int) int {
	if *long {
		return full
	}
	return small
}

// quiet is an OnPanic for tests that panic on purpose.
func quiet(tick.PanicInfo) {}

// paced returns a loop that keeps pace with a clock of the test's.
func paced(t *testing.T, c tick.Config) (*tick.Loop, *ticktest.Clock) {
	t.Helper()
	clock := ticktest.NewClock()
	c.Clock = clock
	return ticktest.New(t, c), clock
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
