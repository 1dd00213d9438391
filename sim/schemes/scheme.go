package schemes

import (
	"fmt"
	"strings"

	"github.com/tickwheel/tickwheel/timers"
)

// Scheme is a timer structure that is driven by hand.
type Scheme interface {
	// Schedule files a timer that hands payload to the Advance that reaches
	// deadline. A deadline at or before Now means the next tick.
	Schedule(deadline timers.Tick, payload uint64) *Timer
	// Cancel reports whether t was pending; if so it will not fire. Nil is never
	// pending. A Timer of another Scheme breaks both.
	Cancel(t *Timer) bool
	// Advance goes tick by tick to the tick to, and calls fire for what is due.
	// From a callback, or back in time, it panics.
	Advance(to timers.Tick, fire func(payload uint64)) Report
	// Now is the last tick reached; inside a callback, the tick in hand.
	Now() timers.Tick
	// Len is how many timers are pending.
	Len() int
	// Close cancels all timers and ends what goroutines there are.
	Close()
}

// Report says what an Advance did.
type Report struct {
	// Fired counts callbacks started.
	Fired int
	// Touched counts entries that were handled without being fired by it: moved
	// to another slot, counted down by a round, or dropped because they were
	// cancelled before. A timer that moves down twice counts twice.
	Touched int
}

// Config is what all schemes have in common.
type Config struct {
	// Start is the tick to begin at, 0 or more.
	Start timers.Tick
	// Lazy leaves a cancelled timer where it is, marked, until time comes by.
	// Cancel is then a single write; the price is memory, and dead entries that
	// are walked over. The default is to unlink at once.
	Lazy bool
}

// check panics on a Config that is a bug of the caller.
func (c Config) check(function string) {
	if c.Start < 0 {
		panic(fmt.Sprintf("schemes: %s: Config.Start is %d: want 0 or more", function, c.Start))
	}
}

// catalogue are the schemes in the order of Names.
var catalogue = []struct {
	name string
	make func(Config) Scheme
}{
	{"goroutines", func(c Config) Scheme { return NewGoroutines(c) }},
	{"sorted-list", func(c Config) Scheme { return NewSortedList(c) }},
	{"heap", func(c Config) Scheme { return NewHeap(c) }},
	{"hashed-512", func(c Config) Scheme { return NewHashed(512, c) }},
	{"hashed-16384", func(c Config) Scheme { return NewHashed(16384, c) }},
	{"hierarchy-4x256", func(c Config) Scheme { return NewHierarchy(4, 8, c) }},
	{"hierarchy-6x64", func(c Config) Scheme { return NewHierarchy(6, 6, c) }},
}

// Names lists what New can make.
func Names() []string {
	names := make([]string, len(catalogue))
	for i, e := range catalogue {
		names[i] = e.name
	}
	return names
}

// New makes the scheme of that name. An unknown name is an error, a Config out of
// range a panic.
func New(name string, c Config) (Scheme, error) {
	for _, e := range catalogue {
		if e.name == name {
			return e.make(c), nil
		}
	}
	return nil, fmt.Errorf("schemes: name %q: want one of %s", name, strings.Join(Names(), ", "))
}
