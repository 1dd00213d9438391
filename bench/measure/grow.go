package measure

import (
	"math"
	"runtime/debug"
	"time"

	"github.com/tickwheel/tickwheel/bench/peer"
)

const (
	// growPasses is how often W6 grows; two at least, however slow a peer is, since
	// one pass can't tell its own from the machine's.
	growPasses, growPassesMin = 5, 2
	// growPatience ends the passes of slow peers.
	growPatience = 4 * time.Second
)

// grow is W6: the slowest single call while 0 grows to n, with the collector off.
// Identical passes are timed call by call and the shortest time of each call
// counts: what only one of them had is the machine's doing. Each pass starts
// without the memory of the one before, so that each pays for fresh pages.
//
// Peers with goroutines of their own have one pass, and the machine is in it: what
// a call waits for there, and the growth of a map with a seed of its own, comes at
// another call each time and would vanish. The runtime can't be made afresh at all.
func grow(c Case) (Row, error) {
	k, err := peer.Find(c.Peer)
	if err != nil {
		return Row{}, err
	}
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	delays := mix(c.N)
	took := make([]int64, c.N)
	for i := range took {
		took[i] = math.MaxInt64
	}
	passes := growPasses
	if k.Threaded {
		passes = 1
	}
	began := time.Now()
	for pass := range passes {
		if pass >= growPassesMin && time.Since(began) > growPatience {
			break
		}
		debug.FreeOSMemory() // after a collection
		p, err := k.New(peer.Setup{N: c.N, Later: c.park()})
		if err != nil {
			return Row{}, err
		}
		last := time.Now()
		for i, d := range delays {
			p.Arm(i, d)
			now := time.Now()
			took[i] = min(took[i], int64(now.Sub(last)))
			last = now
		}
		p.Close()
	}
	row := c.row()
	worst := int64(0)
	for _, t := range took {
		worst = max(worst, t)
	}
	row.NS = value(float64(worst))
	return row, nil
}
