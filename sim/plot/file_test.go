package plot

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func text(s string) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := io.WriteString(w, s)
		return err
	}
}

// only says that dir holds these files and no leftovers.
func only(t *testing.T, dir string, names ...string) {
	t.Helper()
	es, err := os.ReadDir(dir)
	require.NoError(t, err)
	var got []string
	for _, e := range es {
		got = append(got, e.Name())
	}
	require.Equal(t, names, got)
}

func TestWriteFileReplacesTheWholeFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.png")
	require.NoError(t, WriteFile(path, text("first, and longer")))
	require.NoError(t, WriteFile(path, text("second")))
	b, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, "second", string(b))
	only(t, dir, "a.png")
}

func TestWriteFileLeavesTheOldFileOnError(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.png")
	require.NoError(t, WriteFile(path, text("old")))
	broken := errors.New("broken")
	require.ErrorIs(t, WriteFile(path, func(w io.Writer) error {
		_, _ = io.WriteString(w, "half")
		return broken
	}), broken)
	b, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, "old", string(b))
	only(t, dir, "a.png")
}

func TestWriteFileErrorsNamePathAndRemedy(t *testing.T) {
	dir := t.TempDir()
	missing := filepath.Join(dir, "missing", "a.png")
	err := WriteFile(missing, text(""))
	require.ErrorIs(t, err, os.ErrNotExist)
	require.ErrorContains(t, err, "plot: cannot write "+missing)

	folder := filepath.Join(dir, "a.png")
	require.NoError(t, os.Mkdir(folder, 0o755))
	err = WriteFile(folder, text(""))
	require.ErrorContains(t, err, "plot: cannot put "+folder+" in place")
	only(t, dir, "a.png")
}

func TestTooManyRunsAndBadFormatAreRefused(t *testing.T) {
	var b bytes.Buffer
	require.EqualError(t, TickLatency(t.Context(), &b, SVG, make([]Run, MaxRuns+1), Options{}),
		"plot: 25 runs, at most 24 fit one picture: plot fewer at a time")
	require.NoError(t, TickLatency(t.Context(), &b, SVG, make([]Run, MaxRuns), Options{}))
	require.PanicsWithValue(t, "plot: Percentiles: unknown format Format(7)", func() {
		_ = Percentiles(t.Context(), &b, Format(7), nil, Options{})
	})
}

type full struct{}

var errFull = errors.New("no space left on device")

func (full) Write([]byte) (int, error) { return 0, errFull }

func TestFailingWriterIsReported(t *testing.T) {
	for _, f := range []Format{PNG, SVG} {
		require.ErrorIs(t, TickLatency(t.Context(), full{}, f, nil, Options{}), errFull)
	}
}
