//go:build unix

package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The folder of a run that goes on is closed to others, and open again after it,
// however it ended.
func TestASecondRunIntoAFolderIsRefused(t *testing.T) {
	s := startOn(t, &bytes.Buffer{}, long...)
	r := simulateIn(t, s.dir, quick("--quiet")...)
	assert.Equal(t, exitFailed, r.code)
	assert.Regexp(t, `^simulate: another run \(pid \d+ .*\) writes to out: take another --out`, r.stderr)
	require.NoError(t, s.cmd.Process.Signal(os.Interrupt))
	_ = s.cmd.Wait()
	hidden := filepath.Join(s.dir, "out", ".*")
	left, err := filepath.Glob(hidden)
	require.NoError(t, err)
	assert.Empty(t, left)

	s = startOn(t, &bytes.Buffer{}, long...)
	require.NoError(t, s.cmd.Process.Kill())
	_ = s.cmd.Wait()
	r = simulateIn(t, s.dir, quick("--quiet")...)
	assert.Equal(t, exitOK, r.code, r.stderr)
	left, err = filepath.Glob(filepath.Join(s.dir, "out", ".*"))
	require.NoError(t, err)
	assert.Empty(t, left)
}

// What could not be said on stdout is no success, for any verb.
func TestALostStdoutIsAFailure(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip("there is no /dev/full")
	}
	defer full.Close()
	dir := resultsIn(t)
	for _, args := range [][]string{
		{"--help"}, {"run", "--help"}, {"replay"}, {"replay", "--json"}, {"plot"}, {"report"}, {"list"}, {"init"},
		{"check", "--seeds", "1", "--quiet"}, {"completion", "bash"}, quick("--quiet"),
	} {
		var stderr bytes.Buffer
		cmd := exec.Command(program, args...)
		cmd.Dir, cmd.Stdout, cmd.Stderr = dir, full, &stderr
		_ = cmd.Run() // an exit code is an error to it
		assert.Equal(t, exitFailed, cmd.ProcessState.ExitCode(), args)
		assert.Regexp(t, `simulate: write /dev/stdout: no space left on device: is the disk full\?\n$`, stderr.String(), args)
	}
}
