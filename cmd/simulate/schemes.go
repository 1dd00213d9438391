package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/tickwheel/tickwheel/cmd/simulate/race"
	"github.com/tickwheel/tickwheel/sim/plot"
	"github.com/tickwheel/tickwheel/sim/report"
)

// raceOptions are the flags of schemes.
type raceOptions struct {
	shared
	cfg  race.Config
	only string
	out  *string
}

func schemesCommand() *cobra.Command {
	o := &raceOptions{cfg: race.Defaults()}
	cmd := &cobra.Command{
		Use:   "schemes",
		Short: "Play one timer trace through every timer structure",
		Long: `Schemes plays one timer trace through the classical timer structures, Go's runtime
timers and the wheel of this module, and measures the CPU a tick takes, the worst
tick, and the memory of pending and of cancelled timers. Cancel is eager (unlinked
at once) and lazy (marked, and dropped when time comes by) where a structure has
both. It takes about a minute; nothing else should run on the machine.

Structures: ` + strings.Join(race.Names(), ", ") + `.
Files: schemes.json, schemes.png, schemes.svg.`,
		Example: `  simulate schemes
  simulate schemes --timers 1000000 --schemes tickwheel,heap,hashed-512
  simulate schemes --passes 5 --json --quiet`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 {
				return &usageError{fmt.Errorf("simulate: argument %q: schemes takes flags only, such as --schemes heap", args[0])}
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, _ []string) (err error) {
			if o.shared, err = sharedOf(cmd); err != nil {
				return err
			}
			return o.run(cmd)
		},
	}
	f, c := cmd.Flags(), &o.cfg
	f.SortFlags = false
	f.IntVar(&c.Timers, "timers", c.Timers, "timers pending all the time, 1,000 to 10,000,000")
	f.IntVar(&c.Ticks, "ticks", c.Ticks, "ticks of the trace")
	f.IntVar(&c.Cancels, "cancels", c.Cancels, "timers filed and cancelled, to see what they leave")
	f.IntVar(&c.Passes, "passes", c.Passes, "passes, of which the shortest time of each tick counts")
	f.DurationVar(&c.Patience, "patience", c.Patience, "after which a structure's pass is ended")
	f.StringVar(&o.only, "schemes", "", "comma list of structures; none means all")
	f.Uint64Var(&c.Seed, "seed", c.Seed, "seed of the trace")
	o.out = outFlag(cmd)
	_ = cmd.RegisterFlagCompletionFunc("schemes", cobra.FixedCompletions(race.Names(), cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

// raceReport is schemes.json.
type raceReport struct {
	Timers      int                `json:"timers"`
	Ticks       int                `json:"ticks"`
	Passes      int                `json:"passes"`
	Cancels     int                `json:"cancels"`
	Seed        uint64             `json:"seed"`
	Interrupted bool               `json:"interrupted,omitempty"`
	Schemes     []race.Row         `json:"schemes"`
	Environment report.Environment `json:"environment"`
}

func (o *raceOptions) run(cmd *cobra.Command) error {
	if o.only != "" {
		for name := range strings.SplitSeq(o.only, ",") {
			o.cfg.Only = append(o.cfg.Only, strings.TrimSpace(name))
		}
	}
	err := o.cfg.Validate()
	if *o.out == "" {
		err = errors.Join(err, errors.New("simulate: out \"\": want a folder for results"))
	}
	if err != nil {
		return &usageError{errors.New(strings.ReplaceAll(err.Error(), "race: ", ""))}
	}
	release, err := report.Claim(*o.out)
	if err != nil {
		return err
	}
	defer release()
	bar := newProgress(o.stderr, o.progress, race.Count(o.cfg))
	o.cfg.Progress = bar.start
	started := time.Now()
	rows, err := race.Run(cmd.Context(), o.cfg)
	bar.clear()
	if err != nil {
		return errors.New(strings.TrimPrefix(err.Error(), "race: "))
	}
	doc := raceReport{
		Timers: o.cfg.Timers, Ticks: o.cfg.Ticks, Passes: o.cfg.Passes, Cancels: o.cfg.Cancels, Seed: o.cfg.Seed,
		Interrupted: cmd.Context().Err() != nil, Schemes: rows,
		Environment: report.Describe(append([]string{"simulate"}, os.Args[1:]...), started, time.Since(started)),
	}
	if err := o.write(doc); err != nil {
		return err
	}
	if doc.Interrupted {
		fmt.Fprintf(o.stderr, "simulate: interrupted after %d of %d structures: results hold what there was\n", len(rows), race.Count(o.cfg))
		return errInterrupted
	}
	return nil
}

// write writes the files and says what is in them.
func (o *raceOptions) write(doc raceReport) error {
	chart := race.Chart(o.cfg, doc.Schemes)
	err := report.WriteFiles(*o.out,
		report.File{Name: "schemes.png", Render: func(w io.Writer) error { return plot.Bars(w, plot.PNG, chart) }},
		report.File{Name: "schemes.svg", Render: func(w io.Writer) error { return plot.Bars(w, plot.SVG, chart) }},
		report.File{Name: "schemes.json", Render: func(w io.Writer) error { return writeJSON(w, doc) }},
	)
	if err != nil {
		return err
	}
	if o.json {
		return writeJSON(o.stdout, doc)
	}
	if err := race.Table(o.stdout, o.cfg, doc.Schemes); err != nil {
		return err
	}
	_, err = fmt.Fprintf(o.stdout, "\nResults in %s: look at %s\n", *o.out, filepath.Join(*o.out, "schemes.png"))
	return err
}
