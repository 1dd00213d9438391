package main

import (
	"fmt"
	"io"
	"os"
	"strings"
)

// progress is the line on stderr that says how far a long run is. As a bar it is
// redrawn in place; plain, each part of the work gets a line.
type progress struct {
	w        io.Writer
	on, bar  bool
	n, total int
	name     string
	last     int // per cent shown
}

const barWidth = 30

// newProgress returns the progress of work in total parts, in a mode that
// sharedOf has checked.
func newProgress(w io.Writer, mode string, total int) *progress {
	p := &progress{w: w, on: mode != "none", bar: mode == "bar", total: total}
	if f, ok := w.(*os.File); ok && mode == "auto" {
		info, err := f.Stat()
		p.bar = err == nil && info.Mode()&os.ModeCharDevice != 0
	}
	return p
}

// start begins the next part.
func (p *progress) start(name string) {
	p.n++
	p.name, p.last = name, -1
	if p.on && !p.bar {
		fmt.Fprintf(p.w, "%s%s\n", p.count(), name)
	}
	p.at(0)
}

// count says which part of how many is in hand, nothing if there is only one.
func (p *progress) count() string {
	if p.total == 1 {
		return ""
	}
	return fmt.Sprintf("%d/%d ", p.n, p.total)
}

// at draws the bar if it has moved by a per cent.
func (p *progress) at(done float64) {
	percent := int(done * 100)
	if !p.on || !p.bar || percent == p.last {
		return
	}
	p.last = percent
	full := int(done * barWidth)
	fmt.Fprintf(p.w, "\r\x1b[K%s%-20s %s%s %3d %%", p.count(), p.name,
		strings.Repeat("█", full), strings.Repeat("·", barWidth-full), percent)
}

// say replaces the bar by a word.
func (p *progress) say(what string) {
	if p.on && p.bar {
		fmt.Fprintf(p.w, "\r\x1b[K%s", what)
	}
}

// clear removes the bar.
func (p *progress) clear() {
	if p.on && p.bar {
		fmt.Fprint(p.w, "\r\x1b[K")
	}
}
