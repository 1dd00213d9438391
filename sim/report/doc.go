// Package report writes what simulation runs did, and reads it back: summary.json,
// ticks.csv, events, HDR logs and more for programs, a table and pictures for people.
//
// It only formats recordings of package sim. All files are written under a
// temporary name and renamed, so that none is ever half there.
//
// # Guarantees
//
//   - The same recordings give the same bytes, but for environment.json, which
//     says where and when, and is kept apart for that reason.
//   - [Load] gives back what was written, to the nanosecond, or an error: a folder
//     that is not whole is never half read. [Draw] makes the pictures of [Write].
//
// # Units
//
// Times in files are milliseconds, lateness of timers is ticks; names say so.
//
// # Cost
//
// [Loader] reads ticks as a stream and keeps 32 bytes of each. Ten million of them,
// 1.2 GB of ticks.csv, take "simulate report" 6 s of CPU and 557 MB at most,
// "simulate plot" 7 s and 551 MB, measured with /usr/bin/time -v on two cores of a
// busy machine (10 and 24 s by the wall clock). BIG=DIR go test -run TestBigFolder
// ./sim/report makes the folder.
//
// # Concurrency
//
// Functions may be called by several goroutines for different folders.
//
// # Not provided
//
// Folders of other versions: run.json says which one has written it.
package report
