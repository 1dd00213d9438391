package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/tickwheel/tickwheel/bench/measure"
	"github.com/tickwheel/tickwheel/bench/report"
)

// usageError is a mistake in the command line.
type usageError struct{ err error }

func (e *usageError) Error() string { return e.err.Error() }
func (e *usageError) Unwrap() error { return e.err }

// options are the flags.
type options struct {
	quick     bool
	json      string
	rounds    int
	only      []string
	peers     []string
	docs, raw string
	quiet     bool
}

const maxRounds = 99

func newCommand(stdout, stderr io.Writer) *cobra.Command {
	var o options
	cmd := &cobra.Command{
		Use:   "compare",
		Short: "Measure the wheel and other timers side by side",
		Args:  noArgs,
		Long: `Compare runs the measures W1 to W8 on all peers, each measurement in a process of
its own, in interleaved rounds, and prints medians, ratios and which of the figures
to reach were reached. Run it from the folder bench on a machine that does nothing
else.

Without --quick, --only and --peers it rewrites docs/benchmarks.md, its pictures
and a file under bench/results; nothing is written before the last measurement.
Exit codes: 0 ok, 1 failed, 2 wrong use, 130 interrupted (nothing is written).`,
		Example: `  go run ./cmd/compare                           # everything: about half an hour
  go run ./cmd/compare --quick --json r.json     # three peers, under 90 s
  go run ./cmd/compare --only W1,W5 --peers tickwheel,heap --rounds 3`,
		SilenceErrors: true,
		SilenceUsage:  true,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return o.run(cmd.Context(), stdout, stderr)
		},
	}
	cmd.SetOut(stdout)
	cmd.SetErr(stderr)
	cmd.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return &usageError{err} })
	f := cmd.Flags()
	f.SortFlags = false
	f.BoolVar(&o.quick, "quick", false, "only "+strings.Join(measure.QuickPeers(), ", ")+"; less precise; writes no document")
	f.StringVar(&o.json, "json", "", "write the medians to this file, one row a case")
	f.IntVar(&o.rounds, "rounds", 0, fmt.Sprintf("rounds, 1 to %d; 0 means 5, or 1 with --quick", maxRounds))
	f.StringSliceVar(&o.only, "only", nil, "comma list of measures; writes no document")
	f.StringSliceVar(&o.peers, "peers", nil, "comma list of peers; writes no document")
	f.StringVar(&o.docs, "docs", filepath.FromSlash("../docs"), "folder of benchmarks.md")
	f.StringVar(&o.raw, "results", "results", "folder of the raw results")
	f.BoolVar(&o.quiet, "quiet", false, "no progress on stderr")
	cmd.AddCommand(childCommand(stdout))
	cmd.CompletionOptions.DisableDefaultCmd = true
	return cmd
}

func noArgs(_ *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	return &usageError{fmt.Errorf("argument %q: want flags only, such as --quick", args[0])}
}

// plan checks the flags and returns the cases to run.
func (o *options) plan() ([]measure.Case, error) {
	var errs []error
	if o.rounds < 0 || o.rounds > maxRounds {
		errs = append(errs, fmt.Errorf("rounds %d: want 1 to %d, or 0 for the default", o.rounds, maxRounds))
	} else if o.rounds == 0 {
		if o.rounds = 5; o.quick {
			o.rounds = 1
		}
	}
	plan := measure.Plan(o.quick, max(o.rounds, 1))
	known := func(flag string, given []string, get func(measure.Case) string) {
		for _, name := range given {
			if !slices.ContainsFunc(plan, func(c measure.Case) bool { return get(c) == name }) {
				errs = append(errs, fmt.Errorf("%s %q: not part of this comparison", flag, name))
			}
		}
		if len(given) > 0 {
			plan = slices.DeleteFunc(plan, func(c measure.Case) bool { return !slices.Contains(given, get(c)) })
		}
	}
	known("only", o.only, func(c measure.Case) string { return c.Measure })
	known("peers", o.peers, func(c measure.Case) string { return c.Peer })
	if err := errors.Join(errs...); err != nil {
		return nil, &usageError{err}
	}
	return plan, nil
}

func (o *options) run(ctx context.Context, stdout, stderr io.Writer) error {
	plan, err := o.plan()
	if err != nil {
		return err
	}
	files := report.Files{Docs: o.docs, Results: o.raw}
	full := !o.quick && o.only == nil && o.peers == nil
	if full {
		if err := files.Check(); err != nil {
			return err
		}
	}
	if o.quiet {
		stderr = io.Discard
	}
	started, progress := time.Now(), newProgress(stderr, plan)
	var rows []measure.Row
	for i, c := range plan {
		progress.begin(i)
		began := time.Now()
		row, err := inChild(ctx, c)
		if err != nil {
			return err
		}
		progress.end(i, time.Since(began))
		rows = append(rows, row)
	}
	results := report.Collect(rows)
	m := report.Describe(started, o.rounds)
	fmt.Fprintf(stdout, "%s, %d cores, %s; median of %d\n\n", m.CPU, m.Cores, m.Go, m.Rounds)
	err = errors.Join(report.Print(stdout, results), report.PrintFloors(stdout, results))
	if o.json != "" {
		err = errors.Join(err, report.WriteRows(o.json, results))
	}
	if full {
		err = errors.Join(err, files.Write(results, m))
	}
	return err
}

// childCommand is what a child process runs: one case, its row on stdout.
func childCommand(stdout io.Writer) *cobra.Command {
	return &cobra.Command{
		Use:    childName,
		Hidden: true,
		Args:   cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			var c measure.Case
			if err := json.Unmarshal([]byte(args[0]), &c); err != nil {
				return &usageError{fmt.Errorf("case %q: %w", args[0], err)}
			}
			row, err := measure.Run(c)
			if err != nil {
				return err
			}
			return json.NewEncoder(stdout).Encode(row)
		},
	}
}

// executable is this program, which its children run as well.
func executable() (string, error) {
	name, err := os.Executable()
	if err != nil {
		return "", fmt.Errorf("finding this program to run it again: %w", err)
	}
	return name, nil
}
