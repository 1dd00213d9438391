package measure

import (
	"fmt"
	"math"
	"runtime"
	"runtime/debug"
	"time"

	"github.com/tickwheel/tickwheel/bench/peer"
)

const fireTicks = 200

// fire is W2: n timers over 200 ticks. Where callbacks run on goroutines of the
// peer's own it is CPU time, since the wall's says nothing.
func fire(c Case) (Row, error) {
	k, err := peer.Find(c.Peer)
	if err != nil {
		return Row{}, err
	}
	delays := uniform(c.N, fireTicks)
	row := c.row()
	if k.Threaded {
		row.NS, err = fireThreaded(c, k, delays)
		return row, err
	}
	p, err := fill(c, delays, 0, 0)
	if err != nil {
		return Row{}, err
	}
	defer c.done(p)
	rounds := c.passes(4, 3)
	order := shuffled(delays, k)
	s := p.(peer.Stepped)
	var took []float64
	for round := range rounds {
		if round > 0 {
			for _, i := range order {
				p.Arm(i, delays[i])
			}
		}
		runtime.GC()
		began := time.Now()
		fired := s.Ticks(fireTicks)
		took = append(took, *perOp(time.Since(began), c.N))
		if fired != c.N {
			return Row{}, fmt.Errorf("measure: %s: %d of %d timers fired", c, fired, c.N)
		}
	}
	row.NS = value(median(took[1:])) // the first one fires from fresh memory
	return row, nil
}

// fireThreaded waits for all timers and returns the CPU time of one.
func fireThreaded(c Case, k peer.Kind, delays []int32) (*float64, error) {
	// Room for arming, so that what fires is not what is still being armed.
	later := time.Second + time.Duration(len(delays))*2*time.Microsecond
	p, err := fill(c, delays, 0, later)
	if err != nil {
		return nil, err
	}
	defer c.done(p)
	t := p.(peer.Threaded)
	runtime.GC()
	before := t.Fired()
	cpu := cpuTime()
	if s, ok := p.(peer.Stepped); ok {
		s.Ticks(fireTicks)
	}
	patience := later + fireTicks*peer.Tick + time.Minute
	for began := time.Now(); t.Fired() < len(delays); time.Sleep(time.Millisecond) {
		if time.Since(began) > patience {
			return nil, fmt.Errorf("measure: %s: %d of %d timers fired", c, t.Fired(), len(delays))
		}
	}
	fired := t.Fired() - before
	if fired <= len(delays)/2 {
		return nil, fmt.Errorf("measure: %s: most timers fired while others were armed: the machine is too busy", c)
	}
	return perOp(cpuTime()-cpu, fired), nil
}

// tickCost is W3.
func tickCost(c Case) (Row, error) {
	switch c.Variant {
	case "idle", "empty", "far":
		return idleTick(c)
	case "worst":
		return worstTick(c)
	}
	return Row{}, fmt.Errorf("measure: W3: variant %q: want idle, worst, empty or far", c.Variant)
}

const (
	// idleTicks is how long nothing is due. A tick of the hashed wheels takes a
	// third of a millisecond, so there can't be many.
	idleTicks = 4096
	// quietTicks is the same for ticks of a few nanoseconds, of which it takes more
	// until reading the clock no longer shows; they end before the hour does.
	quietTicks = 1 << 15
)

// idleTick is a tick in which nothing is due: the mix begins after the last of
// them ("idle"), everything is an hour or more away ("far"), or there is nothing
// at all ("empty").
func idleTick(c Case) (Row, error) {
	delays, ticks := mix(c.N), quietTicks
	for i := range delays {
		switch c.Variant {
		case "idle":
			delays[i] += idleTicks
		case "far":
			delays[i] = 3600*ticksPerSecond + delays[i]%day
		}
	}
	switch c.Variant {
	case "idle":
		ticks = idleTicks
	case "empty":
		delays = nil
	}
	p, err := fill(c, delays, 0, 0)
	if err != nil {
		return Row{}, err
	}
	defer c.done(p)
	s := p.(peer.Stepped)
	runtime.GC()
	const parts = 8
	var took []float64
	for range parts {
		began := time.Now()
		fired := s.Ticks(ticks / parts)
		took = append(took, *perOp(time.Since(began), ticks/parts))
		if fired > 0 {
			return Row{}, fmt.Errorf("measure: %s: %d timers fired early", c, fired)
		}
	}
	row := c.row()
	row.NS = value(median(took))
	return row, nil
}

// firstHour is when all but the last twentieth of the mix fires. To hand over the
// ticks after it takes a peer with a goroutine of its own longer than the work that
// is left to do in them.
const firstHour = 3600 * ticksPerSecond

// worstTick lives through 24 h of a mix that is not renewed. Two identical passes
// are timed tick by tick and the shorter time of each tick counts: what only one of
// them had is the machine's doing. The collector is off meanwhile. Peers that take
// a tick on a goroutine of their own are followed for the firstHour.
func worstTick(c Case) (Row, error) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	k, err := peer.Find(c.Peer)
	if err != nil {
		return Row{}, err
	}
	passes, ticks := 2, day
	if c.Quick {
		passes = 1
	}
	if k.Threaded {
		ticks = firstHour
	}
	delays := mix(c.N)
	took := make([]int64, ticks)
	for i := range took {
		took[i] = math.MaxInt64
	}
	moved, most := 0, 0
	for range passes {
		p, err := fill(c, delays, 0, 0)
		if err != nil {
			return Row{}, err
		}
		s := p.(peer.Stepped)
		runtime.GC()
		fired := 0
		last := time.Now()
		for i := range took {
			step := s.Step()
			now := time.Now()
			took[i] = min(took[i], int64(now.Sub(last)))
			last = now
			fired += step.Fired
			moved, most = max(moved, step.Touched), max(most, step.Fired)
		}
		p.Close()
		if !k.Threaded && fired != c.N {
			return Row{}, fmt.Errorf("measure: %s: %d of %d timers fired in 24 h", c, fired, c.N)
		}
	}
	row := c.row()
	worst := int64(0)
	for _, t := range took {
		worst = max(worst, t)
	}
	row.NS = value(float64(worst))
	if !k.Threaded { // others don't tell
		row.MovedMax, row.FiredMax = count(moved), count(most)
	}
	return row, nil
}
