//go:build unix

package main

import (
	"io"
	"os"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestCheckIsInterrupted(t *testing.T) {
	for _, c := range []struct {
		first, said string
		args        []string
	}{
		{"seeds\n", "no rule was broken by then", []string{"--seed", "100", "--seeds", "100000000", "--options", "ticks=1,rate=0"}},
		{"cap\n", "interrupted at canary cap", []string{"--canary", "cap", "--seeds", "100000000", "--options", "ticks=1,rate=0"}},
	} {
		cmd := exec.Command(program, append([]string{"check", "--progress", "plain"}, c.args...)...)
		cmd.Dir = t.TempDir()
		stderr, err := cmd.StderrPipe()
		require.NoError(t, err)
		require.NoError(t, cmd.Start())
		first := make([]byte, len(c.first))
		_, err = io.ReadFull(stderr, first)
		require.NoError(t, err)
		assert.Equal(t, c.first, string(first))
		require.NoError(t, cmd.Process.Signal(os.Interrupt))
		rest, err := io.ReadAll(stderr)
		require.NoError(t, err)
		assert.Error(t, cmd.Wait())
		assert.Equal(t, exitInterrupted, cmd.ProcessState.ExitCode())
		assert.Contains(t, string(rest), c.said)
	}
}
