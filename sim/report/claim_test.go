package report

import (
	"encoding/json"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// left are the names in a folder.
func left(t *testing.T, dir string) (names []string) {
	t.Helper()
	es, err := os.ReadDir(dir)
	require.NoError(t, err)
	for _, e := range es {
		names = append(names, e.Name())
	}
	return names
}

func TestAFolderHasOneRunAtATime(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "out")
	release, err := Claim(dir)
	require.NoError(t, err)
	_, err = Claim(dir)
	require.ErrorContains(t, err, "another run (pid ")
	assert.ErrorContains(t, err, "writes to "+dir+": take another --out, or remove ")
	release()
	again, err := Claim(dir)
	require.NoError(t, err)
	release() // a second time is not the other one's
	assert.Equal(t, []string{claimFile}, left(t, dir))
	again()
	assert.Empty(t, left(t, dir))
}

// held puts the claim of another process into a folder.
func held(t *testing.T, dir string, pid int, host string) {
	t.Helper()
	b, err := json.Marshal(claim{PID: pid, Host: host, Since: "yesterday"})
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(dir, claimFile), b, 0o600))
}

func TestTheClaimOfAProcessThatIsGoneIsTakenOver(t *testing.T) {
	cmd := exec.Command(os.Args[0], "-test.run", "^$")
	require.NoError(t, cmd.Run())
	host, err := os.Hostname()
	require.NoError(t, err)
	dir := t.TempDir()
	held(t, dir, cmd.Process.Pid, host)
	var wg sync.WaitGroup
	var won atomic.Int32
	for range 8 {
		wg.Go(func() {
			if _, err := Claim(dir); err == nil {
				won.Add(1)
			}
		})
	}
	wg.Wait()
	assert.EqualValues(t, 1, won.Load(), "one of those that come at once")

	held(t, dir, cmd.Process.Pid, host+"-other")
	_, err = Claim(dir)
	assert.ErrorContains(t, err, "on "+host+"-other", "of another machine nobody can tell")
	require.NoError(t, os.WriteFile(filepath.Join(dir, claimFile), nil, 0o600))
	_, err = Claim(dir)
	assert.ErrorContains(t, err, "another run writes to", "it has not said who it is")
}

func TestAClaimRemovesWhatIsStale(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"cpu.pprof", "mine.txt"} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), nil, 0o600))
	}
	release, err := Claim(dir, "cpu.pprof", "mem.pprof")
	require.NoError(t, err)
	release()
	assert.Equal(t, []string{"mine.txt"}, left(t, dir))
}

// A page of earlier results does not stay beside new ones.
func TestANewRunRemovesThePageOfTheOld(t *testing.T) {
	dir, runs := written(t, 5, "nothing")
	require.NoError(t, os.WriteFile(filepath.Join(dir, pageFile), nil, 0o600))
	require.NoError(t, WriteData(dir, runs, Environment{}))
	assert.NoFileExists(t, filepath.Join(dir, pageFile))
}

// A folder in which a run could not write all is none of results, whatever was
// there before.
func TestAFolderWithFilesOfTwoRunsHoldsNoCompleteRun(t *testing.T) {
	dir, runs := written(t, 5, "nothing")
	full := &fs.PathError{Op: "write", Path: "x", Err: syscall.ENOSPC}
	more := 0
	err := Write(dir, runs, Environment{}, func() error { more++; return full }, func() error { more++; return nil })
	require.ErrorIs(t, err, syscall.ENOSPC)
	assert.Equal(t, 1, more, "with a full disk it does not go on")
	_, err = Load(dir)
	require.ErrorContains(t, err, "holds no complete run")
	require.NoError(t, Write(dir, runs, Environment{}))
	_, err = Load(dir)
	require.NoError(t, err)
}

func TestAFullDiskIsToldOnce(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a")
	full := func(io.Writer) error { return &fs.PathError{Op: "write", Path: path + ".123", Err: syscall.ENOSPC} }
	err := WriteFile(path, full)
	assert.EqualError(t, err, "report: cannot write "+path+": no space left on device: is the disk full?")
	ok := func(w io.Writer) error { _, err := io.WriteString(w, "x"); return err }
	require.NoError(t, WriteFiles(dir, File{"a", ok}, File{"b", ok}, File{"last", ok}))
	err = WriteFiles(dir, File{"a", full}, File{"b", full}, File{"last", ok})
	require.ErrorIs(t, err, syscall.ENOSPC)
	assert.Equal(t, 1, strings.Count(err.Error(), "is the disk full?"))
	assert.Equal(t, []string{"a", "b"}, left(t, dir), "what vouches for the others is gone")

	require.NoError(t, os.Mkdir(filepath.Join(dir, "taken"), 0o700))
	err = WriteFile(filepath.Join(dir, "taken"), ok)
	assert.ErrorContains(t, err, "report: cannot put "+filepath.Join(dir, "taken")+" in place")
	assert.NotContains(t, err.Error(), "plot:")
}
