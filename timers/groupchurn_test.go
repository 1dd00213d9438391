package timers_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tickwheel/tickwheel/timers"
)

// A group's list is swept bit by bit while timers come and go. Whenever it is
// paused, resumed or closed, it must know each of its timers, and no other.
func TestGroupKnowsItsTimersWhileItIsSwept(t *testing.T) {
	n := 150
	if *long {
		n = 5000
	}
	for seed := range uint64(n) {
		r := rand.New(rand.NewPCG(seed, 1))
		w := newRig(t, room)
		s, other := timers.Spec{Group: w.group()}, timers.Spec{Group: w.group()}
		live := map[int]timers.Handle{}
		var order []int // ids, so that the choice of a victim can be repeated
		id := 0
		add := func(spec timers.Spec) {
			h := w.after(timers.Span(1+r.IntN(90)), id, spec)
			if spec == s {
				live[id] = h
				order = append(order, id)
			}
			id++
		}
		for range 20 + r.IntN(100) {
			add(s)
		}
		for range 1 + r.IntN(12) {
			for range r.IntN(150) { // churn
				add([]timers.Spec{s, s, s, other}[r.IntN(4)])
				if len(order) == 0 {
					continue
				}
				i := r.IntN(len(order))
				_, pending := live[order[i]]
				require.Equal(t, pending, w.Cancel(live[order[i]]))
				delete(live, order[i])
				order = slices.Delete(order, i, i+1)
			}
			switch r.IntN(5) {
			case 0:
				w.Pause(s.Group)
			case 1:
				w.Resume(s.Group)
			case 2:
				for _, f := range w.to(w.Now() + timers.Tick(r.IntN(4))) {
					delete(live, f)
				}
			}
			require.Equal(t, len(live), w.GroupLen(s.Group))
			require.NoError(t, w.Check(), "seed %d", seed)
		}
		rest := w.Len() - len(live)
		require.Equal(t, len(live), w.CloseGroup(s.Group), "seed %d", seed)
		for _, h := range live {
			require.False(t, w.Cancel(h), "seed %d: a timer outlived its group", seed)
		}
		require.Len(t, w.to(w.Now()+500), rest, "seed %d", seed)
		require.NoError(t, w.Check(), "seed %d", seed)
	}
}
