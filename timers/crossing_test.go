package timers_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tickwheel/tickwheel/timers"
)

// edges are distances at which a timer changes where it waits: the ring of 64,
// the map of 128 rings beyond it, and the levels of the trie behind that.
var edges = []timers.Tick{1, 63, 64, 65, 128, 64 + 8192, 64 + 8192 + 64, 1 << 18, 1 << 24, 1 << 30}

// TestW25_OrderAndNeverEarlyOverRandomCrossings lets timers for the same few
// ticks be scheduled from all distances, while time comes nearer in steps of all
// sizes: each fires on its tick, and those of a tick in scheduling order.
func TestW25_OrderAndNeverEarlyOverRandomCrossings(t *testing.T) {
	for seed := range uint64(scale(6_000)) {
		r := rand.New(rand.NewPCG(seed, 1))
		start := timers.Tick(r.IntN(1 << 20))
		w := newRig(t, timers.Config{NearTicks: 64, ChunkBlocks: 4, Start: start})
		// Few ticks, so that each collects timers from many distances.
		var ticks []timers.Tick
		for range 40 {
			at := start + edges[r.IntN(len(edges))] + timers.Tick(r.IntN(200))
			ticks = append(ticks, at)
		}
		want := map[timers.Tick][]int{}
		id := 0
		for pending := true; pending; {
			for range r.IntN(12) {
				at := ticks[r.IntN(len(ticks))]
				if at > w.Now() {
					w.at(at, id)
					want[at] = append(want[at], id)
					id++
				}
			}
			n := len(w.log)
			next, ok := w.Next()
			if pending = ok; !ok {
				break
			}
			step := []timers.Tick{1, 1, 1, timers.Tick(1 + r.IntN(100)), next - w.Now(), (next-w.Now())/2 + 1}[r.IntN(6)]
			w.Advance(w.Now()+step, w.fire)
			for i, f := range w.log[n:] {
				require.Equal(t, f.Deadline, w.when[n+i], "seed %d: timer %d fired late or early", seed, f.Payload)
				require.Equal(t, want[f.Deadline][0], f.Payload, "seed %d: the order of tick %d", seed, f.Deadline)
				want[f.Deadline] = want[f.Deadline][1:]
			}
			require.NoError(t, w.Check(), "seed %d", seed)
		}
		require.Len(t, w.log, id, "seed %d: each fires once", seed)
	}
}

// TestFarTickEntersTheMapInPassing steps over the tick at which a timer of the
// trie comes within reach of the map.
func TestFarTickEntersTheMapInPassing(t *testing.T) {
	r := newRig(t, room)
	const d = 64 + 64*128 + 5
	r.at(d, 1)
	r.at(d+1, 2)
	for r.Now() < 200 {
		require.Empty(t, r.tickTo(r.Now()+1))
		require.NoError(t, r.Check())
		next, ok := r.Next()
		require.True(t, ok)
		require.Equal(t, timers.Tick(d), next)
	}
	require.Equal(t, []int{1, 2}, r.to(d+1))
}
