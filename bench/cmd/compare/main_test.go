package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tickwheel/tickwheel/bench/measure"
)

// The test binary is the program when a comparison under test runs itself again.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == childName {
		os.Exit(run(os.Args[1:]))
	}
	os.Exit(m.Run())
}

func TestExitCodes(t *testing.T) {
	for _, c := range []struct {
		name string
		args []string
		want int
	}{
		{"help", []string{"--help"}, exitOK},
		{"unknown flag", []string{"--fast"}, exitUsage},
		{"an argument", []string{"quick"}, exitUsage},
		{"too many rounds", []string{"--rounds", "100"}, exitUsage},
		{"negative rounds", []string{"--rounds", "-1"}, exitUsage},
		{"no such measure", []string{"--only", "W9"}, exitUsage},
		{"no such peer", []string{"--peers", "nano"}, exitUsage},
		{"peer not in a quick run", []string{"--quick", "--peers", "heap"}, exitUsage},
		{"no folder for the document", []string{"--docs", "no/such"}, exitFailed},
		{"a child's case that fails", []string{childName, `{"measure":"W1","n":0}`}, exitFailed},
	} {
		t.Run(c.name, func(t *testing.T) { assert.Equal(t, c.want, run(c.args)) })
	}
}

// A whole comparison, by processes of its own, of the measure that takes least.
func TestCompareWritesRows(t *testing.T) {
	name := filepath.Join(t.TempDir(), "r.json")
	var out, progress bytes.Buffer
	cmd := newCommand(&out, &progress)
	cmd.SetArgs([]string{"--quick", "--only", "W8", "--rounds", "2", "--json", name})
	require.NoError(t, cmd.ExecuteContext(t.Context()))
	text, err := os.ReadFile(name)
	require.NoError(t, err)
	var rows []measure.Row
	require.NoError(t, json.Unmarshal(text, &rows))
	require.Len(t, rows, 4)
	best := rows[3]
	assert.Equal(t, "best4", best.Variant)
	assert.LessOrEqual(t, *best.RatioToMean, 1.10)
	assert.Regexp(t, `8/8 .* left `, progress.String())
	assert.Contains(t, out.String(), "best4")
}

// What ran takes as long again; what did not is guessed.
func TestProgressKnowsWhatIsLeft(t *testing.T) {
	plan := measure.Plan(true, 2)
	p := newProgress(io.Discard, plan)
	guessed := p.left(0)
	assert.Positive(t, guessed)
	for i := range len(plan) / 2 {
		p.end(i, 3*time.Second)
	}
	assert.InDelta(t, 3*len(plan)/2, p.left(len(plan)/2).Seconds(), 5)
	p.end(len(plan)-1, 4*time.Second)
	assert.Equal(t, 4*time.Second, p.left(len(plan)-1))
	assert.Zero(t, p.left(len(plan)))
}

func TestInterruptedWritesNothing(t *testing.T) {
	dir := t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var out, progress bytes.Buffer
	cmd := newCommand(&out, &progress)
	cmd.SetArgs([]string{"--docs", dir, "--results", dir, "--json", filepath.Join(dir, "r.json")})
	require.ErrorIs(t, cmd.ExecuteContext(ctx), context.Canceled)
	left, err := os.ReadDir(dir)
	require.NoError(t, err)
	assert.Empty(t, left)
}
