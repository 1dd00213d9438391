package check

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"time"

	"github.com/tickwheel/tickwheel/session"
	"github.com/tickwheel/tickwheel/sim/oracle"
	"github.com/tickwheel/tickwheel/tick"
	"github.com/tickwheel/tickwheel/timers"
)

// planned is the value of panics, errPlanned the error of jobs, that the plan
// wants: any other one is a failure.
type planned struct{}

var (
	errPlanned = errors.New("check: planned")
	errClosed  = errors.New("closed by the game")
	errEvening = errors.New("mass logout")
	errHangup  = errors.New("line dropped")
)

// world is one run of the production loop, with the oracle beside it.
type world struct {
	o      Options
	canary int
	log    *story
	ops    []op

	clock *clock
	loop  *tick.Loop
	reg   *session.Registry[int]
	exec  *executor

	wheel *oracle.Wheel
	tree  *oracle.Tree
	mreg  *oracle.Registry
	grid  *oracle.Grid
	jobs  *oracle.Jobs

	kinds            struct{ idle, grace tick.Kind }
	timers           []*timer
	scopes           []*scope
	conns            []*conn
	owned            []*oracle.Conn // those that nobody holds
	jobsMade         int
	accepted         []*job // by number
	jobTimers        map[tick.Kind]*repeat
	births           births
	posts            posts
	facts            facts
	systems, flushes hooks
	watch            *oracle.Watch
	trace            uint64

	healthy  bool
	stopping bool
	panics   uint64
	goexits  uint64
	cuts     uint64

	sessionHooks map[string]string // how the hooks of sessions end
	loggingIn    bool
	exiting      bool // this goroutine ends
	muffled      bool // a planted bug: the next hook is not told
	err          error
	at           int64 // tick of err
}

// facts is what the tick in hand has done so far.
type facts struct {
	open, fired     bool // in a tick, its timer phase over
	start, late     time.Duration
	shed            int64
	inbox           int
	callbacks       int
	carried         [tick.Lanes]int
	age             [tick.Lanes]tick.Span
	panics, goexits int
	owed            debt
	ended           *job // the last one
	swallow         bool // a planted bug
	began           time.Duration
	told            tick.ShedInfo // for the next tick
	phase           time.Duration // when the timer phase began
	cut, cutNow     bool          // by the time guard: at all, and behind the callback that follows
	announced       tick.FireInfo
}

// timer, scope and conn are a thing of the game and what the oracle has for it.
type timer struct {
	id        int
	birth     uint64
	real      *tick.Timer
	m         *oracle.Timer
	op        op
	notBefore time.Duration
	swap      *timer // a planted bug
	far       bool
	repeat    *repeat // nil if it is none of a periodic job
}

type scope struct {
	birth uint64
	real  *tick.Scope
	m     *oracle.Scope
	sess  *sess // nil if it is none of a session
}

type sess struct {
	real   *session.Session[int]
	m      *oracle.Session
	player int
}

type conn struct {
	birth uint64
	real  *session.Conn[int]
	m     *oracle.Conn
	last  string // the name it logged in under
}

func newWorld(seed uint64, o Options, canary int, log *story) (*world, error) {
	w := &world{o: o, canary: canary, log: log, clock: &clock{}, births: births{}, ops: plan(seed, o, false), trace: fnvOffset, sessionHooks: map[string]string{}}
	w.exec = newExecutor(w, o.Workers)
	loop, err := tick.New(w.config(seed))
	if err != nil {
		return nil, fmt.Errorf("check: %w", err)
	}
	w.loop = loop
	w.wheel = oracle.New(oracle.Config{
		Horizon: timers.Span(o.Horizon), Max: o.MaxTimers, Budget: o.Budget, Normal: o.shares().Normal, Bulk: o.shares().Bulk,
		Units: int64(o.Interval),
	})
	w.tree = oracle.NewTree(w.wheel)
	w.tree.MaxGroups = o.MaxScopes
	w.grid = &oracle.Grid{Interval: o.Interval, CatchUp: int64(o.CatchUp), Floor: int64(o.Floor) * 10_000}
	w.jobs = &oracle.Jobs{Room: o.Queue + o.Workers, Keep: o.Keep}
	w.scopes = []*scope{{real: loop.Root(), m: w.tree.Root}}
	w.systems.what, w.flushes.what = "system", "flush hook"
	w.watch = &oracle.Watch{Limit: max(time.Second, o.Interval*time.Duration(o.CatchUp+1))}
	w.kinds.idle, w.kinds.grace = loop.Kind("session/idle"), loop.Kind("session/grace")
	return w, w.build()
}

// config is that of the loop, with what is planted in it.
func (w *world) config(seed uint64) tick.Config {
	o := &w.o
	cfg := tick.Config{
		Interval: o.Interval, CatchUp: o.CatchUp, Budget: w.bugged(o.Budget), Shares: tick.Shares(o.shares()),
		NearTicks: o.Near, ChunkBlocks: o.Chunk, MaxTimers: o.MaxTimers, MaxScopes: o.MaxScopes, Horizon: tick.Span(o.Horizon),
		Inbox: o.Inbox, Workers: o.Workers, Queue: o.Queue, Keep: o.Keep,
		Executor: w.exec, Clock: w.clock, Seed: seed | 1, Guard: o.Interval * time.Duration(o.Guard) / 100,
		Logger:   slog.New(slog.NewTextHandler(io.Discard, nil)),
		Observer: &tick.Observer{Fire: w.announce, Tick: w.tickEnds, Job: w.jobEnds, Guard: w.guarded, Shed: w.gaveUp},
		OnPanic: func(p tick.PanicInfo) {
			if _, ok := p.Value.(planned); !ok {
				w.broken(oracle.Whole, "%s panicked: %v, in %s", p.Name, p.Value, frames(p.Stack))
			}
		},
	}
	if o.Keep == 0 {
		cfg.WhenFull = tick.Reject
	}
	if o.Floor > 0 {
		cfg.Overrun, cfg.Floor = tick.Dilate, float64(o.Floor)/100
	}
	switch w.canary {
	case bugGuard:
		cfg.Guard = 0
	case bugShares:
		cfg.Shares.Normal, cfg.Shares.Bulk = cfg.Shares.Bulk, cfg.Shares.Normal
	case bugDilate:
		cfg.Overrun = tick.Shed
	case bugFull:
		cfg.MaxTimers++
	case bugScopes:
		cfg.MaxScopes++
	}
	return cfg
}

func (o *Options) shares() timers.Shares {
	return timers.Shares{Normal: float64(o.Normal) / 1000, Bulk: float64(o.Bulk) / 1000}
}

// build puts our systems and hooks around those of the registry.
func (w *world) build() error {
	w.loop.OnTick(func(dt time.Duration) {
		if dt != w.o.Interval {
			w.broken(oracle.Pace, "a system is told that a tick is %v: want %v", dt, w.o.Interval)
		}
		w.timersOver()
		w.systems.begins()
		w.mreg.Release(w.o.CloseBudget)
	})
	w.loop.OnStop(func() {
		w.say("the loop stops")
		w.stopping, w.jobs.Stopping = true, true
		w.mreg.CloseAll(oracle.Stop)
		w.mreg.Release(1 << 30)
	})
	reg, err := session.New[int](w.loop, session.Config{
		Grace: w.span(w.o.Grace), GraceRuns: w.o.GraceRuns, Idle: w.span(w.o.Idle),
		MaxSessions: w.o.Sessions, CloseBudget: w.o.CloseBudget,
	})
	if err != nil {
		return fmt.Errorf("check: %w", err)
	}
	w.reg = reg
	w.mreg = &oracle.Registry{
		Tree: w.tree, Scope: w.tree.Child(w.tree.Root, ""), Grace: w.span(w.o.Grace), IdleAfter: w.span(w.o.Idle),
		GraceRuns: w.o.GraceRuns, Max: w.o.Sessions, Due: w.due,
	}
	reg.OnClose(func(s *session.Session[int], reason error) {
		name := fmt.Sprintf("session %s#%d", s.ID(), s.Generation())
		w.told(name, reason)
		if w.bug(bugToldTwice) {
			w.told(name, reason)
		}
		w.lastSave(s.ID())
		if then := w.sessionHooks[name]; then == "panic" {
			w.leaveHook(then)
		}
	})
	w.loop.OnTick(func(time.Duration) {
		w.fail(w.tree.Told())
		w.calls(viaSystem)
	})
	w.loop.OnFlush(w.flush)
	for i := range w.o.Handlers {
		w.loop.OnInput(w.handler(i))
	}
	w.loop.OnStop(func() {
		w.fail(w.tree.Told())
		for _, s := range w.tree.Root.Kids() {
			w.tree.Close(s, oracle.Stop)
		}
		w.wheel.CancelGroup(w.tree.Root.Group)
	})
	return nil
}

func (w *world) span(ticks int) time.Duration { return time.Duration(ticks) * w.o.Interval }

// due is the oracle's tick for d from now.
func (w *world) due(d time.Duration) timers.Tick {
	k, _ := w.grid.After(w.clock.now, d)
	return w.loop.Now() + k
}

// fail keeps the first failure and the tick it was seen in; nil is none.
func (w *world) fail(err error) {
	if err == nil || w.err != nil {
		return
	}
	w.err, w.at = err, int64(w.loop.Now())
	w.say("BROKEN: %v", err)
}

func (w *world) broken(r oracle.Rule, format string, args ...any) {
	w.fail(&oracle.Broken{Rule: r, What: fmt.Sprintf(format, args...)})
}

func (w *world) say(format string, args ...any) {
	if w.log != nil {
		w.log.say(int64(w.loop.Now()), format, args...)
	}
}

// note adds to the trace of the run.
func (w *world) note(words ...uint64) {
	for _, x := range words {
		w.trace = (w.trace ^ x) * fnvPrime
	}
}

const (
	fnvOffset = 0xCBF29CE484222325
	fnvPrime  = 0x100000001B3
)

// run is the whole life of the world: faults, health, the end.
func (w *world) run() {
	w.drive() // tick 0 is now
	w.grid.Start(w.clock.now)
	w.watch.Progress(w.clock.now)
	for w.err == nil && int(w.loop.Now()) < w.o.Ticks {
		w.calls(viaOutside)
		w.tick()
	}
	if w.err == nil {
		w.recover()
	}
	w.end()
}

// tick waits for the next tick and runs it.
func (w *world) tick() {
	w.clock.Sleep(w.grid.Next(), nil)
	before := w.loop.Now()
	w.drive()
	w.answered()
	if w.err == nil && !w.stopping && w.loop.Now() != before+1 {
		w.broken(oracle.Pace, "tick %d was due at %v and did not run", before+1, w.grid.Next())
	}
}

// drive calls the loop once; a callback that exits its goroutine exits ours, and
// the next one goes on.
func (w *world) drive() {
	for clean := false; !clean; {
		over := make(chan struct{})
		go func() {
			defer close(over)
			w.exiting = false
			w.loop.RunDue()
			clean = true
		}()
		<-over
	}
}
