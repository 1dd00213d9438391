// Package tick runs a game in ticks of fixed length on one goroutine.
//
// A [Loop] owns time: it drains an inbox, fires timers, runs the game's systems
// and flushes what is to be sent, once a tick. Everything that belongs to the
// game happens on that one goroutine, so game code needs no locks. Timers and
// background jobs belong to a [Scope] (the server, a session, a monster, a
// buff) and end with it.
//
// # Guarantees
//
//   - Never early. A timer fires at the first tick whose intended start is at or
//     after the instant of the call plus the duration, at the earliest the tick
//     after the current one.
//   - Once. A timer fires exactly once, or its Stop returned true, or its scope
//     was closed.
//   - A tick has four phases: inbox, timers, systems, flush. Input of a tick
//     beats a timer of that tick; what a callback posts or schedules waits for a
//     later tick.
//   - Nothing of a closed scope runs: no timer, no queued job, no result of a
//     running one.
//   - No drift. Tick n is meant to start at start + n*interval. After a stall at
//     most Config.CatchUp ticks run back to back; the rest of the wall time is
//     given up, counted and reported: later ticks, and the timers in them, are
//     meant that much later, in the order they had. What must be exact compares
//     timestamps.
//   - A panic in a callback ends that callback only. It is counted and reported,
//     and the tick goes on behind it.
//   - Everything is bounded: inbox, job queue, timers, scopes. Full is an error
//     to the caller, never a blocked tick.
//   - After Stop has returned nothing of the loop runs.
//
// # Driving
//
// [Loop.Run] keeps pace with the clock until its context ends. [Loop.Step] runs
// exactly one tick with no goroutine and no clock, for tests and for engines
// that own the frame. [Loop.RunDue] runs the tick that is due by Config.Clock,
// for simulations and for one goroutine that drives many rooms. A loop is driven
// in one way for its whole life.
//
// # Units
//
// Durations are [time.Duration]; a [Tick] is a tick's number. [Loop.Time] is the
// time since the start of the loop, exact under Run and RunDue, and
// Now*Interval under Step.
//
// # Concurrency
//
// Any goroutine may call Loop's Post, Input, Call, Stop, Stats, Health, Now,
// Time, Wall, Interval, Stopping, Kind and KindName, and Scope.Alive. Everything else
// belongs to the tick goroutine: to callbacks, or, before the first tick, to
// whoever built the loop. The build tag tickdebug makes misuse panic; the race
// detector sees it as well.
//
// # Not provided
//
// Connections and players (package session), timers that outlive the process,
// calendar times, and a way to kill a callback or a job that does not return.
package tick
