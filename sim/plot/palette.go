package plot

import (
	"image/color"

	"gonum.org/v1/plot/vg"
)

// The colours are those of Okabe and Ito, which people with any of the common
// colour vision deficiencies tell apart; overruns differ from ticks within
// the budget in lightness too. All are opaque, so that shapes drawn as one path and
// shapes drawn one by one look the same.
var (
	ink       = color.NRGBA{0x22, 0x26, 0x2b, 0xff}
	muted     = color.NRGBA{0x5f, 0x66, 0x6e, 0xff}
	rule      = color.NRGBA{0xe3, 0xe6, 0xe9, 0xff}
	frame     = color.NRGBA{0xb4, 0xba, 0xc1, 0xff}
	paper     = color.NRGBA{0xff, 0xff, 0xff, 0xff}
	within    = color.NRGBA{0x00, 0x72, 0xb2, 0xff}
	withinT   = color.NRGBA{0xbf, 0xdb, 0xec, 0xff} // tint of within
	beyond    = color.NRGBA{0xd5, 0x5e, 0x00, 0xff}
	beyondT   = color.NRGBA{0xfd, 0xf3, 0xec, 0xff} // tint of beyond, for the zone over the budget
	budgetC   = color.NRGBA{0xa8, 0x43, 0x00, 0xff}
	overTintC = color.NRGBA{0xf5, 0xcf, 0xb3, 0xff}
)

// series are the colours of lines that share one panel. Vermilion comes late:
// it already means "over the budget".
var series = []color.NRGBA{
	{0x33, 0x38, 0x3d, 0xff}, // near black
	{0xe6, 0x9f, 0x00, 0xff}, // orange
	{0x56, 0xb4, 0xe9, 0xff}, // sky blue
	{0x00, 0x9e, 0x73, 0xff}, // bluish green
	{0x00, 0x72, 0xb2, 0xff}, // blue
	{0xcc, 0x79, 0xa7, 0xff}, // reddish purple
	{0x8c, 0x6d, 0x31, 0xff}, // brown
	{0xd5, 0x5e, 0x00, 0xff}, // vermilion
}

// dashes tell apart lines that share a colour, once the colours are used up.
var dashes = [][]vg.Length{nil, {6, 3}, {2, 2}}
