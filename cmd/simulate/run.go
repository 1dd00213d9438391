package main

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/pkg/profile"
	"github.com/spf13/cobra"

	"github.com/tickwheel/tickwheel/sim"
	"github.com/tickwheel/tickwheel/sim/report"
)

// realDuration is how long a run on the real clock takes unless --duration says
// otherwise.
const realDuration = 20 * time.Second

// options are the flags of run.
type options struct {
	shared
	scenario sim.Scenario
	policies string
	knobs    sim.Knobs
	seed     uint64
	clock    string
	out      *string
	profile  string
}

func runCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "run [NAME]",
		Short: "Play a scenario once for each policy",
		Long: `Run plays a scenario once for each policy on the production loop, prints a table
and writes pictures and raw results. Without NAME it plays spawn-storm.`,
		Example: `  simulate run spawn-storm
  simulate run spawn-storm --policy nothing,cap --cap 2000 --json`,
		ValidArgsFunction: cobra.FixedCompletions([]string{"spawn-storm"}, cobra.ShellCompDirectiveNoFileComp),
	}
	addRun(cmd)
	cmd.Args = func(_ *cobra.Command, args []string) error {
		if len(args) > 1 {
			return &usageError{fmt.Errorf("simulate: argument %q: want one scenario", args[1])}
		}
		if len(args) == 1 && args[0] != "spawn-storm" {
			return &usageError{fmt.Errorf("simulate: unknown scenario %q: want spawn-storm", args[0])}
		}
		return nil
	}
	return cmd
}

// addRun makes cmd run scenarios.
func addRun(cmd *cobra.Command) {
	o := &options{scenario: sim.SpawnStorm(), knobs: sim.DefaultKnobs()}
	cmd.RunE = func(cmd *cobra.Command, _ []string) (err error) {
		if o.shared, err = sharedOf(cmd); err != nil {
			return err
		}
		if o.clock == "real" && !cmd.Flags().Changed("duration") {
			o.scenario.Duration = realDuration
		}
		return o.run(cmd.Context())
	}
	f := cmd.Flags()
	f.SortFlags = false
	f.StringVar(&o.policies, "policy", strings.Join(sim.PolicyNames(), ","), "comma list of policies")
	f.DurationVar(&o.knobs.Jitter, "jitter", o.knobs.Jitter, "window over which policies with jitter spread respawns, least-loaded tick of four")
	f.IntVar(&o.knobs.Cap, "cap", o.knobs.Cap, "callbacks a tick may start under policies with cap; 0 is no limit")
	f.IntVar(&o.knobs.Workers, "workers", o.knobs.Workers, "saves that run at once under policies with workers; 0 lets them block the tick")
	f.Uint64Var(&o.seed, "seed", 1, "seed of every random choice; 0 draws one")
	f.DurationVar(&o.scenario.Interval, "interval", o.scenario.Interval, "length of a tick, 1ms to 10s")
	f.DurationVar(&o.scenario.Duration, "duration", o.scenario.Duration, "length of a run; the script is scaled to it (20s with --clock real)")
	f.IntVar(&o.scenario.Players, "players", o.scenario.Players, "players")
	f.IntVar(&o.scenario.Storm, "storm", o.scenario.Storm, "monsters that die, and respawn, at once")
	f.StringVar(&o.clock, "clock", "virtual", "virtual: computed; real: work is burnt and measured")
	o.out = outFlag(cmd)
	f.StringVar(&o.profile, "profile", "", "write a profile to the results folder: cpu, mem or trace")
	_ = cmd.RegisterFlagCompletionFunc("clock", cobra.FixedCompletions([]string{"virtual", "real"}, cobra.ShellCompDirectiveNoFileComp))
	_ = cmd.RegisterFlagCompletionFunc("profile", cobra.FixedCompletions([]string{"cpu", "mem", "trace"}, cobra.ShellCompDirectiveNoFileComp))
	_ = cmd.RegisterFlagCompletionFunc("policy", cobra.FixedCompletions(sim.PolicyNames(), cobra.ShellCompDirectiveNoFileComp))
}

// check returns all that is wrong with the flags, and the policies they name.
func (o *options) check() ([]sim.Policy, error) {
	policies, err := sim.ParsePolicies(o.policies, o.knobs)
	errs := []error{err, o.knobs.Validate(), o.scenario.Validate()}
	if o.clock != "virtual" && o.clock != "real" {
		errs = append(errs, fmt.Errorf("simulate: clock %q: want virtual or real", o.clock))
	}
	switch o.profile {
	case "", "cpu", "mem", "trace":
	default:
		errs = append(errs, fmt.Errorf("simulate: profile %q: want cpu, mem or trace", o.profile))
	}
	if *o.out == "" {
		errs = append(errs, errors.New("simulate: out \"\": want a folder for results"))
	}
	if err := errors.Join(errs...); err != nil {
		return nil, &usageError{err}
	}
	return policies, nil
}

func (o *options) run(ctx context.Context) error {
	policies, err := o.check()
	if err != nil {
		return err
	}
	if o.seed == 0 {
		var b [8]byte
		rand.Read(b[:])                                   // never fails since Go 1.24
		o.seed = max(binary.LittleEndian.Uint64(b[:]), 1) // shown, so that it can be given again
	}
	if err := report.MakeDir(*o.out); err != nil {
		return err
	}
	if p := o.startProfile(); p != nil {
		defer p.Stop()
	}
	started := time.Now()
	if !o.json {
		fmt.Fprintf(o.stdout, "scenario %s, seed %d, %s clock, %v in ticks of %v\n",
			o.scenario.Name, o.seed, o.clock, o.scenario.Duration, o.scenario.Interval)
	}
	bar := newProgress(o.stderr, o.progress, len(policies))
	runs, err := o.play(ctx, policies, bar)
	if err != nil {
		return err
	}
	env := report.Describe(append([]string{"simulate"}, os.Args[1:]...), started, time.Since(started))
	bar.say("writing results")
	// Files first: writing to a stdout that was closed ends the process.
	err = report.Write(*o.out, runs, env)
	bar.clear()
	if err := errors.Join(err, o.print(runs)); err != nil {
		return err
	}
	if last := runs[len(runs)-1]; last.Interrupted || len(runs) < len(policies) {
		fmt.Fprintf(o.stderr, "simulate: interrupted after %d of %d policies: results hold what there was\n",
			complete(runs), len(policies))
		return errInterrupted
	}
	return nil
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
func (o *options) play(ctx context.Context, policies []sim.Policy, bar *progress) ([]*sim.Recording, error) {
	defer bar.clear()
	var runs []*sim.Recording
	for _, p := range policies {
		bar.start(p.Name)
		r, err := sim.Run(ctx, o.scenario, p, sim.Options{Seed: o.seed, Real: o.clock == "real", Progress: bar.at})
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
