//go:build unix

package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// What never ends when it is read is refused, by its name.
func TestOnlyFilesAndPipesAreRead(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(dir, "folder"), 0o755))
	require.NoError(t, os.Symlink("/dev/zero", filepath.Join(dir, "folder", "costs.csv")))
	large, err := os.Create(filepath.Join(dir, "large"))
	require.NoError(t, err)
	require.NoError(t, large.Truncate(1<<40))
	require.NoError(t, large.Close())
	const device = "is a device or a socket: want a file or a pipe"
	for args, want := range map[string]string{
		"run /dev/zero":                          "/dev/zero " + device,
		"compare /dev/zero":                      "/dev/zero " + device,
		"init --from /dev/zero":                  "/dev/zero " + device,
		"init --from folder":                     "folder/costs.csv " + device,
		"init --from large --scenario steady":    "a line of more than 65536 bytes",
		"clients --token-file /dev/zero":         "token-file: /dev/zero " + device,
		"clients --token-file folder":            "token-file: folder is a folder: want a file",
		"run folder":                             "folder is a folder: want a file",
		"run large":                              "large: more than 4194304 bytes",
		"clients --token-file large":             "token-file: large: more than 67108864 bytes",
		"clients --token-file=":                  `token-file "": want a file`,
		"init --from folder --scenario=":         `scenario "": want a name or a file`,
		"init --from x --scenario folder/../dir": "no costs: open x: no such file",
	} {
		r := simulateIn(t, dir, strings.Fields(args)...)
		assert.Equal(t, exitUsage, r.code, args)
		assert.Contains(t, r.stderr, want, args)
	}
}

// A pipe is as good as a file, as a shell's <(…) gives it.
func TestAScenarioMayComeThroughAPipe(t *testing.T) {
	cmd := exec.Command(program, "run", "/dev/stdin", "--quiet")
	cmd.Dir, cmd.Stdin = t.TempDir(), strings.NewReader("duration: 1s\npolicy: nothing\n")
	out, err := cmd.CombinedOutput()
	assert.NoError(t, err, string(out))
}

// A pipe without a writer is left by a signal.
func TestASignalEndsTheWaitForAPipe(t *testing.T) {
	for _, args := range []string{"run fifo", "compare fifo", "init --from fifo --scenario steady", "init --from folder --scenario fifo", "clients --token-file fifo"} {
		dir := t.TempDir()
		require.NoError(t, syscall.Mkfifo(filepath.Join(dir, "fifo"), 0o600))
		require.NoError(t, os.Mkdir(filepath.Join(dir, "folder"), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(dir, "folder", "costs.csv"), []byte("work,runs,ns\ntick,1,1000\n"), 0o644))
		var stderr bytes.Buffer
		cmd := exec.Command(program, strings.Fields(args)...)
		cmd.Dir, cmd.Stderr = dir, &stderr
		require.NoError(t, cmd.Start())
		// This returns when the program has the pipe open, which has no content yet.
		w, err := os.OpenFile(filepath.Join(dir, "fifo"), os.O_WRONLY, 0)
		require.NoError(t, err)
		require.NoError(t, cmd.Process.Signal(os.Interrupt))
		_ = cmd.Wait() // an exit code is an error to it
		assert.Equal(t, exitInterrupted, cmd.ProcessState.ExitCode(), args)
		assert.Contains(t, stderr.String(), "simulate: interrupted while reading ", args)
		require.NoError(t, w.Close())
		entries, err := os.ReadDir(dir)
		require.NoError(t, err)
		assert.Len(t, entries, 2, "%s: nothing is made", args)
	}
}
