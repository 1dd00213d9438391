//go:build unix

package main

import (
	"bufio"
	"bytes"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// startFleet runs the program until it is signalled, and returns its stderr.
func startFleet(t *testing.T, stdout *bytes.Buffer, args ...string) (*exec.Cmd, *bufio.Reader) {
	t.Helper()
	cmd := exec.Command(program, args...)
	cmd.Dir, cmd.Stdout = t.TempDir(), stdout
	stderr, err := cmd.StderrPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	return cmd, bufio.NewReader(stderr)
}

func TestASignalEndsTheFleetWithWhatThereIs(t *testing.T) {
	var stdout bytes.Buffer
	cmd, stderr := startFleet(t, &stdout, some(serveGame(t), "--duration", "10m")...)
	line, err := stderr.ReadString('\n')
	require.NoError(t, err)
	assert.Contains(t, line, "1 s of 10m0s: 20/20 in")
	require.NoError(t, cmd.Process.Signal(os.Interrupt))
	said := ""
	for err == nil {
		line, err = stderr.ReadString('\n')
		said += line
	}
	_ = cmd.Wait() // an exit code is an error to it
	r := result{code: cmd.ProcessState.ExitCode(), stdout: stdout.String(), dir: cmd.Dir}
	assert.Equal(t, exitInterrupted, r.code)
	assert.Contains(t, said, "simulate: interrupted after ")
	assert.Contains(t, r.stdout, "Results in out")
	f := r.fleet(t)
	assert.True(t, f.Interrupted)
	assert.Equal(t, int64(20), f.Latency["logout"].Count, "everybody was logged out")
	assert.NotEmpty(t, r.file(t, fleetLog))
}

func TestASignalWhileNobodyAnswers(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer l.Close()
	cmd, stderr := startFleet(t, &bytes.Buffer{}, some(l.Addr().String(), "--timeout", "10m")...)
	conn, err := l.Accept() // it has connected, and waits for the hello
	require.NoError(t, err)
	defer conn.Close()
	require.NoError(t, cmd.Process.Signal(os.Interrupt))
	line, err := stderr.ReadString('\n')
	require.NoError(t, err)
	assert.Equal(t, "simulate: interrupted before the first client had connected: there are no results\n", line)
	_ = cmd.Wait()
	assert.Equal(t, exitInterrupted, cmd.ProcessState.ExitCode())
	assert.NoFileExists(t, filepath.Join(cmd.Dir, "out", fleetLog))
}
