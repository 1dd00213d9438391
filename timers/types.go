package timers

import (
	"errors"
	"fmt"
)

// Tick is a point in simulation time, counted in ticks. It is never negative.
type Tick int64

// Span is a length of simulation time, in ticks.
type Span int64

// Handle names one arming of a timer. It is comparable and 8 bytes long. The
// zero Handle is valid, names no timer and cancels nothing. A handle whose timer
// fired or was cancelled is stale: it touches nothing, whatever took the place
// of its timer since.
type Handle struct {
	v uint64 // generation<<32 | entry number
}

func newHandle(gen, ref uint32) Handle { return Handle{uint64(gen)<<32 | uint64(ref)} }

func (h Handle) gen() uint32 { return uint32(h.v >> 32) }
func (h Handle) ref() uint32 { return uint32(h.v) }

// IsZero reports whether h is the zero Handle.
func (h Handle) IsZero() bool { return h == Handle{} }

// Group names timers that are cancelled, paused and counted together, such as
// those of one session. The zero Group means "none". See [Wheel.NewGroup].
type Group struct {
	v uint64 // generation<<32 | record number
}

func newGroup(gen, ref uint32) Group { return Group{uint64(gen)<<32 | uint64(ref)} }

func (g Group) gen() uint32 { return uint32(g.v >> 32) }
func (g Group) ref() uint32 { return uint32(g.v) }

// IsZero reports whether g is the zero Group.
func (g Group) IsZero() bool { return g == Group{} }

// Lane is the urgency class of a timer. Lanes due on one tick run in the order
// Urgent, Normal, Bulk. The zero Lane is Normal.
type Lane uint8

// The lanes.
const (
	Normal Lane = iota // gameplay
	Urgent             // must not wait behind a storm: heartbeats, kicks
	Bulk               // may wait: respawns, decay, autosaves
)

// Lanes is the number of lanes.
const Lanes = 3

// String returns "urgent", "normal" or "bulk".
func (l Lane) String() string {
	switch l {
	case Normal:
		return "normal"
	case Urgent:
		return "urgent"
	case Bulk:
		return "bulk"
	}
	return fmt.Sprintf("Lane(%d)", uint8(l))
}

// Jitter spreads deadlines over a window so that a storm of timers does not
// share a tick. A timer asked for deadline d is filed at a drawn tick in
// [d-Early, d+Late], never before Now+1. The zero Jitter draws nothing.
type Jitter struct {
	// Early and Late bound the window, in ticks; neither may be negative.
	// "Not before" timers leave Early 0.
	Early, Late Span
}

// MaxChoices is the largest Spec.Choices.
const MaxChoices = 16

// Spec says how a timer is filed. The zero Spec is a timer of no group in the
// normal lane without jitter. It is four words, which pass in registers.
type Spec struct {
	Group  Group
	Jitter Jitter
	Lane   Lane
	// Choices is how many candidate ticks are drawn from the window of Jitter; the
	// one with the fewest pending timers wins, the first of equals. 0 and 1 mean a
	// plain uniform draw; 4 levels a storm on top of an earlier one to within a few
	// per cent of its mean. At most MaxChoices. ("The power of two choices",
	// Mitzenmacher 1996.)
	Choices uint8
}

// Repeat says when a periodic timer runs again. See [Wheel.Every].
type Repeat struct {
	// Period is the distance of two runs in units of 1/Config.TickUnits tick
	// (whole ticks by default); at least one tick.
	Period int64
	// Lead is by how many units the exact grid point of the first run lies
	// before its tick, in [0, TickUnits): the tick is the point rounded up.
	Lead int64
	// Delay counts Period from the tick of the run before instead of from the
	// grid ("fixed delay" instead of "fixed rate").
	Delay bool
}

// Firing is what a due timer hands to the caller of Advance.
type Firing[T any] struct {
	Payload T
	// Handle is the handle the timer was known by. For a one-shot only
	// [Wheel.Reset] still accepts it, and only until the callback returns; the
	// handle of a periodic timer stays valid from run to run.
	Handle Handle
	// Deadline is the tick the timer was due, after jitter.
	Deadline Tick
	// Late is Now - Deadline: how many ticks the budget made it wait.
	Late Span
	// Missed counts grid points of a fixed-rate periodic that passed since the
	// run before without a run of their own.
	Missed int64
	Lane   Lane
}

// Pending is a timer that has not fired, as listed by [Wheel.All].
type Pending[T any] struct {
	Payload T
	Handle  Handle
	// Deadline is the tick it is due. For a timer of a paused group it is what
	// a resume in this tick would give.
	Deadline Tick
	Group    Group
	Lane     Lane
	Periodic bool
	Paused   bool
}

// Report says what one Advance did.
type Report struct {
	From, To Tick
	// Fired counts callbacks started.
	Fired int
	// Carried counts timers that are due and wait for the next Advance.
	Carried int
	// Moved counts timers that were copied to another place to get nearer to
	// their deadline. It is 0 by construction: far lists are spliced in whole.
	Moved int
}

// Errors of scheduling calls. None of them leaves anything scheduled.
var (
	// ErrFull means that Config.MaxTimers timers (or MaxGroups groups) exist.
	// It passes when timers fire or are cancelled.
	ErrFull = errors.New("timers: full: as many timers or groups pending as the Config allows")
	// ErrHorizon means a deadline further away than Config.Horizon. It does
	// not pass by itself.
	ErrHorizon = errors.New("timers: deadline beyond Config.Horizon")
	// ErrPeriod means a period under one tick or over Config.Horizon, or a
	// Repeat.Lead outside [0, TickUnits).
	ErrPeriod = errors.New("timers: period out of range")
	// ErrJitter means a negative bound, more than MaxChoices choices, or a
	// window not smaller than the period it would displace.
	ErrJitter = errors.New("timers: jitter out of range")
	// ErrClosed means that the group was closed.
	ErrClosed = errors.New("timers: group is closed")
)
