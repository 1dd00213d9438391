// Package schemes holds the classical timer structures, written plainly, to
// compare the wheel of package timers with.
//
// Every structure is a [Scheme]: the same few calls, driven by hand in ticks, so
// that one workload runs on all of them. [New] makes one by name, [Names] lists
// them:
//
//   - goroutines: a goroutine sleeps for each timer, as `go func() { sleep(d);
//     f() }()` does. The sleepers are woken from a heap, which is what a runtime
//     keeps below.
//   - sorted-list: a linked list by deadline. Scheme 2 of Varghese & Lauck,
//     "Hashed and Hierarchical Timing Wheels", SOSP 1987.
//   - heap: a binary heap that knows where each timer is (Williams, "Algorithm
//     232: Heapsort", 1964). This is Java's DelayQueue.
//   - hashed-512, hashed-16384: a ring of slots, each timer with a count of rounds
//     to wait. Scheme 6 of Varghese & Lauck; the circular delay queue; Netty's
//     HashedWheelTimer.
//   - hierarchy-4x256, hierarchy-6x64: levels of ever coarser slots; when the hand
//     reaches a coarse slot, all in it move down at once. Scheme 7 of Varghese &
//     Lauck; Linux before 4.8, Tokio.
//
// # Guarantees
//
//   - Never early, once, and in order: earlier deadlines first, equal ones in
//     scheduling order.
//   - A callback may schedule and cancel. What it schedules never runs in the same
//     tick; what it cancels does not run, even if due in this very tick.
//   - A timer is removed before its callback runs. After a panic the next Advance
//     goes on behind it.
//
// # Units
//
// Deadlines are ticks. A tick has no length here.
//
// # Concurrency
//
// A Scheme belongs to one goroutine at a time.
//
// # Not provided
//
// Groups, lanes, budgets, periods, jitter, pause and limits: these structures are
// yardsticks, not alternatives. Each timer is an allocation of 32 bytes, as is
// usual for them.
package schemes
