package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tickwheel/tickwheel/sim/report"
)

func TestARunWritesItsFiles(t *testing.T) {
	r := simulate(t, quick("--seed", "7")...)
	require.Equal(t, exitOK, r.code, r.stderr)
	assert.Contains(t, r.stdout, "scenario spawn-storm, seed 7, virtual clock, 2s in ticks of 50ms\n")
	assert.Regexp(t, `(?m)^ *nothing +\d`, r.stdout)
	assert.Regexp(t, `(?m)^ *cap +\d`, r.stdout)
	assert.Contains(t, r.stdout, "Results in out: look at "+filepath.Join("out", "tick-latency.png"))
	assert.Equal(t, "1/2 nothing\n2/2 cap\n", r.stderr, "progress: a line a policy where no terminal is")
	for _, f := range report.Files() {
		assert.NotEmpty(t, r.file(t, f), f)
	}
	assert.Contains(t, string(r.file(t, "environment.json")), `"--seed"`)
}

func TestSameSeedSameBytes(t *testing.T) {
	args := quick("--seed", "7", "--quiet", "--policy", "nothing,jitter,cap,jitter+cap,jitter+cap+workers")
	a, b := simulate(t, args...), simulate(t, args...)
	for _, f := range report.Files() {
		if f != "environment.json" {
			assert.Equal(t, string(a.file(t, f)) == string(b.file(t, f)), true, f)
		}
	}
	assert.Equal(t, a.stdout, b.stdout)
	c := simulate(t, append(args, "--seed", "8")...)
	assert.NotEqual(t, a.file(t, "summary.json"), c.file(t, "summary.json"))
}

// A seed that is drawn is printed, and reproduces the run.
func TestSeed0DrawsOne(t *testing.T) {
	a := simulate(t, quick("--seed", "0")...)
	require.Equal(t, exitOK, a.code, a.stderr)
	m := regexp.MustCompile(`seed (\d+),`).FindStringSubmatch(a.stdout)
	require.Len(t, m, 2)
	assert.NotEqual(t, "0", m[1])
	b := simulate(t, quick("--seed", m[1])...)
	assert.Equal(t, string(a.file(t, "summary.json")), string(b.file(t, "summary.json")))
	c := simulate(t, quick("--seed", "0")...)
	assert.NotEqual(t, a.stdout, c.stdout, "another one each time")
}

func TestQuietIsSilent(t *testing.T) {
	r := simulate(t, quick("--quiet", "--profile", "cpu")...)
	assert.Equal(t, exitOK, r.code)
	assert.Empty(t, r.stderr)
	assert.NotEmpty(t, r.stdout)
}

func TestProfiles(t *testing.T) {
	for kind, file := range map[string]string{"cpu": "cpu.pprof", "mem": "mem.pprof", "trace": "trace.out"} {
		r := simulate(t, quick("--profile", kind)...)
		assert.Equal(t, exitOK, r.code, r.stderr)
		assert.NotEmpty(t, r.file(t, file), kind)
	}
}

func TestHelp(t *testing.T) {
	r := simulate(t, "--help")
	assert.Equal(t, exitOK, r.code)
	assert.Empty(t, r.stderr)
	assert.Contains(t, r.stdout, "Examples:\n  simulate ")
	for _, f := range strings.Fields("policy jitter cap workers seed interval duration players storm clock out profile quiet progress json") {
		assert.Contains(t, r.stdout, "--"+f+" ", f)
	}
	assert.Contains(t, r.stdout, "130 interrupted")
}

func TestWrongUse(t *testing.T) {
	for _, c := range []struct {
		args string
		want []string // in stderr: the value and the remedy
	}{
		{"--policy foo", list(`policy "foo"|want "nothing", or some of jitter, cap and workers`)},
		{"--policy nothing,,cap", list(`"nothing,,cap"|empty name|write it like`)},
		{"--policy cap,cap", list(`"cap" stands twice`)},
		{"--cap -1", list("cap -1|want 0 (no limit) or more")},
		{"--cap x", list(`"x"|--cap`)},
		{"--cap 99999999999999999999", list(`"99999999999999999999"|--cap|out of range`)},
		{"--workers -1", list("-1 workers|want 0")},
		{"--workers 5000", list("5000 workers|to 4096")},
		{"--jitter 5", list(`"5"|--jitter|missing unit|write 5s or 500ms`)},
		{"--jitter -1s", list("jitter -1s|want 0 (none) to 1h")},
		{"--duration 0", list("duration 0s|want at least one tick of 50ms")},
		{"--duration 10000h", list("duration 10000h0m0s|at most 1000000 ticks of 50ms|take a longer interval")},
		{"--interval 1us", list("interval 1µs|want 1ms to 10s")},
		{"--interval 11s", list("interval 11s|want 1ms to 10s")},
		{"--players -1", list("-1 players|want 0 to 1000000")},
		{"--storm -1", list("a storm of -1|want 0 to 4000000")},
		{"--seed -1", list(`"-1"|--seed`)},
		{"--clock foo", list(`clock "foo"|want virtual or real`)},
		{"--profile foo", list(`profile "foo"|want cpu, mem or trace`)},
		{"--out=", list(`out ""|want a folder`)},
		{"--nonsense", list("--nonsense")},
		{"nonsense", list(`unknown verb "nonsense"|want one of |or flags only`)},
		{"run nonsense", list(`unknown scenario "nonsense"|want autosave-stall|spawn-storm|or a file`)},
		{"run spawn-storm again", list(`argument "again"|want one scenario`)},
		{"--progress foo", list(`progress "foo"|want auto, bar, plain, none`)},
		{"--quiet --progress bar", list("--quiet means --progress none|leave out one")},
		{"--cap -1 --storm -1 --clock foo", list(`cap -1|a storm of -1|clock "foo"`)},
	} {
		r := simulate(t, strings.Fields(c.args)...)
		assert.Equal(t, exitUsage, r.code, c.args)
		assert.Empty(t, r.stdout, c.args)
		for _, want := range append(c.want, `--help" for the flags.`) {
			assert.Contains(t, r.stderr, want, c.args)
		}
		messages, _, _ := strings.Cut(r.stderr, `Run "simulate`)
		for l := range strings.Lines(messages) {
			assert.Regexp(t, `^simulate: [^:]`, l, "%s: who speaks, once", c.args)
			assert.NotContains(t, l, "sim: ", c.args)
		}
		entries, err := os.ReadDir(r.dir)
		require.NoError(t, err)
		assert.Empty(t, entries, "%s: nothing is made", c.args)
	}
}

func list(s string) []string { return strings.Split(s, "|") }

func TestFailures(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	require.NoError(t, os.WriteFile(file, nil, 0o644))
	r := simulateIn(t, dir, quick("--out", "file")...)
	assert.Equal(t, exitFailed, r.code)
	assert.Equal(t, "simulate: no folder for results: mkdir file: not a directory: choose another folder\n", r.stderr)
	assert.Empty(t, r.stdout, "told before the run, not after it")

	blocked := t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(blocked, "out", "summary.json"), 0o755))
	r = simulateIn(t, blocked, quick()...)
	assert.Equal(t, exitFailed, r.code)
	assert.Contains(t, r.stderr, "summary.json")
	assert.Contains(t, r.stderr, "remove what stands there")
}

// Values at the edge of what is allowed are runs like others.
func TestEdges(t *testing.T) {
	for _, args := range []string{
		"--cap 0", "--cap 1", "--cap 9223372036854775807", "--workers 0 --policy workers", "--workers 4096 --policy workers",
		"--storm 0", "--players 0", "--players 0 --storm 0", "--duration 50ms", "--jitter 0 --policy jitter",
		"--jitter 1h --policy jitter", "--seed 18446744073709551615", "--interval 1ms", "--interval 10s --duration 100s",
		"--policy nothing,jitter,cap,workers,jitter+cap,cap+jitter,jitter+workers,cap+workers,jitter+cap+workers,workers+cap+jitter,cap+jitter+workers,workers+jitter",
	} {
		r := simulate(t, quick(strings.Fields(args)...)...)
		assert.Equal(t, exitOK, r.code, "%s: %s", args, r.stderr)
		var s report.Summary
		assert.NoError(t, json.Unmarshal(r.file(t, "summary.json"), &s), args)
		assert.NotEmpty(t, s.Policies, args)
	}
}

func TestRealClockMeasures(t *testing.T) {
	r := simulate(t, "--clock", "real", "--duration", "1s", "--players", "20", "--storm", "500", "--policy", "jitter+cap+workers")
	require.Equal(t, exitOK, r.code, r.stderr)
	assert.Contains(t, r.stdout, "real clock, 1s in ticks of 50ms")
	var s report.Summary
	require.NoError(t, json.Unmarshal(r.file(t, "summary.json"), &s))
	assert.Equal(t, "real", s.Clock)
	assert.Equal(t, int64(20), s.Ticks)
	assert.Positive(t, s.Policies[0].TickMS.P50)
	assert.Positive(t, s.Policies[0].Fired)
}

// No verb is "run spawn-storm": same flags, same files, same output.
func TestNoVerbIsRun(t *testing.T) {
	args := quick("--seed", "7")
	a := simulate(t, args...)
	b := simulate(t, append([]string{"run", "spawn-storm"}, args...)...)
	c := simulate(t, append([]string{"run"}, args...)...)
	for _, r := range []result{b, c} {
		require.Equal(t, exitOK, r.code, r.stderr)
		assert.Equal(t, a.stdout, r.stdout)
		assert.Equal(t, a.stderr, r.stderr)
		assert.Equal(t, string(a.file(t, "summary.json")), string(r.file(t, "summary.json")))
	}
}

func TestJSONIsTheSummary(t *testing.T) {
	r := simulate(t, quick("--json", "--progress", "none")...)
	require.Equal(t, exitOK, r.code, r.stderr)
	assert.Empty(t, r.stderr)
	assert.Equal(t, string(r.file(t, "summary.json")), r.stdout)
}

func TestProgressModes(t *testing.T) {
	assert.Equal(t, "1/2 nothing\n2/2 cap\n", simulate(t, quick("--progress", "plain")...).stderr)
	assert.Empty(t, simulate(t, quick("--progress", "none")...).stderr)
	assert.Empty(t, simulate(t, quick("--progress", "none", "--quiet")...).stderr)
	assert.Contains(t, simulate(t, quick("--progress", "bar")...).stderr, "\r\x1b[K1/2 nothing", "also where no terminal is")
}

func TestCompletion(t *testing.T) {
	for _, shell := range strings.Fields("bash zsh fish powershell") {
		r := simulate(t, "completion", shell)
		assert.Equal(t, exitOK, r.code)
		assert.Contains(t, r.stdout, "simulate", shell)
	}
	assert.Contains(t, simulate(t, "__complete", "run", "").stdout, "spawn-storm")
	assert.Contains(t, simulate(t, "__complete", "run", "--progress", "").stdout, "plain")
}

func TestExitCodes(t *testing.T) {
	for code, err := range map[int]error{
		exitOK: nil, exitFailed: os.ErrNotExist, exitUsage: &usageError{os.ErrInvalid},
		exitThreshold: errThreshold, exitInvariant: errInvariant, exitInterrupted: errInterrupted,
	} {
		assert.Equal(t, code, exitCodeOf(err))
	}
}
