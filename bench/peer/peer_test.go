package peer_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tickwheel/tickwheel/bench/peer"
)

func each(t *testing.T, s peer.Setup, f func(t *testing.T, k peer.Kind, p peer.Peer)) {
	t.Helper()
	for _, k := range peer.Kinds() {
		t.Run(k.Name, func(t *testing.T) {
			p, err := k.New(s)
			require.NoError(t, err)
			defer p.Close()
			f(t, k, p)
		})
	}
}

// run lets ticks pass and returns how many timers fired in them: exactly so for
// those driven by hand, at least want for the others, which are waited for.
func run(t *testing.T, p peer.Peer, ticks, want int) int {
	t.Helper()
	fired := 0
	if s, ok := p.(peer.Stepped); ok {
		for range ticks {
			fired += s.Step().Fired
		}
	}
	if th, ok := p.(peer.Threaded); ok {
		require.Eventually(t, func() bool { return th.Fired() >= want }, 10*time.Second, time.Millisecond)
		fired = th.Fired()
	}
	return fired
}

func TestEveryPeerFires(t *testing.T) {
	const n = 50
	each(t, peer.Setup{N: n}, func(t *testing.T, k peer.Kind, p peer.Peer) {
		for i := range n {
			p.Arm(i, int32(1+i%4))
		}
		assert.Equal(t, n, run(t, p, 4, n))
	})
}

// All but one in ten are cancelled, one way or the other; those that are left
// mark the end. A cancelled one that fired would be counted with them.
func TestEveryPeerCancels(t *testing.T) {
	const n = 100
	each(t, peer.Setup{N: n}, func(t *testing.T, k peer.Kind, p peer.Peer) {
		for i := range n {
			p.Arm(i, int32(3+i/90)) // the last ten a tick later
		}
		for i := range 40 {
			assert.True(t, p.Disarm(i))
		}
		p.DisarmRange(40, 85)
		// Churned away to a time that doesn't come.
		p.Churn([]uint32{85, 86, 87, 88, 89}, []int32{9999, 9999, 9999, 9999, 9999})
		assert.Equal(t, 10, run(t, p, 4, 10))
	})
}

func TestSteppedPeersFireOnTheTick(t *testing.T) {
	each(t, peer.Setup{N: 3}, func(t *testing.T, k peer.Kind, p peer.Peer) {
		s, ok := p.(peer.Stepped)
		require.Equal(t, k.Stepped, ok)
		_, threaded := p.(peer.Threaded)
		require.Equal(t, k.Threaded, threaded)
		if !ok || threaded {
			return
		}
		for i, d := range []int32{1, 2, 700} {
			p.Arm(i, d)
		}
		var at []int
		for tick := 1; tick <= 800; tick++ {
			for range s.Step().Fired {
				at = append(at, tick)
			}
		}
		assert.Equal(t, []int{1, 2, 700}, at)
	})
}

// Many ticks in one call are as many calls of Step.
func TestTicksAreSteps(t *testing.T) {
	each(t, peer.Setup{N: 3}, func(t *testing.T, k peer.Kind, p peer.Peer) {
		s, ok := p.(peer.Stepped)
		if !ok {
			return
		}
		for i, d := range []int32{2, 4, 700} {
			p.Arm(i, d)
		}
		var got []int
		for _, n := range []int{1, 3, 0, 695, 1} {
			fired := s.Ticks(n)
			if th, ok := p.(peer.Threaded); ok {
				// Callbacks run on goroutines that may be late.
				assert.Zero(t, fired)
				want := []int{0, 2, 2, 2, 3}[len(got)]
				require.Eventually(t, func() bool { return th.Fired() >= want }, 10*time.Second, time.Millisecond)
				fired = th.Fired() - sum(got)
			}
			got = append(got, fired)
		}
		assert.Equal(t, []int{0, 2, 0, 0, 1}, got)
	})
}

func sum(v []int) (total int) {
	for _, n := range v {
		total += n
	}
	return total
}

func TestGroupsAreClosedWhole(t *testing.T) {
	const n = 60
	each(t, peer.Setup{N: n}, func(t *testing.T, _ peer.Kind, p peer.Peer) {
		g, ok := p.(peer.Grouped)
		if !ok {
			return
		}
		g.OpenGroups(2)
		for i := range n {
			g.ArmIn(i, i%2, 5)
		}
		g.ChurnIn([]uint32{0, 1}, []uint32{0, 1}, []int32{5, 5})
		assert.Equal(t, n/2, g.CloseGroup(0))
		assert.False(t, p.Disarm(0))
		assert.Equal(t, n/2, run(t, p, 5, n/2))
	})
}

// What a peer is measured with must fit what it can do.
func TestKinds(t *testing.T) {
	_, err := peer.Find("nano")
	require.ErrorContains(t, err, "nano")
	for _, k := range peer.Kinds() {
		found, err := peer.Find(k.Name)
		require.NoError(t, err)
		assert.Equal(t, k.Limits, found.Limits)
		assert.NotEmpty(t, k.What, k.Name)
		if !k.Stepped {
			assert.Zero(t, k.Limit("W3"), "%s has no ticks to measure", k.Name)
		}
		if k.Limit("W1") < 10_000_000 {
			assert.NotEmpty(t, k.Why, "%s: say why it is limited", k.Name)
		}
	}
}
