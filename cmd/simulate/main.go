// Simulate shows what storms do to tick latency, and what jitter, a cap on
// callbacks per tick and workers do about it.
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
	"time"
)

// sameSignal is how long after the first signal another is an echo of it: some programs
// signal the process and its group.
const sameSignal = 100 * time.Millisecond

func main() { os.Exit(run(os.Args[1:])) }

// run is main with its exit code, so that deferred work is done.
func run(args []string) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	// The first signal ends the run with what there is; a second one is the
	// system's own and ends the process.
	context.AfterFunc(ctx, func() { time.AfterFunc(sameSignal, stop) })

	stdout := &checked{w: os.Stdout}
	root := newCommand(stdout, os.Stderr)
	root.SetArgs(args)
	cmd, err := root.ExecuteContextC(ctx)
	if err == nil {
		err = stdout.err
	}
	code := exitCodeOf(err)
	switch {
	case code == exitOK || silent(err):
	case code == exitUsage:
		for line := range strings.Lines(err.Error()) { // a line for each thing that is wrong
			complain(line)
		}
		fmt.Fprintf(os.Stderr, "Run \"%s --help\" for the flags.\n", cmd.CommandPath())
	default:
		text := err.Error()
		if errors.Is(err, syscall.ENOSPC) && !strings.Contains(text, "is the disk full?") {
			text += ": is the disk full?"
		}
		complain(text)
	}
	return code
}

// complain writes a message to stderr. Packages say who speaks; to whoever types
// a command it is all simulate.
func complain(text string) {
	for _, p := range []string{"simulate: ", "report: ", "sim: "} {
		text = strings.TrimPrefix(text, p)
	}
	fmt.Fprintln(os.Stderr, "simulate: "+strings.TrimSuffix(text, "\n"))
}
