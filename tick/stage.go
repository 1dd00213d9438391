package tick

import (
	"runtime"
	"runtime/debug"
	"strings"
	"time"

	"github.com/tickwheel/tickwheel/timers"
)

// stage is where in a tick, or in its end, the loop is. Stage and cursor are
// kept in the loop, not on the stack: after a callback that panicked or exited
// its goroutine the tick goes on behind it.
type stage uint8

const (
	stIdle stage = iota
	stShed
	stBegin
	stResults
	stItems
	stTimers
	stSystems
	stFlush
	stJobs
	stReport
	stOver

	stHooks // the end of the loop, see stop.go
	stScopes
	stDrain
	stLast
	stEnded
)

// inHand is the tick in hand.
type inHand struct {
	stage    stage
	cursor   int // what of the stage has begun
	items    []item
	results  []*Task
	applied  *Task // whose result was applied, and what follows was not done
	handlers int   // of inputs, systems or flush hooks: how many there were when the phase began
	part     int   // handlers of the current input that have begun
	fired    int
	panicked int           // fired at the last panic
	late     Histogram     // of the timers fired
	began    time.Duration // reading of the meter
	mark     time.Duration // reading at the beginning of the phase
	shed     ShedInfo
	info     TickInfo
}

// begin enters the next tick, meant for start and begun late after it.
func (l *Loop) begin(start, late time.Duration, shed int64, first time.Duration) {
	l.now++
	l.tickNow.Store(int64(l.now))
	t := &l.tick
	t.began = l.meter.now()
	t.mark = t.began
	l.meter.begin(t.began)
	t.info = TickInfo{Tick: l.now, Start: start, StartLate: late, Shed: shed, Speed: l.pacer.ratio}
	t.fired, t.panicked = 0, -1
	t.stage, t.cursor = stBegin, 0
	if shed > 0 {
		t.shed = l.metrics.shedding(l, shed, first)
		t.stage = stShed
	}
}

// finish runs what is left of the tick in hand, if there is one.
func (l *Loop) finish() {
	for l.tick.stage != stIdle && l.tick.stage != stEnded {
		l.frame()
	}
}

// frame runs stages until the loop is idle or a callback does not return. There
// is one deferred call a tick, not one a callback. Its name is what onLoopStack
// looks for.
//
//go:noinline
func (l *Loop) frame() {
	clean := false
	defer func() {
		if clean {
			return
		}
		exited := true
		defer func() {
			if exited { // the callback, or Config.OnPanic
				l.exited()
			}
		}()
		if v := recover(); v != nil {
			defer l.afterPanic()
			l.caught(v, l.meter.kind)
			exited = false
		}
	}()
	for l.tick.stage != stIdle && l.tick.stage != stEnded {
		l.run()
	}
	clean = true
}

// exited counts a Goexit. It is not recoverable, nor should it be: t.FailNow
// relies on it.
func (l *Loop) exited() {
	l.tick.info.Goexits++
	l.metrics.goexits.Add(1)
	if l.mode.Load() == modePaced { // nobody else would hear of it
		l.cfg.Logger.Warn("tick: callback called runtime.Goexit", "kind", l.KindName(l.meter.kind), "tick", int64(l.now))
	}
}

// afterPanic leaves a stage that panicked in our own or an executor's code, not
// in a callback: it would do so for ever.
func (l *Loop) afterPanic() {
	t := &l.tick
	switch {
	case t.stage == stJobs:
		t.stage = stReport
	case t.stage == stDrain:
		t.stage = stLast
	case t.stage == stTimers && t.fired == t.panicked:
		l.phaseEnd(PhaseTimers, stSystems)
	}
	t.panicked = t.fired
}

// run does what is left of one stage and moves on to the next.
func (l *Loop) run() {
	t := &l.tick
	switch t.stage {
	case stShed:
		t.stage = stBegin // first: it is told once
		if o := l.cfg.Observer; o != nil && o.Shed != nil {
			l.meter.to(kindObserver)
			o.Shed(t.shed)
		}
	case stBegin:
		l.meter.to(kindExecutor)
		t.stage = stResults // first: Begin is not called twice in a tick
		l.takeAll()
	case stResults:
		l.runResults()
		t.part = 0
		l.enterStage(stItems)
	case stItems:
		l.runItems()
		l.phaseEnd(PhaseInbox, stTimers)
	case stTimers:
		l.runTimers()
		l.phaseEnd(PhaseTimers, stSystems)
	case stSystems:
		for t.cursor < t.handlers {
			s := &l.onTick[t.cursor]
			t.cursor++
			l.meter.to(s.kind)
			s.f(l.cfg.Interval)
		}
		l.phaseEnd(PhaseSystems, stFlush)
	case stFlush:
		l.meter.to(kindFlush)
		for t.cursor < t.handlers {
			f := l.onFlush[t.cursor]
			t.cursor++
			f()
		}
		l.phaseEnd(PhaseFlush, stJobs)
	case stJobs:
		l.meter.to(kindExecutor)
		l.exec.End(l.Time())
		t.stage = stReport
	case stReport:
		t.stage = stOver
		l.report()
	case stOver:
		t.stage = stIdle
	default:
		l.runStop()
	}
}

func (l *Loop) phaseEnd(p Phase, next stage) {
	t := &l.tick
	if l.meter.clock != nil {
		now := l.meter.clock.Now()
		t.info.Phase[p] += now - t.mark
		t.mark = now
	}
	l.enterStage(next)
}

// enterStage begins a stage. Handlers that a handler adds wait for the next tick:
// one that adds itself must not keep the phase from ending.
func (l *Loop) enterStage(s stage) {
	t := &l.tick
	t.stage, t.cursor = s, 0
	switch s {
	case stItems:
		t.handlers = len(l.onInput)
	case stSystems:
		t.handlers = len(l.onTick)
	case stFlush:
		t.handlers = len(l.onFlush)
	}
}

// takeAll is the boundary between what waits for this tick and what comes later.
func (l *Loop) takeAll() {
	t := &l.tick
	clear(t.items) // the functions of the last tick, kept by nobody else now
	t.items, t.results = t.items[:0], t.results[:0]
	l.exec.Begin(l.Time())
	l.unkeep()
	t.items, t.results = l.inbox.take(t.items, t.results)
	t.info.Inbox, t.info.Results = len(t.items), len(t.results)
}

// runResults applies the results of jobs. What follows a result is a step of its
// own: if both do not return, both are told of.
func (l *Loop) runResults() {
	t := &l.tick
	for t.applied != nil || t.cursor < len(t.results) {
		if r := t.applied; r != nil {
			t.applied = nil
			if r.always != nil {
				l.meter.to(r.kind)
				r.always()
			}
			continue
		}
		r := t.results[t.cursor]
		t.results[t.cursor] = nil
		t.cursor++
		t.applied = r // first: it follows also if the result's function does not return
		l.applyResult(r)
	}
}

func (l *Loop) runItems() {
	t := &l.tick
	for t.cursor < len(t.items) {
		it := &t.items[t.cursor]
		l.meter.to(it.kind)
		if it.f != nil {
			t.cursor++
			it.f()
			continue
		}
		if t.handlers == 0 {
			l.metrics.unhandled.Add(1)
		}
		for t.part < t.handlers {
			f := l.onInput[t.part]
			t.part++
			f(it.v)
		}
		t.cursor, t.part = t.cursor+1, 0
	}
}

func (l *Loop) runTimers() {
	r := l.wheel.Advance(l.now, l.fire)
	i := &l.tick.info
	i.Fired, i.Carried, i.Moved = r.Fired, r.Carried, r.Moved
	for lane := range Lane(Lanes) {
		i.Backlog[lane] = l.wheel.Backlog(lane)
		i.BacklogAge[lane] = l.wheel.BacklogAge(lane)
	}
}

// guardEvery is how many callbacks run between two looks at the time guard.
const guardEvery = 64

// fire runs one timer. The wheel has removed or re-armed it already.
func (l *Loop) fire(f timers.Firing[payload]) {
	t, p := &l.tick, &f.Payload
	l.meter.to(p.kind)
	l.meter.tick[p.kind].fired++
	t.late.Record(int64(f.Late))
	t.fired++
	if l.cfg.Guard > 0 && t.fired%guardEvery == 0 && !t.info.Guarded {
		l.checkGuard()
	}
	if o := l.cfg.Observer; o != nil && o.Fire != nil {
		l.announce(o.Fire, FireInfo{Tick: l.now, Kind: p.kind, Lane: f.Lane, Seq: p.seq, Late: f.Late, Missed: f.Missed})
	}
	if p.f != nil {
		p.f()
		return
	}
	p.ff(Firing{Tick: l.now, Deadline: f.Deadline, Late: f.Late, Missed: f.Missed, Lane: f.Lane, Kind: p.kind})
}

// announce tells the observer of a callback, which runs even if f panics.
func (l *Loop) announce(f func(FireInfo), i FireInfo) {
	defer func() {
		if v := recover(); v != nil {
			l.caught(v, kindObserver)
		}
	}()
	f(i)
}

// checkGuard has the wheel end the phase behind the current callback if it has
// taken too long.
func (l *Loop) checkGuard() {
	t := &l.tick
	if l.meter.now()-t.mark < l.cfg.Guard {
		return
	}
	t.info.Guarded = true
	l.wheel.Break()
	if o := l.cfg.Observer; o != nil && o.Guard != nil {
		o.Guard(GuardInfo{Tick: l.now, After: t.fired})
	}
}

// report closes the tick's account.
func (l *Loop) report() {
	i := &l.tick.info
	end := l.meter.now()
	if l.meter.clock != nil {
		l.meter.charge(end)
		l.watch.progress(end)
	}
	i.Duration = end - l.tick.began
	l.pacer.end(i.Duration)
	i.Slowest, i.SlowestTime = l.meter.slowest()
	i.Jobs = l.queue.outstanding + len(l.queue.kept)
	l.metrics.tick(l)
	l.meter.to(kindObserver)
	if o := l.cfg.Observer; o != nil && o.Tick != nil {
		o.Tick(i)
	}
}

// caught takes a panic of kind k: on the tick goroutine, in a deferred call.
func (l *Loop) caught(v any, k Kind) {
	l.panicked(PanicInfo{Kind: k, Value: v, Stack: stack()})
}

// panicked counts a panic and tells whoever wants to know.
func (l *Loop) panicked(p PanicInfo) {
	l.tick.info.Panics++
	l.metrics.panics.Add(1)
	p.Tick, p.Phase, p.Name = l.now, l.tick.stage.phase(), l.KindName(p.Kind)
	clean := false
	defer func() {
		if clean {
			return
		}
		if v := recover(); v != nil {
			l.metrics.panics.Add(1)
			l.logPanic(p)
			l.cfg.Logger.Error("tick: Config.OnPanic panicked itself", "panic", v, "stack", string(stack()))
		}
	}()
	if l.cfg.OnPanic != nil {
		l.cfg.OnPanic(p)
	} else {
		l.logPanic(p)
	}
	clean = true
}

func (l *Loop) logPanic(p PanicInfo) {
	l.cfg.Logger.Error("tick: callback panicked", "panic", p.Value, "kind", p.Name, "tick", int64(p.Tick),
		"phase", p.Phase.String(), "job", p.Job, "stack", string(p.Stack))
}

// phase returns the phase of a tick that s is part of.
func (s stage) phase() Phase {
	switch s {
	case stShed, stBegin, stResults, stItems:
		return PhaseInbox
	case stTimers:
		return PhaseTimers
	case stSystems:
		return PhaseSystems
	case stFlush:
		return PhaseFlush
	}
	return Phase(Phases)
}

func stack() []byte { return debug.Stack() }

// onLoopStack reports whether the caller runs inside a callback or job of a
// loop, this one or another: it walks the caller's own stack. A microsecond or
// two, for calls that wait for a tick anyway.
func onLoopStack() bool {
	var pcs [64]uintptr
	for skip := 2; ; skip += len(pcs) {
		n := runtime.Callers(skip, pcs[:])
		for _, pc := range pcs[:n] {
			name := runtime.FuncForPC(pc - 1).Name()
			if strings.HasSuffix(name, "/tick.(*Loop).frame") || strings.HasSuffix(name, "/tick.(*Task).Run") {
				return true
			}
		}
		if n < len(pcs) {
			return false
		}
	}
}
