package tick

import (
	"context"
	"fmt"
	"math"
	"sync/atomic"
	"time"

	"github.com/tickwheel/tickwheel/timers"
)

// Loop owns time and everything that happens in it. Make one with [New], for a
// process or a room, not for an object: objects are scopes.
type Loop struct {
	cfg     Config
	wheel   *timers.Wheel[payload]
	inbox   inbox
	queue   JobQueue
	exec    Executor
	root    *Scope
	kinds   kinds
	owner   owner
	watch   watch
	metrics metrics

	// drive is held by whoever drives the loop or ends it: a token of one.
	drive   chan struct{}
	mode    atomic.Int32
	state   atomic.Int32
	origin  atomic.Int64  // reading of the clock at tick 0
	tickNow atomic.Int64  // now, for other goroutines
	wake    chan struct{} // closed when the loop is to stop
	stopped chan struct{} // closed when it has
	stop    stopping

	// The rest belongs to the tick goroutine.
	now     Tick
	seq     uint64
	pacer   pacer
	meter   meter
	gated   int
	onTick  []system
	onFlush []func()
	onInput []func(any)
	onStop  []func()
	tick    inHand
}

// How a loop is driven, chosen by the first call that does.
const (
	modeNone int32 = iota
	modeStepped
	modePaced
)

const (
	stateOpen int32 = iota
	stateStopping
	stateStopped
)

const notStarted = math.MinInt64

type system struct {
	kind Kind
	f    func(dt time.Duration)
}

// New returns a loop at tick 0, or everything that is wrong with c. It starts no
// goroutine; a loop that is dropped without being driven needs no Stop.
func New(c Config) (*Loop, error) {
	given := c.Clock
	c, err := c.withDefaults()
	if err != nil {
		return nil, err
	}
	w, err := timers.New[payload](c.wheel())
	if err != nil {
		return nil, fmt.Errorf("tick: %w", err)
	}
	if given == nil {
		c.Clock = SystemClock()
	}
	l := &Loop{
		cfg: c, wheel: w, pacer: newPacer(c), exec: c.Executor,
		drive: make(chan struct{}, 1), wake: make(chan struct{}), stopped: make(chan struct{}),
	}
	l.origin.Store(notStarted)
	l.inbox.limit = c.Inbox
	l.queue.loop = l
	l.meter.clock = given
	for _, name := range loopKinds {
		k, _ := l.kinds.of(name)
		l.meter.fit(k)
	}
	l.root = &Scope{loop: l}
	l.watch.init(c)
	return l, nil
}

// Root returns the scope that lives as long as the loop: for timers of the
// server itself and for jobs that must outlive a session, such as its last save.
func (l *Loop) Root() *Scope { return l.root }

// Interval returns the length of a tick.
func (l *Loop) Interval() time.Duration { return l.cfg.Interval }

// Now returns the number of the current tick, between ticks that of the last
// one; 0 before the first. Any goroutine may call it.
func (l *Loop) Now() Tick { return Tick(l.tickNow.Load()) }

// Time returns the time since tick 0 of the loop: by Config.Clock, exactly, under
// Run and RunDue, and Now times the interval under Step; 0 before the first
// tick. Logic that must be exact, such as whether a cooldown is over, compares
// these. Any goroutine may call it.
func (l *Loop) Time() time.Duration {
	if l.mode.Load() != modePaced {
		return time.Duration(l.Now()) * l.cfg.Interval
	}
	o := l.origin.Load()
	if o == notStarted {
		return 0
	}
	return l.cfg.Clock.Now() - time.Duration(o)
}

// Wall returns the date by Config.Clock. Under Step without one it is Time past
// 1970, so that tests repeat. Any goroutine may call it.
func (l *Loop) Wall() time.Time {
	if l.mode.Load() == modeStepped && l.meter.clock == nil {
		return time.Unix(0, 0).UTC().Add(l.Time())
	}
	return l.cfg.Clock.Wall()
}

// Next returns the earliest tick in which a timer is to fire, and false if none
// is pending: an idle simulation can skip ahead, a room can be parked.
func (l *Loop) Next() (Tick, bool) {
	l.owner.check("Loop.Next")
	return l.wheel.Next()
}

// Timers is how many timers are pending, with carried and paused ones.
func (l *Loop) Timers() int {
	l.owner.check("Loop.Timers")
	return l.wheel.Len()
}

// SetBudget changes Config.Budget from the next tick on. A negative n is an
// error and changes nothing.
func (l *Loop) SetBudget(n int) error {
	l.owner.check("Loop.SetBudget")
	if err := l.wheel.SetBudget(n); err != nil {
		return fmt.Errorf("tick: Loop.SetBudget: %w", err)
	}
	return nil
}

// OnTick adds a system: f is called each tick in the systems phase with the
// interval as dt, also when the loop catches up or dilates. Systems run in the
// order in which they were added; one that a system adds runs from the next tick
// on. Call it before the first tick or in a callback.
func (l *Loop) OnTick(f func(dt time.Duration)) {
	l.owner.check("Loop.OnTick")
	if f == nil {
		panic("tick: Loop.OnTick: nil function")
	}
	k := l.Kind(fmt.Sprintf("loop/system/%d", len(l.onTick)+1))
	l.meter.fit(k)
	l.onTick = append(l.onTick, system{k, f})
}

// OnFlush adds a hook of the flush phase, the end of each tick: the place to send
// what the tick has written. Hooks run in the order in which they were added; one
// that a hook adds runs from the next tick on.
func (l *Loop) OnFlush(f func()) {
	l.owner.check("Loop.OnFlush")
	if f == nil {
		panic("tick: Loop.OnFlush: nil function")
	}
	l.onFlush = append(l.onFlush, f)
}

// OnInput adds a handler of values given to [Loop.Input]. Each value goes to
// every handler, in the order in which they were added; one that is added in the
// inbox phase gets the values of the ticks after it. A value that finds no handler
// is counted in Stats.Unhandled.
func (l *Loop) OnInput(f func(v any)) {
	l.owner.check("Loop.OnInput")
	if f == nil {
		panic("tick: Loop.OnInput: nil function")
	}
	l.onInput = append(l.onInput, f)
}

// OnStop adds a hook that runs once when the loop stops, after its last tick and
// before the scopes close. It can schedule nothing any more but may still
// offload for the root. Hooks run in the order in which they were added.
func (l *Loop) OnStop(f func()) {
	l.owner.check("Loop.OnStop")
	if f == nil {
		panic("tick: Loop.OnStop: nil function")
	}
	l.onStop = append(l.onStop, f)
}

// CheckOwner panics under the build tag tickdebug if the caller is not the
// goroutine that drives the loop, and names method; otherwise it does nothing. It
// is for packages that build on this one and have methods of the same kind.
func (l *Loop) CheckOwner(method string) { l.owner.check(method) }

// Stopping reports whether the loop has begun to stop, or has. Any goroutine may
// call it.
func (l *Loop) Stopping() bool { return l.state.Load() != stateOpen }

// enter takes the token to drive the loop in mode, or reports false if the loop
// is stopping.
func (l *Loop) enter(method string, mode int32) bool {
	select {
	case l.drive <- struct{}{}:
	default:
		if l.Stopping() {
			return false
		}
		panic("tick: " + method + ": called from a callback, or while another goroutine drives the loop")
	}
	if l.Stopping() {
		l.leave()
		return false
	}
	switch was := l.mode.Load(); was {
	case mode:
	case modeNone:
		l.setMode(mode)
	default:
		<-l.drive
		panic("tick: " + method + ": a loop is driven by Step, or by Run and RunDue, never by both")
	}
	l.owner.take()
	return true
}

// leave gives the token back. A stop that a callback began is done first.
func (l *Loop) leave() {
	defer func() { <-l.drive }()
	if l.Stopping() {
		l.shutdown()
	}
}

func (l *Loop) setMode(mode int32) {
	if mode == modePaced {
		l.meter.clock = l.cfg.Clock
	}
	l.bind(mode)
	l.mode.Store(mode)
}

// bind chooses the executor if the Config did not, and hands it the queue.
func (l *Loop) bind(mode int32) {
	if l.exec == nil && mode == modeStepped {
		l.exec = Inline()
	} else if l.exec == nil {
		l.exec = Goroutines(l.cfg.Workers)
	}
	l.exec.Bind(&l.queue)
	waiting, _, _ := l.queue.load()
	for range waiting { // offloaded while the loop was built
		l.exec.Ready(l.Time())
	}
}

// Step runs exactly one tick on this goroutine and reports true, or false if the
// loop is stopping or has stopped. There is no clock: tick n happens at n times
// the interval. If a callback of the tick before ended its goroutine with
// runtime.Goexit, what that tick had left to do comes first.
//
// Step from a callback, at the same time as another Step, or on a loop driven by
// Run or RunDue panics.
func (l *Loop) Step() bool {
	if !l.enter("Loop.Step", modeStepped) {
		return false
	}
	defer l.leave()
	l.finish()
	if l.Stopping() {
		return false
	}
	l.begin(time.Duration(l.now+1)*l.cfg.Interval, 0, 0, 0)
	l.finish()
	return true
}

// RunDue runs the next tick if it is due by Config.Clock, and returns the
// intended start of the one after, on the scale of that clock: call it again
// then, at once if it has passed. The first call makes its instant tick 0. It
// reports false once the loop is stopping or has stopped.
//
// It is what Run is made of: a simulation moves its clock to next and calls it
// again, and a goroutine that drives many rooms sleeps until the earliest next.
// It panics where Step does.
func (l *Loop) RunDue() (next time.Duration, ok bool) {
	if !l.enter("Loop.RunDue", modePaced) {
		return 0, false
	}
	defer l.leave()
	return l.runDue(), true
}

func (l *Loop) runDue() (next time.Duration) {
	if l.tick.stage != stIdle { // a callback left by Goexit
		l.finish()
		return l.pacer.next
	}
	now := l.cfg.Clock.Now()
	if l.origin.Load() == notStarted {
		l.pacer.start(now)
		l.origin.Store(int64(now))
		l.watch.progress(now) // or a first tick that never ends would look like none
	}
	due, shed, first := l.pacer.due(now)
	if !due {
		return l.pacer.next
	}
	late := l.pacer.begin(now)
	l.begin(l.pacer.base-time.Duration(l.origin.Load()), late, shed, first)
	l.finish()
	return l.pacer.next
}

// Run keeps pace with Config.Clock until ctx ends or Stop is called, and returns
// nil. The end of ctx is a Stop with Config.StopTimeout; jobs that had not ended
// by then are left behind, logged and counted in Stats.Jobs.Abandoned (the error
// of [Loop.Stop]), and apart from them nothing of the loop runs any more. On a
// stopped loop Run returns at once; on one that is driven already it panics.
//
// Ticks run on a goroutine of their own: a callback that calls runtime.Goexit
// ends that one only, and another one continues the tick behind the callback.
func (l *Loop) Run(ctx context.Context) error {
	if !l.enter("Loop.Run", modePaced) {
		<-l.stopped
		return nil
	}
	defer func() { <-l.drive }()
	cancel := context.AfterFunc(ctx, func() { l.beginStop(context.Background()) })
	defer cancel()
	ended := make(chan struct{})
	go l.pace(ended)
	<-ended
	return nil
}

func (l *Loop) pace(ended chan struct{}) {
	clean := false
	defer func() {
		if clean {
			close(ended)
			return
		}
		go l.pace(ended) // Goexit in a callback: go on where it stopped
	}()
	l.owner.take()
	for !l.Stopping() {
		next := l.runDue()
		if l.Stopping() {
			break
		}
		l.cfg.Clock.Sleep(next-l.cfg.Spin, l.wake)
		for l.cfg.Spin > 0 && l.cfg.Clock.Now() < next && !l.Stopping() {
			continue // Config.Spin: a core for a better start
		}
	}
	l.shutdown()
	clean = true
}
