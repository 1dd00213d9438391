package main

import (
	"context"
	"encoding/json"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tickwheel/tickwheel/sim"
)

// little are flags for a grid of a fraction of a second.
func little(more ...string) []string {
	return append([]string{"compare", "--duration", "4s", "--players", "20", "--storm", "20000", "--interval", "50ms",
		"--workers", "0", "--cap", "0,1000", "--jitter", "0s,1s"}, more...)
}

func (r result) compared(t *testing.T) (doc compareReport) {
	t.Helper()
	require.NoError(t, json.Unmarshal(r.file(t, "compare.json"), &doc))
	return doc
}

func TestCompareIsTheSameOnAnyNumberOfCores(t *testing.T) {
	var all []result
	for _, cores := range []string{"1", "4"} {
		t.Setenv("GOMAXPROCS", cores)
		all = append(all, simulate(t, little("--quiet")...))
	}
	a, b := all[0], all[1]
	require.Contains(t, []int{exitOK, exitThreshold}, a.code, a.stderr)
	assert.Equal(t, a.stdout, b.stdout)
	for _, f := range []string{"compare.json", "compare.png", "compare.svg"} {
		assert.Equal(t, a.file(t, f), b.file(t, f), f)
	}
	assert.Len(t, a.compared(t).Settings, 6, "lanes count only with a cap")
}

func TestCompareRecommendsTheMildest(t *testing.T) {
	r := simulate(t, little("--quiet", "--json", "--expect", "backlog_max == 0")...)
	require.Equal(t, exitOK, r.code, r.stderr)
	assert.Equal(t, string(r.file(t, "compare.json")), r.stdout)
	doc := r.compared(t)
	assert.Equal(t, 0, doc.Recommended, "nothing has no backlog")
	assert.Contains(t, doc.Reason, "50ms: nothing: it meets backlog_max == 0 (0); it is the mildest of all")

	r = simulate(t, little("--quiet", "--expect", "backlog_max > 0", "--expect", "nothing: shed > 99999")...)
	require.Equal(t, exitOK, r.code, r.stderr)
	doc = r.compared(t)
	assert.Equal(t, []string{"backlog_max > 0"}, doc.Expect, "what is expected of another policy is left out")
	assert.Equal(t, 1000, doc.Settings[doc.Recommended].Cap)
	assert.Contains(t, r.stdout, "<- take this")
}

func TestCompareFindsNone(t *testing.T) {
	r := simulate(t, little("--quiet", "--expect", "tick.max < 1us")...)
	assert.Equal(t, exitThreshold, r.code)
	assert.Contains(t, r.stderr, "none of 6 settings meets all expectations")
	doc := r.compared(t)
	assert.Equal(t, -1, doc.Recommended)
	assert.Len(t, doc.Settings, 6)
}

func TestCompareWrongUse(t *testing.T) {
	for args, want := range map[string]string{
		"--interval 0s":        "interval",
		"--interval 50":        "interval",
		"--jitter 0s,2h":       "jitter 2h",
		"--cap 0,-1":           "cap -1",
		"--workers 5000":       "5000 workers",
		"--lanes two":          `lanes "two": want own`,
		"--expect x":           "want a measure",
		"--out=":               "want a folder",
		"no-such":              "unknown scenario",
		"steady boss-event":    "want one scenario",
		"--lanes=":             "lanes has no value",
		"--cap " + many(1_001): "want at most 1000",
	} {
		r := simulate(t, append([]string{"compare"}, strings.Fields(args)...)...)
		assert.Equal(t, exitUsage, r.code, args)
		assert.Contains(t, r.stderr, want, args)
		entries, err := os.ReadDir(r.dir)
		require.NoError(t, err)
		assert.Empty(t, entries, "%s: nothing is made", args)
	}
}

func many(n int) string { return strings.TrimSuffix(strings.Repeat("1,", n), ",") }

// Settings that a signal cut short are left out; the others stay.
func TestCompareInterrupted(t *testing.T) {
	plan, _ := sim.Preset("boss-event")
	ctx, cancel := context.WithCancel(t.Context())
	n := 0
	all := axes{intervals: []time.Duration{50 * time.Millisecond}, jitters: []time.Duration{0}, caps: []int{0}, workers: []int{0, 1, 2, 3, 4, 5}, lanes: []string{"own"}}.grid(50 * time.Millisecond)
	done, err := playGrid(ctx, plan, nil, all, func(setting) {
		if n++; n == len(all)-1 {
			cancel()
		}
	})
	require.NoError(t, err)
	assert.NotEmpty(t, done)
	assert.Less(t, len(done), len(all))
}
