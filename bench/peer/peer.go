// Package peer gives every timer that is compared the same few calls.
//
// An adapter keeps the handles of its timers itself, by the number of the timer,
// so that a handle has the type and the size that its library wants. Loops over
// many timers are methods of the adapter: a call through an interface for each
// timer would cost the fastest ones a tenth of their figure.
//
// # Guarantees
//
// TestEveryPeerFires and TestEveryPeerCancels hold that each adapter really does
// what is measured.
//
// # Units
//
// Delays are ticks of [Tick].
//
// # Concurrency
//
// A Peer belongs to one goroutine.
//
// # Not provided
//
// Anything that is not measured.
package peer

import (
	"fmt"
	"strings"
	"time"

	"github.com/tickwheel/tickwheel/sim/schemes"
)

// Tick is the length of a tick for peers that keep real time.
const Tick = 50 * time.Millisecond

// Peer is a timer library with room for a fixed number of timers.
type Peer interface {
	// Arm schedules timer i, which must not be pending, delay ticks from now.
	Arm(i int, delay int32)
	// Disarm cancels timer i and reports whether it was pending. Peers that do not
	// say so report true.
	Disarm(i int) bool
	// Churn cancels and schedules the timers named by victims, one after the
	// other, with the delays of the same place.
	Churn(victims []uint32, delays []int32)
	// DisarmRange cancels the timers from lo to hi, hi excluded: what a session
	// that keeps its timers in a slice does at logout.
	DisarmRange(lo, hi int)
	// Own is how many bytes the adapter itself keeps for handles.
	Own() int
	// Close ends the peer's goroutines.
	Close()
}

// Stepped is a Peer that can be driven by hand.
type Stepped interface {
	Peer
	// Step goes on by one tick.
	Step() Step
	// Ticks goes on by n ticks, one after the other, and returns how many timers
	// fired. The loop is the adapter's own: an empty tick takes less time than a
	// call of Step through this interface.
	Ticks(n int) (fired int)
}

// Step says what a tick did.
type Step struct{ Fired, Touched int }

// Threaded is a Peer whose callbacks run on goroutines of its own.
type Threaded interface {
	Peer
	// Fired counts callbacks that have run.
	Fired() int
}

// Grouped is a Peer that knows groups.
type Grouped interface {
	Peer
	// OpenGroups makes n groups, numbered from 0. Groups of before are forgotten.
	OpenGroups(n int)
	// ArmIn is Arm for a timer of group g.
	ArmIn(i, g int, delay int32)
	// ChurnIn is Churn, with the groups of the same place.
	ChurnIn(victims, groups []uint32, delays []int32)
	// CloseGroup cancels all timers of g and returns how many that were.
	CloseGroup(g int) int
}

// Setup is what a peer is made for.
type Setup struct {
	// N is the number of timers.
	N int
	// Later is added to each delay by peers that keep real time, so that none
	// fires while others are counted.
	Later time.Duration
}

// Kind says what to expect of a peer.
type Kind struct {
	Name string
	What string // one line for readers
	// Threaded peers run callbacks on their own goroutines.
	Threaded bool
	// Stepped peers are driven by hand.
	Stepped bool
	// Reference peers are ours and those that it is judged by. They are measured
	// with the most care; the others are left less time and fewer passes.
	Reference bool
	// FillInOrder means that scheduling in order of deadline is the only way to
	// fill it with many timers in bearable time.
	FillInOrder bool
	// Limits are the largest numbers of timers by measure, "" for those not
	// named; 0 means no measurement. Why says why.
	Limits map[string]int
	Why    string
	make   func(Setup) (Peer, error)
}

// Limit is the most timers it is measured with.
func (k Kind) Limit(measure string) int {
	if n, ok := k.Limits[measure]; ok {
		return n
	}
	return k.Limits[""]
}

// New makes a peer of the kind.
func (k Kind) New(s Setup) (Peer, error) { return k.make(s) }

// Kinds lists all peers, ours first.
func Kinds() []Kind {
	const million = 1_000_000
	kinds := []Kind{
		{Name: "tickwheel", What: "package timers of this module", Stepped: true, Reference: true,
			Limits: map[string]int{"": 10 * million}, make: newWheel},
		{Name: "go-runtime", What: "`time.AfterFunc` and `Stop`", Threaded: true, Reference: true,
			Limits: map[string]int{"": 10 * million, "W3": 0}, Why: "it has no ticks", make: newRuntime},
		{Name: "go-zero", What: "`collection.TimingWheel` v1.10.3, 512 slots, ticked by hand", Threaded: true, Stepped: true,
			Limits: map[string]int{"": million}, Why: "filling it with more takes minutes", make: newGoZero},
		{Name: "gost", What: "`gxtime.TimerWheel` of dubbogo/gost v1.11.16", Threaded: true,
			Limits: map[string]int{"W1": 10_000}, Why: "its calls take O(n) time", make: newGost},
	}
	about := map[string]Kind{
		"goroutines": {What: "a sleeping goroutine for each timer",
			Limits: map[string]int{"": million}, Why: "more take tens of GB"},
		"sorted-list": {What: "a linked list by deadline, filled in that order: its best case", FillInOrder: true,
			Limits: map[string]int{"": million, "W1": 100_000, "W4": 0, "W6": 0}, Why: "scheduling takes O(n) time"},
		"heap":            {What: "an indexed binary heap (DelayQueue)"},
		"hashed-512":      {What: "a ring of 512 slots with rounds (Netty, circular delay queue)", Reference: true},
		"hashed-16384":    {What: "the same with 16,384 slots", Reference: true},
		"hierarchy-4x256": {What: "4 levels of 256 slots, eager cascade"},
		"hierarchy-6x64":  {What: "6 levels of 64 slots, eager cascade"},
	}
	for _, name := range schemes.Names() {
		k := about[name]
		k.Name, k.Stepped = name, true
		if k.Limits == nil {
			k.Limits = map[string]int{"": 10 * million}
		}
		k.make = func(s Setup) (Peer, error) { return newScheme(name, s) }
		kinds = append(kinds, k)
	}
	return kinds
}

// Find returns the kind of that name.
func Find(name string) (Kind, error) {
	var names []string
	for _, k := range Kinds() {
		if k.Name == name {
			return k, nil
		}
		names = append(names, k.Name)
	}
	return Kind{}, fmt.Errorf("peer: name %q: want one of %s", name, strings.Join(names, ", "))
}

// must panics on an error that would make a measurement meaningless.
func must(err error) {
	if err != nil {
		panic("peer: " + err.Error())
	}
}
