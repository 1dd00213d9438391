package check

import (
	"errors"
	"fmt"

	"github.com/tickwheel/tickwheel/sim/oracle"
)

// Failure is a rule that a seed has broken.
type Failure struct {
	Seed    uint64
	Options Options
	Canary  int
	// Part is where: in the wheel, or in the loop.
	Part string
	Rule oracle.Rule
	What string
	Tick int64
}

// Error returns what happened.
func (f *Failure) Error() string {
	return fmt.Sprintf("seed %d, %s, tick %d: %s (rule: %s)", f.Seed, f.Part, f.Tick, f.What, f.Rule)
}

// Run runs one seed and returns the hash of all it did, and the rule it broke, nil
// if none.
func Run(seed uint64, o Options, canary int) (trace uint64, f *Failure) {
	return run(seed, o, canary, nil)
}

func run(seed uint64, o Options, canary int, log *story) (trace uint64, f *Failure) {
	if o.Parts != "loop" {
		w := newBench(seed, o, canary, log)
		w.run()
		trace = w.trace
		if w.err != nil {
			return trace, failure(seed, o, canary, "wheel", w.err, int64(w.m.Now()))
		}
	}
	if o.Parts != "wheel" {
		w, err := newWorld(seed, o, canary, log)
		if err != nil {
			return trace, failure(seed, o, canary, "loop", err, 0)
		}
		w.run()
		trace ^= w.trace
		if w.err != nil {
			return trace, failure(seed, o, canary, "loop", w.err, w.at)
		}
	}
	return trace, nil
}

func failure(seed uint64, o Options, canary int, part string, err error, tick int64) *Failure {
	f := &Failure{Seed: seed, Options: o, Canary: canary, Part: part, What: err.Error(), Tick: tick}
	if b := (*oracle.Broken)(nil); errors.As(err, &b) {
		f.Rule, f.What = b.Rule, b.What
	}
	return f
}
