package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tickwheel/tickwheel/sim/report"
)

// resultsIn makes a folder with results in out.
func resultsIn(t *testing.T, more ...string) string {
	t.Helper()
	r := simulate(t, quick(append(more, "--quiet")...)...)
	require.Equal(t, exitOK, r.code, r.stderr)
	return r.dir
}

func TestPlotDrawsTheSameAgain(t *testing.T) {
	dir := resultsIn(t)
	for _, name := range report.Pictures() {
		require.NoError(t, os.Rename(filepath.Join(dir, "out", name), filepath.Join(dir, name)))
	}
	r := simulateIn(t, dir, "plot")
	require.Equal(t, exitOK, r.code, r.stderr)
	assert.Empty(t, r.stderr)
	want := ""
	for _, name := range report.Pictures() {
		before, err := os.ReadFile(filepath.Join(dir, name))
		require.NoError(t, err)
		assert.Equal(t, string(before) == string(r.file(t, name)), true, name)
		want += filepath.Join("out", name) + "\n"
	}
	assert.Equal(t, want, r.stdout)

	// From two folders into a third one.
	again := simulateIn(t, dir, quick("--quiet", "--seed", "2", "--out", "b")...)
	require.Equal(t, exitOK, again.code, again.stderr)
	r = simulateIn(t, dir, "plot", "out", "b", "--out", "both", "--json")
	require.Equal(t, exitOK, r.code, r.stderr)
	var files struct{ Files []string }
	require.NoError(t, json.Unmarshal([]byte(r.stdout), &files))
	require.Len(t, files.Files, len(report.Pictures()))
	for _, f := range files.Files {
		assert.FileExists(t, filepath.Join(dir, f))
	}
	left, err := os.ReadDir(filepath.Join(dir, "both"))
	require.NoError(t, err)
	assert.Len(t, left, len(report.Pictures()), "nothing else")
}

func TestReportIsOneFile(t *testing.T) {
	dir := resultsIn(t, "--seed", "7")
	r := simulateIn(t, dir, "report")
	require.Equal(t, exitOK, r.code, r.stderr)
	assert.Regexp(t, `^With a cap of 4,000, every tick stays within 50 ms: p99.9 is .* ms, the longest tick .* ms\.\n`+
		regexp.QuoteMeta(filepath.Join("out", "report.html"))+"\n$", r.stdout)
	page := string(r.file(t, "report.html"))
	assert.Contains(t, page, "simulate --duration 2s")
	for _, outside := range []string{`src="`, "@import", "url("} {
		assert.NotContains(t, page, outside, "it loads nothing")
	}
	again := simulateIn(t, dir, "report", "--json")
	require.Equal(t, exitOK, again.code, again.stderr)
	var got struct {
		Verdict string
		Files   []string
	}
	require.NoError(t, json.Unmarshal([]byte(again.stdout), &got))
	assert.Contains(t, got.Verdict, "every tick stays within 50 ms")
	assert.Equal(t, []string{filepath.Join("out", "report.html")}, got.Files)
	assert.Equal(t, page == string(again.file(t, "report.html")), true, "the same results, the same bytes")
}

// viewVerbs are the verbs that look at results.
var viewVerbs = []string{"plot", "report"}

func TestFoldersThatCannotBeLookedAt(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(dir, "empty"), 0o755))
	require.NoError(t, os.Mkdir(filepath.Join(dir, "foreign"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "foreign", "x"), nil, 0o644))
	for _, verb := range viewVerbs {
		for _, c := range []struct {
			args []string
			code int
			want string
		}{
			{nil, exitFailed, "simulate: there is no folder out: make results with simulate run --out out"},
			{[]string{"empty"}, exitFailed, "simulate: the folder empty is empty"},
			{[]string{"foreign"}, exitFailed, "simulate: foreign has no run.json"},
			{[]string{""}, exitUsage, "a folder without a name"},
			{[]string{"--out", ""}, exitUsage, "a folder without a name"},
			{[]string{"--nonsense"}, exitUsage, "unknown flag"},
			{[]string{"--progress", "loud"}, exitUsage, "progress"},
		} {
			r := simulateIn(t, dir, append([]string{verb}, c.args...)...)
			assert.Equal(t, c.code, r.code, "%s %v: %s", verb, c.args, r.stderr)
			assert.Contains(t, r.stderr, c.want, "%s %v", verb, c.args)
			assert.Empty(t, r.stdout)
		}
	}
}

func TestViewsSayWhereTheyCannotWrite(t *testing.T) {
	dir := resultsIn(t)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "file"), nil, 0o644))
	for _, verb := range viewVerbs {
		r := simulateIn(t, dir, verb, "out", "--out", "file")
		assert.Equal(t, exitFailed, r.code)
		assert.Contains(t, r.stderr, "choose another folder")
	}
}
