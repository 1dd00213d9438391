package timers

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// image is a copy of what of a wheel grows with its timers.
type image struct {
	words   []uint64
	links   [][2]uint32
	cursors []cursor
	near    []uint64 // far ticks in the map
	ticks   int      // far ticks
}

func imageOf(c *core) (im image) {
	for _, chunk := range c.heads {
		for _, h := range chunk {
			im.words = append(im.words, h.word)
			im.links = append(im.links, [2]uint32{h.next, h.prev})
		}
	}
	im.cursors = append(im.cursors, c.ring.cursors...)
	for lane := range c.far {
		im.near = append(im.near, c.far[lane].near.occ...)
		im.ticks += c.far[lane].lists.n
	}
	return im
}

func differ[E comparable](a, b []E) (n int) {
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			n++
		}
	}
	return n + max(len(a), len(b)) - min(len(a), len(b))
}

// TestATickTouchesNoMoreThanItFires counts what a tick writes, with thousands of
// timers pending at all distances and bursts due at once. Lists of a tick are
// spliced whole: what is written does not depend on how many timers they hold.
func TestATickTouchesNoMoreThanItFires(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	w, err := New[int](Config{NearTicks: 64, ChunkBlocks: 64, Budget: 1})
	require.NoError(t, err)
	idle, burst, pulled := 0, 0, 0
	for range 1500 {
		for range r.IntN(4) {
			d := Span(1) << r.IntN(16)
			d += Span(r.IntN(int(d)))
			lane := Lane(r.IntN(Lanes))
			for range 1 + r.IntN(2)*r.IntN(60) {
				_, err := w.After(d, 1, Spec{Lane: lane})
				require.NoError(t, err)
			}
		}
		due := w.Load(w.Now() + 1)
		before := imageOf(&w.core)
		rep := w.Advance(w.Now()+1, func(Firing[int]) {})
		after := imageOf(&w.core)
		links, words := differ(before.links, after.links), differ(before.words, after.words)
		require.Zero(t, rep.Moved)
		require.LessOrEqual(t, rep.Fired, 1, "the budget")
		require.LessOrEqual(t, differ(before.cursors, after.cursors), 2*Lanes, "a slot of each lane taken out, and one put in")
		require.LessOrEqual(t, before.ticks-after.ticks, Lanes, "a far list of each lane comes within reach")
		require.LessOrEqual(t, differ(before.near, after.near), 2*Lanes, "one leaves the map, one enters it")
		if due == 0 && rep.Fired == 0 {
			idle++
			require.Zero(t, links, "links written in a tick with nothing due")
			require.Zero(t, words, "blocks written in a tick with nothing due")
		}
		if due > 40 {
			burst++
		}
		if before.ticks > after.ticks {
			pulled++
		}
		// A splice writes both ends of both lists, a firing its block and, when
		// that was its last, the block's neighbours.
		require.LessOrEqual(t, links, 4*Lanes+3*rep.Fired, "links written with %d due", due)
		require.LessOrEqual(t, words, Lanes+rep.Fired, "blocks written with %d due", due)
		if r.IntN(20) == 0 && w.Backlog(Normal)+w.Backlog(Urgent)+w.Backlog(Bulk) > 0 {
			require.NoError(t, w.SetBudget(0))
			w.Advance(w.Now()+1, func(Firing[int]) {})
			require.NoError(t, w.SetBudget(1))
		}
	}
	require.NoError(t, w.check())
	require.Greater(t, min(idle, burst, pulled), 50, "idle %d, burst %d, pulled %d", idle, burst, pulled)
}
