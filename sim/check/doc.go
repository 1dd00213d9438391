// Package check hunts for errors in the production code: swarm testing of the
// wheel, the loop, sessions and workers against the rules of package oracle.
//
// A seed draws [Options]: the shape of the code under test, how much happens, and
// which sorts of calls and faults are left out. It makes a plan of calls, which
// [Run] makes on a wheel of its own and on a loop whose clock only faults move:
// timers in all lanes and at all distances, scopes, pauses, logins and takeovers,
// mass logouts, jobs with timeouts and periodic ones, inputs and calls, panics,
// Goexit, stalls, suspends, dilated ticks, whatever can be full, snapshots.
// Then comes a healthy phase, in which what has piled up must be gone within a
// bound. A seed that breaks a rule is a [Failure]; [Shrink] makes it small, and
// [Tell] says in words what happened.
//
// A planted bug, a [Canary], shows that the hunt finds what it is for. It sits in
// the calls that this package makes, never in production code. Tests do the same
// with lines of the production code itself, see the folder mutants.
//
// # Guarantees
//
//   - Same seed and options, same run, same trace.
//   - Every point of "what is always true" that can be seen from outside is looked
//     at after each call, in each callback and at the end of each tick.
//
// # Units
//
// Times are time.Duration, or ticks where a name says so.
//
// # Concurrency
//
// Seeds are independent: any number may run at once. A seed's own goroutines take
// turns, so that their order is the plan's.
//
// # Not provided
//
// Data races and real time, which the tests of the packages look for; what calls
// cost, which their benchmarks do.
package check
