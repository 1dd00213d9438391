package measure

import (
	"fmt"
	"time"

	"github.com/tickwheel/tickwheel/timers"
)

// storm is W8: n timers over ±2 s, half of which an earlier storm of as many has
// filled to twice the density already. It is the fullest tick of the window over
// the mean, and the time of one jittered call.
func storm(c Case) (Row, error) {
	const reach = 2 * ticksPerSecond
	choices, spread := uint8(0), timers.Span(reach)
	switch c.Variant {
	case "none":
		spread = 0
	case "uniform":
	case "best2":
		choices = 2
	case "best4":
		choices = 4
	default:
		return Row{}, fmt.Errorf("measure: W8: variant %q: want none, uniform, best2 or best4", c.Variant)
	}
	if c.Peer != "tickwheel" {
		return Row{}, fmt.Errorf("measure: W8: %s has no jitter", c.Peer)
	}
	w, err := timers.New[uint64](timers.Config{Seed: seed, MaxTimers: max(2*c.N, 1)})
	if err != nil {
		return Row{}, err
	}
	const center = 1000
	earlier := timers.Spec{Jitter: timers.Jitter{Early: reach / 2, Late: reach / 2}}
	later := timers.Spec{Jitter: timers.Jitter{Early: spread, Late: spread}, Choices: choices}
	for i := range c.N {
		if _, err := w.At(center-reach/2, uint64(i), earlier); err != nil {
			return Row{}, err
		}
	}
	began := time.Now()
	for i := range c.N {
		if _, err := w.At(center, uint64(i), later); err != nil {
			return Row{}, err
		}
	}
	row := c.row()
	row.NS = perOp(time.Since(began), c.N)
	most, all := 0, 0
	fire := func(timers.Firing[uint64]) {}
	w.Advance(center-reach-1, fire)
	for w.Now() < center+reach {
		fired := w.Advance(w.Now()+1, fire).Fired
		most, all = max(most, fired), all+fired
	}
	if all != 2*c.N {
		return Row{}, fmt.Errorf("measure: %s: %d of %d timers fired in the window", c, all, 2*c.N)
	}
	mean := float64(all) / (2*reach + 1)
	row.FiredMax, row.RatioToMean = count(most), value(float64(most)/mean)
	return row, nil
}
