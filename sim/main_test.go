package sim

import (
	"context"
	"flag"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/tickwheel/tickwheel/tick"
)

var long = flag.Bool("long", false, "run known-failure cases at full size")

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const ms = time.Millisecond

// policy returns a built-in policy with the default values.
func policy(t testing.TB, name string) Policy {
	t.Helper()
	p, err := ParsePolicy(name, DefaultKnobs())
	require.NoError(t, err)
	return p
}

// play is Run for what must succeed.
func play(t testing.TB, sc Scenario, pol Policy, o Options) *Recording {
	t.Helper()
	r, err := Run(context.Background(), sc, pol, o)
	require.NoError(t, err)
	return r
}

// small is the built-in scenario at a size that takes a few milliseconds.
func small() Scenario {
	sc := SpawnStorm()
	sc.Duration, sc.Players, sc.Storm = 20*time.Second, 40, 2_000
	return sc
}

// storm is a storm that nothing else disturbs.
func storm(monsters int) Scenario {
	sc := SpawnStorm()
	sc.Duration, sc.Players, sc.Storm = 20*time.Second, 0, monsters
	return sc
}

// defaults plays the default run once for all tests that look at it.
var defaults = sync.OnceValues(func() (map[string]*Recording, error) {
	runs := map[string]*Recording{}
	for _, name := range PolicyNames() {
		p, err := ParsePolicy(name, DefaultKnobs())
		if err != nil {
			return nil, err
		}
		if runs[name], err = Run(context.Background(), SpawnStorm(), p, Options{Seed: 1}); err != nil {
			return nil, err
		}
	}
	return runs, nil
})

func defaultRun(t *testing.T, name string) *Recording {
	t.Helper()
	runs, err := defaults()
	require.NoError(t, err)
	return runs[name]
}

// kind returns what the named kind did in a run.
func kind(t *testing.T, r *Recording, name string) tick.KindStats {
	t.Helper()
	for _, k := range r.Stats.Kinds {
		if k.Name == name {
			return k
		}
	}
	t.Fatalf("no kind %q", name)
	return tick.KindStats{}
}

// The script of the built-in scenario.
func killAt(sc Scenario) time.Duration    { return sc.Duration / 10 * 4 }
func respawnAt(sc Scenario) time.Duration { return sc.Duration / 10 * 6 }
func logoutAt(sc Scenario) time.Duration  { return sc.Duration / 10 * 8 }
