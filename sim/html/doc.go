// Package html writes results of the simulation as one page for a browser:
// report.html.
//
// The page has the verdict first, in words, then every tick over time with zoom,
// percentiles, backlog and lateness by lane, workers, the longest ticks with what
// made them long, figures, thresholds, and the command that makes it again.
//
// # Guarantees
//
//   - One file. Scripts, styles and data are in it; it loads nothing and says so
//     to the browser, so it works from a disk, an attachment or a ticket.
//   - The worst is never lost. A run with more ticks than fit is put together in
//     stretches of equal length, each of which has the highest value of each
//     column; the page says so. Percentiles are exact, of all ticks.
//   - Names from files are text to the browser, never markup or script.
//   - The same results give the same bytes.
//
// # Units
//
// Times on the page are seconds of the run and milliseconds of a tick; lateness is
// in ticks.
//
// # Concurrency
//
// Functions may be called from several goroutines at once.
//
// # Not provided
//
// Old browsers: it needs one of the last years. Without scripts the verdict, the
// tables and the command are there, and the charts are not.
package html
