package timers

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// The hash table and the ordered set behind far timers against a map.
func TestTableAndTickSetAgreeWithAMap(t *testing.T) {
	for seed := uint64(0); seed < 100; seed++ {
		r := rand.New(rand.NewPCG(seed, 1))
		span := int64(1 + seed*20)
		var tb table
		var set tickSet
		model := map[int64]int{}
		for i := range 1000 {
			k := r.Int64N(span) << (seed % 3 * 17)
			_, have := model[k]
			switch {
			case r.IntN(2) == 0:
				if !have {
					v, had := tb.put(k)
					require.False(t, had)
					require.Zero(t, *v.val(), "seed %d: a new value is zero", seed)
					set.add(Tick(k))
				}
				v, _ := tb.put(k)
				*v.val() = uint64(i)
				model[k] = i
			case have:
				p, _ := tb.get(k)
				tb.del(p)
				delete(model, k)
				set.remove(Tick(k))
			}
			require.Equal(t, len(model), tb.n)
			if i%20 == 0 {
				from := r.Int64N(span) << (seed % 3 * 17)
				want, ok := int64(-1), false
				for k := range model {
					if k >= from && (!ok || k < want) {
						want, ok = k, true
					}
				}
				got, found := set.next(Tick(from))
				require.Equal(t, ok, found, "seed %d: next(%d)", seed, from)
				if ok {
					require.Equal(t, want, int64(got), "seed %d: next(%d)", seed, from)
				}
			}
		}
		for k, v := range model {
			p, ok := tb.get(k)
			require.True(t, ok)
			require.Equal(t, uint64(v), *p.val(), "seed %d key %d", seed, k)
		}
		for k := range model {
			set.remove(Tick(k))
		}
		_, found := set.next(0)
		require.False(t, found)
		require.Zero(t, set.nodes.n, "an empty set keeps no nodes")
	}
}
