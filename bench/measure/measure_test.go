package measure_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tickwheel/tickwheel/bench/measure"
	"github.com/tickwheel/tickwheel/bench/peer"
)

// Every case of the full comparison runs, with few timers; those that last long by
// their nature (a day of ticks, ten seconds of real time) once for ours.
func TestEveryCaseRuns(t *testing.T) {
	seen := map[string]bool{}
	for _, c := range measure.Plan(false, 1) {
		c.Quick = true
		c.N = map[string]int{"W1": 300, "W4": 600, "W7": 4}[c.Measure]
		if c.N == 0 {
			c.N = 900
		}
		long := c.Variant == "worst" || c.Measure == "W2" && c.Peer == "go-runtime" || c.Measure == "W1" && c.Peer == "gost"
		if key := fmt.Sprint(c); seen[key] || long && c.Peer != "tickwheel" {
			continue
		} else {
			seen[key] = true
		}
		t.Run(fmt.Sprint(c), func(t *testing.T) {
			row, err := measure.Run(c)
			require.NoError(t, err)
			assert.Equal(t, c.Measure, row.Measure)
			assert.Equal(t, c.Peer, row.Peer)
			text, err := json.Marshal(row)
			require.NoError(t, err)
			assert.NotContains(t, string(text), "null")
			switch {
			case c.Measure == "W4":
				assert.NotNil(t, row.GCMS)
			case c.Variant == "worst":
				assert.Zero(t, *row.MovedMax, "the wheel moves nothing")
				assert.Positive(t, *row.FiredMax)
			case c.Variant == "best4":
				assert.Less(t, *row.RatioToMean, 2.0)
			}
			if c.Measure == "W1" && c.Peer == "tickwheel" {
				assert.Zero(t, *row.Allocs)
			}
		})
	}
}

func TestBadCasesAreErrors(t *testing.T) {
	for _, c := range []measure.Case{
		{Measure: "W9", N: 1, Peer: "tickwheel"},
		{Measure: "W1", N: 0, Peer: "tickwheel"},
		{Measure: "W1", N: 10, Peer: "nano"},
		{Measure: "W1", N: 10, Peer: "heap", Group: true},
		{Measure: "W3", N: 10, Peer: "tickwheel", Variant: "busy"},
		{Measure: "W5", N: 10, Peer: "tickwheel"},
		{Measure: "W7", N: 1, Peer: "heap"},
		{Measure: "W8", N: 10, Peer: "tickwheel", Variant: "best9"},
	} {
		_, err := measure.Run(c)
		assert.Error(t, err, "%s", c)
	}
}

func TestPlanKeepsToLimits(t *testing.T) {
	one := measure.Plan(false, 1)
	assert.Len(t, measure.Plan(false, 3), 3*len(one))
	assert.Less(t, len(measure.Plan(true, 1)), len(one))
	for _, c := range one {
		if k, err := peer.Find(c.Peer); err == nil && c.Measure < "W7" {
			assert.LessOrEqual(t, c.N, k.Limit(c.Measure), "%s", c)
		}
	}
}
