package main

import (
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/tickwheel/tickwheel/sim"
)

func initCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "init [FILE]",
		Short: "Write a scenario file to start from",
		Long: `Init writes a scenario with comments to stdout, or to FILE if there is none yet.
It runs as it is, in a few seconds.`,
		Example: `  simulate init my-server.yaml
  simulate run my-server.yaml`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 1 {
				return &usageError{fmt.Errorf("simulate: argument %q: want one file", args[1])}
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			s, err := sharedOf(cmd)
			if err != nil {
				return err
			}
			if len(args) == 1 {
				if err := writeNew(args[0], sim.Template()); err != nil {
					return err
				}
			}
			if s.json {
				out := map[string]string{"scenario": string(sim.Template())}
				if len(args) == 1 {
					out["file"] = args[0]
				}
				return writeJSON(s.stdout, out)
			}
			if len(args) == 1 {
				_, err = fmt.Fprintf(s.stdout, "%s is written: \"simulate run %s\" plays it\n", args[0], args[0])
				return err
			}
			_, err = s.stdout.Write(sim.Template())
			return err
		},
	}
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
