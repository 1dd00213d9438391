package main

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/tickwheel/tickwheel/sim/check"
	"github.com/tickwheel/tickwheel/sim/plot"
	"github.com/tickwheel/tickwheel/sim/report"
)

// hunt is the verb check.
type hunt struct {
	shared
	batch  check.Batch
	canary []check.Canary
	out    string
}

// How many seeds are run unless --seeds says otherwise: a planted bug has to be
// found within less.
const (
	checkSeeds  = 1000
	canarySeeds = 200
)

func checkCommand() *cobra.Command {
	var h hunt
	var canary string
	cmd := &cobra.Command{
		Use:   "check [FILE]",
		Short: "Hunt for errors in the production code with random calls and faults",
		Long: `Check runs seeds. Each draws its options (rates, lanes, budget, workers, what goes
wrong) and makes calls on the production wheel and loop, with sessions and jobs,
on a virtual clock; an oracle says what must happen. A faulty phase is followed by
a healthy one, in which all that has piled up must be gone within a bound.

The first seed that breaks a rule is made small, told as a story, printed as the
command that repeats it, and kept as a file in --out. With such a FILE check runs
that seed again and says whether the rule is still broken. With --canary a known bug is
planted in the calls, to show that the hunt finds it.

Exit codes: 0 no rule was broken, 1 failed or a canary was not found, 2 wrong use, 4
a rule was broken or all canaries were found, 130 interrupted.`,
		Example: `  simulate check                            # 1,000 seeds, from 1
  simulate check --seed 0 --seeds 10000     # as many fresh ones
  simulate check --seed 42                  # one seed
  simulate check --seed 42 --options budget=1,off=panic+goexit
  simulate check out/check-seed-42.txt      # a failure that was kept
  simulate check --canary cap               # is a planted bug found?
  simulate check --canary all`,
	}
	f := cmd.Flags()
	f.SortFlags = false
	f.IntVar(&h.batch.Seeds, "seeds", checkSeeds, "seeds to run; 1 if only --seed is given, 200 with --canary")
	f.Uint64Var(&h.batch.From, "seed", 1, "first seed; 0 draws one")
	f.StringVar(&h.batch.Options, "options", "", "comma list of name=value that changes what seeds draw")
	f.StringVar(&canary, "canary", "", "planted bug to find: a number, a name, or all")
	f.StringVar(&h.out, "out", "out", "folder for the file of a failure, made if missing")
	_ = cmd.MarkFlagDirname("out")
	names := []string{"all"}
	for _, c := range check.Canaries() {
		names = append(names, c.Name)
	}
	_ = cmd.RegisterFlagCompletionFunc("canary", cobra.FixedCompletions(names, cobra.ShellCompDirectiveNoFileComp))
	cmd.Args = func(_ *cobra.Command, args []string) error {
		if len(args) > 1 {
			return &usageError{fmt.Errorf("simulate: arguments %q: want one file, such as out/check-seed-42.txt", args)}
		}
		for _, name := range []string{"seeds", "seed", "options", "canary"} {
			if len(args) > 0 && f.Changed(name) {
				return &usageError{fmt.Errorf("simulate: %s with --%s: the file says which seed to run, and how", args[0], name)}
			}
		}
		return nil
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		var err error
		if h.shared, err = sharedOf(cmd); err != nil {
			return err
		}
		if len(args) > 0 {
			return h.again(cmd, args[0])
		}
		switch {
		case f.Changed("seeds"):
		case f.Changed("canary"):
			h.batch.Seeds = canarySeeds
		case f.Changed("seed"):
			h.batch.Seeds = 1
		}
		if err := h.check(canary, f.Changed("canary")); err != nil {
			return &usageError{err}
		}
		if h.canary != nil {
			return h.canaries(cmd.Context())
		}
		return h.hunt(cmd.Context())
	}
	return cmd
}

// check returns all that is wrong with the flags.
func (h *hunt) check(canary string, planted bool) error {
	var errs []error
	if h.batch.Seeds < 1 {
		errs = append(errs, fmt.Errorf("simulate: seeds %d: want at least 1", h.batch.Seeds))
	}
	if h.out == "" {
		errs = append(errs, errors.New("simulate: out \"\": want a folder"))
	}
	if planted {
		var err error
		h.canary, err = check.ParseCanary(canary)
		errs = append(errs, err)
	}
	if h.batch.From == 0 {
		var b [8]byte
		rand.Read(b[:]) // never fails since Go 1.24
		h.batch.From = binary.LittleEndian.Uint64(b[:]) >> 16
	}
	_, err := check.Parse(h.batch.From, h.batch.Options)
	return errors.Join(append(errs, err)...)
}

// found is a failure for programs.
type found struct {
	Seed    uint64 `json:"seed"`
	Rule    string `json:"rule"`
	What    string `json:"what"`
	Part    string `json:"part"`
	Tick    int64  `json:"tick"`
	Command string `json:"command"`
	Options string `json:"options"`
	File    string `json:"file,omitempty"`
}

func foundOf(f *check.Failure, file string) *found {
	if f == nil {
		return nil
	}
	return &found{f.Seed, string(f.Rule), f.What, f.Part, f.Tick, f.Command(), f.Options.String(), file}
}

// hunt runs the batch.
func (h *hunt) hunt(ctx context.Context) error {
	started := time.Now()
	bar := h.progress("seeds", 1)
	res, err := h.batch.Run(ctx)
	bar.clear()
	if err != nil {
		return err
	}
	f, file := res.Failure, ""
	if f != nil {
		bar.say("making the failure small")
		f = check.Shrink(ctx, f)
		if ctx.Err() != nil {
			fmt.Fprintln(h.stderr, "simulate: interrupted: the failure may be larger than it needs to be")
		}
		file, err = h.keep(f)
		bar.clear()
	}
	if h.json {
		err = errors.Join(err, writeJSON(h.stdout, struct {
			From    uint64 `json:"from"`
			Seeds   int    `json:"seeds"`
			Done    int    `json:"done"`
			Trace   string `json:"trace_hash"`
			Failure *found `json:"failure"`
		}{h.batch.From, h.batch.Seeds, res.Done, fmt.Sprintf("%016x", res.Trace), foundOf(f, file)}))
	} else if f != nil {
		io.WriteString(h.stdout, f.Report())
	}
	switch {
	case f != nil:
		fmt.Fprintf(h.stderr, "simulate: seed %d breaks a rule: %s\n", f.Seed, f.Rule)
		if err != nil { // the failure comes first, the file is a copy
			fmt.Fprintf(h.stderr, "simulate: it is not kept: %v\n", err)
		} else {
			fmt.Fprintf(h.stderr, "simulate: kept as %s: simulate check %s repeats it\n", file, file)
		}
		return errInvariant
	case err != nil:
		return err
	case ctx.Err() != nil:
		fmt.Fprintf(h.stderr, "simulate: interrupted after %d of %d seeds: no rule was broken by then\n", res.Done, h.batch.Seeds)
		return errInterrupted
	}
	if !h.json {
		fmt.Fprintf(h.stdout, "%s from %d: no rule was broken; trace %016x\n", seedsOf(res.Done), h.batch.From, res.Trace)
	}
	if bar.on {
		took := max(time.Since(started), time.Millisecond)
		fmt.Fprintf(h.stderr, "%.1f s, %.0f seeds a minute\n", took.Seconds(), float64(res.Done)/took.Minutes())
	}
	return nil
}

// seedsOf is a number of seeds in words.
func seedsOf(n int) string {
	if n == 1 {
		return "1 seed"
	}
	return fmt.Sprintf("%d seeds", n)
}

// progress is a bar of the batch, which tells it how far it is.
func (h *hunt) progress(name string, total int) *progress {
	bar := newProgress(h.stderr, h.shared.progress, total)
	bar.start(name)
	var mu sync.Mutex
	h.batch.Progress = func(done int) {
		mu.Lock()
		defer mu.Unlock()
		bar.at(float64(done) / float64(h.batch.Seeds))
	}
	return bar
}

// keep writes what there is to say about f into a file, and returns its name.
func (h *hunt) keep(f *check.Failure) (string, error) {
	if err := report.MakeDir(h.out); err != nil {
		return "", err
	}
	name := filepath.Join(h.out, fmt.Sprintf("check-seed-%d.txt", f.Seed))
	text := f.Report()
	err := plot.WriteFile(name, func(w io.Writer) error {
		_, err := io.WriteString(w, text)
		return err
	})
	if err != nil {
		return "", err
	}
	return name, nil
}
