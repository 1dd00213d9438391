package tick

import "github.com/tickwheel/tickwheel/timers"

// Names of package timers, so that most programs import only this package.
type (
	// Tick is the number of a tick; a loop's first one is 1.
	Tick = timers.Tick
	// Span is a number of ticks.
	Span = timers.Span
	// Lane is the urgency class of a timer.
	Lane = timers.Lane
	// Shares is what of the budget lower lanes are sure of.
	Shares = timers.Shares
)

// The lanes. Those due on one tick run in the order Urgent, Normal, Bulk.
const (
	Normal = timers.Normal // gameplay; the zero Lane
	Urgent = timers.Urgent // must not wait behind a storm: heartbeats, kicks
	Bulk   = timers.Bulk   // may wait: respawns, decay, autosaves
	Lanes  = timers.Lanes  // how many there are
)
