// Compare measures the wheel and other timers side by side.
//
// Each measurement runs in a process of its own, one at a time, so that no peer
// meets a heap that another one shaped. The full run rewrites docs/benchmarks.md;
// a quick one compares three peers and prints a table.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"
)

// Exit codes.
const (
	exitOK          = 0
	exitFailed      = 1
	exitUsage       = 2
	exitInterrupted = 130
)

func main() { os.Exit(run(os.Args[1:])) }

// run is main with its exit code, so that deferred work is done.
func run(args []string) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	// A second signal is the system's own and ends the process.
	context.AfterFunc(ctx, stop)

	cmd := newCommand(os.Stdout, os.Stderr)
	cmd.SetArgs(args)
	err := cmd.ExecuteContext(ctx)
	var usage *usageError
	switch {
	case err == nil:
		return exitOK
	case errors.As(err, &usage):
		fmt.Fprintf(os.Stderr, "compare: %v\nRun \"compare --help\" for the flags.\n", err)
		return exitUsage
	case ctx.Err() != nil:
		fmt.Fprintln(os.Stderr, "compare: interrupted: nothing was written")
		return exitInterrupted
	}
	fmt.Fprintf(os.Stderr, "compare: %v\n", err)
	return exitFailed
}
