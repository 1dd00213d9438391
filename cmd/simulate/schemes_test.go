package main

import (
	"bytes"
	"encoding/json"
	"image/png"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tickwheel/tickwheel/cmd/simulate/race"
)

// brief are flags for a race of a fraction of a second.
func brief(more ...string) []string {
	return append([]string{"schemes", "--timers", "1000", "--ticks", "20", "--cancels", "1000", "--passes", "1"}, more...)
}

func TestSchemes(t *testing.T) {
	r := simulate(t, brief()...)
	require.Equal(t, exitOK, r.code, r.stderr)
	assert.True(t, strings.HasPrefix(r.stderr, "1/16 tickwheel\n2/16 go-runtime\n"), r.stderr)
	assert.Contains(t, r.stdout, "hierarchy-4x256, lazy")
	assert.Contains(t, r.stdout, "Results in out: look at ")
	var doc raceReport
	require.NoError(t, json.Unmarshal(r.file(t, "schemes.json"), &doc))
	assert.Len(t, doc.Schemes, race.Count(race.Defaults()))
	_, err := png.Decode(bytes.NewReader(r.file(t, "schemes.png")))
	assert.NoError(t, err)
	assert.Contains(t, string(r.file(t, "schemes.svg")), "tickwheel")

	r = simulate(t, brief("--quiet", "--json", "--schemes", "tickwheel, heap")...)
	require.Equal(t, exitOK, r.code, r.stderr)
	assert.Empty(t, r.stderr)
	assert.Equal(t, string(r.file(t, "schemes.json")), r.stdout)
	require.NoError(t, json.Unmarshal([]byte(r.stdout), &doc))
	assert.Len(t, doc.Schemes, 3, "ours, and the heap eager and lazy")
}

func TestSchemesWrongUse(t *testing.T) {
	for args, want := range map[string]string{
		"--timers 1":                    "timers 1: want 1000 to 10000000",
		"--ticks 0 --passes 0":          "passes 0: want 1 to 100",
		"--cancels -1":                  "cancels -1",
		"--patience 0":                  "patience 0s",
		"--patience 3":                  "missing unit",
		"--schemes heap,skip-list":      `scheme "skip-list": want some of tickwheel`,
		"--schemes ,":                   `scheme ""`,
		"--out=":                        "want a folder",
		"heap":                          `argument "heap": schemes takes flags only`,
		"--clients 3":                   "--clients",
		"--timers 99999999999999999999": "99999999999999999999",
	} {
		r := simulate(t, append([]string{"schemes"}, strings.Fields(args)...)...)
		assert.Equal(t, exitUsage, r.code, args)
		assert.Empty(t, r.stdout, args)
		assert.Contains(t, r.stderr, want, args)
		assert.NotContains(t, r.stderr, "race: ", args)
		entries, err := os.ReadDir(r.dir)
		require.NoError(t, err)
		assert.Empty(t, entries, "%s: nothing is made", args)
	}
}
