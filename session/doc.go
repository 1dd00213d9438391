// Package session keeps track of who is connected.
//
// A [Registry] knows the players that are logged in, each as a [Session]: a
// tick.Scope with a name and the game's own player value. What the game schedules
// or offloads for the session ends with it, so logout is one call. A [Conn] is
// one network connection; it comes and goes on its own, and what it still says
// after it was replaced reaches nobody.
//
// # Guarantees
//
//   - One session of a name at a time. A second login takes over: the first
//     session ends completely, hooks included, before the second one exists.
//   - Nothing of a session runs after its end; OnClose hooks run exactly once.
//   - A session whose connection was lost may be kept for Config.Grace, its
//     timers frozen or running, and is resumed by a login as the same session.
//   - Late events of an old connection touch the old session only, if at all.
//   - Input beats the idle timeout of the same tick.
//   - CloseAll ends everybody at one stroke, and releases them in slices.
//
// # Units
//
// Those of package tick: durations round up to ticks.
//
// # Concurrency
//
// Everything belongs to the tick goroutine, or before the first tick to whoever
// builds the loop; network goroutines go through Loop.Post or Loop.Input. The
// exception is Session.Alive, as for every scope.
//
// # Not provided
//
// Sockets, passwords, and storage of players.
package session
