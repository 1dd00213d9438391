package measure

import (
	"math/bits"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/tickwheel/tickwheel/bench/peer"
)

const (
	ticksPerSecond = 20
	day            = 24 * 3600 * ticksPerSecond
	seed           = 1 // of every draw
)

// mix draws delays of the game mix: 70 % uniform from 0.1 to 10 s, 25 % to 10 min,
// 5 % to 24 h.
func mix(n int) []int32 {
	r := rand.New(rand.NewPCG(seed, 2))
	between := func(lo, hi int) int32 { return int32(lo + r.IntN(hi-lo)) }
	delays := make([]int32, n)
	for i := range delays {
		switch x := r.IntN(100); {
		case x < 70:
			delays[i] = between(2, 10*ticksPerSecond)
		case x < 95:
			delays[i] = between(10*ticksPerSecond, 600*ticksPerSecond)
		default:
			delays[i] = between(600*ticksPerSecond, day)
		}
	}
	return delays
}

// uniform draws delays from 1 to ticks.
func uniform(n, ticks int) []int32 {
	r := rand.New(rand.NewPCG(seed, 3))
	delays := make([]int32, n)
	for i := range delays {
		delays[i] = int32(1 + r.IntN(ticks))
	}
	return delays
}

// shuffled is the order in which timers are armed: at random, or by delay for
// peers that could not be filled otherwise.
func shuffled(delays []int32, k peer.Kind) []int {
	r := rand.New(rand.NewPCG(seed, 4))
	order := r.Perm(len(delays))
	if k.FillInOrder {
		slices.SortStableFunc(order, func(a, b int) int { return int(delays[a] - delays[b]) })
	}
	return order
}

// victims are the timers that churn replaces: a table long enough that every timer
// comes up, drawn in advance. The group of each stands beside it.
type victims struct {
	timer, group []uint32
	delay        []int32
	at           int
}

func newVictims(n, perGroup int) *victims {
	length := max(1<<16, 1<<bits.Len(uint(2*n-1)))
	v := &victims{timer: make([]uint32, length), delay: mix(length)}
	r := rand.New(rand.NewPCG(seed, 5))
	for i := range v.timer {
		v.timer[i] = uint32(r.IntN(n))
	}
	if perGroup > 0 {
		v.group = make([]uint32, length)
		for i, t := range v.timer {
			v.group[i] = t / uint32(perGroup)
		}
	}
	return v
}

// churn replaces pairs timers of p.
func (v *victims) churn(p peer.Peer, pairs int) {
	for pairs > 0 {
		lo := v.at
		hi := min(lo+pairs, len(v.timer))
		if v.group != nil {
			p.(peer.Grouped).ChurnIn(v.timer[lo:hi], v.group[lo:hi], v.delay[lo:hi])
		} else {
			p.Churn(v.timer[lo:hi], v.delay[lo:hi])
		}
		pairs -= hi - lo
		v.at = hi % len(v.timer)
	}
}

// warm churns n pairs, but not much longer than limit, and returns the pairs that
// fit into a second at that pace.
func (v *victims) warm(p peer.Peer, n int, limit time.Duration) int {
	began := time.Now()
	done := 0
	for done < n && time.Since(began) < limit {
		step := min(max(n/64, 16), n-done)
		if done == 0 {
			step = min(step, 16) // nobody knows yet how slow it is
		}
		v.churn(p, step)
		done += step
	}
	return max(1, int(float64(done)/time.Since(began).Seconds()))
}

// done ends the goroutines of a small peer. Those of a large one end with the
// process: to end a million one by one takes seconds.
func (c Case) done(p peer.Peer) {
	if c.N < 100_000 {
		p.Close()
	}
}

// fill makes a peer and arms a timer for each delay; perGroup 0 means no groups.
func fill(c Case, delays []int32, perGroup int, later time.Duration) (peer.Peer, error) {
	k, err := peer.Find(c.Peer)
	if err != nil {
		return nil, err
	}
	p, err := k.New(peer.Setup{N: len(delays), Later: later})
	if err != nil {
		return nil, err
	}
	g, grouped := p.(peer.Grouped)
	if grouped = grouped && perGroup > 0; grouped {
		g.OpenGroups((len(delays) + perGroup - 1) / perGroup)
	}
	for _, i := range shuffled(delays, k) {
		if grouped {
			g.ArmIn(i, i/perGroup, delays[i])
		} else {
			p.Arm(i, delays[i])
		}
	}
	return p, nil
}
