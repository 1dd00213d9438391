package main

import (
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

// program is the path of the program under test, built once.
var program string

func TestMain(m *testing.M) {
	dir := buildProgram()
	goleak.VerifyTestMain(m, goleak.Cleanup(func(code int) {
		os.RemoveAll(dir)
		os.Exit(code)
	}))
}

// buildProgram makes the program in a folder, which it returns.
func buildProgram() string {
	dir, err := os.MkdirTemp("", "simulate")
	if err != nil {
		panic(err)
	}
	program = filepath.Join(dir, "simulate")
	if runtime.GOOS == "windows" {
		program += ".exe"
	}
	if out, err := exec.Command("go", "build", "-buildvcs=false", "-o", program, ".").CombinedOutput(); err != nil {
		panic(string(out))
	}
	return dir
}

// result is what a process did.
type result struct {
	code           int
	stdout, stderr string
	dir            string // where it ran
}

// simulate runs the program in a folder of its own.
func simulate(t *testing.T, args ...string) result {
	t.Helper()
	return simulateIn(t, t.TempDir(), args...)
}

func simulateIn(t *testing.T, dir string, args ...string) result {
	t.Helper()
	var stdout, stderr bytes.Buffer
	cmd := exec.Command(program, args...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, &stdout, &stderr
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return result{cmd.ProcessState.ExitCode(), stdout.String(), stderr.String(), dir}
}

// file returns what the run wrote under the name.
func (r result) file(t *testing.T, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(r.dir, "out", name))
	require.NoError(t, err)
	return b
}

// quick are flags for a run of a few milliseconds.
func quick(more ...string) []string {
	return append([]string{"--duration", "2s", "--players", "20", "--storm", "1000", "--policy", "nothing,cap"}, more...)
}

// started is a process that runs on the real clock until it is signalled.
type started struct {
	cmd *exec.Cmd
	dir string
}

// startOn runs the program with the given stdout and returns when it has said on
// stderr that its first policy begins.
func startOn(t *testing.T, stdout io.Writer, args ...string) *started {
	t.Helper()
	s := &started{cmd: exec.Command(program, args...), dir: t.TempDir()}
	s.cmd.Dir, s.cmd.Stdout = s.dir, stdout
	stderr, err := s.cmd.StderrPipe()
	require.NoError(t, err)
	require.NoError(t, s.cmd.Start())
	first := make([]byte, len("nothing\n"))
	_, err = io.ReadFull(stderr, first)
	require.NoError(t, err)
	assert.Equal(t, "nothing\n", string(first))
	return s
}
