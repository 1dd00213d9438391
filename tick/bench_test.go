package tick_test

import (
	"context"
	"testing"
	"time"

	"github.com/tickwheel/tickwheel/tick"
)

func BenchmarkAfterFuncStop(b *testing.B) {
	l := must(tick.New(tick.Config{}))
	s := l.Root().Child()
	f := func() {}
	b.ReportAllocs()
	for b.Loop() {
		tm, _ := s.AfterFunc(5*time.Second, f)
		tm.Stop()
	}
}

func BenchmarkStepIdle(b *testing.B) {
	l := must(tick.New(tick.Config{}))
	b.ReportAllocs()
	for b.Loop() {
		l.Step()
	}
}

// BenchmarkStepFire is one tick with 1,000 timers that re-arm themselves.
func BenchmarkStepFire(b *testing.B) {
	l := must(tick.New(tick.Config{}))
	for range 1000 {
		var f func()
		f = func() { _, _ = l.Root().AfterFunc(0, f) }
		f()
	}
	b.ReportAllocs()
	for b.Loop() {
		l.Step()
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/1000, "ns/timer")
}

func BenchmarkPost(b *testing.B) {
	l := must(tick.New(tick.Config{}))
	f := func() {}
	n := 0
	b.ReportAllocs()
	for b.Loop() {
		_ = l.Post(f)
		if n++; n%1000 == 0 {
			l.Step()
		}
	}
}

// BenchmarkStartLateness runs on the real clock and reports how late ticks begin,
// with and without spinning the last stretch, and what share of a core the wait
// costs at that tick length.
func BenchmarkStartLateness(b *testing.B) {
	for _, spin := range []time.Duration{0, 500 * time.Microsecond, time.Millisecond} {
		b.Run("spin="+spin.String(), func(b *testing.B) {
			l := must(tick.New(tick.Config{Interval: 5 * ms, Spin: spin}))
			ctx, cancel := context.WithCancel(context.Background())
			n := 0
			l.OnTick(func(time.Duration) {
				if n++; n == b.N {
					cancel()
				}
			})
			b.ResetTimer()
			if err := l.Run(ctx); err != nil {
				b.Fatal(err)
			}
			h := l.Stats().StartLate
			b.ReportMetric(float64(h.Quantile(0.5))/1e3, "p50-µs")
			b.ReportMetric(float64(h.Quantile(0.99))/1e3, "p99-µs")
			b.ReportMetric(float64(h.Max())/1e3, "max-µs")
			b.ReportMetric(float64(spin)/float64(5*ms), "cores-spun")
		})
	}
}
