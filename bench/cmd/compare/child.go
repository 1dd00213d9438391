package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"time"

	"github.com/tickwheel/tickwheel/bench/measure"
)

const (
	childName = "measure-one"
	// patience is for a case; the longest ones take a minute or two.
	patience = 15 * time.Minute
)

// inChild takes a measurement in a process of its own. When ctx ends the child is
// killed.
func inChild(ctx context.Context, c measure.Case) (measure.Row, error) {
	if err := ctx.Err(); err != nil {
		return measure.Row{}, err
	}
	self, err := executable()
	if err != nil {
		return measure.Row{}, err
	}
	text, err := json.Marshal(c)
	if err != nil {
		return measure.Row{}, err
	}
	timed, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	var out, complaint bytes.Buffer
	cmd := exec.CommandContext(timed, self, childName, string(text))
	cmd.Stdout, cmd.Stderr = &out, &complaint
	cmd.WaitDelay = time.Second
	if err := cmd.Run(); err != nil {
		if errors.Is(timed.Err(), context.DeadlineExceeded) {
			err = fmt.Errorf("took longer than %v", patience)
		}
		return measure.Row{}, fmt.Errorf("%s: %w\n%s", c, err, last(complaint.String(), 20))
	}
	var row measure.Row
	if err := json.Unmarshal(out.Bytes(), &row); err != nil {
		return measure.Row{}, fmt.Errorf("%s: its process wrote %q: %w", c, out.String(), err)
	}
	return row, nil
}

// last is the end of a text, n lines at most.
func last(text string, n int) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return strings.Join(lines[max(0, len(lines)-n):], "\n")
}
