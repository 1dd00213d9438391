package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

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
		set, release, err := v.load(cmd.Context())
		if err != nil {
			return err
		}
		defer release()
		if err := report.Draw(cmd.Context(), v.to, set); err != nil {
			return v.interrupted(cmd.Context(), err, "what is in "+v.to+" is whole, but not all of it is new")
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

// load reads the folders and claims the one to write to, for release to give back.
func (v view) load(ctx context.Context) (set *report.Set, release func(), err error) {
	bar := newProgress(v.stderr, v.progress, len(v.from))
	bar.on = bar.on && (bar.bar || v.progress == "plain") // small folders take no time
	dir, n := "", 0
	set, err = report.Loader{Progress: func(from string, done float64) {
		if from != dir || n == 0 {
			dir, n = from, n+1
			bar.start("reading " + from)
		}
		bar.at(done)
	}}.Load(ctx, v.from...)
	bar.clear()
	if err != nil {
		return nil, nil, v.interrupted(ctx, err, "nothing was written")
	}
	release, err = report.Claim(v.to)
	return set, release, err
}

// interrupted turns what a signal led to into the end of the verb, and says what
// it means; another error stays what it is.
func (v view) interrupted(ctx context.Context, err error, what string) error {
	if ctx.Err() == nil || !errors.Is(err, ctx.Err()) {
		return err
	}
	fmt.Fprintln(v.stderr, "simulate: interrupted: "+what)
	return errInterrupted
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
