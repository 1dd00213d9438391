package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
)

// Exit codes.
const (
	exitOK          = 0
	exitFailed      = 1
	exitUsage       = 2
	exitThreshold   = 3
	exitInvariant   = 4
	exitInterrupted = 130
)

// usageError is a mistake in the command line or in a scenario.
type usageError struct{ err error }

func (e *usageError) Error() string { return e.err.Error() }
func (e *usageError) Unwrap() error { return e.err }

// Ends of a verb that has said on stderr what there is to say.
var (
	// errInterrupted means that a signal ended the run and results were written.
	errInterrupted = errors.New("interrupted")
	// errThreshold means that something expected was not met.
	errThreshold = errors.New("threshold not met")
	// errInvariant means that a rule of the production code was broken.
	errInvariant = errors.New("invariant broken")
)

// exitCodeOf returns the code for what a verb returned.
func exitCodeOf(err error) int {
	var usage *usageError
	switch {
	case err == nil:
		return exitOK
	case errors.Is(err, errInterrupted):
		return exitInterrupted
	case errors.Is(err, errThreshold):
		return exitThreshold
	case errors.Is(err, errInvariant):
		return exitInvariant
	case errors.As(err, &usage):
		return exitUsage
	}
	return exitFailed
}

// silent tells whether the verb has said what err means.
func silent(err error) bool {
	return errors.Is(err, errInterrupted) || errors.Is(err, errThreshold) || errors.Is(err, errInvariant)
}

// shared is what the flags of the root say to every verb.
type shared struct {
	stdout, stderr io.Writer
	// progress is auto, bar, plain or none.
	progress string
	// json asks for JSON on stdout instead of text.
	json bool
}

var progressModes = []string{"auto", "bar", "plain", "none"}

// addShared gives the root the flags that every verb has.
func addShared(root *cobra.Command) {
	f := root.PersistentFlags()
	f.SortFlags = false
	f.String("progress", "auto", "progress on stderr: auto, bar, plain (lines) or none; auto is a bar on a terminal")
	f.Bool("quiet", false, "no progress on stderr: the same as --progress none")
	f.Bool("json", false, "JSON on stdout instead of text")
	_ = root.RegisterFlagCompletionFunc("progress", cobra.FixedCompletions(progressModes, cobra.ShellCompDirectiveNoFileComp))
}

// sharedOf reads the flags that every verb has.
func sharedOf(cmd *cobra.Command) (shared, error) {
	s := shared{stdout: cmd.OutOrStdout(), stderr: cmd.ErrOrStderr()}
	f := cmd.Flags()
	s.progress, _ = f.GetString("progress") // an error would mean that there is no such flag
	s.json, _ = f.GetBool("json")
	known := false
	for _, m := range progressModes {
		known = known || m == s.progress
	}
	if !known {
		return s, &usageError{fmt.Errorf("simulate: progress %q: want %s", s.progress, strings.Join(progressModes, ", "))}
	}
	if quiet, _ := f.GetBool("quiet"); quiet {
		if f.Changed("progress") && s.progress != "none" {
			return s, &usageError{fmt.Errorf("simulate: --quiet means --progress none: leave out one of --quiet and --progress %s", s.progress)}
		}
		s.progress = "none"
	}
	return s, nil
}

// outFlag gives a verb --out.
func outFlag(cmd *cobra.Command) *string {
	out := cmd.Flags().String("out", "out", "folder for results, made if missing")
	_ = cmd.MarkFlagDirname("out")
	return out
}

// checked is a writer that remembers its first error: not every verb asks, and what
// was lost is no success.
type checked struct {
	w   io.Writer
	err error
}

func (c *checked) Write(b []byte) (int, error) {
	n, err := c.w.Write(b)
	if c.err == nil {
		c.err = err
	}
	return n, err
}

// writeJSON writes v for programs.
func writeJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(v)
}
