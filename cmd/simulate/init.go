package main

import (
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/tickwheel/tickwheel/sim"
)

func initCommand() *cobra.Command {
	var from, base string
	cmd := &cobra.Command{
		Use:   "init [FILE]",
		Short: "Write a scenario file to start from",
		Long: `Init writes a scenario with comments to stdout, or to FILE if there is none yet.
It runs as it is, in a few seconds.

With --from it writes a scenario whose costs were measured: that of a results folder
of "run --clock real", or another one, by --scenario, with the costs of a folder or of
a file that a server wrote. Such a file is CSV with the head line work,runs,ns and a
line for each sample: the name of a kind, a storm or a job, how often it ran, and how
many nanoseconds that took together.`,
		Example: `  simulate init my-server.yaml
  simulate run my-server.yaml

  simulate run my-server.yaml --clock real --out measured
  simulate init --from measured calibrated.yaml
  simulate init --from costs.csv --scenario my-server.yaml calibrated.yaml`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 1 {
				return &usageError{fmt.Errorf("simulate: argument %q: want one file", args[1])}
			}
			if len(args) == 1 && args[0] == "" {
				return &usageError{errors.New("simulate: argument \"\": want a file, or none for stdout")}
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			s, err := sharedOf(cmd)
			if err != nil {
				return err
			}
			text := sim.Template()
			var c *sim.Calibration
			switch f := cmd.Flags(); {
			case f.Changed("from"):
				text, c, err = calibrated(cmd, from, base)
			case f.Changed("scenario"):
				err = &usageError{fmt.Errorf("simulate: --scenario %s: is for --from, which says where its costs were measured: add it, or leave it out", base)}
			}
			if err != nil {
				return err
			}
			return writeScenario(s, args, text, c)
		},
	}
	cmd.Flags().StringVar(&from, "from", "", "results folder or file with measured costs")
	cmd.Flags().StringVar(&base, "scenario", "", "name or file of the scenario that gets them (that of the folder)")
	_ = cmd.RegisterFlagCompletionFunc("scenario", func(_ *cobra.Command, _ []string, start string) ([]string, cobra.ShellCompDirective) {
		return completeScenarios(nil, nil, start)
	})
	return cmd
}

// calibrated is calibrate, which a signal ends if a file has no end.
func calibrated(cmd *cobra.Command, from, base string) (text []byte, c *sim.Calibration, err error) {
	if cmd.Flags().Changed("scenario") && base == "" {
		return nil, nil, &usageError{errors.New("simulate: scenario \"\": want a name or a file, or leave it out")}
	}
	text, err = reading(cmd, from, func() (text []byte, err error) {
		text, c, err = calibrate(from, base)
		return text, err
	})
	if err != nil {
		return nil, nil, err
	}
	return text, c, nil
}

// writeScenario writes a scenario to the file of args, or to stdout.
func writeScenario(s shared, args []string, text []byte, c *sim.Calibration) error {
	if len(args) == 1 {
		if err := writeNew(args[0], text); err != nil {
			return err
		}
	}
	if s.json {
		out := map[string]any{"scenario": string(text)}
		if len(args) == 1 {
			out["file"] = args[0]
		}
		if c != nil {
			out["measured"], out["kept"], out["foreign"] = measuredJSON(c.Measured), orNone(c.Kept), orNone(c.Foreign)
		}
		return writeJSON(s.stdout, out)
	}
	var err error
	if len(args) == 0 {
		_, err = s.stdout.Write(text)
		return err
	}
	if c != nil {
		_, err = fmt.Fprint(s.stdout, toldCosts(c, ""))
	}
	_, err2 := fmt.Fprintf(s.stdout, "%s is written: \"simulate run %s\" plays it\n", args[0], args[0])
	return errors.Join(err, err2)
}

// writeNew writes a file that must not exist yet.
func writeNew(name string, data []byte) error {
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	switch {
	case errors.Is(err, os.ErrExist):
		return &usageError{fmt.Errorf("simulate: %s is there already: choose another name, or remove it", name)}
	case err != nil:
		return fmt.Errorf("simulate: no scenario file: %w: choose another name", err)
	}
	_, err = f.Write(data)
	if err = errors.Join(err, f.Close()); err != nil {
		os.Remove(name) // half a scenario is none
		return fmt.Errorf("simulate: no scenario file: %w: choose another name", err)
	}
	return nil
}
