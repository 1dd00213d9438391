package report

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tickwheel/tickwheel/sim"
)

func TestKindsHaveWords(t *testing.T) {
	for kind, want := range map[string][2]string{
		"respawn": {"respawn", "respawn"}, "loop/input": {"inputs", "inputs"}, "slow-callback": {"slow callback", "slow callback"},
		"loop/system/1": {"sessions", "measuring"}, "loop/system/3": {agendaName, "movement"},
		"loop/system/4": {"network", agendaName}, "loop/system/9": {"system 9", "system 9"}, "loop/system/x": {"loop/system/x", "loop/system/x"},
	} {
		assert.Equal(t, want, [2]string{kindName(kind, false), kindName(kind, true)}, kind)
	}
}

// planned writes the results of a preset with its scenario, as the command does.
func planned(t *testing.T, name string, change func(*sim.Plan)) string {
	t.Helper()
	p, ok := sim.Preset(name)
	require.True(t, ok)
	change(p)
	g, err := p.Check()
	require.NoError(t, err)
	var runs []*sim.Recording
	for _, policy := range g.Policies {
		r, err := sim.Run(t.Context(), p.Scenario, policy, sim.Options{Seed: 7})
		require.NoError(t, err)
		for _, e := range g.Expect {
			if e.Policy == policy.Name {
				r.Judged = append(r.Judged, e.Judge(r))
			}
		}
		runs = append(runs, r)
	}
	dir := t.TempDir()
	require.NoError(t, WriteData(dir, runs, Environment{}))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "scenario.yaml"), p.YAML(), 0o644))
	return dir
}

func TestALongTickNamesTheStallThatBeganInIt(t *testing.T) {
	dir := planned(t, "gc-pause", func(p *sim.Plan) {
		p.Scenario.Duration, p.Scenario.Players = 25*time.Second, 20
	})
	s, err := Load(dir)
	require.NoError(t, err)
	for _, slow := range s.Runs[0].Slow[:2] {
		assert.Equal(t, "GC pause", slow.What)
	}
	assert.Empty(t, s.Runs[0].Slow[2].What, "two pauses in 25 s")
	require.NoError(t, os.Remove(filepath.Join(dir, "scenario.yaml")))
	s, err = Load(dir)
	require.NoError(t, err)
	assert.Equal(t, agendaName, s.Runs[0].Names[s.Runs[0].Slow[0].Slowest], "without a scenario the part of the server")
}

func TestTheSubjectIsInTheResults(t *testing.T) {
	small := func(p *sim.Plan) {
		p.Scenario.Duration, p.Scenario.Players, p.Scenario.Storm = 2*time.Second, 5, 10
		p.Policies, p.Subject, p.Expect = []string{"nothing", "cap", "workers"}, "cap", []string{"shed == 0"}
	}
	dir := planned(t, "spawn-storm", small)
	s, err := Load(dir)
	require.NoError(t, err)
	assert.Equal(t, "cap", s.Folders[0].Summary.Subject)
	assert.Equal(t, "cap", s.Folders[0].Subject)

	// Of a run that expects nothing the scenario says it, and without one nobody.
	dir = planned(t, "spawn-storm", func(p *sim.Plan) { small(p); p.Expect = nil })
	s, err = Load(dir)
	require.NoError(t, err)
	assert.Empty(t, s.Folders[0].Summary.Subject)
	assert.Equal(t, "cap", s.Folders[0].Subject)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "scenario.yaml"), []byte("other: version"), 0o644))
	s, err = Load(dir)
	require.NoError(t, err, "a scenario of another version is no damage")
	assert.Empty(t, s.Folders[0].Subject)
}

// A picture that can't be written is an error at the end, not an end.
func TestAFileThatFailsKeepsNoOtherFromBeingWritten(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"summary.json", "tick-latency.png"} { // a folder stands in the way
		require.NoError(t, os.MkdirAll(filepath.Join(dir, name, "x"), 0o755))
	}
	sc := sim.SpawnStorm()
	sc.Duration, sc.Players, sc.Storm = time.Second, 2, 10
	err := Write(dir, play(t, sc, "nothing"), Environment{})
	assert.ErrorContains(t, err, "summary.json")
	assert.ErrorContains(t, err, "tick-latency.png")
	for _, name := range Files() {
		info, err := os.Stat(filepath.Join(dir, name))
		if name == runFile {
			assert.ErrorIs(t, err, os.ErrNotExist, "the folder is not complete")
			continue
		}
		require.NoError(t, err, name)
		assert.Equal(t, name == "summary.json" || name == "tick-latency.png", info.IsDir(), name)
	}
}
