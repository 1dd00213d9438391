package main

import (
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/tickwheel/tickwheel/sim/check"
)

// maxKept bounds the file of a failure: its story has at most so many lines.
const maxKept = 64 << 20

// again runs the seed of a failure that was kept as a file.
func (h *hunt) again(cmd *cobra.Command, name string) error {
	text, err := reading(cmd, name, func() ([]byte, error) { return readFile(name, maxKept) })
	var usage *usageError
	switch {
	case errors.As(err, &usage) || errors.Is(err, errInterrupted):
		return err
	case err != nil:
		return fmt.Errorf("simulate: %w", err)
	}
	kept, err := check.Read(string(text))
	if err != nil {
		return fmt.Errorf("simulate: %s: %w", name, err)
	}
	h.batch = check.Batch{From: kept.Seed, Seeds: 1, Options: kept.Options.Changed(kept.Seed), Canary: kept.Canary}
	res, err := h.batch.Run(cmd.Context())
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
