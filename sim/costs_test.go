package sim

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The page that users read has the figures that are used.
func TestCostsAreThoseOfThePage(t *testing.T) {
	page, err := os.ReadFile("../docs/simulation.md")
	require.NoError(t, err)
	_, table, found := strings.Cut(string(page), "| work | mean | varies | when |\n|---|---|---|---|\n")
	require.True(t, found, "the table of costs")
	table, _, _ = strings.Cut(table, "\n\n")
	var want []string
	for _, c := range costs {
		if c.what == "" {
			continue // draws without a cost
		}
		varies := map[*[16]int64]string{nil: "no", &light: "light", &heavy: "heavy"}[c.table]
		mean := strings.NewReplacer("µs", " µs", "ns", " ns", "ms", " ms").Replace(c.mean.String())
		want = append(want, fmt.Sprintf("| %s | %s | %s | %s |", c.name, mean, varies, c.what))
	}
	assert.Equal(t, want, strings.Split(table, "\n"))
}

func TestTablesHaveTheMeanTheySay(t *testing.T) {
	for name, table := range map[string][16]int64{"light": light, "heavy": heavy} {
		sum := int64(0)
		for _, f := range table {
			assert.Positive(t, f, name)
			sum += f
		}
		assert.Equal(t, int64(16*16), sum, "%s: sum of 16 factors with a mean of 16", name)
		assert.IsNonDecreasing(t, table[:], name)
	}
	names := map[string]bool{}
	for _, c := range costs {
		assert.False(t, names[c.name], "%s stands twice", c.name)
		names[c.name] = true
	}
}

// Draws have the mean in the long run, too, and reach both ends of their table.
func TestLengthsHaveTheirMean(t *testing.T) {
	const n = 100_000
	for k := range works {
		c := costs[k]
		sum, least, most := int64(0), c.mean*100, c.mean*0
		for i := range uint64(n) {
			d := draws{1}.length(k, i%100, i)
			sum += int64(d)
			least, most = min(least, d), max(most, d)
		}
		assert.InDelta(t, float64(c.mean), float64(sum)/n, 0.02*float64(c.mean), c.name)
		if c.table != nil {
			assert.EqualValues(t, int64(c.mean)*c.table[0]/16, least, c.name)
			assert.EqualValues(t, int64(c.mean)*c.table[15]/16, most, c.name)
		}
	}
}

func TestBetween(t *testing.T) {
	assert.Equal(t, 5*ms, between(123, 5*ms, 5*ms), "an empty range is its lower end")
	assert.Equal(t, 5*ms, between(0, 5*ms, 9*ms))
	assert.Equal(t, 9*ms-1, between(uint64(4*ms)-1, 5*ms, 9*ms), "the upper end is not in it")
	assert.Equal(t, 5*ms, between(uint64(4*ms), 5*ms, 9*ms))
}
