// Package world is the game of the reference server: players, skills, monsters.
//
// A [World] lives on the tick goroutine of one loop. Connections and requests
// come in as typed inputs, events go out through a [Sink]; the world knows no
// socket, so a test steps it by hand. Players come from and go to a [Store],
// which is only ever called by jobs.
//
// # Guarantees
//
//   - Requests of one connection are answered in order, also those sent before
//     its login was answered.
//   - After a logout, takeover or idle timeout nothing of that session runs, and
//     a late input of its connection touches nothing.
//   - A bye that says saved is sent after the store has confirmed the player's
//     last state. A state the store refused is kept and tried again.
//   - What a storm does to the tick is bounded by the loop's budget: respawns
//     run in the bulk lane.
//
// # Units
//
// Times are durations on the loop's clock; on the wire milliseconds.
//
// # Concurrency
//
// Everything belongs to the tick goroutine, apart from [World.Drained].
//
// # Not provided
//
// A map, chat, items: it is here to show the wiring.
package world
