package html

import (
	"encoding/json"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tickwheel/tickwheel/sim"
	"github.com/tickwheel/tickwheel/sim/report"
)

func TestTheVerdictIsInWords(t *testing.T) {
	s := results(t, nil, "nothing", "jitter", "jitter+cap+workers")
	v := judge(s)
	assert.Regexp(t, `^With jitter of 2 s, a cap of 4,000 and 4 workers, every tick stays within 50 ms: p99\.9 is [\d.]+ ms, the longest tick [\d.]+ ms\.$`, v.Headline)
	assert.Regexp(t, `^With nothing done about it, p99\.9 is [\d,.]+ ms and the longest tick takes 40\d ms; \d ticks of game time given up\.$`, v.Than)
	notes := strings.Join(v.Notes, "\n")
	assert.Contains(t, notes, `The longest tick under "nothing", at 24 s, is made by 40,000 × respawn (400 ms).`)
	assert.Contains(t, notes, "The price: ")
	assert.Contains(t, notes, "jitter of up to 2 s")
	assert.True(t, v.Good)
	require.Len(t, v.Tiles, 4)

	bad := results(t, nil, "jitter", "nothing")
	v = judge(bad)
	assert.Regexp(t, `^With nothing done about it, \d+ of \d+ ticks overrun 50 ms, and \d ticks were given up: `, v.Headline)
	assert.Regexp(t, `^With jitter of 2 s, `, v.Than)
	assert.False(t, v.Good)
	assert.Equal(t, v.Headline, Verdict(bad))

	alone := judge(results(t, nil, "cap"))
	assert.Empty(t, alone.Than)
	assert.Empty(t, alone.Tiles[0].Than)
	assert.Contains(t, alone.Notes[0], "The price: timers run up to ")
	idle := judge(results(t, nil, "nothing"))
	assert.Equal(t, "The longest tick, at 24 s, is made by 40,000 × respawn (400 ms).", idle.Notes[0])
	assert.Equal(t, "No timer ran late.", idle.Notes[1])

	assert.Contains(t, judge(interrupted(t)).Headline, "nothing to judge")
}

// V08: a suspended machine has no long tick. What it slept through is said.
func TestV08_GivenUpTicksAreInTheVerdict(t *testing.T) {
	s := results(t, nil, "cap")
	r := s.Runs[0]
	r.Summary.Overruns, r.Summary.ShedTicks = 0, 396
	v := judge(s)
	assert.Contains(t, v.Headline, "every tick stays within 50 ms, but 396 ticks were given up: ")
	assert.False(t, v.Good)
	assert.Contains(t, v.Tiles[2].Unit, ", 396 given up")
	assert.False(t, v.Tiles[2].Good)
	r.Summary.Overruns, r.Summary.ShedTicks = 2, 1
	assert.Contains(t, judge(s).Headline, "2 of 800 ticks overrun 50 ms, and 1 tick was given up: ")
}

func TestMilderPoliciesAreNamed(t *testing.T) {
	s := results(t, nil, "nothing", "jitter", "jitter+cap+workers")
	run := func(i, overruns int) { s.Runs[i].Summary.Overruns = overruns }
	run(0, 1)
	run(1, 0)
	run(2, 0)
	assert.Equal(t, "The mildest policy of this run that keeps every tick within the budget is jitter.", milder(s, s.Runs[2]))
	run(1, 1)
	assert.Equal(t, "No milder policy of this run keeps every tick within the budget.", milder(s, s.Runs[2]))
	run(2, 1)
	assert.Equal(t, "No policy of this run keeps every tick within the budget.", milder(s, s.Runs[2]))
}

func TestThePageHoldsItAll(t *testing.T) {
	s := results(t, nil, "nothing", "jitter+cap+workers")
	p := written(t, s)
	for _, want := range []string{
		judge(s).Headline, "jitter+cap+workers", s.Runs[0].TraceHash, "simulate run --policy nothing,cap --seed 7",
		"go1.25", "The scenario expects nothing.", "uPlot", "200 players",
	} {
		assert.Contains(t, p, want)
	}
	assert.NotRegexp(t, regexp.MustCompile(`(src|href)="(?:https?:)?//`), p, "it loads nothing")
	assert.NotContains(t, p, "ZgotmplZ", "the template trusts what it is given")
	assert.Equal(t, p, written(t, s), "the same results, the same bytes")
	_, rest, ok := strings.Cut(p, `<script id="data" type="application/json">`)
	require.True(t, ok)
	text, _, _ := strings.Cut(rest, "</script>")
	var d data
	require.NoError(t, json.Unmarshal([]byte(text), &d), "the data are JSON")
	require.Len(t, d.Runs, 2)
	assert.Len(t, d.Runs[0].Columns.At, len(s.Runs[0].Points))
	assert.Len(t, d.Runs[0].Slow, sim.SlowTicks)
	assert.Equal(t, "40,000 × respawn (400 ms)", d.Runs[0].Slow[0].Cause)
}

func TestThresholdsAreShownAndDecide(t *testing.T) {
	s := results(t, nil, "nothing", "jitter+cap+workers")
	s.Folders[0].Summary.Expect = []sim.Judgement{
		{Expectation: "tick.p99 < 40ms", Policy: "nothing", Met: true, Got: "31 ms"},
		{Expectation: "shed == 0", Policy: "nothing", Got: "7"},
		{Expectation: "shed == 0", Policy: "jitter+cap+workers", Met: true, Got: "0"},
	}
	v := judge(s)
	assert.False(t, v.Good)
	assert.Contains(t, v.Headline, "With nothing done about it", "the subject is judged")
	assert.Equal(t, "2 of 3 thresholds met.", v.Notes[0])
	p := written(t, s)
	assert.Contains(t, p, "<code>tick.p99 &lt; 40ms</code>")
	assert.Contains(t, p, `<td class="text bad">no</td>`)
	assert.NotContains(t, p, "expects nothing")
	s.Folders[0].Summary.Expect[1].Met = true
	assert.True(t, judge(s).Good, "what was expected decides, where something was")
}

func TestTheSubjectOfTheFolderIsJudged(t *testing.T) {
	s := results(t, nil, "nothing", "cap", "jitter+cap+workers")
	s.Folders[0].Subject = "cap"
	assert.Equal(t, s.Runs[1], subjectOf(s))
	s.Folders[0].Subject = "gone"
	assert.Equal(t, s.Runs[2], subjectOf(s), "the last")
}

func TestCausesAreWordsAPersonUnderstands(t *testing.T) {
	r := &report.Run{Names: []string{"", "storms and stalls"}, Folder: &report.Folder{Meta: report.Meta{IntervalMS: 50}}}
	slow := func(systems, timers, slowest time.Duration, what string, kinds ...report.KindTime) *report.SlowTick {
		k := report.Tick{Duration: systems + timers, Slowest: 1, SlowestTime: slowest}
		k.Phase[1], k.Phase[2] = timers, systems
		return &report.SlowTick{Tick: k, What: what, Kinds: kinds}
	}
	const ms = time.Millisecond
	assert.Equal(t, "GC pause (120 ms)", cause(r, slow(121*ms, 0, 120*ms, "GC pause")))
	assert.Equal(t, "systems, mostly storms and stalls (121 ms)", cause(r, slow(121*ms, 0, 120*ms, "")))
	for want, k := range map[string]report.KindTime{
		"a slow callback (400 ms)":            {Kind: "slow callback", Fired: 1, TimeMS: 400},
		"slow callback autosave (400 ms)":     {Kind: "autosave", Fired: 1, TimeMS: 400},
		"16 slow callbacks autosave (400 ms)": {Kind: "autosave", Fired: 16, TimeMS: 400},
		"4,000 × autosave (400 ms)":           {Kind: "autosave", Fired: 4000, TimeMS: 400},
	} {
		assert.Equal(t, want, cause(r, slow(0, 401*ms, 400*ms, "", k)))
	}
}

// Names come from files that somebody else may have written.
func TestNamesAreNeverMarkup(t *testing.T) {
	s := results(t, nil, "nothing", "cap")
	evil := `</script><script>alert(1)</script><img src=x onerror=alert(1)>`
	s.Meta.Scenario, s.Meta.About, s.Meta.Marks[0].Label = evil, evil, evil
	s.Runs[1].Label, s.Runs[1].Name, s.Runs[1].Names[1], s.Runs[1].TraceHash = evil, evil, evil, evil
	s.Runs[0].Slow[0].Kinds[0].Kind = evil
	s.Folders[0].Env.Command = []string{"simulate", evil}
	s.Folders[0].Env.Go = evil
	p := written(t, s)
	assert.NotContains(t, p, "<script>alert")
	assert.NotContains(t, p, "<img")
	assert.Equal(t, strings.Count(p, "<script"), strings.Count(p, "</script>"))
}

func TestTheCommandMakesTheSameAgain(t *testing.T) {
	for _, c := range []struct {
		command []string
		want    string
	}{
		{[]string{"simulate"}, "simulate --seed 9"},
		{[]string{"simulate", "--seed", "9"}, "simulate --seed 9"},
		{[]string{"simulate", "--seed", "0"}, "simulate --seed 9"},
		{[]string{"simulate", "--seed=0", "--quiet"}, "simulate --seed=9 --quiet"},
		{[]string{"simulate", "--out", "a b", "it's"}, `simulate --out 'a b' 'it'\''s' --seed 9`},
		{[]string{"simulate", ""}, "simulate '' --seed 9"},
	} {
		s := &report.Set{Folders: []*report.Folder{{Meta: report.Meta{Seed: 9}, Env: report.Environment{Command: c.command}}}}
		assert.Equal(t, []string{c.want}, commands(s))
	}
	assert.Empty(t, commands(&report.Set{Folders: []*report.Folder{{}}}))
	assert.Equal(t, []string{"simulate run " + filepath.Join("out", "scenario.yaml") + " --out again"},
		commands(&report.Set{Folders: []*report.Folder{{Dir: "out", Plan: true}}}))
}

func TestWordsOfFigures(t *testing.T) {
	assert.Equal(t, "0.00 9.99 10.0 25.3 100 1,002", strings.Join([]string{
		amount(0), amount(9.99), amount(9.999), amount(25.333), amount(99.96), amount(1001.7)}, " "))
	assert.Equal(t, "50 ms, 2 s, 90.05 s, 86,400 s", span(50)+", "+span(2000)+", "+span(90_050)+", "+span(86_400_000))
	assert.Equal(t, "a, b and c", and([]string{"a", "b", "c"}))
	assert.Equal(t, "a", and([]string{"a"}))
	assert.Empty(t, and(nil))
	assert.Equal(t, "1 tick, 1,000 ticks", things(1, "tick", "ticks")+", "+things(1000, "tick", "ticks"))
}
