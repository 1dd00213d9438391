package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A flag that cannot be read says its value and what is wanted, not what a parser says.
func TestFlagsSayWhatTheyWant(t *testing.T) {
	for args, want := range map[string]string{
		"--players 1e5":                 `"1e5" for "--players" flag: want a whole number, such as 1000`,
		"run --players NaN":             `"NaN" for "--players" flag: want a whole number, such as 1000`,
		"run --cap 9999999999999999999": `"--cap" flag: out of range: want a smaller number`,
		"run --seed -1":                 `"-1" for "--seed" flag: want a whole number, 0 or more`,
		"run --duration NaN":            `"NaN" for "--duration" flag: no length of time: write 5s, 500ms or 2m30s, say`,
		"run --duration 100000000h":     `"100000000h" for "--duration" flag: too long: want at most 10000h0m0s`,
		"run --jitter 5":                `"5" for "--jitter" flag: missing unit: write 5s or 500ms, say`,
		"compare --interval foo":        `"foo" for "--interval" flag: no length of time: write 5s`,
		"compare --cap 1,x":             `"1,x" for "--cap" flag: want a whole number`,
		"clients --rate 1e309":          `"1e309" for "--rate" flag: out of range: want a smaller number`,
		"clients --rate x":              `"x" for "--rate" flag: want a number, such as 0.5`,
		"schemes --timers x":            `"x" for "--timers" flag: want a whole number`,
		"run --quiet=x":                 `"x" for "--quiet" flag: want true or false`,
		"run --nonsense":                `unknown flag: --nonsense`,
	} {
		r := simulate(t, strings.Fields(args)...)
		assert.Equal(t, exitUsage, r.code, args)
		assert.Contains(t, r.stderr, want, args)
		for _, raw := range []string{"strconv", "time: invalid"} {
			assert.NotContains(t, r.stderr, raw, args)
		}
	}
}

// A scenario's mistakes are told, but not a line for each of a large file's.
func TestScenariosSayWhatIsWrong(t *testing.T) {
	for text, want := range map[string]string{
		"storms: [{name: s, do: timers, count: 3, at: 1s}]": "FILE:1: storms[1].due: missing: when do they run? write a part of the run, such as 60%\n",
		"duration: 100000000h":                              `FILE:1: duration: "100000000h": too long: want at most 10000h0m0s`,
		"jitter: x100h":                                     `FILE:1: jitter: "x100h": no length of time`,
		`name: "a\e[2Jb"`:                                   `FILE:1: name "a\x1b[2Jb": want letters, digits and signs`,
		`kinds: [{name: "a\nb", after: 1s}]`:                `FILE:1: kinds[1].name: "a\nb": want letters`,
		`storms: [{name: "a\u202eb", due: 1s}]`:             `FILE:1: storms[1].name: "a\u202eb": want letters`,
	} {
		dir := t.TempDir()
		require.NoError(t, os.WriteFile(filepath.Join(dir, "FILE"), []byte(text), 0o644))
		r := simulateIn(t, dir, "run", "FILE")
		assert.Equal(t, exitUsage, r.code, text)
		assert.Contains(t, r.stderr, want, text)
	}
	for text, lines := range map[string]int{
		strings.Repeat("k: 1\n", 30_000):                  22,
		"jobs:" + strings.Repeat("\n- {name: a}", 15_000): 22,
	} {
		dir := t.TempDir()
		require.NoError(t, os.WriteFile(filepath.Join(dir, "FILE"), []byte(text), 0o644))
		r := simulateIn(t, dir, "run", "FILE")
		assert.Equal(t, exitUsage, r.code)
		assert.Equal(t, lines, strings.Count(r.stderr, "\n"))
		assert.Regexp(t, `(?m)^simulate: … and \d+ more$`, r.stderr)
	}
}

// Spreadsheets begin a file with a mark of its order of bytes.
func TestCostsMayBeginWithAMark(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "FILE"), []byte("\ufeffwork,runs,ns\r\ntick,1,1000\r\n"), 0o644))
	r := simulateIn(t, dir, "init", "--from", "FILE", "--scenario", "steady")
	assert.Equal(t, exitOK, r.code, r.stderr)
	r = simulateIn(t, dir, "init", "")
	assert.Equal(t, exitUsage, r.code)
	assert.Contains(t, r.stderr, `argument "": want a file, or none for stdout`)
}

func TestAnUnknownShellIsRefused(t *testing.T) {
	r := simulate(t, "completion", "foo")
	assert.Equal(t, exitUsage, r.code)
	assert.Contains(t, r.stderr, "want bash, fish, powershell or zsh")
	assert.Equal(t, exitOK, simulate(t, "completion", "zsh").code)
}
