package sim

import (
	"testing"
	"time"
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

// BenchmarkSteady is the first ten minutes of the preset steady in which everybody
// is there: a million timers pending, ticks and firings a second.
func BenchmarkSteady(b *testing.B) {
	p, _ := Preset("steady")
	sc := p.Scenario
	sc.Duration, sc.Arrivals.Over = 10*time.Minute, Moment{}
	ticks, fired := 0, uint64(0)
	for b.Loop() {
		r := play(b, sc, policy(b, "nothing"), Options{Seed: 1})
		ticks, fired = ticks+len(r.Ticks), fired+r.Stats.Fired
	}
	b.ReportMetric(float64(ticks)/b.Elapsed().Seconds(), "ticks/s")
	b.ReportMetric(float64(fired)/b.Elapsed().Seconds(), "firings/s")
	b.ReportAllocs()
}
