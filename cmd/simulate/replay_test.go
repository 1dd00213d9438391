package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestReplayIsTheSame(t *testing.T) {
	dir := resultsIn(t, "--seed", "7")
	for _, args := range [][]string{{}, {"out"}, {filepath.Join("out", "replay.bin")}, {"--out", "out"}} {
		r := simulateIn(t, dir, append([]string{"replay", "--quiet"}, args...)...)
		assert.Equal(t, exitOK, r.code, r.stderr)
		assert.Regexp(t, `^nothing: the same, 40 ticks, trace [0-9a-f]{16}\ncap: the same, 40 ticks, trace [0-9a-f]{16}\n$`, r.stdout)
		assert.Empty(t, r.stderr)
	}
	r := simulateIn(t, dir, "replay", "--json")
	require.Equal(t, exitOK, r.code, r.stderr)
	assert.Equal(t, "1/2 nothing\n2/2 cap\n", r.stderr)
	var got struct {
		Seed uint64
		Same bool
		Runs []struct{ Policy string }
	}
	require.NoError(t, json.Unmarshal([]byte(r.stdout), &got))
	assert.True(t, got.Same)
	assert.Equal(t, uint64(7), got.Seed)
	assert.Len(t, got.Runs, 2)
}

// A recording that another program made, as far as this one can tell: the seed was
// changed in the file.
func TestReplayNamesTheDifference(t *testing.T) {
	dir := resultsIn(t, "--seed", "7")
	file := filepath.Join(dir, "out", "replay.bin")
	b, err := os.ReadFile(file)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(file, bytes.Replace(b, []byte(`"seed":7`), []byte(`"seed":8`), 1), 0o600))
	r := simulateIn(t, dir, "replay", "--quiet")
	assert.Equal(t, exitFailed, r.code)
	assert.Contains(t, r.stderr, "replay.bin is of another run (seed 8, run.json says 7)")
	require.NoError(t, os.Remove(filepath.Join(dir, "out", "run.json"))) // the file alone is enough
	r = simulateIn(t, dir, "replay", "--quiet")
	assert.Equal(t, exitInvariant, r.code)
	assert.Regexp(t, `(?m)^nothing: differs first in tick \d+, at \d+ ms: .*, recorded `, r.stdout)
	assert.Contains(t, r.stderr, "2 of 2 runs differ from "+filepath.Join("out", "replay.bin"))
	r = simulateIn(t, dir, "replay", "--json", "--quiet")
	assert.Equal(t, exitInvariant, r.code)
	assert.Contains(t, r.stdout, `"first_difference": {`)
}

func TestReplayRefusesWrongUse(t *testing.T) {
	r := simulate(t, "replay")
	assert.Equal(t, exitFailed, r.code)
	assert.Contains(t, r.stderr, "out does not exist: make results with simulate run")
	for _, args := range [][]string{{"a", "b"}, {""}, {"--out", ""}} {
		r := simulate(t, append([]string{"replay"}, args...)...)
		assert.Equal(t, exitUsage, r.code, args)
	}
	dir := t.TempDir()
	real := simulateIn(t, dir, "--clock", "real", "--duration", "100ms", "--players", "2", "--storm", "10", "--policy", "nothing", "--quiet")
	require.Equal(t, exitOK, real.code, real.stderr)
	r = simulateIn(t, dir, "replay")
	assert.Equal(t, exitUsage, r.code)
	assert.Contains(t, r.stderr, "is of the real clock")
}
