package tick

import "time"

// Observer watches a loop. Its functions are called on the tick goroutine; those
// that are nil are not. They must not block, should not allocate, and must not
// keep pointers they are given. A panic in one is a callback's panic; what it
// was told of happens all the same, unless it calls runtime.Goexit. More fields
// may come.
type Observer struct {
	// Fire is called before each timer callback.
	Fire func(FireInfo)
	// Tick is called at the end of each tick.
	Tick func(*TickInfo)
	// Shed is called at the beginning of a tick for which wall time was given up.
	Shed func(ShedInfo)
	// Guard is called when Config.Guard ends a timer phase.
	Guard func(GuardInfo)
	// Job is called when a job has come to its end, in the inbox phase (when it
	// was rejected: at once).
	Job func(JobInfo)
}

// FireInfo is one timer callback about to run.
type FireInfo struct {
	Tick Tick
	Kind Kind
	Lane Lane
	// Seq is the number of the call that made the timer, in order of calls. A
	// timer keeps it through Reset and from run to run.
	Seq uint64
	// Late is how many ticks past its deadline the timer runs.
	Late Span
	// Missed counts the runs of a fixed-rate periodic that were left out.
	Missed int64
}

// Phase is one of the four parts of a tick, in order.
type Phase uint8

// The phases.
const (
	PhaseInbox Phase = iota
	PhaseTimers
	PhaseSystems
	PhaseFlush
	Phases int = iota // how many there are
)

var phaseNames = [Phases]string{"inbox", "timers", "systems", "flush"}

// String returns the phase's name.
func (p Phase) String() string {
	if int(p) < len(phaseNames) {
		return phaseNames[p]
	}
	return "outside a tick"
}

// TickInfo is what one tick did. Durations are 0 when nothing measures them,
// which is under Step without Config.Clock.
type TickInfo struct {
	Tick Tick
	// Start is the intended start on the scale of [Loop.Time]; StartLate is how
	// much later the tick began.
	Start, StartLate time.Duration
	// Duration is the length of the tick, Phase that of its parts.
	Duration time.Duration
	Phase    [Phases]time.Duration
	// Speed is game time against wall time, in millionths: 1,000,000 unless
	// the loop dilates.
	Speed int64
	// Shed counts the intervals given up before this tick.
	Shed int64
	// Fired counts timer callbacks, Carried the timers left for the next tick.
	Fired, Carried int
	// Backlog is Carried by lane, BacklogAge how many ticks the oldest waits.
	Backlog    [Lanes]int
	BacklogAge [Lanes]Span
	// Moved counts timers copied inside the wheel. It is 0 by construction.
	Moved int
	// Inbox counts posts and inputs run, Results the results of jobs.
	Inbox, Results int
	// Jobs counts the jobs outstanding at the end of the tick.
	Jobs int
	// Slowest is the kind that took most of the tick, SlowestTime how much.
	Slowest     Kind
	SlowestTime time.Duration
	// Guarded says that Config.Guard ended the timer phase.
	Guarded bool
	// Panics and Goexits count callbacks that did not return.
	Panics, Goexits int
}

// ShedInfo is wall time given up before a tick.
type ShedInfo struct {
	Tick      Tick // the next tick
	Intervals int64
	Time      time.Duration
}

// GuardInfo is a timer phase that Config.Guard ended.
type GuardInfo struct {
	Tick  Tick
	After int // callbacks started
}

// PanicInfo is a callback that panicked.
type PanicInfo struct {
	Tick  Tick
	Phase Phase // what the loop was doing; out of range outside a tick
	// Kind and Name say whose callback it was.
	Kind Kind
	Name string
	// Job is the number of the job, 0 if it was not one.
	Job   uint64
	Value any
	Stack []byte
}
