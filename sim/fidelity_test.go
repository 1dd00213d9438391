package sim

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// medianFactor is how far the medians of the two clocks may be apart. They are
// within a tenth on a machine that has nothing else to do, and mostly within 2 on one
// that has twice as much as it can do.
const medianFactor = 3

// clocked is what the clocks have to agree in.
type clocked struct {
	policy      string
	median, max time.Duration
}

// onClock returns what the policies of a plan give on one of the clocks, and the
// most that the machine took away from one of them, as a part of its work.
func onClock(t *testing.T, sc Scenario, policies []Policy, real bool) (all []clocked, taken float64) {
	t.Helper()
	for _, p := range policies {
		watch := &watched{}
		r, err := Run(context.Background(), sc, p, Options{Seed: 1, Real: real, prepare: func(w *world) {
			watch.worker = w.work
			if real && p.Workers == 0 { // on workers Block is called by several goroutines
				w.work = watch
			} else if real {
				w.work = burnOnly{watch}
			}
		}})
		require.NoError(t, err)
		q := r.Durations()
		all = append(all, clocked{p.Name, time.Duration(q.P50), time.Duration(q.Max)})
		if real {
			taken = max(taken, float64(watch.taken)/float64(watch.worked))
		}
	}
	return all, taken
}

// watched notices when the machine does not give what work asks for: between two
// looks at the clock no time passes, unless the processor was with somebody else.
type watched struct {
	worker
	worked, taken time.Duration
}

func (w *watched) Burn(d time.Duration) {
	start := w.Now()
	for last := start; last-start < d; {
		now := w.Now()
		if now-last > 200*time.Microsecond {
			w.taken += now - last
		}
		last = now
	}
	w.worked += d
}

func (w *watched) Block(ctx context.Context, d time.Duration) error {
	start := w.Now()
	err := w.worker.Block(ctx, d)
	w.worked += d
	if late := w.Now() - start - d; late > ms {
		w.taken += late
	}
	return err
}

// burnOnly watches what the tick goroutine burns.
type burnOnly struct{ *watched }

func (b burnOnly) Block(ctx context.Context, d time.Duration) error { return b.worker.Block(ctx, d) }

// disagreement says how what was measured differs from what was computed, or "".
func disagreement(virtual, real []clocked) string {
	for i, v := range virtual {
		if r := real[i]; r.median > medianFactor*v.median || v.median > medianFactor*r.median {
			return fmt.Sprintf("%s: median %v on the real clock, %v on the virtual one", v.policy, r.median, v.median)
		}
	}
	order := func(all []clocked) (names []string) {
		all = slices.Clone(all)
		slices.SortStableFunc(all, func(a, b clocked) int { return cmp.Compare(b.max, a.max) })
		for _, m := range all {
			names = append(names, m.policy)
		}
		return names
	}
	if v, r := order(virtual), order(real); !slices.Equal(v, r) {
		return fmt.Sprintf("by their longest tick: %v on the real clock, %v on the virtual one", r, v)
	}
	return ""
}

func fidelity(t *testing.T) (Scenario, []Policy) {
	t.Helper()
	data, err := os.ReadFile("testdata/fidelity.yaml")
	require.NoError(t, err)
	p, err := ParsePlan("fidelity.yaml", data)
	require.NoError(t, err)
	g, err := p.Check()
	require.NoError(t, err)
	return p.Scenario, g.Policies
}

// One scenario, computed and measured: medians agree, and so does which policy is
// how good. A machine that has other things to do can't show that: if it took more
// than a tenth of the work's time away, a difference means nothing.
func TestBothClocksAgree(t *testing.T) {
	if testing.Short() {
		t.Skip("takes 6 s of real time")
	}
	sc, policies := fidelity(t)
	virtual, _ := onClock(t, sc, policies, false)
	why, quiet := "", 0
	for attempt := range 6 {
		real, taken := onClock(t, sc, policies, true)
		t.Logf("attempt %d: virtual %v, real %v, %.0f %% taken away", attempt+1, virtual, real, 100*taken)
		if why = disagreement(virtual, real); why == "" {
			return
		}
		if taken <= 0.1 {
			quiet++
		}
	}
	if quiet >= 2 {
		assert.Fail(t, why)
	}
	t.Log("the machine is too busy to measure something: ", why)
}

// The comparison has teeth: the policies of its scenario are five times apart, and
// a machine of a fifth of the speed, or policies that change places, are seen.
func TestDisagreementIsSeen(t *testing.T) {
	sc, policies := fidelity(t)
	virtual, _ := onClock(t, sc, policies, false)
	for i := range virtual[1:] {
		assert.Greater(t, virtual[i].max, 9*virtual[i+1].max/2, "%s and the next", virtual[i].policy)
	}
	assert.Empty(t, disagreement(virtual, virtual))

	slow := sc
	slow.Speed = 20
	slowed, _ := onClock(t, slow, policies, false)
	assert.Contains(t, disagreement(virtual, slowed), "median")

	swapped := slices.Clone(virtual)
	swapped[0].max, swapped[1].max = swapped[1].max, swapped[0].max
	assert.Contains(t, disagreement(virtual, swapped), "[cap nothing jitter+workers] on the real clock")
}

// The table on the page has what the virtual clock gives; what the real one gave is
// within the factor that the test allows.
func TestThePageComparesTheClocks(t *testing.T) {
	page, err := os.ReadFile("../docs/simulation.md")
	require.NoError(t, err)
	sc, policies := fidelity(t)
	virtual, _ := onClock(t, sc, policies, false)
	for _, v := range virtual {
		row := regexp.MustCompile(`\n\| ` + regexp.QuoteMeta(v.policy) + ` \| ([\d.]+ ms) \| ([\d.]+ ms) \| [\d.]+ ms \| [\d.]+ ms \| ([\d.]+ ms) \| [\d.]+ ms \|\n`).FindStringSubmatch(string(page))
		require.NotNil(t, row, v.policy)
		assert.InEpsilon(t, v.median, inTable(t, row[1]), 0.005, "%s: median", v.policy)
		assert.InEpsilon(t, v.max, inTable(t, row[3]), 0.005, "%s: longest tick", v.policy)
		assert.InEpsilon(t, v.median, inTable(t, row[2]), medianFactor-1, "%s: median on the real clock", v.policy)
	}
}

func inTable(t *testing.T, cell string) time.Duration {
	t.Helper()
	d, err := time.ParseDuration(strings.ReplaceAll(cell, " ", ""))
	require.NoError(t, err)
	return d
}
