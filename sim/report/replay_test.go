package report

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tickwheel/tickwheel/sim"
)

func recorded(t *testing.T) (dir string, run *sim.Recording) {
	t.Helper()
	sc := small()
	r, err := sim.Run(t.Context(), sc, sim.Policy{Name: "cap", Cap: 50}, sim.Options{Seed: 5})
	require.NoError(t, err)
	dir = t.TempDir()
	require.NoError(t, WriteData(dir, []*sim.Recording{r}, Environment{}))
	return dir, r
}

// The file alone says all that a run depends on.
func TestReplayHoldsTheRun(t *testing.T) {
	dir, r := recorded(t)
	for _, path := range []string{dir, filepath.Join(dir, "replay.bin")} {
		p, err := LoadReplay(path)
		require.NoError(t, err)
		assert.Equal(t, r.Scenario, p.Scenario, "nothing of a scenario is lost on the way")
		assert.Equal(t, r.Policy, p.Runs[0].Policy)
		again, err := sim.Run(t.Context(), p.Scenario, p.Runs[0].Policy, sim.Options{Seed: p.Seed})
		require.NoError(t, err)
		d, err := p.Compare(0, again)
		require.NoError(t, err)
		assert.Nil(t, d)
	}
}

func TestReplayNamesTheFirstTickThatDiffers(t *testing.T) {
	dir, r := recorded(t)
	p, err := LoadReplay(dir)
	require.NoError(t, err)
	other, err := sim.Run(t.Context(), p.Scenario, sim.Policy{Name: "cap", Cap: 49}, sim.Options{Seed: p.Seed})
	require.NoError(t, err)
	d, err := p.Compare(0, other)
	require.NoError(t, err)
	require.NotNil(t, d)
	k := d.Tick - 1
	assert.Equal(t, 50, r.Ticks[k].Fired, "the first tick in which the cap tells")
	assert.Contains(t, d.Columns, ColumnDifference{"fired", "50", "49"})
	for i := range k {
		assert.Equal(t, r.Ticks[i].Hash, other.Ticks[i].Hash)
	}

	require.NoError(t, os.Remove(filepath.Join(dir, "ticks.csv")))
	d, err = p.Compare(0, other)
	require.NoError(t, err)
	assert.Equal(t, k+1, d.Tick)
	assert.Empty(t, d.Columns, "the figures stand in ticks.csv")

	short := *r
	short.Ticks = r.Ticks[:3]
	d, err = p.Compare(0, &short)
	require.NoError(t, err)
	assert.Equal(t, int64(4), d.Tick)
}

// A run that was interrupted is compared as far as it went.
func TestReplayOfAnInterruptedRun(t *testing.T) {
	_, r := recorded(t)
	part := *r
	part.Ticks, part.Trace, part.Interrupted = r.Ticks[:5], "of tick 5", true
	part.Slow, part.Events = nil, nil
	dir := t.TempDir()
	require.NoError(t, WriteData(dir, []*sim.Recording{&part}, Environment{}))
	p, err := LoadReplay(dir)
	require.NoError(t, err)
	d, err := p.Compare(0, r)
	require.NoError(t, err)
	assert.Nil(t, d)
}

func TestLoadReplayRefusesWhatIsNoReplay(t *testing.T) {
	dir, _ := recorded(t)
	good, err := os.ReadFile(filepath.Join(dir, "replay.bin"))
	require.NoError(t, err)
	head, _, _ := bytes.Cut(good, []byte("\n"))
	for name, data := range map[string][]byte{
		"empty":         {},
		"text":          []byte("hello\n"),
		"other format":  bytes.Replace(good, []byte(replayFormat), []byte("tickwheel-replay/9"), 1),
		"no line":       head,
		"cut short":     good[:len(good)-4],
		"longer":        append(bytes.Clone(good), 0, 0, 0, 0),
		"negative":      bytes.Replace(good, []byte(`"ticks":`), []byte(`"ticks":-`), 1),
		"many ticks":    bytes.Replace(good, []byte(`"ticks":`), []byte(`"ticks":99999999`), 1),
		"without a run": []byte(`{"format":"` + replayFormat + `"}` + "\n"),
	} {
		file := filepath.Join(t.TempDir(), "replay.bin")
		require.NoError(t, os.WriteFile(file, data, 0o600))
		_, err := LoadReplay(file)
		if assert.Error(t, err, name) {
			assert.Contains(t, err.Error(), file)
			assert.Contains(t, err.Error(), "simulate run", "the remedy")
		}
	}
	_, err = LoadReplay(t.TempDir())
	require.Error(t, err)
	assert.Contains(t, err.Error(), "replay.bin does not exist")
}
