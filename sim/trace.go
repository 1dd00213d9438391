package sim

import (
	"fmt"

	"github.com/tickwheel/tickwheel/tick"
)

// trace hashes what a loop decided: which timer ran when, in which order, how
// late; wall time given up; jobs and how they ended. Two runs with the same hash
// did the same. FNV-1a, 64 bits, over little-endian words.
type trace struct{ h uint64 }

const (
	fnvOffset = 0xCBF29CE484222325
	fnvPrime  = 0x100000001B3
)

// Tags keep records of different sorts apart.
const (
	traceFire = iota + 1
	traceShed
	traceGuard
	traceJob
)

func newTrace() *trace { return &trace{fnvOffset} }

// primes[n] is the nth power of the prime: what n zero bytes multiply a hash by.
// Words are small as a rule, so that most of their bytes are zero.
var primes = func() (p [9]uint64) {
	p[0] = 1
	for n := 1; n < len(p); n++ {
		p[n] = p[n-1] * fnvPrime
	}
	return p
}()

func (t *trace) add(words ...uint64) {
	h := t.h
	for _, w := range words {
		zeros := 8
		for ; w != 0; w >>= 8 {
			h = (h ^ w&0xFF) * fnvPrime
			zeros--
		}
		h *= primes[zeros]
	}
	t.h = h
}

func (t *trace) fire(f tick.FireInfo) {
	t.add(traceFire, uint64(f.Tick), uint64(f.Kind), uint64(f.Lane), f.Seq, uint64(f.Late), uint64(f.Missed))
}

func (t *trace) shed(s tick.ShedInfo) { t.add(traceShed, uint64(s.Tick), uint64(s.Intervals)) }

func (t *trace) guard(g tick.GuardInfo) { t.add(traceGuard, uint64(g.Tick), uint64(g.After)) }

func (t *trace) job(j tick.JobInfo) {
	t.add(traceJob, j.Number, uint64(j.Kind), uint64(j.Outcome))
}

// String is the hash in 16 hexadecimal digits.
func (t *trace) String() string { return fmt.Sprintf("%016x", t.h) }
