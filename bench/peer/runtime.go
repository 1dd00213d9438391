package peer

import (
	"sync/atomic"
	"time"
)

// goRuntime is the standard library. All timers share one function, which spares
// it the closure that a real caller would make for each.
type goRuntime struct {
	timers []*time.Timer
	later  time.Duration
	fired  atomic.Int64
	f      func()
}

func newRuntime(s Setup) (Peer, error) {
	p := &goRuntime{timers: make([]*time.Timer, s.N), later: s.Later}
	p.f = func() { p.fired.Add(1) }
	return p, nil
}

func (p *goRuntime) Arm(i int, delay int32) {
	p.timers[i] = time.AfterFunc(p.later+time.Duration(delay)*Tick, p.f)
}

func (p *goRuntime) Disarm(i int) bool { return p.timers[i].Stop() }

func (p *goRuntime) Churn(victims []uint32, delays []int32) {
	for k, i := range victims {
		p.timers[i].Stop()
		p.timers[i] = time.AfterFunc(p.later+time.Duration(delays[k])*Tick, p.f)
	}
}

func (p *goRuntime) DisarmRange(lo, hi int) {
	for _, t := range p.timers[lo:hi] {
		t.Stop()
	}
}

func (p *goRuntime) Fired() int { return int(p.fired.Load()) }

func (p *goRuntime) Own() int { return 8 * cap(p.timers) }

func (p *goRuntime) Close() {
	for _, t := range p.timers {
		if t != nil {
			t.Stop()
		}
	}
}
