// Package plot draws what a simulation did to its ticks: one picture of every
// tick's duration and one of its percentiles, as PNG or SVG.
//
// The package takes plain data, a name and a list of ticks a [Run], and knows
// nothing of loops, wheels or policies. The caller decides what a run is; the
// package decides the axes, the labels and the layout.
//
// # Guarantees
//
//   - The worst tick is never lost. However many ticks share a pixel column,
//     its lowest and its highest are drawn, those over the budget apart from
//     those within it, and each panel labels its worst one.
//   - Any input draws. Empty runs, zeros, constants, negative durations and
//     ranges from 1 ns to 292 years return in bounded time, without a panic.
//   - Axis labels are distinct and stand at the true position of what they say;
//     no text overlaps another or leaves the picture.
//   - The same input gives the same bytes: there is no date, random number or
//     map order in them.
//
// # Units
//
// Durations are [time.Duration]; the vertical axis shows milliseconds on a
// logarithmic scale, the horizontal one seconds. Zero has no place on such a
// scale: what lies below [Options.Floor] is drawn at the bottom, and the axis
// and the caption say so.
//
// # Concurrency
//
// All functions may be called from any goroutine at the same time. They read
// their arguments and keep nothing. The fonts are built in, so a picture looks
// the same on every machine.
//
// # Not provided
//
// Interaction, themes and other chart types. ticks.csv has the numbers for
// those who want to draw something else.
package plot
