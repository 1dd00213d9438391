// Package tickwheel is the root of a module for timers in game servers: a timing
// wheel, a tick loop that owns the game's goroutine, and sessions whose logout
// cancels everything that is theirs. It has no code; import the rooms:
//
//   - timers: the wheel, a data structure without clock, goroutine or lock.
//   - tick: the loop. Fixed interval, inbox, scopes, workers, statistics.
//   - session: who is connected. Login, logout, takeover, grace.
//   - sim: workloads on a virtual clock that drive the production loop.
//   - cmd/simulate and cmd/gameserver: the programs.
//
// Packages timers, tick and session import the standard library only, so a
// server that embeds them links nothing else. See docs/architecture.md for who
// may import whom, and docs/decisions for why.
package tickwheel
