// Package client is the interactive test client of the game server.
//
// [Run] connects, logs in, sends what is typed as JSON or as short words, and
// prints one line for each line sent ("> ") and received ("< ").
//
// # Guarantees
//
//   - A short word is sent with an id of its own and its answer awaited before
//     the next line is read, so that what is piped in gives the same transcript
//     each time. Nothing is paced by sleeping.
//   - At the end of the input every answer still owed, timers included, is
//     awaited for as long as Config.Timeout, then the player is logged out and
//     the server's bye awaited.
//
// # Units
//
// Times typed are milliseconds, as in the protocol.
//
// # Concurrency
//
// Run may be called by any goroutine. When it returns, one goroutine may be left
// that reads Config.In, until that read returns: a terminal's can't be
// interrupted.
//
// # Not provided
//
// Reconnecting, line editing, history.
package client
