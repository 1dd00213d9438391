package sim

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The page that users read has the figures that the built-in scenario uses.
func TestCostsAreThoseOfThePage(t *testing.T) {
	page, err := os.ReadFile("../docs/simulation.md")
	require.NoError(t, err)
	_, table, found := strings.Cut(string(page), "| work | mean | varies | when |\n|---|---|---|---|\n")
	require.True(t, found, "the table of costs")
	table, _, _ = strings.Cut(table, "\n\n")
	sc := SpawnStorm()
	costs := map[string]Dist{
		"tick": sc.Costs.Tick, "movement": sc.Costs.Movement, "input": sc.Costs.Input,
		"login": sc.Costs.Login, "logout": sc.Costs.Logout,
		"kill": sc.Storms[0].Arm, "respawn": sc.Storms[0].Cost,
		"save": sc.Jobs[0].Length, "saved": sc.Jobs[0].Result,
	}
	for _, k := range sc.Kinds {
		costs[k.Name] = k.Cost
	}
	rows := strings.Split(table, "\n")
	assert.Len(t, rows, len(costs)+1, "a row for each, and one for what the wheel does not do")
	for name, d := range costs {
		varies := d.Shape
		if varies == "" {
			varies = "no"
		}
		mean := strings.NewReplacer("µs", " µs", "ns", " ns", "ms", " ms").Replace(d.Lo.String())
		assert.Contains(t, table, fmt.Sprintf("| %s | %s | %s | ", name, mean, varies))
	}
}

func TestTablesHaveTheMeanTheySay(t *testing.T) {
	for name, table := range map[string]*[16]int64{"light": &light, "heavy": &heavy} {
		sum := int64(0)
		for _, f := range table {
			assert.Positive(t, f, name)
			sum += f
		}
		assert.Equal(t, int64(16*16), sum, "%s: sum of 16 factors with a mean of 16", name)
		assert.IsNonDecreasing(t, table[:], name)
	}
}

// Draws have the mean in the long run, too, and reach both ends of their table.
func TestLengthsHaveTheirMean(t *testing.T) {
	const n = 100_000
	for _, c := range []struct {
		d              Dist
		mean, lo, most time.Duration
	}{
		{Dist{Lo: ms}, ms, ms, ms},
		{Dist{Lo: ms, Shape: "light"}, ms, ms * 8 / 16, ms * 33 / 16},
		{Dist{Lo: ms, Shape: "heavy"}, ms, ms * 6 / 16, ms * 60 / 16},
	} {
		sum, least, most := time.Duration(0), time.Hour, time.Duration(0)
		for i := range uint64(n) {
			d := draws{1}.length(workOf("x"), c.d, i%100, i)
			sum += d
			least, most = min(least, d), max(most, d)
		}
		assert.InDelta(t, float64(c.mean), float64(sum)/n, 0.02*float64(c.mean), "%v", c.d)
		assert.Equal(t, c.lo, least, "%v", c.d)
		assert.Equal(t, c.most, most, "%v", c.d)
	}
}

func TestBetween(t *testing.T) {
	assert.Equal(t, 5*ms, between(123, 5*ms, 5*ms), "an empty range is its lower end")
	assert.Equal(t, 5*ms, between(0, 5*ms, 9*ms))
	assert.Equal(t, 9*ms-1, between(uint64(4*ms)-1, 5*ms, 9*ms), "the upper end is not in it")
	assert.Equal(t, 5*ms, between(uint64(4*ms), 5*ms, 9*ms))
}

// Draws of work are made from its name, wherever that stands in a scenario.
func TestWorkHasItsOwnDraws(t *testing.T) {
	seen := map[work]string{}
	for _, n := range append(workNames[:], "loot", "aura", "") {
		assert.Empty(t, seen[workOf(n)], n)
		seen[workOf(n)] = n + "!"
	}
	assert.Equal(t, workInput, workOf("input"))
	assert.Equal(t, workLogin, workOf("login"))
	assert.Equal(t, workLogout, workOf("logout"))
}
