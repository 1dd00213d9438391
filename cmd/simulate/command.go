package main

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tickwheel/tickwheel/sim"
)

// newCommand returns the root. Each verb stands in a file of its own; the root by
// itself is the verb run.
func newCommand(stdout, stderr io.Writer) *cobra.Command {
	root := &cobra.Command{
		Use:   "simulate",
		Short: "Show what storms do to tick latency",
		Long: `Simulate plays a scenario on the production loop and shows what it does to the
length of ticks. Without a verb it is "simulate run spawn-storm": 2,000 players
with buffs, cooldowns, heartbeats and blocking saves; at 40 % of the run an event
kills 100,000 monsters, which all respawn at 60 %; at 80 % everybody logs out.
It does so once for each policy, prints a table and writes pictures.

Policies: nothing, or some of jitter, cap and workers joined by +.
Exit codes: 0 ok, 1 failed, 2 wrong use or a mistake in a scenario, 3 an
expectation is not met, 4 a rule of the loop was broken, 130 interrupted (results
are written).`,
		Example: `  simulate                                     # all policies, a few seconds
  simulate --seed 7 --out results              # the same again: same seed, same bytes
  simulate --policy nothing,cap --cap 2000     # two policies, with a cap of 2,000
  simulate --policy jitter --jitter 5s --storm 250000
  simulate --clock real --duration 30s         # callbacks burn the modelled cost for real`,
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	root.SetOut(stdout)
	root.SetErr(stderr)
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return &usageError{explained(err)} })
	addRun(root)
	root.Args = func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return nil
		}
		return &usageError{fmt.Errorf("simulate: unknown verb %q: want one of %s, or flags only", args[0], strings.Join(verbs(cmd), ", "))}
	}
	addShared(root)
	root.AddCommand(runCommand(), listCommand(), initCommand())
	root.AddCommand(plotCommand())
	root.AddCommand(reportCommand())
	root.AddCommand(checkCommand())
	root.AddCommand(replayCommand())
	root.AddCommand(clientsCommand())
	root.AddCommand(schemesCommand())
	root.AddCommand(compareCommand())
	refuseOtherShells(root)
	return root
}

// explained says of a flag that could not be read what it wants, instead of what a
// parser says.
func explained(err error) error {
	cause := errors.Unwrap(err)
	if cause == nil { // no value was read
		return err
	}
	var number *strconv.NumError
	want := ""
	switch parsed := errors.As(err, &number); {
	case parsed && errors.Is(err, strconv.ErrRange):
		want = "out of range: want a smaller number"
	case parsed && number.Func == "ParseFloat":
		want = "want a number, such as 0.5"
	case parsed && number.Func == "ParseUint":
		want = "want a whole number, 0 or more"
	case parsed && number.Func == "ParseBool":
		want = "want true or false"
	case parsed:
		want = "want a whole number, such as 1000"
	case strings.HasPrefix(cause.Error(), "time: "):
		want = sim.LengthError(cause).Error()
	default:
		return err
	}
	return errors.New(strings.TrimSuffix(err.Error(), cause.Error()) + want)
}

// refuseOtherShells makes the verb completion, which cobra adds, refuse a shell that it
// does not know instead of showing its help.
func refuseOtherShells(root *cobra.Command) {
	root.InitDefaultCompletionCmd("completion")
	completion, _, err := root.Find([]string{"completion"})
	if err != nil {
		return
	}
	completion.Args = cobra.ArbitraryArgs
	completion.RunE = func(c *cobra.Command, args []string) error {
		if len(args) == 0 {
			return c.Help()
		}
		return &usageError{fmt.Errorf("simulate: shell %q: want bash, fish, powershell or zsh", args[0])}
	}
}

// verbs returns the names of what stands below the root.
func verbs(root *cobra.Command) (names []string) {
	for _, c := range root.Commands() {
		if c.IsAvailableCommand() && c.Name() != "completion" {
			names = append(names, c.Name())
		}
	}
	return names
}
