// Package report writes what simulation runs did: summary.json, ticks.csv and
// environment.json for programs, a table and pictures for people.
//
// It only formats recordings of package sim. All files are written under a
// temporary name and renamed, so that none is ever half there.
//
// # Guarantees
//
//   - The same recordings give the same bytes, but for environment.json, which
//     says where and when, and is kept apart for that reason.
//
// # Units
//
// Times in files are milliseconds, lateness of timers is ticks; names say so.
//
// # Concurrency
//
// Functions may be called by several goroutines for different folders.
//
// # Not provided
//
// Reading results back.
package report
