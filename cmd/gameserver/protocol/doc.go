// Package protocol is the wire format of the game server: one JSON object a
// line, requests one way, events the other.
//
// A [Framer] cuts a byte stream into lines, [Parse] turns a line into a checked
// [Request], [AppendEvent] writes an event. The server and the test client use
// the same three, so they cannot drift apart.
//
// # Guarantees
//
//   - Every chunking of a stream gives the same lines, and each line once.
//   - Memory a stream can hold is bounded: [MaxLine] bytes of an unfinished line.
//   - A request is what its table says or an [*Error] that names the value and
//     what would be accepted; nothing is clamped, rounded or ignored.
//   - A [Request] and an error share no memory with the line they came from.
//
// # Units
//
// Lengths are bytes, times are milliseconds, ticks are the server's.
//
// # Concurrency
//
// A Framer belongs to one goroutine. The functions may be called by any.
//
// # Not provided
//
// Accounts, encryption, compression: the server listens on the loopback
// interface unless told otherwise.
package protocol
