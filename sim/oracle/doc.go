// Package oracle says what must happen: the rules of the wheel, the loop, scopes,
// sessions and jobs, written down a second time in the dullest way there is.
//
// A [Wheel] keeps all its timers in one slice and answers every question by
// looking at each of them. It shares no idea with package timers, so what both
// say is what the rules say. [Grid] is the pace of a loop, [Scope] the tree that
// timers end with, [Registry] who is logged in, [Jobs] the work of the workers.
//
// Whoever runs the production code tells the oracle of each call and of each
// callback; the oracle answers with an error as soon as the two part ways. The
// error is a [*Broken] that names the rule.
//
// # Guarantees
//
//   - Exact: the oracle does not accept "some timer that is due" but the one
//     whose turn it is, with its deadline, lateness and missed runs.
//   - Nothing is taken from the code under test but what is drawn at random
//     there: the tick that jitter chose, inside a window that is checked.
//
// # Units
//
// Ticks, and nanoseconds for periods, as in package timers.
//
// # Concurrency
//
// An oracle belongs to one goroutine.
//
// # Not provided
//
// Speed: a call costs time in proportion to the timers there are.
package oracle
