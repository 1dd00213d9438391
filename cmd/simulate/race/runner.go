package race

import (
	"fmt"
	"sync/atomic"
	"time"

	"github.com/tickwheel/tickwheel/sim/schemes"
	"github.com/tickwheel/tickwheel/timers"
)

// runner is a structure with room for a number of timers, driven by a trace. The
// loops over calls are the runner's own: a call through an interface for each timer
// would be in the figures.
type runner interface {
	// begin files the first timers.
	begin(fill []order)
	// play cancels and files what a step says, goes on by a tick and returns how
	// many timers fired. waited is what of its time was waiting for the tick.
	play(s step) (fired int, waited time.Duration)
	// churn files timer and cancels it again, once for each delay.
	churn(timer uint32, delays []int32)
	// own is how many bytes the runner itself keeps for handles.
	own() int64
	close()
}

// start is the tick at which structures begin: so that the hand of a hierarchy
// enters a coarse slot, at tick 65,536, in the middle of the trace. It does so at
// some time anyway; a trace of a minute should not be lucky.
func start(ticks int) timers.Tick { return max(0, timers.Tick(65_536-ticks/2)) }

// classical is one of package schemes.
type classical struct {
	s       schemes.Scheme
	handles []*schemes.Timer
	fired   int
	fire    func(uint64)
}

func newClassical(name string, lazy bool, pending, ticks int) (runner, error) {
	s, err := schemes.New(name, schemes.Config{Start: start(ticks), Lazy: lazy})
	if err != nil {
		return nil, err
	}
	c := &classical{s: s, handles: make([]*schemes.Timer, pending+1)}
	c.fire = func(uint64) { c.fired++ }
	return c, nil
}

func (c *classical) begin(fill []order) { c.file(fill) }

func (c *classical) file(orders []order) {
	now := c.s.Now()
	for _, o := range orders {
		c.handles[o.timer] = c.s.Schedule(now+timers.Tick(o.delay), uint64(o.timer))
	}
}

func (c *classical) play(s step) (int, time.Duration) {
	for _, i := range s.cancel {
		c.s.Cancel(c.handles[i])
	}
	c.file(s.file)
	c.fired = 0
	c.s.Advance(c.s.Now()+1, c.fire)
	return c.fired, 0
}

func (c *classical) churn(timer uint32, delays []int32) {
	now := c.s.Now()
	for _, d := range delays {
		c.handles[timer] = c.s.Schedule(now+timers.Tick(d), uint64(timer))
		c.s.Cancel(c.handles[timer])
	}
}

func (c *classical) own() int64 { return 8 * int64(cap(c.handles)) }

func (c *classical) close() { c.s.Close() }

// wheel is that of package timers.
type wheel struct {
	w       *timers.Wheel[uint64]
	handles []timers.Handle
	fired   int
	fire    func(timers.Firing[uint64])
}

func newWheel(pending, ticks int) (runner, error) {
	w, err := timers.New[uint64](timers.Config{Start: start(ticks), MaxTimers: max(pending+1, 1<<22)})
	if err != nil {
		return nil, err
	}
	r := &wheel{w: w, handles: make([]timers.Handle, pending+1)}
	r.fire = func(timers.Firing[uint64]) { r.fired++ }
	return r, nil
}

func (w *wheel) begin(fill []order) { w.file(fill) }

func (w *wheel) file(orders []order) {
	for _, o := range orders {
		w.handles[o.timer] = w.after(o.delay, o.timer)
	}
}

func (w *wheel) after(delay int32, timer uint32) timers.Handle {
	h, err := w.w.After(timers.Span(delay), uint64(timer), timers.Spec{})
	if err != nil {
		panic(fmt.Sprintf("race: the wheel refuses %d ticks: %v", delay, err)) // it has room for all
	}
	return h
}

func (w *wheel) play(s step) (int, time.Duration) {
	for _, i := range s.cancel {
		w.w.Cancel(w.handles[i])
	}
	w.file(s.file)
	w.fired = 0
	w.w.Advance(w.w.Now()+1, w.fire)
	return w.fired, 0
}

func (w *wheel) churn(timer uint32, delays []int32) {
	for _, d := range delays {
		w.handles[timer] = w.after(d, timer)
		w.w.Cancel(w.handles[timer])
	}
}

func (w *wheel) own() int64 { return 8 * int64(cap(w.handles)) }

func (w *wheel) close() {}

// goRuntime is time.AfterFunc. All timers share one function, which spares it the
// closure that a real caller would make for each.
type goRuntime struct {
	timers []*time.Timer
	tick   time.Duration
	later  time.Duration // added to all delays, where none is to fire
	epoch  time.Time
	now    int // in ticks since epoch

	expected    int64 // callbacks that have run when this tick is over
	fired, want atomic.Int64
	reached     chan struct{} // a callback was the one that is wanted
	f           func()
}

func newRuntime(pending int, later time.Duration) (runner, error) {
	g := &goRuntime{
		timers: make([]*time.Timer, pending+1), reached: make(chan struct{}, 1), later: later,
		tick: 2 * time.Millisecond * time.Duration(max(1, pending/100_000)),
	}
	g.f = func() {
		if g.fired.Add(1) == g.want.Load() {
			select {
			case g.reached <- struct{}{}:
			default: // one is there already, and is as good
			}
		}
	}
	return g, nil
}

// fillTime is what filing one timer may take, before the first tick comes.
const fillTime = 2 * time.Microsecond

func (g *goRuntime) begin(fill []order) {
	g.want.Store(-1)
	g.epoch = time.Now().Add(time.Duration(len(fill))*fillTime + 20*time.Millisecond + g.later)
	g.file(fill)
}

func (g *goRuntime) at(tick int) time.Time { return g.epoch.Add(time.Duration(tick) * g.tick) }

func (g *goRuntime) file(orders []order) {
	for _, o := range orders {
		g.timers[o.timer] = time.AfterFunc(time.Until(g.at(g.now+int(o.delay))), g.f)
	}
}

func (g *goRuntime) play(s step) (int, time.Duration) {
	g.expected += int64(s.due)
	for _, i := range s.cancel {
		if !g.timers[i].Stop() {
			g.expected++ // we are late: it ran before the trace could cancel it
		}
	}
	g.file(s.file)
	g.now++
	// Waking late is not waiting: a timer's callback is as late as we are.
	sleep := max(0, time.Until(g.at(g.now)))
	time.Sleep(sleep)
	g.want.Store(g.expected)
	for g.fired.Load() < g.expected {
		<-g.reached
	}
	return s.due, sleep
}

func (g *goRuntime) churn(timer uint32, delays []int32) {
	for _, d := range delays {
		g.timers[timer] = time.AfterFunc(g.later+time.Duration(d)*g.tick, g.f)
		g.timers[timer].Stop()
	}
}

func (g *goRuntime) own() int64 { return 8 * int64(cap(g.timers)) }

func (g *goRuntime) close() {
	for _, t := range g.timers {
		if t != nil {
			t.Stop()
		}
	}
}
