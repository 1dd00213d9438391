// Package clients plays many test clients against a game server over TCP and
// measures what they feel.
//
// [Run] connects a fleet of clients that log in, act, leave and come back as
// [Config] says, until the duration is over or the context ends, and returns the
// [Result]: percentiles, counts, and what went wrong. The server is any that
// speaks docs/protocol.md; nothing of it runs here.
//
// # Guarantees
//
//   - Open loop. When a request is due follows from the seed alone, and its latency
//     counts from then. A client that waits for a stuck server, or is thrown out by
//     it, sends late and is measured as late: a stall is in the percentiles for all
//     whom it met, not for one request of each.
//   - Nothing is left out. A request that was never answered, or never sent because
//     there was no connection, counts with the time until it was given up.
//   - A refused login is tried again after the hint it came with, and counted apart.
//   - The generator is measured, too: the row send_late says how late requests left
//     although the client was connected. If that is large, so are all others.
//
// # Units
//
// Latencies are recorded in nanoseconds with three significant digits, up to an
// hour, and shown in milliseconds.
//
// # Concurrency
//
// Run starts two goroutines for each client and ends them all before it returns.
// Config.Progress is called on the goroutine of Run.
//
// # Not provided
//
// Several machines, TLS, and judgement of what the server answers: an error event
// is an answer, counted by its code.
package clients
