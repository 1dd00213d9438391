// Package timers fires payloads on simulation ticks.
//
// A [Wheel] keeps timers and hands each to the caller during the
// [Wheel.Advance] that reaches its deadline. It reads no clock, starts no
// goroutine, takes no lock and draws no global random number: the caller owns
// time, usually through a tick.Loop.
//
// Reasons to choose it: scheduling, cancelling and resetting take constant time
// in the worst case and allocate nothing in steady state; a timer never moves
// once filed, so no tick pays for a cascade; every timer of a [Group] is
// cancelled, paused or counted by one call; a storm of deadlines is held to a
// budget a tick, and what is over it is carried, in order. The price: a
// deadline is a whole tick, and memory once used is kept for reuse.
//
// # Guarantees
//
//   - Never early. A timer fires at its deadline or, past the budget, later.
//   - Once. A timer fires exactly once, or Cancel returns true; never both and
//     never neither.
//   - Ordered. Within a lane, earlier deadlines first, equal ones in scheduling
//     order, also across long waits, carry-over and advances of many ticks.
//     Lanes due on one tick run urgent, normal, bulk.
//   - Next tick at the earliest. What a callback schedules never runs in the
//     same tick; what it cancels does not run, even if due in this very tick.
//   - Whole after a panic. A timer is removed before its callback runs, so a
//     callback that panics or exits its goroutine leaves the rest first in line:
//     the next Advance goes on where this one stopped.
//   - Stale handles touch nothing. The zero Handle cancels nothing.
//   - Any delay is honoured or refused with an error; none wraps or saturates.
//   - Repeatable. The same calls in the same order give the same firings, also
//     across a [Wheel.AppendSnapshot] and its [Restore].
//
// # Units
//
// A [Tick] is a point, a [Span] a length, both in ticks and both 64 bits. What a
// tick lasts is the caller's business. Periods may be given in fractions of a
// tick, see [Config.TickUnits].
//
// # Concurrency
//
// A Wheel belongs to one goroutine at a time. Callbacks may call every method
// of the wheel that fires them except Advance.
//
// # Structure
//
// A hashed timing wheel after Varghese & Lauck (1987, scheme 5) with a wide
// inner ring of exact ticks; deadlines beyond it wait in lists by exact tick,
// which are spliced into the ring whole when their tick comes within reach.
// A payload stays where it was written, so its [Handle] is its address.
//
// # Not provided
//
// Wall-clock and calendar times, storage, goroutines for blocking callbacks: see
// packages tick and session, which build on this one. A snapshot is the whole
// wheel at one tick; it doesn't log changes.
package timers
