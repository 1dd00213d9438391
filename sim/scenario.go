package sim

import (
	"time"

	"github.com/tickwheel/tickwheel/tick"
)

// Scenario is what happens to the server. Moments of it that are parts of the run
// move with Duration; rates and lengths do not.
type Scenario struct {
	// Name is a short one, About a line on what happens.
	Name, About string
	// Interval is the length of a tick, 1 ms to 10 s.
	Interval time.Duration
	// Duration is the length of the run, 1 to 1,000,000 intervals. What is left
	// over of it after the last whole interval is not run.
	Duration time.Duration
	// Players is how many log in at the beginning, 0 to 1,000,000.
	Players int
	// Storm is how many timers a storm has that does not say, 0 to 4,000,000.
	Storm int
	// Speed is that of the machine in per cent of the one that costs are for, 1 to
	// 10,000. 0 means 100. It does not change how long jobs take.
	Speed int

	Arrivals Arrivals
	Sessions Sessions
	// Actions is how often each player who is online sends an input.
	Actions Rate
	Costs   Costs
	Kinds   []Kind
	Jobs    []Job
	Storms  []Storm
	Stalls  []Stall
}

// Arrivals is how players come.
type Arrivals struct {
	// Process is "even" (player i of n at i/n of the time; also what "" means) or
	// "poisson".
	Process string
	// Over is how long it takes until all are in. Zero is at once.
	Over Moment
	// Limit is the most that Over may be, for runs that are made shorter. Zero is
	// no limit.
	Limit Moment
}

// Sessions is how long players stay.
type Sessions struct {
	// Length is from login to logout. Zero is until a storm or the end.
	Length Dist
	// Returning is how many come back after a logout of their own, Pause after
	// what time.
	Returning Share
	Pause     Dist
	// Idle is how long a player may be silent. 0 is for ever.
	Idle time.Duration
	// Lost is after what time with a connection it is lost. Zero is never. Grace is
	// how long a session without one is kept, 0 for not at all, with its timers
	// frozen, or going on with GraceRuns.
	Lost      Dist
	Grace     time.Duration
	GraceRuns bool
	// Reconnecting is how many log in again after a loss, Gap after what time: in
	// grace that resumes the session, later it is a new one.
	Reconnecting Share
	Gap          Dist
	// Release is how many sessions a mass logout releases in a second. Zero means
	// 256 a tick.
	Release Rate
}

// Costs are the lengths of the work that no timer does.
type Costs struct {
	Tick, Movement, Input, Login, Logout Dist
}

// Kind is a sort of timers.
type Kind struct {
	Name string
	Lane tick.Lane
	// Owner is "player" (also what "" means), or "server" for timers that belong
	// to nobody and start with the run.
	Owner string
	// On is what starts a timer of a player: "login" (also what "" means),
	// "action", "storm", or the name of a kind further up, with whose start it
	// starts.
	On string
	// Count is how many timers start at once, 1 to 1,000; of a server 1,000,000.
	// 0 means 1.
	Count int
	// After is the time to the run, of periodic ones to the first. Zero means a
	// part of the period that is drawn.
	After Dist
	// At is a moment of the run instead of After.
	At Moment
	// Every is the period; under an interval it is an interval. 0 is a one-shot.
	Every time.Duration
	// Again starts a one-shot again when it has run, with a new draw of After.
	Again bool
	// Chance is how many of the starts come to something. 0 means all.
	Chance Share
	// Single leaves out starts while one of the player's is pending, Replace ends
	// the one that is pending instead.
	Single, Replace bool
	// Cancel is how many one-shots are stopped before their time.
	Cancel Share
	// Cost is how long the callback takes.
	Cost Dist
	// Job is the name of a job that each run starts.
	Job string
}

// Job is a sort of work that blocks.
type Job struct {
	Name string
	// Length is how long it blocks, Result how long the tick takes for its result.
	Length, Result Dist
	// Timeout ends it. 0 is none.
	Timeout time.Duration
	// Fails is how many end with an error.
	Fails Share
	// Logout runs it at the end of each session.
	Logout bool
	// Rate is how often it runs besides, for the server.
	Rate Rate
}

// What a storm does.
const (
	StormTimers     = "timers"     // many timers of the server
	StormStart      = "start"      // a timer of a kind for each player online
	StormLogin      = "login"      // many more players
	StormLogout     = "logout"     // everybody leaves
	StormDisconnect = "disconnect" // everybody's connection is lost
)

// Storm is many things at once.
type Storm struct {
	// Do is what it does. "" means "timers".
	Do string
	// Name is that of its timers, or of the kind that it starts.
	Name string
	// At is when. Every repeats it until the end of the run; 0 is once.
	At    Moment
	Every time.Duration
	// Count is how many timers or players. 0 means Scenario.Storm.
	Count int
	// Due is when the timers are to run, the first time. Shape is "same" (also
	// what "" means), "even" or "random" over the time Over behind Due; of logins
	// behind At.
	Due   Moment
	Shape string
	Over  time.Duration
	Lane  tick.Lane
	// Cost is how long a callback takes, Arm how long it takes to start a timer.
	Cost, Arm Dist
	// Job is the name of a job that each run starts.
	Job string
	// Mark and DueMark name At and Due in pictures, Text tells of it, with {count},
	// {at} and {due}.
	Mark, DueMark, Text string
}

// What stalls a loop.
const (
	StallGC       = "gc"         // a pause inside a tick
	StallCallback = "callback"   // a timer that does not come back for long
	StallClock    = "clock-step" // the wall clock is put forward or back
	StallSuspend  = "suspend"    // the process does not run between two ticks
)

// Stall is something that stops the loop, or might.
type Stall struct {
	Do    string
	At    Moment
	Every time.Duration // 0 is once
	// For is how long. A clock step may be negative.
	For time.Duration
}

// maxTicks bounds the memory of a recording: about 300 bytes a tick.
const maxTicks = 1_000_000

// Ticks is how many ticks the run has if none is shed.
func (s Scenario) Ticks() int64 { return int64(s.Duration / s.Interval) }

// loginTime is how long it takes until all players of the beginning are in.
func (s Scenario) loginTime() time.Duration {
	over := s.Arrivals.Over.Of(s.Duration)
	if s.Arrivals.Limit != (Moment{}) {
		over = min(over, s.Arrivals.Limit.Of(s.Duration))
	}
	return max(over, 1)
}

// count is how many timers or players a storm has.
func (s Scenario) count(st Storm) int {
	if st.Count == 0 {
		return s.Storm
	}
	return st.Count
}

// everybody is how many players there are in the whole run.
func (s Scenario) everybody() int {
	n := s.Players
	for _, st := range s.Storms {
		if st.Do == StormLogin {
			n += s.count(st) * s.times(st.At, st.Every)
		}
	}
	return n
}

// times is how often something happens that begins at a moment and is repeated.
func (s Scenario) times(at Moment, every time.Duration) int {
	if every <= 0 {
		return 1
	}
	return 1 + int(max(s.Duration-at.Of(s.Duration), 0)/every)
}
