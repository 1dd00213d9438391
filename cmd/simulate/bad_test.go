package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// bad is a row of the table in docs/scenarios.md: what is given, and what for.
type bad struct {
	input string // as the page calls it
	yaml  string // a scenario file, if any
	args  string // "FILE" is that file
	code  int
	gives string // in stderr of a failure, in stdout of a success
}

var badInput = []bad{
	{"an unknown key", "plaiers: 5", "run FILE", exitUsage, "FILE:1: unknown key plaiers: did you mean players?"},
	{"a key that stands twice", "players: 1\nplayers: 2", "run FILE", exitUsage, "FILE:2: players stands twice: leave one out"},
	{"a missing unit", "jitter: 5", "run FILE", exitUsage, `FILE:1: jitter: "5": missing unit: write 5s or 500ms`},
	{"a negative rate", "actions: -1/s", "run FILE", exitUsage, `FILE:1: actions: "-1/s": negative rate: want 0 or more`},
	{"cap 0", "", "--cap 0 --policy cap", exitOK, "cap "},
	{"a negative cap", "", "--cap -1", exitUsage, "cap -1: want 0 (no limit) or more"},
	{"jitter longer than the delay", "", "--jitter 10s --policy jitter", exitOK, "jitter "},
	{"an inverted range", "kinds: [{name: a, after: 8s..1s}]", "run FILE", exitUsage, `FILE:1: kinds[1].after: "8s..1s": the range is empty: write the shorter length first`},
	{"a list of lengths with one that is none", "costs: {input: 1ms 2}", "run FILE", exitUsage, `FILE:1: costs.input: "1ms 2": missing unit: write 5s or 500ms, say`},
	{"a grace without losses", "sessions: {grace: 5s}", "run FILE", exitUsage, "FILE:1: sessions.grace: nobody loses a connection: give sessions lost, add a storm with do: disconnect, or leave it out"},
	{"a gap after which nobody comes", "sessions: {lost: 1m, gap: 5s}", "run FILE", exitUsage, "FILE:1: sessions.gap: nobody comes back: give sessions reconnecting, or leave it out"},
	{"a negative grace", "sessions: {lost: 1m, grace: -5s}", "run FILE", exitUsage, "FILE:1: sessions.grace: -5s: want 0s (none) to 10000h0m0s"},
	{"NaN", "sessions: {returning: NaN%}", "run FILE", exitUsage, `FILE:1: sessions.returning: "NaN%": no probability: want 0% to 100%`},
	{"a duration of 0", "", "--duration 0", exitUsage, "duration 0s: want at least one tick of 50ms"},
	{"one tick", "", "--duration 50ms", exitOK, "nothing "},
	{"no timers", "duration: 5s\nplayers: 0\npolicy: nothing", "run FILE", exitOK, "nothing "},
	{"no timers, but something is expected of them", "duration: 5s\npolicy: nothing\nexpect: [timer_late.max < 1tick]", "run FILE", exitThreshold, "1 of 1 expectations are not met"},
	{"ten thousand storms at once", "duration: 5s\npolicy: cap\nstorms:\n" + strings.Repeat("  - {name: a, due: 50%, count: 3}\n", 10_000), "run FILE", exitOK, "cap "},
	{"a storm that is due after the end", "storms: [{name: a, due: 90s}]", "run FILE", exitUsage, "FILE:1: storms[1].due: 1m30s: want a moment from at (0s) to the end (1m0s)"},
	{"--storm without a storm that uses it", "players: 5", "run FILE --storm 7", exitUsage, "storm 7: no storm of FILE takes its number from it: leave it out"},
	{"--cap without a policy that uses it", "", "run mass-login --cap 500", exitUsage, "cap 500: no policy of nothing,workers uses it: add cap to --policy, say, or leave it out"},
	{"a stall as long as its period", "stalls: [{do: gc, every: 5s, for: 5s}]", "run FILE", exitUsage, "FILE:1: stalls[1].every: 5s: want more than the 5s of each"},
	{"a clock step on the real clock", "stalls: [{do: clock-step, for: 1h}]", "run FILE --clock real", exitUsage, "FILE:1: stalls[1].do: clock-step does not put the machine's clock forward: take --clock virtual"},
	{"an empty file", "# nothing\n", "run FILE", exitUsage, `FILE: the file is empty: "simulate init" writes one to start from`},
	{"what is no YAML", "a: [", "run FILE", exitUsage, "FILE: no YAML: line 1: did not find expected node content"},
	{"a file that is not there", "", "run nowhere.yaml", exitUsage, `no scenario: open nowhere.yaml: no such file or directory: "simulate init nowhere.yaml" writes one`},
	{"an unknown scenario", "", "run nonsense", exitUsage, `unknown scenario "nonsense": want autosave-stall, boss-event`},
	{"an unknown policy", "", "--policy foo", exitUsage, `unknown policy "foo": want "nothing", or some of jitter, cap and workers`},
	{"an unknown measure", "", "--expect tick.p98<5ms", exitUsage, `expect "tick.p98<5ms": unknown measure "tick.p98": want one of tick.p50`},
	{"an expectation without unit", "", "--expect tick.p99<5", exitUsage, `expect "tick.p99<5": missing unit: write 40ms or 2ticks, say`},
	{"a subject that is not played", "", "--subject foo", exitUsage, `subject "foo" is not among the policies: take one of them, or add it to policy`},
	{"--out that is a file", "", "--out FILE", exitFailed, "no folder for results: mkdir FILE: not a directory: choose another folder"},
	{"init from a folder without measured costs", "", "init --from FOLDER", exitUsage, `FOLDER has no costs.csv: "simulate run --clock real --out FOLDER" measures costs`},
	{"init from a file that has none", "x", "init --from FILE --scenario steady", exitUsage, `FILE:1: "x": want the head line work,runs,ns`},
	{"an empty expectation", "", "--expect=", exitUsage, `expect "": want a measure, one of <= >= == != < >, and a value, such as tick.p99 < 40ms`},
	{"a part of a count", "", "--expect shed==1.5", exitUsage, `expect "shed==1.5": shed is a count: want a whole number, not 1.5`},
	{"a cost of more than an hour", "kinds: [{name: a, every: 1s, cost: 2h}]", "run FILE", exitUsage, "FILE:1: kinds[1].cost: 2h0m0s: want at most 1h0m0s at the speed of the machine, with its spread"},
	{"a device as scenario", "", "run /dev/zero", exitUsage, "/dev/zero is a device or a socket: want a file or a pipe"},
	{"init with a name that is taken", "x", "init FILE", exitUsage, "FILE is there already: choose another name, or remove it"},
}

// quickRun are flags that make the built-in scenario short.
const quickRun = " --players 5 --storm 50 --quiet"

func TestBadInputIsTold(t *testing.T) {
	page, err := os.ReadFile("../../docs/scenarios.md")
	require.NoError(t, err)
	for _, c := range badInput {
		dir := t.TempDir()
		require.NoError(t, os.WriteFile(filepath.Join(dir, "FILE"), []byte(c.yaml), 0o644))
		require.NoError(t, os.Mkdir(filepath.Join(dir, "FOLDER"), 0o755))
		args := strings.Fields(c.args)
		if strings.HasPrefix(c.args, "--") {
			args = append(strings.Fields("--duration 1s"+quickRun), args...)
		}
		r := simulateIn(t, dir, args...)
		assert.Equal(t, c.code, r.code, "%s: %s", c.input, r.stderr)
		if c.code == exitOK {
			assert.Contains(t, r.stdout, c.gives, c.input)
			assert.NotEmpty(t, r.file(t, "tick-latency.png"), c.input)
		} else {
			assert.Contains(t, r.stderr, c.gives, c.input)
			assert.NotContains(t, r.stderr, "panic", c.input)
		}
		assert.Contains(t, string(page), row(c), "docs/scenarios.md")
	}
}

// row is what the page has.
func row(c bad) string {
	gives := "`" + c.gives + "`"
	switch c.input {
	case "cap 0":
		gives = "a run without limit"
	case "jitter longer than the delay":
		gives = "a run: jitter is behind the time only"
	case "one tick":
		gives = "a run of one tick, with pictures"
	case "no timers":
		gives = "a run of empty ticks, with pictures"
	case "ten thousand storms at once":
		gives = "a run; pictures mark the first twelve"
	}
	return fmt.Sprintf("| %s | %d | %s |\n", c.input, c.code, gives)
}
