package sim

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A run by hand: nothing but a storm of 20,000 of 10 µs under a cap of 4,000, in
// ticks of 50 ms that take 0.1 ms when they are empty.
func TestExpectations(t *testing.T) {
	r := play(t, storm(20_000), policy(t, "cap"), Options{})
	for text, got := range map[string]string{
		"tick.p50 == 100us":       "100µs",
		"tick.max < 40.2ms":       "40.1ms",
		"tick.max <= 0.0401s":     "40.1ms",
		"tick.max<1tick":          "0.802 ticks",
		"timer_late.max <= 4tick": "4 ticks",
		"timer_late.max<=4 ticks": "4 ticks",
		"timer_late.max == 200ms": "200ms",
		"start_late.max == 0ms":   "0s",
		"shed == 0":               "0",
		"overruns != 1":           "0",
		"backlog_max >= 16000":    "16000",
		"fired > 19999":           "20000",
		"jobs.run == 0":           "0",
	} {
		e, err := ParseExpectation(text, "cap")
		require.NoError(t, err, text)
		j := e.Judge(r)
		assert.True(t, j.Met, "%s: %+v", text, j)
		assert.Equal(t, got, j.Got, text)
		assert.Equal(t, "cap", j.Policy)
	}
	for _, text := range []string{"tick.max < 40ms", "tick.max > 40.1ms", "shed > 0", "timer_late.max < 4ticks", "fired == 1", "fired != 20000"} {
		e, err := ParseExpectation(text, "cap")
		require.NoError(t, err, text)
		assert.False(t, e.Judge(r).Met, text)
	}
}

func TestExpectationsNameAPolicy(t *testing.T) {
	e, err := ParseExpectation("jitter+cap : tick.max > 50ms", "nothing")
	require.NoError(t, err)
	assert.Equal(t, "jitter+cap", e.Policy)
	assert.Equal(t, "tick.max > 50ms", e.Text)
}

// What was not measured is not met, whatever it is compared with.
func TestNoSamplesAreNotMet(t *testing.T) {
	sc := SpawnStorm()
	sc.Players, sc.Storm, sc.Duration = 0, 0, time.Second
	r := play(t, sc, policy(t, "nothing"), Options{})
	none := &Recording{Scenario: sc}
	for _, m := range Measures() {
		for _, op := range ops {
			literal := "5"
			if strings.Contains(m, ".p") || strings.Contains(m, ".max") {
				literal = "5ms"
			}
			e, err := ParseExpectation(m+" "+op+" "+literal, "nothing")
			require.NoError(t, err, m)
			assert.Equal(t, Judgement{Expectation: e.Text, Policy: "nothing", Got: "no samples", Subject: "nothing"}, e.Judge(none), m)
			if strings.HasPrefix(m, "timer_late") {
				assert.False(t, e.Judge(r).Met, "%s: no timer ran", m)
			}
		}
	}
}

func TestBadExpectations(t *testing.T) {
	for text, want := range map[string]string{
		"":                      "want a measure",
		"tick.p99":              "want a measure, one of <=",
		"tick.p99 = 5ms":        "want a measure, one of <=",
		"tick.p99 < 5":          "missing unit: write 40ms or 2ticks",
		"tick.p99 < 5h":         `unknown unit "h": want us, ms, s, tick or ticks`,
		"tick.p99 < NaN":        `"NaN" is no value`,
		"tick.p99 < Infms":      "is no value",
		"tick.p99 < -5ms":       "is no value",
		"tick.p99 < 1.2.3ms":    "is no value",
		"tick.p99 < ":           "is no value",
		"shed == 0ticks":        `shed is a count: leave out the unit "ticks"`,
		"tick.p98 < 5ms":        `unknown measure "tick.p98": want one of tick.p50`,
		"tick_ms.p99 < 5ms":     `unknown measure "tick_ms.p99"`,
		"tick.p99 < 5ms < 10ms": "unknown unit",
	} {
		_, err := ParseExpectation(text, "x")
		assert.ErrorContains(t, err, want, text)
		assert.ErrorContains(t, err, "sim: expect ", text)
	}
}

// Judgements are the same in every file.
func TestJudgementAsJSON(t *testing.T) {
	b, err := json.Marshal(Judgement{Expectation: "shed == 0", Policy: "cap", Met: true, Got: "0"})
	require.NoError(t, err)
	assert.JSONEq(t, `{"expect":"shed == 0","policy":"cap","met":true,"got":"0"}`, string(b))
}
