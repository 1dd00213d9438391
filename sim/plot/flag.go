package plot

import "slices"

// flag is a mark with its place: a line at x and a label beginning at tx in a
// row above the panels, 0 the lowest. Row -1 is a line without a label.
type flag struct {
	x, tx float64
	row   int
	label string
}

// layFlags gives the marks of a time axis their rows. A label hangs to the right
// of its line like a flag. Going from right to left, each rises above the
// lines it would cover, so that no line runs through a label.
func (f *figure) layFlags(marks []Mark, x axis) []flag {
	var flags []flag
	for _, m := range marks {
		at := seconds(m.At)
		if at < x.lo || at > x.hi {
			continue
		}
		label := f.fit(valueStyle, clean(m.Label), 0.48*(x.p1-x.p0))
		flags = append(flags, flag{x: x.pos(at), label: label})
	}
	slices.SortStableFunc(flags, func(a, b flag) int {
		switch {
		case a.x > b.x:
			return -1
		case a.x < b.x:
			return 1
		}
		return 0
	})
	for i := range flags {
		fl := &flags[i]
		fl.row = -1
		if fl.label == "" {
			continue
		}
		w := f.width(valueStyle, fl.label)
		fl.tx = fl.x + 4
		if fl.tx+w > x.p1 {
			fl.tx = fl.x - 4 - w
		}
		fl.row = freeRow(f, flags[:i], fl.tx, w)
	}
	return flags
}

// hiddenBehind says whether flag i shares its line with the next one, which is
// as high or higher. Two dashed lines in one place would look like a solid one.
func hiddenBehind(flags []flag, i int) bool {
	return i+1 < len(flags) && flags[i].x-flags[i+1].x < 0.5
}

// freeRow is the lowest row in which a label of width w at tx meets no other,
// above the lines of those it reaches over; -1 if there is none.
func freeRow(f *figure, placed []flag, tx, w float64) int {
	row := 0
	for _, p := range placed {
		if p.row < 0 {
			continue
		}
		pw := f.width(valueStyle, p.label)
		meets := tx < p.tx+pw+6 && p.tx < tx+w+6
		covers := p.x > tx-2 && p.x < tx+w+2
		if meets || covers {
			row = max(row, p.row+1)
		}
	}
	if row >= maxRows {
		return -1
	}
	return row
}
