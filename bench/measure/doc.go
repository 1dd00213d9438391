// Package measure takes the measurements W1 to W8, one in a process.
//
// [Run] takes one [Case] and returns a [Row]; [Plan] lists the cases of a
// comparison. Whoever compares runs each case in a process of its own, so that no
// heap is shaped by another's.
//
// # Guarantees
//
//   - The same case uses the same delays, victims and order, drawn before any clock
//     runs.
//   - A count that does not fit (a timer lost or fired twice) is an error, not a
//     figure.
//
// # Units
//
// Times are nanoseconds, delays ticks of 50 ms.
//
// # Concurrency
//
// Run has the process to itself, which should end soon after: it sets the garbage
// collector, and what a case of 100,000 timers and more leaves pending, goroutines
// included, is left to the end of the process.
//
// # Not provided
//
// Medians over processes: see package report.
package measure

import (
	"fmt"
	"runtime"
	"time"

	"github.com/tickwheel/tickwheel/bench/peer"
)

// Case names one measurement.
type Case struct {
	Measure string `json:"measure"`
	N       int    `json:"n"`
	Group   bool   `json:"group"`
	Peer    string `json:"peer"`
	Variant string `json:"variant,omitempty"`
	// Quick trades precision for time.
	Quick bool `json:"quick,omitempty"`
}

// String names the case for progress and errors.
func (c Case) String() string {
	s := fmt.Sprintf("%s n=%d %s", c.Measure, c.N, c.Peer)
	if c.Variant != "" {
		s += " " + c.Variant
	}
	if c.Group {
		s += " grouped"
	}
	return s
}

// reference tells whether the peer is one to measure with the most care.
func (c Case) reference() bool {
	k, err := peer.Find(c.Peer)
	return err == nil && k.Reference
}

// passes is how often to go through what is timed, the first one included, which
// does not count: full or quick times, twice for peers that are no reference.
func (c Case) passes(full, quick int) int {
	switch {
	case c.Quick:
		return quick
	case c.reference():
		return full
	}
	return 2
}

// Row is what came out. Fields that do not apply are nil.
type Row struct {
	Measure     string   `json:"measure"`
	N           int      `json:"n"`
	Group       bool     `json:"group"`
	Peer        string   `json:"peer"`
	Variant     string   `json:"variant,omitempty"`
	NS          *float64 `json:"ns,omitempty"`
	Bytes       *float64 `json:"bytes,omitempty"`
	Allocs      *float64 `json:"allocs,omitempty"`
	MovedMax    *float64 `json:"moved_max,omitempty"`
	FiredMax    *float64 `json:"fired_max,omitempty"`
	GCMS        *float64 `json:"gc_ms,omitempty"`
	RatioToMean *float64 `json:"ratio_to_mean,omitempty"`
}

// row starts the row of c.
func (c Case) row() Row {
	return Row{Measure: c.Measure, N: c.N, Group: c.Group, Peer: c.Peer, Variant: c.Variant}
}

func value(v float64) *float64 { return &v }

func count(n int) *float64 { return value(float64(n)) }

// perOp is the time of one of n operations.
func perOp(d time.Duration, n int) *float64 { return value(float64(d.Nanoseconds()) / float64(n)) }

// Run takes the measurement.
func Run(c Case) (Row, error) {
	measures := map[string]func(Case) (Row, error){
		"W1": churn, "W2": fire, "W3": tickCost, "W4": memory, "W5": bulk, "W6": grow, "W7": post, "W8": storm,
	}
	f, ok := measures[c.Measure]
	if !ok {
		return Row{}, fmt.Errorf("measure: %q: want W1 to W8", c.Measure)
	}
	if c.N < 1 {
		return Row{}, fmt.Errorf("measure: %s: n is %d: want 1 or more", c.Measure, c.N)
	}
	runtime.GC()
	return f(c)
}
