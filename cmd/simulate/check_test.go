package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tickwheel/tickwheel/sim/check"
)

func TestCheckRunsSeeds(t *testing.T) {
	r := simulate(t, "check", "--seed", "100", "--seeds", "40", "--quiet")
	assert.Equal(t, exitOK, r.code, r.stderr+r.stdout)
	assert.Regexp(t, `^40 seeds from 100: no rule was broken; trace [0-9a-f]{16}\n$`, r.stdout)
	assert.Empty(t, r.stderr)
	assert.NoDirExists(t, filepath.Join(r.dir, "out"), "nothing to keep")
	assert.Equal(t, r.stdout, simulate(t, "check", "--seed", "100", "--seeds", "40", "--quiet").stdout)

	one := simulate(t, "check", "--seed", "100", "--progress", "plain")
	assert.Equal(t, exitOK, one.code, one.stderr)
	assert.Contains(t, one.stdout, "1 seed from 100")
	assert.Contains(t, one.stderr, "seeds a minute")

	fresh := simulate(t, "check", "--seed", "0", "--options", "ops=none", "--quiet")
	assert.Equal(t, exitOK, fresh.code, fresh.stderr)
	assert.NotContains(t, fresh.stdout, " from 0:", "0 draws a seed, which is shown")
}

func TestCheckFindsACanary(t *testing.T) {
	r := simulate(t, "check", "--seed", "100", "--canary", "cap", "--quiet")
	assert.Equal(t, exitInvariant, r.code, r.stderr)
	assert.Contains(t, r.stdout, "canary 7, cap: found")
	assert.Contains(t, r.stdout, "BROKEN: ")

	// The command that is printed repeats it.
	_, command, ok := strings.Cut(r.stdout, "repeat   simulate ")
	require.True(t, ok, r.stdout)
	command, _, _ = strings.Cut(command, "\n")
	again := simulate(t, append(strings.Fields(command), "--seeds", "1", "--quiet")...)
	assert.Equal(t, exitInvariant, again.code, again.stderr)
	what := func(s string) string {
		_, s, _ = strings.Cut(s, "what     ")
		s, _, _ = strings.Cut(s, "\n")
		return s
	}
	assert.Equal(t, what(r.stdout), what(again.stdout))
	assert.Equal(t, exitInvariant, simulate(t, "check", "--seed", "100", "--canary", "7", "--quiet").code, "by number")
}

func TestCheckSaysThatACanaryWasNotFound(t *testing.T) {
	r := simulate(t, "check", "--seed", "100", "--canary", "cap", "--options", "budget=0,off=budget+panic+goexit", "--quiet")
	assert.Equal(t, exitFailed, r.code)
	assert.Contains(t, r.stdout, "canary 7, cap: not found in 200 seeds")
	assert.Contains(t, r.stderr, "simulate: not found in 200 seeds: cap")
}

func TestCheckForPrograms(t *testing.T) {
	r := simulate(t, "check", "--seed", "100", "--seeds", "5", "--json", "--quiet")
	require.Equal(t, exitOK, r.code, r.stderr)
	var got struct {
		From        uint64
		Seeds, Done int
		TraceHash   string `json:"trace_hash"`
		Failure     any
	}
	require.NoError(t, json.Unmarshal([]byte(r.stdout), &got))
	assert.Equal(t, uint64(100), got.From)
	assert.Equal(t, 5, got.Done)
	assert.Len(t, got.TraceHash, 16)
	assert.Nil(t, got.Failure)

	r = simulate(t, "check", "--seed", "100", "--canary", "all", "--json", "--quiet")
	require.Equal(t, exitInvariant, r.code, r.stderr)
	var canaries []struct {
		Name    string
		Found   bool
		Failure struct{ Command string }
	}
	require.NoError(t, json.Unmarshal([]byte(r.stdout), &canaries))
	assert.GreaterOrEqual(t, len(canaries), 10)
	for _, c := range canaries {
		assert.True(t, c.Found, c.Name)
		assert.Contains(t, c.Failure.Command, "--canary "+c.Name)
	}
}

func TestCheckRefusesWrongUse(t *testing.T) {
	for _, args := range [][]string{
		{"--seeds", "0"}, {"--seeds", "-1"}, {"--seeds", "x"}, {"--seed", "-1"}, {"--options", "ticks=0"}, {"--options", "x"},
		{"--canary", "x"}, {"--canary", ""}, {"--out", ""}, {"a.txt", "b.txt"}, {"a.txt", "--seed", "3"}, {"a.txt", "--canary", "cap"}, {"--progress", "x"},
	} {
		r := simulate(t, append([]string{"check"}, args...)...)
		assert.Equal(t, exitUsage, r.code, args)
		assert.Contains(t, r.stderr, "simulate: ", args)
		assert.Contains(t, r.stderr, `Run "simulate check --help"`, args)
	}
}

// The page names every canary, option and feature.
func TestThePageExplainsCheck(t *testing.T) {
	page, err := os.ReadFile("../../docs/check.md")
	require.NoError(t, err)
	help := simulate(t, "check", "--help")
	assert.Equal(t, exitOK, help.code)
	for _, flag := range []string{"--seeds", "--seed", "--options", "--canary", "--out"} {
		assert.Contains(t, help.stdout, flag)
		assert.Contains(t, string(page), flag)
	}
	r := simulate(t, "check", "--options", "x", "--quiet")
	_, names, _ := strings.Cut(r.stderr, "with a name of ")
	names, _, _ = strings.Cut(names, "\n")
	for _, n := range strings.Split(names, ", ") {
		assert.Contains(t, string(page), "`"+n+"`", "option")
	}
	r = simulate(t, "check", "--options", "off=x", "--quiet")
	_, names, _ = strings.Cut(r.stderr, "is none of ")
	names, _, _ = strings.Cut(names, "\n")
	for _, n := range strings.Split(names, ", ") {
		assert.Contains(t, string(page), "`"+n+"`", "feature")
	}
	r = simulate(t, "check", "--canary", "x", "--quiet")
	_, names, _ = strings.Cut(r.stderr, "or one of ")
	names, _, _ = strings.Cut(names, "\n")
	for _, n := range strings.Split(names, ", ") {
		assert.Contains(t, string(page), "`"+n+"`", "canary")
	}
}

// keptFile is the report of a planted bug, as a failure is kept.
func keptFile(t *testing.T) string {
	t.Helper()
	r := simulate(t, "check", "--seed", "100", "--canary", "cap", "--quiet")
	_, text, ok := strings.Cut(r.stdout, "\n\n")
	require.True(t, ok, r.stdout)
	return text
}

func TestCheckRepeatsAFailureThatWasKept(t *testing.T) {
	text := keptFile(t)
	file := filepath.Join(t.TempDir(), "kept.txt")
	write := func(text string) { require.NoError(t, os.WriteFile(file, []byte(text), 0o600)) }
	write(text)
	r := simulate(t, "check", file, "--quiet")
	assert.Equal(t, exitInvariant, r.code, r.stderr)
	assert.Equal(t, text, r.stdout)
	assert.Contains(t, r.stderr, "seed 100 still breaks the rule: the cap holds")

	write(strings.Replace(text, "broken   the cap holds", "broken   never early", 1))
	r = simulate(t, "check", file, "--quiet")
	assert.Equal(t, exitInvariant, r.code, r.stderr)
	assert.Contains(t, r.stderr, "breaks another rule: the cap holds instead of: never early")

	write(strings.Replace(text, " --canary cap", "", 1))
	r = simulate(t, "check", file, "--quiet")
	assert.Equal(t, exitOK, r.code, r.stderr)
	assert.Contains(t, r.stdout, "seed 100 breaks no rule any more")
	r = simulate(t, "check", file, "--quiet", "--json")
	assert.Equal(t, exitOK, r.code, r.stderr)
	assert.Contains(t, r.stdout, `"broken": false`)
}

func TestCheckRefusesAFileThatIsCutShort(t *testing.T) {
	file := filepath.Join(t.TempDir(), "kept.txt")
	for text, want := range map[string]string{
		"": "cut short", keptFile(t)[:150]: "cut short", "seed 3": "cut short",
	} {
		require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
		r := simulate(t, "check", file)
		assert.Equal(t, exitFailed, r.code, text)
		assert.Contains(t, r.stderr, want, text)
	}
	r := simulate(t, "check", file+".none")
	assert.Equal(t, exitFailed, r.code)
	assert.Contains(t, r.stderr, "kept.txt.none")
}

// The failure comes first: whoever can't keep it is told it all the same.
func TestCheckTellsOfAFailureThatItCantKeep(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	for _, c := range []struct{ out, want string }{
		{file, "simulate: it is not kept: "},
		{filepath.Join(file, "below"), "simulate: it is not kept: "},
		{filepath.Join(t.TempDir(), "new"), "simulate: kept as "},
	} {
		for _, asJSON := range []bool{false, true} {
			var stdout, stderr strings.Builder
			h := hunt{shared: shared{stdout: &stdout, stderr: &stderr, progress: "none", json: asJSON}, out: c.out}
			h.batch = check.Batch{From: 100, Seeds: 20, Canary: 7}
			require.ErrorIs(t, h.hunt(t.Context()), errInvariant)
			assert.Contains(t, stderr.String(), "simulate: seed 100 breaks a rule: the cap holds")
			assert.Contains(t, stderr.String(), c.want)
			assert.Contains(t, stdout.String(), "over the cap of 1")
		}
	}
}
