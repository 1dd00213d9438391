package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tickwheel/tickwheel/sim"
	"github.com/tickwheel/tickwheel/sim/report"
)

func replayCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "replay [FILE|DIR]",
		Short: "Play recorded runs again and compare every tick",
		Long: `Replay plays the runs of a results folder again, from its replay.bin: the same
scenario, policies and seed. Each must do the same, or the first tick that differs
is named, with the columns of ticks.csv that do. Without FILE or DIR it reads the
folder of --out. A run on the real clock can't be played again.

A difference means that the program decides otherwise than the one that made the
results: another version, or an error in this one.

Exit codes: 0 all the same, 1 failed, 2 wrong use, 4 a run differs, 130 interrupted.`,
		Example: `  simulate replay                  # the runs in out
  simulate replay before           # those of another folder
  simulate replay before/replay.bin --json`,
	}
	out := cmd.Flags().String("out", "out", "folder to read if none is given")
	_ = cmd.MarkFlagDirname("out")
	cmd.Args = func(_ *cobra.Command, args []string) error {
		if len(args) > 1 {
			return &usageError{fmt.Errorf("simulate: argument %q: want one file or folder", args[1])}
		}
		return nil
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		path := *out
		if len(args) == 1 {
			path = args[0]
		}
		s, err := sharedOf(cmd)
		if err != nil {
			return err
		}
		if path == "" {
			return &usageError{errors.New("simulate: a folder without a name: want one that simulate run has written")}
		}
		return replay(cmd, s, path)
	}
	return cmd
}

// replayed is what became of one run.
type replayed struct {
	Policy   string             `json:"policy"`
	Ticks    int                `json:"ticks"`
	Recorded string             `json:"recorded_hash"`
	Now      string             `json:"trace_hash"`
	Same     bool               `json:"same"`
	First    *report.Difference `json:"first_difference"`
}

func replay(cmd *cobra.Command, s shared, path string) error {
	rec, err := report.LoadReplay(path)
	if err != nil {
		return err
	}
	if rec.Clock != "virtual" {
		return &usageError{fmt.Errorf("simulate: %s is of the %s clock: only runs on the virtual one can be played again", rec.Path, rec.Clock)}
	}
	bar := newProgress(s.stderr, s.progress, len(rec.Runs))
	defer bar.clear()
	var all []replayed
	differ := 0
	for i := range rec.Runs {
		run := &rec.Runs[i]
		bar.start(run.Policy.Name)
		now, err := sim.Run(cmd.Context(), rec.Scenario, run.Policy, sim.Options{Seed: rec.Seed, Progress: bar.at})
		if err != nil {
			return fmt.Errorf("policy %s: %w", run.Policy.Name, err)
		}
		bar.clear()
		if now.Interrupted {
			fmt.Fprintf(s.stderr, "simulate: interrupted after %d of %d policies\n", i, len(rec.Runs))
			return errInterrupted
		}
		d, err := rec.Compare(i, now)
		if err != nil {
			return err
		}
		if d != nil {
			differ++
		}
		all = append(all, replayed{run.Policy.Name, run.Ticks, run.Trace, now.Trace, d == nil, d})
		if !s.json {
			fmt.Fprintln(s.stdout, told(run, now, d))
		}
	}
	if s.json {
		if err := writeJSON(s.stdout, struct {
			Seed uint64     `json:"seed"`
			Same bool       `json:"same"`
			Runs []replayed `json:"runs"`
		}{rec.Seed, differ == 0, all}); err != nil {
			return err
		}
	}
	if differ > 0 {
		fmt.Fprintf(s.stderr, "simulate: %d of %d runs differ from %s\n", differ, len(all), rec.Path)
		return errInvariant
	}
	return nil
}

// told says in a line or two what became of a run.
func told(run *report.ReplayRun, now *sim.Recording, d *report.Difference) string {
	switch {
	case d == nil && len(now.Ticks) > run.Ticks:
		return fmt.Sprintf("%s: the same in %d ticks, where it was interrupted", run.Policy.Name, run.Ticks)
	case d == nil:
		return fmt.Sprintf("%s: the same, %d ticks, trace %s", run.Policy.Name, run.Ticks, now.Trace)
	}
	how := "the figures are the same, or not at hand: the order of things differs"
	if len(d.Columns) > 0 {
		var parts []string
		for _, c := range d.Columns {
			parts = append(parts, fmt.Sprintf("%s %s, recorded %s", c.Column, c.Now, c.Recorded))
		}
		how = strings.Join(parts, "; ")
	}
	return fmt.Sprintf("%s: differs first in tick %d, at %g ms: %s", run.Policy.Name, d.Tick, d.AtMS, how)
}
