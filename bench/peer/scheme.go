package peer

import (
	"github.com/tickwheel/tickwheel/sim/schemes"
	"github.com/tickwheel/tickwheel/timers"
)

// scheme is one of the classical structures.
type scheme struct {
	s       schemes.Scheme
	handles []*schemes.Timer
	fire    func(uint64)
	sum     uint64
}

func newScheme(name string, s Setup) (Peer, error) {
	made, err := schemes.New(name, schemes.Config{})
	if err != nil {
		return nil, err
	}
	p := &scheme{s: made, handles: make([]*schemes.Timer, s.N)}
	p.fire = func(payload uint64) { p.sum += payload }
	return p, nil
}

func (p *scheme) Arm(i int, delay int32) {
	p.handles[i] = p.s.Schedule(p.s.Now()+timers.Tick(delay), uint64(i))
}

func (p *scheme) Disarm(i int) bool { return p.s.Cancel(p.handles[i]) }

func (p *scheme) Churn(victims []uint32, delays []int32) {
	now := p.s.Now()
	for k, i := range victims {
		p.s.Cancel(p.handles[i])
		p.handles[i] = p.s.Schedule(now+timers.Tick(delays[k]), uint64(i))
	}
}

func (p *scheme) DisarmRange(lo, hi int) {
	for _, t := range p.handles[lo:hi] {
		p.s.Cancel(t)
	}
}

func (p *scheme) Step() Step {
	r := p.s.Advance(p.s.Now()+1, p.fire)
	return Step{Fired: r.Fired, Touched: r.Touched}
}

func (p *scheme) Ticks(n int) int {
	s, fire, before := p.s, p.fire, p.s.Len()
	for range n {
		s.Advance(s.Now()+1, fire)
	}
	return before - s.Len()
}

func (p *scheme) Own() int { return 8 * cap(p.handles) }

func (p *scheme) Close() { p.s.Close() }
