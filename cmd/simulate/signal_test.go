//go:build unix

package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tickwheel/tickwheel/sim/report"
)

// long are flags of a run that only a signal ends in time.
var long = []string{"--clock", "real", "--duration", "10m", "--players", "20", "--storm", "100", "--policy", "nothing"}

func TestASignalEndsTheRunWithWhatThereIs(t *testing.T) {
	for _, sig := range []os.Signal{os.Interrupt, syscall.SIGTERM} {
		var stdout bytes.Buffer
		s := startOn(t, &stdout, long...)
		require.NoError(t, s.cmd.Process.Signal(sig))
		_ = s.cmd.Wait() // an exit code is an error to it
		r := result{code: s.cmd.ProcessState.ExitCode(), stdout: stdout.String(), dir: s.dir}
		assert.Equal(t, exitInterrupted, r.code, "%v", sig)
		assert.Contains(t, r.stdout, "Results in out", "the table is there")
		for _, f := range report.Files() {
			assert.NotEmpty(t, r.file(t, f), f)
		}
		var sum report.Summary
		require.NoError(t, json.Unmarshal(r.file(t, "summary.json"), &sum))
		require.Len(t, sum.Policies, 1)
		assert.True(t, sum.Policies[0].Interrupted)
		assert.Equal(t, int64(12_000), sum.Ticks, "of the whole run")
	}
}

// The second signal is the system's own: whoever is in a hurry does not wait for
// pictures, or for somebody to read stdout.
func TestASecondSignalKills(t *testing.T) {
	fifo := filepath.Join(t.TempDir(), "stdout")
	require.NoError(t, syscall.Mkfifo(fifo, 0o600))
	open := func(mode int) int {
		fd, err := syscall.Open(fifo, mode|syscall.O_CLOEXEC, 0)
		require.NoError(t, err)
		return fd
	}
	reader := open(syscall.O_RDONLY | syscall.O_NONBLOCK)
	defer syscall.Close(reader)
	stdout := os.NewFile(uintptr(open(syscall.O_WRONLY)), fifo)
	defer stdout.Close()
	s := startOn(t, stdout, long...)
	// It has written its first line. With the pipe full it is stuck in the next.
	filler := open(syscall.O_WRONLY | syscall.O_NONBLOCK)
	defer syscall.Close(filler)
	for _, n := range []int{4096, 1} {
		for b := make([]byte, n); ; {
			if _, err := syscall.Write(filler, b); err != nil {
				require.ErrorIs(t, err, syscall.EAGAIN)
				break
			}
		}
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = s.cmd.Wait()
	}()
	// When the first one has been taken cannot be seen from outside: the second is
	// repeated until it works.
	again := time.NewTicker(20 * time.Millisecond)
	defer again.Stop()
	for alive := true; alive; {
		_ = s.cmd.Process.Signal(os.Interrupt)
		select {
		case <-ended:
			alive = false
		case <-again.C:
		}
	}
	status := s.cmd.ProcessState.Sys().(syscall.WaitStatus)
	assert.True(t, status.Signaled(), "%v", s.cmd.ProcessState)
	assert.Equal(t, syscall.SIGINT, status.Signal())
}
