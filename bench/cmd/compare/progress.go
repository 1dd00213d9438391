package main

import (
	"fmt"
	"io"
	"time"

	"github.com/tickwheel/tickwheel/bench/measure"
)

// progress says on w where a comparison is and how long it will take.
type progress struct {
	w    io.Writer
	plan []measure.Case
	// spent is the time of all cases that ran, took that of each the last time.
	spent time.Duration
	took  map[measure.Case]time.Duration
}

func newProgress(w io.Writer, plan []measure.Case) *progress {
	return &progress{w: w, plan: plan, took: map[measure.Case]time.Duration{}}
}

// begin announces case i.
func (p *progress) begin(i int) {
	fmt.Fprintf(p.w, "%4d/%d  %6s, about %s left  %s\n", i+1, len(p.plan), p.spent.Round(time.Second), p.left(i), p.plan[i])
}

// end notes how long case i took.
func (p *progress) end(i int, took time.Duration) {
	p.spent += took
	p.took[p.plan[i]] = took
}

// left is the time that the cases from i on will take. One that ran in an earlier
// round takes as long again; for others it is a guess, stretched by how wrong
// guesses were so far.
func (p *progress) left(i int) time.Duration {
	var known, guessed, unknown time.Duration
	for c, took := range p.took {
		known += took
		guessed += guess(c)
	}
	var left time.Duration
	for _, c := range p.plan[i:] {
		if took, ok := p.took[c]; ok {
			left += took
		} else {
			unknown += guess(c)
		}
	}
	// A few small cases say little about large ones.
	const trust = 20 * time.Second
	stretch := float64(known+trust) / float64(guessed+trust)
	left += time.Duration(float64(unknown) * stretch)
	if left > time.Minute {
		return left.Round(time.Minute / 6)
	}
	return left.Round(time.Second)
}

// guess is how long a case takes on a machine of 2025, roughly.
func guess(c measure.Case) time.Duration {
	perMillion := 1.2
	switch {
	case c.Variant == "worst" && c.Peer != "tickwheel":
		perMillion = 10
	case c.Peer == "goroutines" || c.Peer == "go-zero":
		perMillion = 7
	}
	return time.Duration((0.5 + perMillion*float64(c.N)/1e6) * float64(time.Second))
}
