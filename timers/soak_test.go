package timers_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tickwheel/tickwheel/timers"
)

// TestSoakChurnsWithFlatMemory runs a world for minutes of wheel time: each tick
// a twentieth of its timers is replaced, what fired is scheduled again, a group
// logs out and another logs in. After the first minute the wheel needs no more
// memory. -long runs ten minutes with 100,000 timers.
func TestSoakChurnsWithFlatMemory(t *testing.T) {
	n, minutes := 2_000, 2
	if *long {
		n, minutes = 100_000, 10
	}
	const perGroup, minute = 100, 60 * ticksPerSecond
	l := newLoad(t, n, perGroup)
	r := rand.New(rand.NewPCG(5, 6))
	arm := func(i int) { l.arm(t, i, l.delays[r.IntN(len(l.delays))]) }
	var warm int64
	var fired []int
	total := 0
	for range minutes * minute {
		for range n / 20 {
			i := r.IntN(n)
			require.True(t, l.w.Cancel(l.handles[i]))
			arm(i)
		}
		k := r.IntN(len(l.groups))
		require.Equal(t, perGroup, l.w.CloseGroup(l.groups[k]))
		var err error
		l.groups[k], err = l.w.NewGroup()
		require.NoError(t, err)
		for i := k; i < n; i += len(l.groups) {
			arm(i)
		}
		l.w.Advance(l.w.Now()+1, func(f timers.Firing[uint64]) { fired = append(fired, int(f.Payload)) })
		for _, i := range fired {
			arm(i)
		}
		total, fired = total+len(fired), fired[:0]
		require.Equal(t, n, l.w.Len())
		if l.w.Now() == minute {
			warm = l.w.Stats().Bytes
		}
	}
	require.Greater(t, total, n, "timers fired")
	require.LessOrEqual(t, l.w.Stats().Bytes, warm+warm/50, "bytes after %d minutes, against one", minutes)
	require.NoError(t, l.w.Check())
}
