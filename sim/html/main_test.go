package html

import (
	"bytes"
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tickwheel/tickwheel/sim"
	"github.com/tickwheel/tickwheel/sim/report"
)

// results plays the built-in scenario, smaller, and reads its results back.
func results(t *testing.T, change func(*sim.Scenario), policies ...string) *report.Set {
	t.Helper()
	sc := sim.SpawnStorm()
	sc.Duration, sc.Players, sc.Storm = 40*time.Second, 200, 40_000
	if change != nil {
		change(&sc)
	}
	var runs []*sim.Recording
	for _, name := range policies {
		p, err := sim.ParsePolicy(name, sim.DefaultKnobs())
		require.NoError(t, err)
		r, err := sim.Run(context.Background(), sc, p, sim.Options{Seed: 7})
		require.NoError(t, err)
		runs = append(runs, r)
	}
	return load(t, runs)
}

// load writes recordings and reads them back.
func load(t *testing.T, runs []*sim.Recording) *report.Set {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, report.WriteData(dir, runs, report.Environment{
		Command: []string{"simulate", "run", "--policy", "nothing,cap"}, Started: "2026-01-02T03:04:05Z", Go: "go1.25", OS: "linux", Arch: "amd64", CPUs: 2,
	}))
	s, err := report.Load(dir)
	require.NoError(t, err)
	return s
}

// interrupted is a run that ended before its first tick.
func interrupted(t *testing.T) *report.Set {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	r, err := sim.Run(ctx, sim.SpawnStorm(), sim.Policy{Name: "nothing"}, sim.Options{})
	require.NoError(t, err)
	return load(t, []*sim.Recording{r})
}

func written(t *testing.T, s *report.Set) string {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, Write(&b, s))
	return b.String()
}
