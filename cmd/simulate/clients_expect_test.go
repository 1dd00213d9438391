package main

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tickwheel/tickwheel/cmd/simulate/clients"
)

func TestFleetExpectations(t *testing.T) {
	r := &clients.Result{
		TickMS: 50, Counts: clients.Counts{Lost: 3},
		Rows: map[string]clients.Row{"request": {Count: 10, Mean: 1, P50: 2, P90: 3, P99: 40, P999: 50, Max: 150}},
	}
	for s, want := range map[string]fleetJudgement{
		"request.p99 < 41ms":        {Met: true, Got: "40ms"},
		"request.p99<40ms":          {Met: false, Got: "40ms"},
		"request.p99 <= 40000us":    {Met: true, Got: "40ms"},
		"request.max <= 3ticks":     {Met: true, Got: "3 ticks"},
		"request.max < 3 ticks":     {Met: false, Got: "3 ticks"},
		"request.max > 0.1s":        {Met: true, Got: "150ms"},
		"request.count >= 10":       {Met: true, Got: "10"},
		"lost == 0":                 {Met: false, Got: "3"},
		"lost<=3":                   {Met: true, Got: "3"},
		"lost != 3":                 {Met: false, Got: "3"},
		"request.p99 <= 40000µs":    {Met: true, Got: "40ms"},
		"login.p99 < 1s":            {Met: false, Got: "no samples"},
		" request.mean == 1ms ":     {Met: true, Got: "1ms"},
		"request.p50 >= 0.002s":     {Met: true, Got: "2ms"},
		"request.p90 > 1ticks":      {Met: false, Got: "0.06 ticks"},
		"request.p999 < 51ms":       {Met: true, Got: "50ms"},
		"login_retried.count == 0 ": {Met: true, Got: "0"},
	} {
		e, err := parseFleetExpectation(s)
		require.NoError(t, err, s)
		want.Expect = s
		assert.Equal(t, want, e.judge(r), s)
	}
	r.TickMS = 0
	e, err := parseFleetExpectation("request.max < 99ticks")
	require.NoError(t, err)
	assert.False(t, e.judge(r).Met, "a tick of unknown length")

	for s, want := range map[string]string{
		"":                     "something like",
		"request.p99":          "something like",
		"request.p99 < 40":     `missing unit: write 40ms`,
		"request.p99 < 40min":  `unknown unit "min"`,
		"request.p98 < 40ms":   `no figure "p98": want one of count, max, mean`,
		"flight.p99 < 40ms":    `no row "flight": want one of request, ping`,
		"lost < 3ms":           "is a count: leave out the unit",
		"losses == 0":          `no count "losses": want one of abandoned`,
		"request.p99 < 1.2.3s": `is no value`,
		"request.p99 < -1ms":   "is no value",
	} {
		_, err := parseFleetExpectation(s)
		assert.ErrorContains(t, err, want, s)
	}
}
