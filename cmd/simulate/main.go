// Simulate shows what a spawn storm does to tick latency, and what jitter, a cap
// on callbacks per tick and workers do about it.
//
// It plays a scenario on the production loop, on a virtual clock or the real
// one, once for each policy, prints a table and writes pictures and raw results.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strings"
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
	// The first signal ends the run with what there is; a second one is the
	// system's own and ends the process.
	context.AfterFunc(ctx, stop)

	cmd := newCommand(os.Stdout, os.Stderr)
	cmd.SetArgs(args)
	err := cmd.ExecuteContext(ctx)
	var usage *usageError
	switch {
	case err == nil:
		return exitOK
	case errors.Is(err, errInterrupted):
		return exitInterrupted
	case errors.As(err, &usage):
		for line := range strings.Lines(err.Error()) { // a line for each thing that is wrong
			complain(line)
		}
		fmt.Fprintln(os.Stderr, `Run "simulate --help" for the flags.`)
		return exitUsage
	}
	complain(err.Error())
	return exitFailed
}

// complain writes a message to stderr. Packages say who speaks; to whoever types
// a command it is all simulate.
func complain(text string) {
	for _, p := range []string{"simulate: ", "report: ", "sim: "} {
		text = strings.TrimPrefix(text, p)
	}
	fmt.Fprintln(os.Stderr, "simulate: "+strings.TrimSuffix(text, "\n"))
}
