package timers_test

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/tickwheel/tickwheel/timers"
)

// The benchmarks run the game mix at a tick of 50 ms: 70 % of the delays are
// uniform from 0.1 to 10 s, 25 % to 10 min, 5 % to 24 h. All figures are for one
// timer, and each size is measured without groups and in groups of 100. Ratios
// within a run hold anywhere; absolute figures at a million move with where the
// pages lie.

const ticksPerSecond = 20

var benchSizes = []int{10_000, 100_000, 1_000_000}

// gameMix draws one delay.
func gameMix(r *rand.Rand) timers.Span {
	between := func(lo, hi int) timers.Span { return timers.Span(lo + r.IntN(hi-lo)) }
	switch x := r.IntN(100); {
	case x < 70:
		return between(2, 10*ticksPerSecond)
	case x < 95:
		return between(10*ticksPerSecond, 600*ticksPerSecond)
	}
	return between(600*ticksPerSecond, 24*3600*ticksPerSecond)
}

// delays is a table of the mix, so that drawing costs the benchmark nothing.
func delays() []timers.Span {
	r := rand.New(rand.NewPCG(1, 2))
	d := make([]timers.Span, 1<<16)
	for i := range d {
		d[i] = gameMix(r)
	}
	return d
}

// load is a wheel and room for n timers in groups, those of the mix.
type load struct {
	w       *timers.Wheel[uint64]
	delays  []timers.Span
	handles []timers.Handle
	groups  []timers.Group
}

// newEmpty makes a load with nothing pending.
func newEmpty(b testing.TB, n, perGroup int) *load {
	b.Helper()
	w, err := timers.New[uint64](timers.Config{})
	if err != nil {
		b.Fatal(err)
	}
	l := &load{w: w, delays: delays(), handles: make([]timers.Handle, n)}
	for perGroup > 0 && len(l.groups) < n/perGroup {
		g, err := w.NewGroup()
		if err != nil {
			b.Fatal(err)
		}
		l.groups = append(l.groups, g)
	}
	return l
}

// newLoad makes a load with all n timers pending.
func newLoad(b testing.TB, n, perGroup int) *load {
	b.Helper()
	l := newEmpty(b, n, perGroup)
	for i := range n {
		l.arm(b, i, l.delays[i&(len(l.delays)-1)])
	}
	return l
}

// arm schedules timer i, in its group if there are any.
func (l *load) arm(b testing.TB, i int, d timers.Span) {
	var s timers.Spec
	if len(l.groups) > 0 {
		s.Group = l.groups[i%len(l.groups)]
	}
	h, err := l.w.After(d, uint64(i), s)
	if err != nil {
		b.Fatal(err)
	}
	l.handles[i] = h
}

// eachSize runs f for every size, without groups and in groups of 100.
func eachSize(b *testing.B, f func(b *testing.B, n, perGroup int)) {
	for _, n := range benchSizes {
		for _, perGroup := range []int{0, 100} {
			b.Run(fmt.Sprintf("timers=%d/group=%d", n, perGroup), func(b *testing.B) { f(b, n, perGroup) })
		}
	}
}

// perTimer replaces the time of an iteration with that of one timer.
func perTimer(b *testing.B, timers float64) {
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/timers, "ns/timer")
}

// BenchmarkChurn cancels a random pending timer and schedules another one.
func BenchmarkChurn(b *testing.B) {
	eachSize(b, func(b *testing.B, n, perGroup int) {
		l := newLoad(b, n, perGroup)
		r := rand.New(rand.NewPCG(3, 4))
		victims := make([]int32, 1<<20)
		for i := range victims {
			victims[i] = int32(r.IntN(n))
		}
		pair := func(k int) {
			i := int(victims[k&(len(victims)-1)])
			l.w.Cancel(l.handles[i])
			l.arm(b, i, l.delays[k&(len(l.delays)-1)])
		}
		for k := range n { // what the start left contiguous is shuffled first
			pair(k)
		}
		k := n
		for b.Loop() {
			pair(k)
			k++
		}
		perTimer(b, float64(b.N))
	})
}

// BenchmarkReset moves a random pending timer, as a buff that is refreshed does.
func BenchmarkReset(b *testing.B) {
	eachSize(b, func(b *testing.B, n, perGroup int) {
		l := newLoad(b, n, perGroup)
		r := rand.New(rand.NewPCG(3, 4))
		victims := make([]int32, 1<<20)
		for i := range victims {
			victims[i] = int32(r.IntN(n))
		}
		k := 0
		for b.Loop() {
			i := victims[k&(len(victims)-1)]
			h, ok := l.w.Reset(l.handles[i], l.w.Now()+timers.Tick(l.delays[k&(len(l.delays)-1)]))
			if !ok {
				b.Fatal("not pending")
			}
			l.handles[i] = h
			k++
		}
		perTimer(b, float64(b.N))
	})
}

// BenchmarkFire fires n timers that are spread over 200 ticks.
func BenchmarkFire(b *testing.B) {
	eachSize(b, func(b *testing.B, n, perGroup int) {
		l := newEmpty(b, n, perGroup)
		r := rand.New(rand.NewPCG(5, 6))
		fired := 0
		for b.Loop() {
			b.StopTimer()
			for i := range n {
				l.arm(b, i, timers.Span(1+r.IntN(200)))
			}
			b.StartTimer()
			l.w.Advance(l.w.Now()+200, func(timers.Firing[uint64]) { fired++ })
		}
		perTimer(b, float64(fired))
	})
}

// BenchmarkIdleTick advances by one tick in which nothing is due.
func BenchmarkIdleTick(b *testing.B) {
	for _, n := range benchSizes {
		b.Run(fmt.Sprintf("timers=%d", n), func(b *testing.B) {
			w, err := timers.New[uint64](timers.Config{})
			if err != nil {
				b.Fatal(err)
			}
			for i := range n { // later than any iteration gets, on many ticks
				if _, err := w.After(timers.Span(1<<40)+timers.Span(i), 1, timers.Spec{}); err != nil {
					b.Fatal(err)
				}
			}
			fire := func(timers.Firing[uint64]) { b.Fatal("fired") }
			for b.Loop() {
				w.Advance(w.Now()+1, fire)
			}
		})
	}
}

// BenchmarkBulkCancel closes groups of 300 timers of the mix, as mass logout does.
func BenchmarkBulkCancel(b *testing.B) {
	const size = 300
	for _, n := range benchSizes {
		b.Run(fmt.Sprintf("timers=%d/group=%d", n, size), func(b *testing.B) {
			l := newLoad(b, n, size)
			cancelled, next := 0, 0
			for b.Loop() {
				cancelled += l.w.CloseGroup(l.groups[next])
				if next++; next < len(l.groups) {
					continue
				}
				b.StopTimer()
				for i := range l.groups {
					l.groups[i], _ = l.w.NewGroup()
				}
				for i := range n {
					l.arm(b, i, l.delays[(i*31)&(len(l.delays)-1)])
				}
				next = 0
				b.StartTimer()
			}
			perTimer(b, float64(cancelled))
		})
	}
}

// BenchmarkWorstTick lives through two simulated hours (24 with -long) at a
// constant number of timers: what fires is scheduled again. It reports the worst
// tick: timers moved, timers fired, and time. The counts are exact; the longest
// time is also that of whatever else the machine did, so others stand beside it.
func BenchmarkWorstTick(b *testing.B) {
	eachSize(b, func(b *testing.B, n, perGroup int) {
		l := newLoad(b, n, perGroup)
		hours := 2
		if *long {
			hours = 24
		}
		fired, moved, most := 0, 0, 0
		rearm := func(f timers.Firing[uint64]) {
			fired++
			l.arm(b, int(f.Payload), l.delays[(fired*17)&(len(l.delays)-1)])
		}
		var took []time.Duration
		for b.Loop() {
			for range hours * 3600 * ticksPerSecond {
				began := time.Now()
				rep := l.w.Advance(l.w.Now()+1, rearm)
				took = append(took, time.Since(began))
				moved, most = max(moved, rep.Moved), max(most, rep.Fired)
			}
		}
		slices.Sort(took)
		b.ReportMetric(0, "ns/op")
		b.ReportMetric(float64(took[len(took)/2].Nanoseconds()), "ns/p50-tick")
		b.ReportMetric(float64(took[len(took)-len(took)/1000-1].Nanoseconds()), "ns/p99.9-tick")
		b.ReportMetric(float64(moved), "moved/worst-tick")
		b.ReportMetric(float64(most), "fired/worst-tick")
		b.ReportMetric(float64(took[len(took)-1].Nanoseconds()), "ns/worst-tick")
	})
}

// BenchmarkMemory reports what a pending timer of the mix takes, fresh and after
// each was replaced twice.
func BenchmarkMemory(b *testing.B) {
	eachSize(b, func(b *testing.B, n, perGroup int) {
		var fresh, churned uint64
		for b.Loop() {
			before := heapInUse()
			l := newLoad(b, n, perGroup)
			besides := uint64(8*n + 8*len(l.groups) + 8*len(l.delays)) // what the benchmark keeps itself
			fresh = heapInUse() - before - besides
			r := rand.New(rand.NewPCG(7, 8))
			for k := range 2 * n {
				i := r.IntN(n)
				l.w.Cancel(l.handles[i])
				l.arm(b, i, l.delays[k&(len(l.delays)-1)])
			}
			churned = heapInUse() - before - besides
			if l.w.Len() != n {
				b.Fatalf("Len() = %d, want %d", l.w.Len(), n)
			}
		}
		b.ReportMetric(0, "ns/op")
		b.ReportMetric(float64(fresh)/float64(n), "B/timer-fresh")
		b.ReportMetric(float64(churned)/float64(n), "B/timer-churned")
	})
}

// BenchmarkSnapshot writes and restores wheels of the mix.
func BenchmarkSnapshot(b *testing.B) {
	encode := func(b []byte, p uint64) ([]byte, error) { return binary.LittleEndian.AppendUint64(b, p), nil }
	decode := func(b []byte) (uint64, error) { return binary.LittleEndian.Uint64(b), nil }
	eachSize(b, func(b *testing.B, n, perGroup int) {
		l := newLoad(b, n, perGroup)
		var saved []byte
		var restore time.Duration
		for b.Loop() {
			var err error
			if saved, err = l.w.AppendSnapshot(saved[:0], encode); err != nil {
				b.Fatal(err)
			}
			start := time.Now()
			if _, err := timers.Restore(saved, decode); err != nil {
				b.Fatal(err)
			}
			restore += time.Since(start)
		}
		b.ReportMetric(0, "ns/op")
		b.ReportMetric(float64((b.Elapsed()-restore).Nanoseconds())/float64(n*b.N), "ns/timer-written")
		b.ReportMetric(float64(restore.Nanoseconds())/float64(n*b.N), "ns/timer-restored")
		b.ReportMetric(float64(len(saved))/float64(n), "B/timer")
	})
}

// BenchmarkWindow is what a cancel waits for and nothing else: a handle at random, and
// the word of the block that it names, with rounds of other work before the next one.
// The more of it, the fewer of these loads does the processor overlap.
func BenchmarkWindow(b *testing.B) {
	for _, n := range []int{10_000, 1_000_000} {
		for _, rounds := range []int{0, 20, 40} {
			b.Run(fmt.Sprintf("timers=%d/rounds=%d", n, rounds), func(b *testing.B) {
				r := rand.New(rand.NewPCG(5, 6))
				handles, blocks := make([]uint32, n), make([][2]uint64, n*2/5)
				for i := range handles {
					handles[i] = uint32(r.IntN(len(blocks)))
				}
				victims := make([]uint32, 1<<20)
				for i := range victims {
					victims[i] = uint32(r.IntN(n))
				}
				var work [64]uint64
				k := 0
				for b.Loop() {
					i := victims[k&(len(victims)-1)]
					h := handles[i]
					blocks[h][0] ^= 1
					x := uint64(k)
					for round := range rounds {
						x = x*3 + 1
						work[round] += x
					}
					handles[i] = h
					k++
				}
				perTimer(b, float64(b.N))
			})
		}
	}
}
