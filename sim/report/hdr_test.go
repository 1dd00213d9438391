package report

import (
	"testing"
	"time"

	hdr "github.com/HdrHistogram/hdrhistogram-go"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// All at once is the same as one by one.
func TestShedIntervalsAreRecordedAtOnce(t *testing.T) {
	for _, c := range []struct {
		first, step time.Duration
		n           int64
	}{
		{0, 1, 5_000}, {-3, 1, 10}, {2_047, 1, 3}, {1, 7, 100_000}, {time.Millisecond, 50 * time.Millisecond, 200_000},
		{maxHDR - 1000, 300, 10}, {maxHDR, 50, 10}, {123_456_789, 10 * time.Second, 1}, {5, 1, 0},
	} {
		got, want := hdr.New(1, int64(maxHDR), 3), hdr.New(1, int64(maxHDR), 3)
		require.NoError(t, recordEach(got, c.first, c.step, c.n))
		for i := range c.n {
			require.NoError(t, want.RecordValue(clampHDR(c.first+time.Duration(i)*c.step)))
		}
		assert.True(t, got.Equals(want), "%+v", c)
	}
}

// Five years of shed ticks: values behind the end of the histogram count as it.
func TestAStallOfYearsIsRecorded(t *testing.T) {
	h := hdr.New(1, int64(maxHDR), 3)
	const n = 5 * 365 * 24 * 3600 * 20
	require.NoError(t, recordEach(h, 0, 50*time.Millisecond, n))
	assert.Equal(t, int64(n), h.TotalCount())
}
