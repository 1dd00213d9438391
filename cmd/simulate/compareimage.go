package main

import (
	"bytes"
	"cmp"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"io"
	"slices"
)

// small returns a renderer of the same PNG with a palette, a third as large: what
// compare draws is for documents and tickets.
func small(render func(io.Writer) error) func(io.Writer) error {
	return func(w io.Writer) error {
		var b bytes.Buffer
		if err := render(&b); err != nil {
			return err
		}
		m, err := png.Decode(&b)
		if err != nil {
			return err
		}
		e := png.Encoder{CompressionLevel: png.BestCompression}
		return e.Encode(w, indexed(m))
	}
}

// indexed returns m with at most 256 colours: those that most pixels have, and for
// others the nearest of them. Of a picture of flat colours that changes shades at the
// edges of letters only, and an index is a third of the bytes.
func indexed(m image.Image) *image.Paletted {
	src := image.NewRGBA(m.Bounds())
	draw.Draw(src, src.Rect, m, src.Rect.Min, draw.Src)
	pixels := map[color.RGBA]int{}
	for i := 0; i < len(src.Pix); i += 4 {
		pixels[rgba(src.Pix[i:])]++
	}
	colours := make([]color.RGBA, 0, len(pixels))
	for c := range pixels {
		colours = append(colours, c)
	}
	slices.SortFunc(colours, func(a, b color.RGBA) int { // total, so that maps leave no trace
		return cmp.Or(cmp.Compare(pixels[b], pixels[a]), cmp.Compare(a.R, b.R), cmp.Compare(a.G, b.G), cmp.Compare(a.B, b.B), cmp.Compare(a.A, b.A))
	})
	palette := make(color.Palette, min(len(colours), 256))
	index := make(map[color.RGBA]uint8, len(colours))
	for i, c := range colours {
		if i < len(palette) {
			palette[i], index[c] = c, uint8(i)
		} else {
			index[c] = uint8(palette.Index(c))
		}
	}
	out := image.NewPaletted(src.Rect, palette)
	for i := range out.Pix {
		out.Pix[i] = index[rgba(src.Pix[4*i:])]
	}
	return out
}

func rgba(p []uint8) color.RGBA { return color.RGBA{R: p[0], G: p[1], B: p[2], A: p[3]} }
