package sim

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// How long workers took, and how long jobs waited, is what the scenario says, although
// results are only looked at in the next tick: 30 ms a save are 30 ms.
func TestJobsTakeAsLongAsTheScenarioSays(t *testing.T) {
	p, err := ParsePlan("jobs.yaml", []byte(`
name: jobs
duration: 20s
players: 100
jobs:
  - {name: save, rate: 100/s, length: 30ms}
workers: 8
policy: [workers]
`))
	require.NoError(t, err)
	g, err := p.Check()
	require.NoError(t, err)
	rec, err := Run(context.Background(), p.Scenario, g.Policies[0], Options{Seed: 1})
	require.NoError(t, err)
	var jobs int64
	var ran, wait time.Duration
	for i := range rec.Ticks {
		jobs += int64(rec.Ticks[i].JobsEnded)
		ran += rec.Ticks[i].JobsRan
		wait = max(wait, rec.Ticks[i].JobWait)
	}
	assert.Greater(t, jobs, int64(1000))
	assert.Equal(t, time.Duration(jobs)*30*time.Millisecond, ran)
	assert.LessOrEqual(t, wait, 60*time.Millisecond, "of 8 workers 3 are busy: a job waits for others of its player at most")
}
