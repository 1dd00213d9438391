package sim

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Costs of which the sum would leave an int64 are refused, by key and bound.
func TestCostsThatNoTickEndsAreRefused(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"players: 1000\ncosts: {movement: 100h}", "x:2: costs.movement: 100h0m0s for each of 1000 players: want at most 1h0m0s a tick for all"},
		{"players: 1000000\ncosts: {movement: 10000h}", "x:2: costs.movement: "},
		{"costs: {tick: 61m}", "x:1: costs.tick: 1h1m0s: want at most 1h0m0s"},
		{"costs: {input: 1ms 2h}", "x:1: costs.input: "},
		{"costs: {login: 40m heavy}", "x:1: costs.login: "},
		{"speed: 1%\ncosts: {logout: 1m}", "x:2: costs.logout: "},
		{"kinds: [{name: a, after: 1s, cost: 2h}]", "x:1: kinds[1].cost: "},
		{"jobs: [{name: a, length: 1s, result: 2h}]", "x:1: jobs[1].result: "},
		{"storms: [{name: a, due: 1s, cost: 2h, arm: 3h}]", "x:1: storms[1].arm: "},
	} {
		_, err := ParsePlan("x", []byte(c.text))
		assert.ErrorContains(t, err, c.want, c.text)
	}
	_, err := ParsePlan("x", []byte("players: 1000\ncosts: {tick: 1h, login: 16m heavy, movement: 3600ms}"))
	assert.NoError(t, err)
}

// A day's jobs that are due in one tick after a stall do not keep a run that is over.
func TestWorkOfYearsIsAnError(t *testing.T) {
	p, err := ParsePlan("x", []byte("jobs: [{name: j, rate: 1000000/s, length: 1h}]"))
	require.NoError(t, err)
	_, err = Run(context.Background(), p.Scenario, Policy{Name: "nothing"}, Options{})
	assert.ErrorContains(t, err, "work takes more than 100000h0m0s past the end of the run: take lower costs")
}

// An interrupt is seen within a tick, too.
func TestAnInterruptEndsAHeapOfJobs(t *testing.T) {
	p, err := ParsePlan("x", []byte("duration: 10s\njobs: [{name: j, rate: 1000000/s, length: 1ns}]"))
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	r, err := Run(ctx, p.Scenario, Policy{Name: "nothing"}, Options{prepare: func(w *world) {
		w.agenda.add(0, cancel) // in the first tick, before its jobs
	}})
	require.NoError(t, err)
	assert.True(t, r.Interrupted)
	assert.LessOrEqual(t, len(r.Ticks), 1)
	for _, tick := range r.Ticks {
		assert.Zero(t, tick.Duration, "of 50,000 jobs of the first tick none has run")
	}
}

func TestTheVirtualClockStopsBeforeItOverflows(t *testing.T) {
	c := &Virtual{}
	for range 300 {
		c.Burn(maxLength)
	}
	assert.Equal(t, maxVirtual, c.Now())
}
