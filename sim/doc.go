// Package sim runs a game's timer load through the production loop, on a virtual
// clock or the real one, and measures what its ticks do.
//
// A [Scenario] says what happens (players, their timers, storms, blocking jobs,
// stalls), a [Policy] which remedies the server uses (jitter, a cap on callbacks
// per tick, workers). A [Plan] is both in a file, with what must be so. [Run] plays
// a scenario against a policy on a real tick.Loop with real sessions and returns a
// [Recording]. Nothing of the loop, the wheel or the worker queue is modelled: only
// the length of work is, as integer nanoseconds added to a virtual clock.
//
// # Guarantees
//
//   - Same scenario, policy and seed, same recording, bit for bit, under the
//     virtual clock: nothing depends on the machine, on map order or on
//     floating-point arithmetic.
//   - All policies meet the same draws: the cost of a piece of work is a hash of
//     seed, kind, entity and number, never the next value of a shared stream.
//   - A stall shows: tick starts are measured against the intended grid, and
//     each interval that was given up counts with the lateness it had.
//
// # Units
//
// Times are time.Duration since the start of the run, costs too.
//
// # Concurrency
//
// Run may be called from several goroutines at once; a Recording belongs to one
// of them.
//
// # Not provided
//
// Networks, databases, and the cost of the loop itself under the virtual clock:
// docs/simulation.md has all that the model assumes, and how far it agrees with the
// real clock.
package sim
