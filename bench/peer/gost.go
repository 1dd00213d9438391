package peer

import (
	"io"
	"log"
	"runtime"
	"sync/atomic"
	"time"

	gxtime "github.com/dubbogo/gost/time"
)

// gost is the TimerWheel of dubbogo/gost. Its calls are queued, 128 at most, and
// what doesn't fit is dropped, cancels without a word; so the adapter lets the
// queue run empty in time. It can only see how many timers there are, so it also
// does between schedules and cancels, which would hide one another.
type gost struct {
	w      *gxtime.TimerWheel
	timers []*gxtime.Timer
	fired  atomic.Int64
	queued int  // calls since the queue was last seen empty
	adding bool // what those calls were
	want   int  // what TimerNumber says once it is, but for timers that fired
	f      gxtime.TimerFunc
}

const gostQueue = 100 // stay below its 128

func newGost(s Setup) (Peer, error) {
	log.SetOutput(io.Discard) // it logs its end to the standard logger
	p := &gost{w: gxtime.NewTimerWheel(), timers: make([]*gxtime.Timer, s.N)}
	p.f = func(gxtime.TimerID, time.Time, any) error {
		p.fired.Add(1)
		return nil
	}
	return p, nil
}

// room waits until the queue is empty if there may be no room for another call, or
// if that call is of the other sort.
func (p *gost) room(adding bool) {
	p.queued++
	if p.queued < gostQueue && adding == p.adding {
		return
	}
	// A timer that is about to fire makes the two differ once more.
	for p.w.TimerNumber() != p.want-p.Fired() {
		runtime.Gosched()
	}
	p.queued, p.adding = 1, adding
}

func (p *gost) Arm(i int, delay int32) {
	p.room(true)
	t, err := p.w.AddTimer(p.f, gxtime.TimerOnce, time.Duration(delay)*Tick, nil)
	must(err)
	p.timers[i] = t
	p.want++
}

// Disarm can't tell whether the timer was pending: the library doesn't.
func (p *gost) Disarm(i int) bool {
	p.room(false)
	p.timers[i].Stop()
	p.want-- // it counts down even for timers that fired before
	return true
}

func (p *gost) Churn(victims []uint32, delays []int32) {
	for k, i := range victims {
		p.Disarm(int(i))
		p.Arm(int(i), delays[k])
	}
}

func (p *gost) DisarmRange(lo, hi int) {
	for i := lo; i < hi; i++ {
		p.Disarm(i)
	}
}

func (p *gost) Fired() int { return int(p.fired.Load()) }

func (p *gost) Own() int { return 8 * cap(p.timers) }

// Close ends the wheel's goroutine. The library's own Close waits for ever, since
// it stops the ticker that the goroutine waits for; so this one stops the wheel
// while a callback holds the goroutine, which then looks before it waits.
func (p *gost) Close() {
	held, release := make(chan struct{}), make(chan struct{})
	p.room(true)
	_, err := p.w.AddTimer(func(gxtime.TimerID, time.Time, any) error {
		close(held)
		<-release
		return nil
	}, gxtime.TimerOnce, 0, nil)
	must(err)
	<-held
	p.w.Stop()
	close(release)
	p.w.Close()
}
