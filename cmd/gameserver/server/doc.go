// Package server puts a world on the network: gnet in front, the loop in the
// middle, the store behind.
//
// Network goroutines cut lines, check them and post typed inputs. The tick
// goroutine owns the game. At the end of a tick all that it has for a connection
// goes out in one write. [Server.Run] starts the three and ends them in the
// order in which nothing is lost.
//
// # Guarantees
//
//   - What is meant for one connection never reaches another: connections have
//     names that are not used twice, and nothing is written to one that closed.
//   - Memory for a connection is bounded: an unfinished line, the requests ahead,
//     the output it has not read. Past the last it is ended.
//   - Run returns after every goroutine of it has ended, unless it says so in
//     its error; another server can run in the same process after it.
//   - Whoever got a bye that says saved is in the file.
//
// # Units
//
// Sizes are bytes.
//
// # Concurrency
//
// [Server.Addr] may be called by any goroutine; Run once, by any.
//
// # Not provided
//
// Encryption and accounts: hence the loopback interface by default.
package server
