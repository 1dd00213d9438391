package timers_test

import (
	"fmt"
	"runtime"
	"runtime/metrics"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tickwheel/tickwheel/timers"
)

// scannable is how many bytes of the heap the last collection had to scan.
func scannable() uint64 {
	runtime.GC()
	runtime.GC()
	s := []metrics.Sample{{Name: "/gc/scan/heap:bytes"}}
	metrics.Read(s)
	return s[0].Value.Uint64()
}

// TestPointerFreeTimersGiveNothingToScan counts the bytes the collector has to
// look at for a million timers: the tables of chunks are all there is.
func TestPointerFreeTimersGiveNothingToScan(t *testing.T) {
	const n = 1_000_000
	for _, perGroup := range []int{0, 100} {
		before := scannable()
		l := newLoad(t, n, perGroup)
		for i := range n / 10 { // periodics have records of their own
			l.w.Cancel(l.handles[i])
			_, err := l.w.Every(l.w.Now()+1, timers.Repeat{Period: 7}, 1, timers.Spec{})
			require.NoError(t, err)
		}
		more := int64(scannable()) - int64(before)
		require.Equal(t, n, l.w.Len())
		require.Greater(t, l.w.Stats().Bytes, int64(20*n))
		require.Less(t, more, int64(n/4), "scannable bytes of %d timers, %d a group", n, perGroup)
		runtime.KeepAlive(l)
	}
}

// BenchmarkCollect is a full collection with a million timers pending and with
// none, and what of the heap it has to scan.
func BenchmarkCollect(b *testing.B) {
	for _, n := range []int{0, 1_000_000} {
		b.Run(fmt.Sprintf("timers=%d", n), func(b *testing.B) {
			l := newLoad(b, n, 0)
			scan := scannable()
			for b.Loop() {
				runtime.GC()
			}
			b.ReportMetric(float64(scan), "scannable-B")
			runtime.KeepAlive(l)
		})
	}
}
