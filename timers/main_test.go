package timers_test

import (
	"flag"
	"os"
	"testing"

	"go.uber.org/goleak"
)

// long runs the cases at the size of the report they come from.
var long = flag.Bool("long", false, "run known-failure cases at full size")

func TestMain(m *testing.M) {
	// A failure prints the seed that repeats it; files would pile up in testdata.
	if err := flag.Set("rapid.nofailfile", "true"); err != nil {
		panic(err)
	}
	flag.Parse()
	code := m.Run()
	if err := goleak.Find(); err != nil && code == 0 {
		os.Stderr.WriteString(err.Error() + "\n")
		code = 1
	}
	os.Exit(code)
}
