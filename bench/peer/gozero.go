package peer

import (
	"sync/atomic"
	"time"

	"github.com/zeromicro/go-zero/core/collection"
)

// goZero is go-zero's TimingWheel. Its timers have keys: here the number of the
// timer, made an interface once, which spares it two allocations a timer. Its time
// is ticked by hand.
type goZero struct {
	w     *collection.TimingWheel
	ticks handTicker
	keys  []any // one more than there are timers: the last is never set
	fired atomic.Int64
}

// handTicker hands over a tick when the wheel's goroutine takes it.
type handTicker chan time.Time

func (t handTicker) Chan() <-chan time.Time { return t }
func (t handTicker) Stop()                  {}

const goZeroSlots = 512

func newGoZero(s Setup) (Peer, error) {
	p := &goZero{ticks: make(handTicker), keys: make([]any, s.N+1)}
	for i := range p.keys {
		p.keys[i] = i
	}
	w, err := collection.NewTimingWheelWithTicker(Tick, goZeroSlots, func(_, _ any) { p.fired.Add(1) }, p.ticks)
	if err != nil {
		return nil, err
	}
	p.w = w
	return p, nil
}

func (p *goZero) Arm(i int, delay int32) {
	must(p.w.SetTimer(p.keys[i], nil, time.Duration(delay)*Tick))
}

// Disarm can't tell whether the timer was pending: the library doesn't.
func (p *goZero) Disarm(i int) bool {
	must(p.w.RemoveTimer(p.keys[i]))
	return true
}

func (p *goZero) Churn(victims []uint32, delays []int32) {
	for k, i := range victims {
		p.Disarm(int(i))
		p.Arm(int(i), delays[k])
	}
}

func (p *goZero) DisarmRange(lo, hi int) {
	for i := lo; i < hi; i++ {
		p.Disarm(i)
	}
}

// Step returns when the wheel has handled the tick; callbacks may still run on
// goroutines of their own.
func (p *goZero) Step() Step {
	p.ticks <- time.Time{}
	p.Disarm(len(p.keys) - 1) // taken when the tick is done
	return Step{}
}

// Ticks waits for the end of the last tick only: the wheel takes none before it is
// done with the one before. What fired is for Fired to say.
func (p *goZero) Ticks(n int) int {
	for range n {
		p.ticks <- time.Time{}
	}
	p.Disarm(len(p.keys) - 1)
	return 0
}

func (p *goZero) Fired() int { return int(p.fired.Load()) }

func (p *goZero) Own() int { return (16 + 8) * len(p.keys) }

func (p *goZero) Close() { p.w.Stop() }
