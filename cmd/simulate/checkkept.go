package main

import (
	"context"
	"fmt"
	"io"
	"os"

	"github.com/tickwheel/tickwheel/sim/check"
)

// maxKept bounds the file of a failure: its story has at most so many lines.
const maxKept = 64 << 20

// again runs the seed of a failure that was kept as a file.
func (h *hunt) again(ctx context.Context, name string) error {
	text, err := readKept(name)
	if err != nil {
		return fmt.Errorf("simulate: %w", err)
	}
	kept, err := check.Read(text)
	if err != nil {
		return fmt.Errorf("simulate: %s: %w", name, err)
	}
	h.batch = check.Batch{From: kept.Seed, Seeds: 1, Options: kept.Options.Changed(kept.Seed), Canary: kept.Canary}
	res, err := h.batch.Run(ctx)
	if err != nil {
		return err
	}
	if res.Done == 0 {
		fmt.Fprintf(h.stderr, "simulate: interrupted before %s was run\n", name)
		return errInterrupted
	}
	f := res.Failure
	if h.json {
		err = writeJSON(h.stdout, struct {
			File    string `json:"file"`
			Broken  bool   `json:"broken"`
			Same    bool   `json:"same_rule"`
			Failure *found `json:"failure"`
		}{name, f != nil, f != nil && f.Rule == kept.Rule, foundOf(f, name)})
		if err != nil {
			return err
		}
	}
	switch {
	case f == nil && !h.json:
		fmt.Fprintf(h.stdout, "%s: seed %d breaks no rule any more\n", name, kept.Seed)
	case f != nil && !h.json:
		io.WriteString(h.stdout, f.Report())
	}
	switch {
	case f == nil:
		return nil
	case f.Rule == kept.Rule:
		fmt.Fprintf(h.stderr, "simulate: %s: seed %d still breaks the rule: %s\n", name, f.Seed, f.Rule)
	default:
		fmt.Fprintf(h.stderr, "simulate: %s: seed %d breaks another rule: %s instead of: %s\n", name, f.Seed, f.Rule, kept.Rule)
	}
	return errInvariant
}

func readKept(name string) (string, error) {
	f, err := os.Open(name)
	if err != nil {
		return "", err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxKept))
	return string(text), err
}
