package main

import (
	"fmt"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/tickwheel/tickwheel/sim"
)

// listed is a built-in scenario as list shows it.
type listed struct {
	Name     string   `json:"name"`
	About    string   `json:"about"`
	Duration string   `json:"duration"`
	Interval string   `json:"interval"`
	Players  int      `json:"players"`
	Policies []string `json:"policies"`
}

func listCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "list",
		Short: "Name the built-in scenarios",
		Long:  `List names the built-in scenarios, with what happens in each.`,
		Example: `  simulate list
  simulate list --json`,
		ValidArgsFunction: cobra.NoFileCompletions,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 {
				return &usageError{fmt.Errorf("simulate: argument %q: list takes none", args[0])}
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, _ []string) error {
			s, err := sharedOf(cmd)
			if err != nil {
				return err
			}
			all := []listed{}
			for _, name := range sim.Presets() {
				p, _ := sim.Preset(name)
				sc := p.Scenario
				all = append(all, listed{name, sc.About, sc.Duration.String(), sc.Interval.String(), sc.Players, p.Policies})
			}
			if s.json {
				return writeJSON(s.stdout, all)
			}
			t := tabwriter.NewWriter(s.stdout, 0, 0, 2, ' ', 0)
			for _, l := range all {
				fmt.Fprintf(t, "%s\t%s\n", l.Name, l.About)
			}
			return t.Flush()
		},
	}
}
