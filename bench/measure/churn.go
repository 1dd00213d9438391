package measure

import (
	"fmt"
	"math"
	"runtime"
	"time"

	"github.com/tickwheel/tickwheel/bench/peer"
)

const (
	churnGroup = 100 // timers in a group of W1 and W4
	bulkGroup  = 300 // timers of a session of W5
	// parked is how much later timers of peers that keep real time are, so that
	// none fires while it is to be pending.
	parked = 24 * time.Hour
)

// perGroup is the size of groups for c, 0 for none.
func (c Case) perGroup(size int) (int, error) {
	if !c.Group {
		return 0, nil
	}
	if c.Peer != "tickwheel" {
		return 0, fmt.Errorf("measure: %s has no groups", c.Peer)
	}
	return size, nil
}

// park is the Later of a peer: gost files timers by distance, so moving them away
// would change what is measured.
func (c Case) park() time.Duration {
	if c.Peer == "gost" {
		return 0
	}
	return parked
}

// churn is W1: cancel a random pending timer, schedule another. Time stands still.
func churn(c Case) (Row, error) {
	size, err := c.perGroup(churnGroup)
	if err != nil {
		return Row{}, err
	}
	p, err := fill(c, mix(c.N), size, c.park())
	if err != nil {
		return Row{}, err
	}
	defer c.done(p)
	v := newVictims(c.N, size)
	warmFor, runFor := 2*time.Second, time.Second
	switch {
	case c.Quick:
		warmFor, runFor = 1500*time.Millisecond, 300*time.Millisecond
	case c.reference():
		warmFor = 5 * time.Second
	}
	// What filling left contiguous is shuffled first.
	pairs := max(1, int(float64(v.warm(p, 2*c.N, warmFor))*runFor.Seconds()))
	runtime.GC()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	began := time.Now()
	v.churn(p, pairs)
	took := time.Since(began)
	runtime.ReadMemStats(&after)
	row := c.row()
	row.NS = perOp(took, pairs)
	row.Allocs = value(math.Round(100*float64(after.Mallocs-before.Mallocs)/float64(pairs)) / 100)
	return row, nil
}

// memory is W4: bytes a timer after every timer was replaced twice, and a full
// collection with all of them pending.
func memory(c Case) (Row, error) {
	size, err := c.perGroup(churnGroup)
	if err != nil {
		return Row{}, err
	}
	row := c.row()
	if c.Peer == "empty-heap" {
		row.GCMS = collection()
		return row, nil
	}
	delays, v := mix(c.N), newVictims(c.N, size)
	before := inUse()
	p, err := fill(c, delays, size, c.park())
	if err != nil {
		return Row{}, err
	}
	defer c.done(p)
	v.warm(p, 2*c.N, time.Minute)
	row.Bytes = value(math.Round(10*float64(inUse()-before-p.Own())/float64(c.N)) / 10)
	row.GCMS = collection()
	runtime.KeepAlive(delays)
	runtime.KeepAlive(v)
	return row, nil
}

// inUse is what the process holds after a collection, stacks included.
func inUse() int {
	runtime.GC()
	runtime.GC() // what the first one only marks as free
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc + m.StackInuse)
}

// collection is how long a full collection takes in ms: the median of fifteen, or
// of as many as fit into a second, but of three.
func collection() *float64 {
	runtime.GC()
	var took []float64
	for first := time.Now(); len(took) < 3 || len(took) < 15 && time.Since(first) < time.Second; {
		began := time.Now()
		runtime.GC()
		took = append(took, float64(time.Since(began).Nanoseconds())/1e6)
	}
	return value(median(took))
}

// bulk is W5: sessions of 300 timers log out, one after the other, in random order.
func bulk(c Case) (Row, error) {
	delays := mix(c.N / bulkGroup * bulkGroup)
	if len(delays) == 0 {
		return Row{}, fmt.Errorf("measure: W5: n is %d: want %d or more", c.N, bulkGroup)
	}
	rounds := c.passes(4, 2)
	p, err := fill(c, delays, bulkGroup, c.park())
	if err != nil {
		return Row{}, err
	}
	defer c.done(p)
	k, err := peer.Find(c.Peer)
	if err != nil {
		return Row{}, err
	}
	order, sessions := shuffled(delays, k), shuffled(make([]int32, len(delays)/bulkGroup), peer.Kind{})
	g, grouped := p.(peer.Grouped)
	var took []float64
	for round := range rounds {
		if round > 0 { // the first one was filled in fresh memory
			if grouped {
				g.OpenGroups(len(sessions))
			}
			for _, i := range order {
				if grouped {
					g.ArmIn(i, i/bulkGroup, delays[i])
				} else {
					p.Arm(i, delays[i])
				}
			}
		}
		runtime.GC()
		began := time.Now()
		for _, s := range sessions {
			if !grouped {
				p.DisarmRange(s*bulkGroup, (s+1)*bulkGroup)
			} else if n := g.CloseGroup(s); n != bulkGroup {
				return Row{}, fmt.Errorf("measure: %s: closing a group of %d cancelled %d", c, bulkGroup, n)
			}
		}
		took = append(took, *perOp(time.Since(began), len(delays)))
	}
	row := c.row()
	row.NS = value(median(took[1:]))
	return row, nil
}
