// Package store keeps players in a bbolt file.
//
// [Open] opens or creates DIR/players.db, [Store.Load] and [Store.Save] read
// and write one player. Both block on the disk: they belong on worker
// goroutines, never on the tick goroutine.
//
// # Guarantees
//
//   - When Save returns nil the player is on the disk, also after kill -9 or a
//     power cut.
//   - An older copy of a player never replaces a newer one, in whatever order
//     the saves arrive: see [Player.Rev].
//   - A file that is damaged is an error and is kept aside, never a panic and
//     never overwritten. A file in use by another process is an error within
//     the timeout.
//
// # Units
//
// A player's value is a few hundred bytes of JSON with a version of its own.
//
// # Concurrency
//
// Any number of goroutines may call Load and Save; saves that wait together
// are committed together.
//
// # Not provided
//
// Several processes on one file, backups, deletion.
package store
