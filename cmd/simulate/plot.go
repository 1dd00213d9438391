package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tickwheel/tickwheel/sim/report"
)

func plotCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "plot [DIR...]",
		Short: "Draw the pictures of results again",
		Long: `Plot draws the pictures of results again, from their raw files: tick-latency and
percentiles, as PNG and SVG. Without DIR it reads the folder of --out.

Several folders give one picture with the runs of all, such as the same scenario
before and after a change. It goes to --out, or into the first of them.`,
		Example: `  simulate plot                     # the pictures in out
  simulate plot before after        # both in one picture, in before
  simulate plot before after --out both`,
		ValidArgsFunction: completeDirs,
	}
	out := outFlag(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		v, err := viewOf(cmd, args, *out)
		if err != nil {
			return err
		}
		set, err := v.load(cmd.Context())
		if err != nil {
			return err
		}
		if err := report.Draw(v.to, set); err != nil {
			return err
		}
		return v.done(cmd.Context(), report.Pictures()...)
	}
	return cmd
}

// completeDirs completes folders.
func completeDirs(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return nil, cobra.ShellCompDirectiveFilterDirs
}

// view is what the verbs that look at results have in common.
type view struct {
	shared
	from []string // folders of results
	to   string   // folder to write to
}

func viewOf(cmd *cobra.Command, args []string, out string) (view, error) {
	v := view{from: args, to: out}
	var err error
	if v.shared, err = sharedOf(cmd); err != nil {
		return v, err
	}
	for _, dir := range append([]string{out}, args...) {
		if dir == "" {
			return v, &usageError{errors.New("simulate: a folder without a name: want one that simulate run has written")}
		}
	}
	switch {
	case len(args) == 0:
		v.from = []string{out}
	case !cmd.Flags().Changed("out"):
		v.to = args[0]
	}
	return v, nil
}

// load reads the folders and makes the one to write to.
func (v view) load(ctx context.Context) (*report.Set, error) {
	if v.progress != "none" && v.progress != "auto" {
		fmt.Fprintf(v.stderr, "reading %s\n", strings.Join(v.from, ", "))
	}
	set, err := report.Load(v.from...)
	if err != nil {
		return nil, err
	}
	if ctx.Err() != nil {
		fmt.Fprintln(v.stderr, "simulate: interrupted: nothing was written")
		return nil, errInterrupted
	}
	return set, report.MakeDir(v.to)
}

// done says on stdout which files were written.
func (v view) done(ctx context.Context, names ...string) error {
	paths := make([]string, len(names))
	for i, name := range names {
		paths[i] = filepath.Join(v.to, name)
	}
	if v.json {
		if err := writeJSON(v.stdout, map[string][]string{"files": paths}); err != nil {
			return err
		}
	} else {
		for _, p := range paths {
			if _, err := fmt.Fprintln(v.stdout, p); err != nil {
				return err
			}
		}
	}
	if ctx.Err() != nil {
		fmt.Fprintln(v.stderr, "simulate: interrupted: the files are complete")
		return errInterrupted
	}
	return nil
}
