// Command gameserver is the reference server: a small game on the tickwheel
// loop, its network in front and its players on disk.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"
)

// Exit codes.
const (
	exitOK          = 0
	exitFailed      = 1
	exitUsage       = 2
	exitInterrupted = 130
)

func main() {
	ctx, stop := interruptible(os.Stderr, os.Exit)
	code := execute(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// sameSignal is how long after the first signal the same one again is an echo.
// Whoever signals a process and its group, as timeout(1) and some supervisors do,
// sends two and means one; players would be left unsaved. People are slower.
const sameSignal = 100 * time.Millisecond

// interruptible returns a context that ends with the first SIGINT or SIGTERM.
// A second one exits at once: whoever sends it has waited long enough.
func interruptible(stderr io.Writer, exit func(int)) (context.Context, func()) {
	ctx, cancel := context.WithCancel(context.Background())
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	done := make(chan struct{})
	go func() {
		if sig := second(signals, done, cancel); sig != nil {
			fmt.Fprintf(stderr, "gameserver: %v again: leaving at once\n", sig)
			exit(exitInterrupted)
		}
	}()
	return ctx, func() {
		signal.Stop(signals)
		close(done)
		cancel()
	}
}

// second calls first at the first signal and returns the second, echoes of the
// first not counted, or nil when done is closed.
func second(signals <-chan os.Signal, done <-chan struct{}, first func()) os.Signal {
	var began os.Signal
	var at time.Time
	for {
		select {
		case sig := <-signals:
			switch {
			case began == nil:
				began, at = sig, time.Now()
				first()
			case sig != began || time.Since(at) > sameSignal:
				return sig
			}
		case <-done:
			return nil
		}
	}
}

// execute runs the command line and returns the exit code.
func execute(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	cmd := newCommand(stdin, stdout, stderr)
	cmd.SetArgs(args)
	err := cmd.ExecuteContext(ctx)
	var usage *usageError
	var code exitError
	switch {
	case err == nil:
		return exitOK
	case errors.As(err, &code):
		return int(code)
	case errors.As(err, &usage):
		fmt.Fprintf(stderr, "gameserver: %v\nTry: gameserver --help\n", err)
		return exitUsage
	}
	fmt.Fprintf(stderr, "gameserver: %v\n", err)
	return exitFailed
}

// A usageError is a command line that makes no sense.
type usageError struct{ err error }

func (e *usageError) Error() string { return e.err.Error() }
func (e *usageError) Unwrap() error { return e.err }

// An exitError is an exit code for which everything has been said.
type exitError int

func (e exitError) Error() string { return fmt.Sprintf("exit code %d", int(e)) }
