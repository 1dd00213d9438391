package check

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tickwheel/tickwheel/sim/oracle"
)

// Batch is a number of seeds to run.
type Batch struct {
	// From is the first seed, Seeds how many there are.
	From  uint64
	Seeds int
	// Options changes what seeds draw, see [Parse].
	Options string
	// Canary is the number of the planted bug, 0 for none.
	Canary int
	// Progress, if set, is told how many seeds are done, now and then, by any
	// goroutine.
	Progress func(done int)
}

// Result is what a batch came to.
type Result struct {
	// Done is how many seeds were run. All before the failing one were.
	Done int
	// Trace is a hash over the traces of all seeds, if none failed.
	Trace uint64
	// Failure is that of the lowest seed that failed, nil if none did.
	Failure *Failure
}

// rerun is how many seeds share one that is run twice, to see that it repeats.
const rerun = 32

// Run runs the batch on all processors, until a seed fails or ctx ends. The
// failure is that of the lowest seed that fails, whatever the number of processors.
// It returns an error if the options are no good.
func (b Batch) Run(ctx context.Context) (Result, error) {
	if _, err := Parse(b.From, b.Options); err != nil {
		return Result{}, err
	}
	var next, done atomic.Int64
	var mu sync.Mutex
	var workers sync.WaitGroup
	res := Result{}
	first := atomic.Int64{} // index of the lowest failure
	first.Store(int64(b.Seeds))
	for range min(runtime.GOMAXPROCS(0), max(b.Seeds, 1)) {
		workers.Go(func() {
			for {
				i := next.Add(1) - 1
				if i >= first.Load() || ctx.Err() != nil {
					return
				}
				trace, f := b.one(b.From + uint64(i))
				n := int(done.Add(1))
				mu.Lock()
				res.Trace ^= (trace ^ uint64(i)) * fnvPrime
				if f != nil && i < first.Load() {
					first.Store(i)
					res.Failure = f
				}
				mu.Unlock()
				if b.Progress != nil && n%64 == 0 {
					b.Progress(n)
				}
			}
		})
	}
	workers.Wait()
	res.Done = int(done.Load())
	return res, nil
}

// one runs a seed, and some twice.
func (b Batch) one(seed uint64) (uint64, *Failure) {
	o, err := Parse(seed, b.Options)
	if err != nil {
		return 0, failure(seed, o, b.Canary, "options", err, 0)
	}
	trace, f := watched(seed, o, b.Canary)
	if f != nil || seed%rerun != 0 {
		return trace, f
	}
	if again, _ := watched(seed, o, b.Canary); again != trace {
		return trace, &Failure{Seed: seed, Options: o, Canary: b.Canary, Part: o.Parts, Rule: oracle.Repeats,
			What: "two runs of the seed did not do the same"}
	}
	return trace, nil
}

// Patience is how long a seed may take, which is a few milliseconds if all is well.
// A call that does not return is a failure as well, and the only one that a clock
// decides.
const Patience = 20 * time.Second

// watched is Run that gives up after Patience. What hangs is left behind: it can't
// be ended.
func watched(seed uint64, o Options, canary int) (uint64, *Failure) {
	type end struct {
		trace uint64
		f     *Failure
	}
	ended := make(chan end, 1)
	go func() {
		trace, f := Run(seed, o, canary)
		ended <- end{trace, f}
	}()
	late := time.NewTimer(Patience)
	defer late.Stop()
	select {
	case e := <-ended:
		return e.trace, e.f
	case <-late.C:
		return 0, &Failure{Seed: seed, Options: o, Canary: canary, Part: o.Parts, Rule: oracle.Returns,
			What: fmt.Sprintf("the seed has not come to its end within %v", Patience)}
	}
}
