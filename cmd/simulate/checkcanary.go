package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/tickwheel/tickwheel/sim/check"
)

// canaryLine is what came of a planted bug.
type canaryLine struct {
	Number  int    `json:"number"`
	Name    string `json:"name"`
	What    string `json:"what"`
	Found   bool   `json:"found"`
	Seeds   int    `json:"seeds"`
	Failure *found `json:"failure"`
}

// canaries plants one bug after the other and looks whether it is found.
func (h *hunt) canaries(ctx context.Context) error {
	lines := []canaryLine{}
	var missed []string
	interrupted := false
	for _, c := range h.canary {
		bar := h.progress(c.Name, 1)
		h.batch.Canary = c.Number
		res, err := h.batch.Run(ctx)
		bar.clear()
		if err != nil {
			return err
		}
		f := res.Failure
		if interrupted = f == nil && ctx.Err() != nil; interrupted {
			fmt.Fprintf(h.stderr, "simulate: interrupted at canary %s, after %d of its seeds and %d of %d canaries\n",
				c.Name, res.Done, len(lines), len(h.canary))
			break
		}
		if f != nil {
			if _, own := check.Run(f.Seed, f.Options, 0); own != nil {
				return fmt.Errorf("simulate: seed %d breaks a rule without the canary as well: %s: run simulate check --seed %d", f.Seed, own.What, f.Seed)
			}
		} else {
			missed = append(missed, c.Name)
		}
		lines = append(lines, h.canaryLine(ctx, c, f))
	}
	if h.json {
		if err := writeJSON(h.stdout, lines); err != nil {
			return err
		}
	}
	switch {
	case interrupted:
		return errInterrupted
	case len(missed) > 0:
		return fmt.Errorf("simulate: not found in %s: %s", seedsOf(h.batch.Seeds), strings.Join(missed, ", "))
	}
	return errInvariant
}

// canaryLine tells what came of c, with the story if it is the only one.
func (h *hunt) canaryLine(ctx context.Context, c check.Canary, f *check.Failure) canaryLine {
	l := canaryLine{c.Number, c.Name, c.What, f != nil, h.batch.Seeds, nil}
	if f != nil {
		if l.Seeds = int(f.Seed-h.batch.From) + 1; len(h.canary) == 1 {
			f = check.Shrink(ctx, f)
		}
		l.Failure = foundOf(f, "")
	}
	switch {
	case h.json:
	case f == nil:
		fmt.Fprintf(h.stdout, "canary %d, %s: not found in %s: %s\n", c.Number, c.Name, seedsOf(h.batch.Seeds), c.What)
	case len(h.canary) == 1:
		fmt.Fprintf(h.stdout, "canary %d, %s: found: %s\n\n%s", c.Number, c.Name, c.What, f.Report())
	default:
		fmt.Fprintf(h.stdout, "canary %d, %s: found by seed %d: %s\n", c.Number, c.Name, f.Seed, f.Rule)
	}
	return l
}
