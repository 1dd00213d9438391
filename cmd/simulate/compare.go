package main

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/tickwheel/tickwheel/sim"
	"github.com/tickwheel/tickwheel/sim/report"
)

// compareOptions are the flags of compare, and what becomes of them.
type compareOptions struct {
	shared
	out    *string
	axes   axes
	plan   *sim.Plan
	expect []sim.Expectation
}

func compareCommand() *cobra.Command {
	o := &compareOptions{}
	cmd := &cobra.Command{
		Use:   "compare [NAME|FILE.yaml]",
		Short: "Play a scenario under many settings and recommend one",
		Long: `Compare plays a scenario under every combination of tick interval, jitter, cap,
workers and lanes, on all cores and on the virtual clock, and shows how late timers
are against how busy the server is. It recommends the mildest setting that meets what
the scenario expects of its subject; without such expectations, that no tick is longer
than the interval and none is given up. If no setting does, the exit code is 3.

Milder is: the scenario's own interval, fewer remedies, less jitter, a higher cap,
fewer workers, the scenario's own lanes. Without a cap only the first of --lanes is
played. Without NAME it plays spawn-storm. Policies of the scenario do not matter.
Pictures: compare has a point a setting, lateness against CPU and the longest tick
against lateness; settings has its figures as bars, the mildest first.
Files: ` + strings.Join(compareFiles, ", ") + `.`,
		Example: `  simulate compare boss-event
  simulate compare boss-event --expect 'tick.p99 < 10ms' --expect 'timer_late.max <= 20ticks'
  simulate compare mass-logout --interval 50ms --workers 0,2,4,8 --jitter 0s
  simulate compare my-server.yaml --cap 500,1000,2000,4000 --lanes own --json`,
		Args:              oneScenario,
		ValidArgsFunction: completeScenarios,
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) (err error) {
		if o.shared, err = sharedOf(cmd); err != nil {
			return err
		}
		if err := o.read(cmd, args); err != nil {
			return err
		}
		return o.run(cmd.Context())
	}
	f := cmd.Flags()
	f.SortFlags = false
	f.DurationSliceVar(&o.axes.intervals, "interval", nil, "comma list of tick `lengths`")
	f.DurationSliceVar(&o.axes.jitters, "jitter", nil, "comma list of `windows` that storms are spread over")
	f.IntSliceVar(&o.axes.caps, "cap", nil, "comma list of `limits` of callbacks that a tick may start; 0 is none")
	f.IntSliceVar(&o.axes.workers, "workers", nil, "comma list of `numbers` of jobs that run at once; 0 lets them block")
	f.StringSliceVar(&o.axes.lanes, "lanes", []string{"own", "one"}, "comma `list` of own (those of the scenario) and one (all timers share one)")
	f.Uint64("seed", 1, "seed of every random choice; 0 draws one")
	f.Duration("duration", time.Minute, "length of a run; moments that are a part of it, such as 60%, move along")
	f.Int("players", 0, "players")
	f.Int("storm", 0, "timers of a storm that does not say")
	f.String("speed", "100%", "speed of the machine, against the one that costs are for")
	f.StringArray("expect", nil, "what must be so, such as 'tick.p99 < 40ms'; may be given again (default the scenario's, of its subject)")
	// Most defaults depend on the scenario: --help says how, not what a nil prints.
	for name, def := range map[string]string{
		"interval": "10ms,25ms,50ms,100ms and the scenario's own",
		"jitter":   "0s and the scenario's own",
		"cap":      "0 and the scenario's own",
		"workers":  "0 and the scenario's own",
		"lanes":    "own,one",
		"duration": "the scenario's own",
		"players":  "the scenario's own",
		"storm":    "the scenario's own",
	} {
		f.Lookup(name).DefValue = def
	}
	o.out = outFlag(cmd)
	return cmd
}

// read fills o from flags and scenario.
func (o *compareOptions) read(cmd *cobra.Command, args []string) error {
	var errs []error
	if *o.out == "" {
		errs = append(errs, errors.New("simulate: out \"\": want a folder for results"))
	}
	plan, game, err := planOf(cmd, args, errs)
	if err != nil {
		return err
	}
	o.plan = plan
	if plan.Clock == "real" {
		return &usageError{errors.New("simulate: clock real: compare plays on the virtual clock only: leave it out of the scenario")}
	}
	subject := plan.Subject
	if subject == "" {
		subject = game.Policies[len(game.Policies)-1].Name
	}
	for _, e := range game.Expect {
		if e.Policy == subject { // what another policy does says nothing about a setting
			o.expect = append(o.expect, e)
		}
	}
	if len(o.expect) == 0 {
		for _, text := range []string{"overruns == 0", "shed == 0"} {
			e, err := sim.ParseExpectation(text, subject)
			if err != nil {
				return err
			}
			o.expect = append(o.expect, e)
		}
	}
	a, f, k := &o.axes, cmd.Flags(), plan.Knobs
	if !f.Changed("interval") {
		a.intervals = []time.Duration{10 * time.Millisecond, 25 * time.Millisecond, 50 * time.Millisecond, 100 * time.Millisecond, plan.Scenario.Interval}
	}
	if !f.Changed("jitter") {
		a.jitters = []time.Duration{0, k.Jitter}
	}
	if !f.Changed("cap") {
		a.caps = []int{0, k.Cap}
	}
	if !f.Changed("workers") {
		a.workers = []int{0, k.Workers}
	}
	if err := a.check(plan.Scenario); err != nil {
		return &usageError{err}
	}
	return nil
}

// compareReport is compare.json: nothing in it depends on the machine.
type compareReport struct {
	Scenario    string   `json:"scenario"`
	Seed        uint64   `json:"seed"`
	DurationS   float64  `json:"duration_s"`
	Expect      []string `json:"expect"`
	Interrupted bool     `json:"interrupted,omitempty"`
	// Settings are in order, the mildest first.
	Settings []*outcome `json:"settings"`
	// Recommended is an index of Settings, or -1; Reason says why.
	Recommended int    `json:"recommended"`
	Reason      string `json:"reason"`

	best *outcome
}

func (o *compareOptions) run(ctx context.Context) error {
	if o.plan.Seed == 0 {
		var b [8]byte
		rand.Read(b[:]) // never fails since Go 1.24
		o.plan.Seed = max(binary.LittleEndian.Uint64(b[:]), 1)
	}
	release, err := report.Claim(*o.out)
	if err != nil {
		return err
	}
	defer release()
	all := o.axes.grid(o.plan.Scenario.Interval)
	bar := newProgress(o.stderr, o.progress, len(all))
	done, err := playGrid(ctx, o.plan, o.expect, all, func(s setting) { bar.start(label(s)) })
	bar.clear()
	if err != nil {
		return err
	}
	doc := compareReport{
		Scenario: o.plan.Scenario.Name, Seed: o.plan.Seed, DurationS: o.plan.Scenario.Duration.Seconds(),
		Interrupted: len(done) < len(all), Settings: done, Recommended: -1,
		Reason: "interrupted: milder settings may be missing",
	}
	for _, e := range o.expect {
		doc.Expect = append(doc.Expect, e.Text)
	}
	if !doc.Interrupted {
		doc.best, doc.Reason = pick(done)
	}
	for i, d := range done {
		if d == doc.best {
			doc.Recommended = i
		}
	}
	if err := o.write(doc); err != nil {
		return err
	}
	switch {
	case doc.Interrupted:
		fmt.Fprintf(o.stderr, "simulate: interrupted after %d of %d settings: results hold what there was\n", len(done), len(all))
		return errInterrupted
	case doc.best == nil:
		fmt.Fprintf(o.stderr, "simulate: %s\n", doc.Reason)
		return errThreshold
	}
	return nil
}

// write writes the files and says what is in them.
func (o *compareOptions) write(doc compareReport) error {
	expected := strings.Join(doc.Expect, ", ")
	about := fmt.Sprintf("%s, %v, seed %d · expected: %s", doc.Scenario, terse(o.plan.Scenario.Duration), doc.Seed, expected)
	if err := writeCompare(*o.out, about, doc); err != nil {
		return err
	}
	if o.json {
		return writeJSON(o.stdout, doc)
	}
	fmt.Fprintf(o.stdout, "scenario %s, seed %d, %v; expected: %s\n\n", doc.Scenario, doc.Seed, o.plan.Scenario.Duration, expected)
	if err := compareTable(o.stdout, doc.Settings, doc.best); err != nil {
		return err
	}
	word := "Recommended: "
	if doc.best == nil {
		word = "No recommendation: "
	}
	_, err := fmt.Fprintf(o.stdout, "\n%s%s.\n\nResults in %s: look at %s\n", word, doc.Reason, *o.out, filepath.Join(*o.out, "compare.png"))
	return err
}
