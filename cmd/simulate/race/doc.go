// Package race plays one timer trace through every timer structure: the classical
// ones of sim/schemes, Go's runtime timers, and the wheel of package timers.
//
// [Run] returns a [Row] for each: the CPU a tick takes, the worst tick, and the
// bytes that a pending timer takes and that cancelled ones leave behind. [Table]
// and [Chart] show them.
//
// # Guarantees
//
//   - Every structure gets the same calls in the same order. How many timers a tick
//     fires is known ahead, and Run fails if a structure differs; the runtime, which
//     may be a moment early or late, is waited for.
//   - A tick's time is the shortest of several identical passes, so that what only
//     one of them had is not taken for the structure's. The collector is off while
//     ticks are timed.
//   - A structure that is too slow is stopped, and its row says how far it came.
//
// # Units
//
// Times are microseconds, of one thread but for the CPU, which is the process's.
// The runtime keeps real time: its ticks are two milliseconds, more if there are
// many timers, and its worst tick holds what the system takes to wake a thread.
//
// # Concurrency
//
// Run measures the process it runs in: nothing else should run there.
//
// # Not provided
//
// Many sizes, groups, and other libraries: the module bench has those.
package race
