package sim

import (
	"testing"
)

// BenchmarkRun is the default scenario: how many ticks and timer callbacks a
// second of the machine's the simulator gets through, with all that is recorded.
func BenchmarkRun(b *testing.B) {
	for _, name := range PolicyNames() {
		b.Run(name, func(b *testing.B) {
			ticks, fired := 0, uint64(0)
			for b.Loop() {
				r := play(b, SpawnStorm(), policy(b, name), Options{Seed: 1})
				ticks, fired = ticks+len(r.Ticks), fired+r.Stats.Fired
			}
			b.ReportMetric(float64(ticks)/b.Elapsed().Seconds(), "ticks/s")
			b.ReportMetric(float64(fired)/b.Elapsed().Seconds(), "firings/s")
			b.ReportAllocs()
		})
	}
}
