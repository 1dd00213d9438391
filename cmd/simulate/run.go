package main

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/pkg/profile"
	"github.com/spf13/cobra"

	"github.com/tickwheel/tickwheel/sim"
	"github.com/tickwheel/tickwheel/sim/report"
)

// options are the flags of run that are no keys of a scenario, and what the rest
// becomes.
type options struct {
	shared
	out     *string
	profile string
	plan    *sim.Plan
	game    *sim.Game
}

func runCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "run [NAME|FILE.yaml]",
		Short: "Play a scenario once for each policy",
		Long: `Run plays a scenario once for each policy on the production loop, prints a table
and writes pictures and raw results, with the scenario as it was played in
scenario.yaml. Without NAME it plays spawn-storm; "simulate list" names the others,
"simulate init" writes a file to start from. Flags win over what a file says.`,
		Example: `  simulate run spawn-storm
  simulate run boss-event --policy nothing,cap --cap 2000 --json
  simulate run my-server.yaml --players 4000
  simulate run out/scenario.yaml --out again     # the same again, from its results`,
		ValidArgsFunction: completeScenarios,
	}
	addRun(cmd)
	cmd.Args = oneScenario
	policy := cmd.Flags().Lookup("policy")
	policy.DefValue, policy.Usage = "", policy.Usage+" (default the scenario's own)"
	for _, name := range []string{"jitter", "cap", "workers", "interval", "duration", "players", "storm"} {
		cmd.Flags().Lookup(name).DefValue = "the scenario's own"
	}
	return cmd
}

func oneScenario(_ *cobra.Command, args []string) error {
	if len(args) > 1 {
		return &usageError{fmt.Errorf("simulate: argument %q: want one scenario", args[1])}
	}
	return nil
}

// completeScenarios completes names and files of scenarios.
func completeScenarios(_ *cobra.Command, args []string, start string) (names []string, _ cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	for _, n := range sim.Presets() {
		if strings.HasPrefix(n, start) {
			names = append(names, n)
		}
	}
	return names, cobra.ShellCompDirectiveDefault // and files
}

// addRun makes cmd run scenarios.
func addRun(cmd *cobra.Command) {
	o := &options{}
	cmd.RunE = func(cmd *cobra.Command, args []string) (err error) {
		if o.shared, err = sharedOf(cmd); err != nil {
			return err
		}
		if o.plan, o.game, err = planOf(cmd, args, o.check()); err != nil {
			return err
		}
		return o.run(cmd.Context())
	}
	addKeys(cmd)
	o.out = outFlag(cmd)
	cmd.Flags().StringVar(&o.profile, "profile", "", "write a profile to the results folder: cpu, mem or trace")
	_ = cmd.RegisterFlagCompletionFunc("profile", cobra.FixedCompletions([]string{"cpu", "mem", "trace"}, cobra.ShellCompDirectiveNoFileComp))
}

// check returns all that is wrong with the flags that are no keys.
func (o *options) check() (errs []error) {
	switch o.profile {
	case "", "cpu", "mem", "trace":
	default:
		errs = append(errs, fmt.Errorf("simulate: profile %q: want cpu, mem or trace", o.profile))
	}
	if *o.out == "" {
		errs = append(errs, errors.New("simulate: out \"\": want a folder for results"))
	}
	return errs
}

func (o *options) run(ctx context.Context) error {
	if o.plan.Seed == 0 {
		var b [8]byte
		rand.Read(b[:])                                        // never fails since Go 1.24
		o.plan.Seed = max(binary.LittleEndian.Uint64(b[:]), 1) // shown, so that it can be given again
	}
	release, err := report.Claim(*o.out, "cpu.pprof", "mem.pprof", "trace.out")
	if err != nil {
		return err
	}
	defer release()
	if p := o.startProfile(); p != nil {
		defer p.Stop()
	}
	started := time.Now()
	if sc := o.plan.Scenario; !o.json {
		fmt.Fprintf(o.stdout, "scenario %s, seed %d, %s clock, %v in ticks of %v\n",
			sc.Name, o.plan.Seed, o.plan.Clock, sc.Duration, sc.Interval)
	}
	bar := newProgress(o.stderr, o.progress, len(o.game.Policies))
	runs, err := o.play(ctx, bar)
	if err != nil {
		return err
	}
	met := judge(runs, o.game.Expect)
	env := report.Describe(append([]string{"simulate"}, os.Args[1:]...), started, time.Since(started))
	bar.say("writing results")
	// Files first: writing to a stdout that was closed ends the process.
	err = report.Write(*o.out, runs, env, o.writePlan, func() error { return o.writeCosts(runs) })
	release()
	bar.clear()
	if err := errors.Join(err, o.print(runs)); err != nil {
		return err
	}
	if last := runs[len(runs)-1]; last.Interrupted || len(runs) < len(o.game.Policies) {
		fmt.Fprintf(o.stderr, "simulate: interrupted after %d of %d policies: results hold what there was\n",
			complete(runs), len(o.game.Policies))
		return errInterrupted
	}
	if met < len(o.game.Expect) {
		fmt.Fprintf(o.stderr, "simulate: %d of %d expectations are not met\n", len(o.game.Expect)-met, len(o.game.Expect))
		return errThreshold
	}
	return nil
}

// judge notes in each run what was expected of it, and counts what was met.
func judge(runs []*sim.Recording, expect []sim.Expectation) (met int) {
	for _, r := range runs {
		for _, e := range expect {
			if e.Policy != r.Policy.Name {
				continue
			}
			j := e.Judge(r)
			r.Judged = append(r.Judged, j)
			if j.Met {
				met++
			}
		}
	}
	return met
}

// writePlan writes the scenario as it was played.
func (o *options) writePlan() error {
	return report.WriteFile(filepath.Join(*o.out, "scenario.yaml"), func(w io.Writer) error {
		_, err := w.Write(o.plan.YAML())
		return err
	})
}

// writeCosts writes what was measured of all runs, if they were on the real clock.
func (o *options) writeCosts(runs []*sim.Recording) error {
	name := filepath.Join(*o.out, costsFile)
	if o.plan.Clock != "real" {
		// Those of an earlier run would pass for this one's.
		if err := os.Remove(name); err != nil && !errors.Is(err, os.ErrNotExist) {
			return fmt.Errorf("simulate: an old %w: remove it, or choose another folder", err)
		}
		return nil
	}
	var all []sim.CostSample
	for _, r := range runs {
		all = append(all, r.Costs...)
	}
	return report.WriteFile(name, func(w io.Writer) error { return sim.WriteCosts(w, all) })
}

// print writes the figures to stdout.
func (o *options) print(runs []*sim.Recording) error {
	if o.json {
		return writeJSON(o.stdout, report.Summarize(runs))
	}
	fmt.Fprintln(o.stdout)
	if err := report.Table(o.stdout, runs); err != nil {
		return err
	}
	_, err := fmt.Fprintf(o.stdout, "\nResults in %s: look at %s\n", *o.out, filepath.Join(*o.out, "tick-latency.png"))
	return err
}

// play runs the policies one after the other, until ctx ends.
func (o *options) play(ctx context.Context, bar *progress) ([]*sim.Recording, error) {
	defer bar.clear()
	var runs []*sim.Recording
	for _, p := range o.game.Policies {
		bar.start(p.Name)
		r, err := sim.Run(ctx, o.plan.Scenario, p, sim.Options{Seed: o.plan.Seed, Real: o.plan.Clock == "real", Progress: bar.at})
		if err != nil {
			return nil, fmt.Errorf("policy %s: %w", p.Name, err)
		}
		runs = append(runs, r)
		if ctx.Err() != nil {
			break
		}
	}
	return runs, nil
}

// complete counts the runs that came to their end.
func complete(runs []*sim.Recording) (n int) {
	for _, r := range runs {
		if !r.Interrupted {
			n++
		}
	}
	return n
}

// startProfile starts what --profile asks for.
func (o *options) startProfile() interface{ Stop() } {
	mode := map[string]func(*profile.Profile){
		"cpu": profile.CPUProfile, "mem": profile.MemProfile, "trace": profile.TraceProfile,
	}[o.profile]
	if mode == nil {
		return nil
	}
	opts := []func(*profile.Profile){mode, profile.ProfilePath(*o.out), profile.NoShutdownHook}
	if o.progress == "none" {
		opts = append(opts, profile.Quiet)
	}
	return profile.Start(opts...)
}
