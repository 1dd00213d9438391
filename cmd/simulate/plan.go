package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tickwheel/tickwheel/sim"
)

// realDuration is how long a built-in scenario takes on the real clock unless
// --duration says otherwise.
const realDuration = "20s"

// planKeys are the keys of a scenario that are flags, too.
var planKeys = strings.Fields("policy jitter cap workers seed interval duration players storm speed clock subject expect")

// addKeys gives cmd the keys of a scenario as flags. What they hold is read by
// planOf; the defaults shown are those of spawn-storm.
func addKeys(cmd *cobra.Command) {
	p, _ := sim.Preset("spawn-storm")
	f := cmd.Flags()
	f.SortFlags = false
	f.String("policy", strings.Join(p.Policies, ","), "comma list of policies")
	f.Duration("jitter", p.Knobs.Jitter, "window over which policies with jitter spread storms, least-loaded tick of four")
	f.Int("cap", p.Knobs.Cap, "callbacks a tick may start under policies with cap; 0 is no limit")
	f.Int("workers", p.Knobs.Workers, "jobs that run at once under policies with workers; 0 lets them block the tick")
	f.Uint64("seed", p.Seed, "seed of every random choice; 0 draws one")
	f.Duration("interval", p.Scenario.Interval, "length of a tick, 1ms to 10s")
	f.Duration("duration", p.Scenario.Duration, "length of a run; moments that are a part of it, such as 60%, move along (20s with --clock real)")
	f.Int("players", p.Scenario.Players, "players")
	f.Int("storm", p.Scenario.Storm, "timers of a storm that does not say, such as monsters that respawn at once")
	f.String("speed", "100%", "speed of the machine, against the one that costs are for")
	f.String("clock", "virtual", "virtual: computed; real: work is burnt and measured")
	f.String("subject", "", "policy that expectations are about (the last one)")
	f.StringArray("expect", nil, "what must be so, such as 'tick.p99 < 40ms'; may be given again; else the exit code is 3")
	_ = cmd.RegisterFlagCompletionFunc("clock", cobra.FixedCompletions([]string{"virtual", "real"}, cobra.ShellCompDirectiveNoFileComp))
	_ = cmd.RegisterFlagCompletionFunc("policy", cobra.FixedCompletions(sim.PolicyNames(), cobra.ShellCompDirectiveNoFileComp))
}

// planOf returns the scenario that args name, with the flags of addKeys that are
// set, and what is played. errs are what is wrong besides.
func planOf(cmd *cobra.Command, args []string, errs []error) (*sim.Plan, *sim.Game, error) {
	name := "spawn-storm"
	if len(args) > 0 {
		name = args[0]
	}
	p, preset := sim.Preset(name)
	if !preset {
		var err error
		if p, err = reading(cmd, name, func() (*sim.Plan, error) { return readPlan(name) }); err != nil {
			return nil, nil, err
		}
	}
	f := cmd.Flags()
	for _, key := range planKeys {
		if !f.Changed(key) || strings.HasSuffix(f.Lookup(key).Value.Type(), "Slice") { // a list is an axis of compare
			continue
		}
		if key == "expect" {
			// GetStringArray takes a single "" for none, which would pass.
			p.Expect = f.Lookup(key).Value.(interface{ GetSlice() []string }).GetSlice()
			continue
		}
		if key == "subject" && f.Lookup(key).Value.String() == "" {
			errs = append(errs, errors.New("simulate: subject \"\": want one of the policies, or leave it out"))
		}
		if err := p.Set(key, f.Lookup(key).Value.String()); err != nil {
			errs = append(errs, err)
		}
	}
	if f.Changed("storm") && !p.UsesStorm() {
		errs = append(errs, fmt.Errorf("simulate: storm %s: no storm of %s takes its number from it: leave it out", f.Lookup("storm").Value.String(), name))
	}
	errs = append(errs, unused(cmd, p.Policies)...)
	if preset && p.Clock == "real" && !f.Changed("duration") {
		errs = append(errs, p.Set("duration", realDuration))
	}
	g, err := p.Check()
	if err := errors.Join(append(errs, err)...); err != nil {
		return nil, nil, &usageError{err}
	}
	return p, g, nil
}

// unused returns an error for each flag with a value that no policy takes: whoever
// gives it would believe that it was tried.
func unused(cmd *cobra.Command, policies []string) (errs []error) {
	for _, key := range []string{"jitter", "cap", "workers"} {
		flag := cmd.Flags().Lookup(key)
		if !flag.Changed || strings.HasSuffix(flag.Value.Type(), "Slice") {
			continue
		}
		uses := func(policy string) bool { return slices.Contains(strings.Split(policy, "+"), key) }
		if !slices.ContainsFunc(policies, uses) {
			errs = append(errs, fmt.Errorf("simulate: %s %v: no policy of %s uses it: add %s to --policy, say, or leave it out",
				key, flag.Value, strings.Join(policies, ","), key))
		}
	}
	return errs
}

// readPlan reads a scenario file.
func readPlan(name string) (*sim.Plan, error) {
	data, err := readFile(name, sim.MaxFile)
	var usage *usageError
	switch {
	case errors.Is(err, os.ErrNotExist) && !strings.ContainsAny(name, "./\\"):
		return nil, &usageError{fmt.Errorf("simulate: unknown scenario %q: want %s, or a file", name, strings.Join(sim.Presets(), ", "))}
	case errors.As(err, &usage):
		return nil, err
	case err != nil:
		return nil, &usageError{fmt.Errorf("simulate: no scenario: %w: \"simulate init %s\" writes one to start from", err, name)}
	}
	p, err := sim.ParsePlan(name, data)
	if err != nil {
		return nil, &usageError{err}
	}
	return p, nil
}

// readable returns an error if name is there, but nothing that comes to an end when
// it is read: a device or a socket, or a folder.
func readable(name string) error {
	info, err := os.Stat(name)
	switch {
	case err != nil: // whoever opens it says so
		return nil
	case info.IsDir():
		return &usageError{fmt.Errorf("simulate: %s is a folder: want a file", name)}
	case info.Mode().IsRegular() || info.Mode()&os.ModeNamedPipe != 0:
		return nil
	}
	return &usageError{fmt.Errorf("simulate: %s is a device or a socket: want a file or a pipe", name)}
}

// readFile reads a file or a pipe of at most limit bytes.
func readFile(name string, limit int64) ([]byte, error) {
	if err := readable(name); err != nil {
		return nil, err
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err == nil && int64(len(data)) > limit {
		err = &usageError{fmt.Errorf("simulate: %s: more than %d bytes: want at most as many", name, limit)}
	}
	return data, err
}

// reading returns what f returns, which reads name, or errInterrupted when a signal
// comes first: nobody may ever write into a pipe. f is left to the end of the
// process then, since nothing wakes who waits for the other end of a pipe.
func reading[T any](cmd *cobra.Command, name string, f func() (T, error)) (T, error) {
	type result struct {
		v   T
		err error
	}
	done := make(chan result, 1)
	go func() {
		v, err := f()
		done <- result{v, err}
	}()
	select {
	case r := <-done:
		return r.v, r.err
	case <-cmd.Context().Done():
		fmt.Fprintf(cmd.ErrOrStderr(), "simulate: interrupted while reading %s: there are no results\n", name)
		var none T
		return none, errInterrupted
	}
}
