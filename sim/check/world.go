package check

import (
	"context"
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

	kinds    struct{ idle, grace tick.Kind }
	timers   []*timer
	scopes   []*scope
	conns    []*conn
	jobsMade int
	births   births
	posts    posts
	facts    facts
	trace    uint64

	healthy  bool
	stopping bool
	panics   uint64
	err      error
	at       int64 // tick of err
}

// posts is the inbox, as it must be.
type posts struct {
	next    int   // number of the next post
	waiting []int // for the next tick
	inTick  []int // of this tick, still to run
	refused uint64
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
	swallow         bool          // a planted bug
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
}

type scope struct {
	birth uint64
	real  *tick.Scope
	m     *oracle.Scope
	sess  *sess // nil if it is none of a session
}

type sess struct {
	real *session.Session[int]
	m    *oracle.Session
}

type conn struct {
	birth uint64
	real  *session.Conn[int]
	m     *oracle.Conn
	last  string // the name it logged in under
}

func newWorld(seed uint64, o Options, canary int, log *story) (*world, error) {
	w := &world{o: o, canary: canary, log: log, clock: &clock{}, births: births{}, ops: plan(seed, o, false), trace: fnvOffset}
	w.exec = newExecutor(w, o.Workers)
	cfg := tick.Config{
		Interval: o.Interval, CatchUp: o.CatchUp, Budget: w.bugged(o.Budget),
		NearTicks: o.Near, ChunkBlocks: o.Chunk, MaxTimers: 60_000,
		Inbox: o.Inbox, Workers: o.Workers, Queue: o.Queue, Keep: o.Keep,
		Executor: w.exec, Clock: w.clock, Seed: seed | 1, Guard: o.Interval * time.Duration(o.Guard) / 100,
		Logger:   slog.New(slog.NewTextHandler(io.Discard, nil)),
		Observer: &tick.Observer{Fire: w.announce, Tick: w.tickEnds, Job: w.jobEnds, Guard: w.guarded},
		OnPanic: func(p tick.PanicInfo) {
			if _, ok := p.Value.(planned); !ok {
				w.broken(oracle.Whole, "%s panicked: %v, in %s", p.Name, p.Value, frames(p.Stack))
			}
		},
	}
	if w.bug(bugGuard) {
		cfg.Guard = 0
	}
	if o.Keep == 0 {
		cfg.WhenFull = tick.Reject
	}
	loop, err := tick.New(cfg)
	if err != nil {
		return nil, fmt.Errorf("check: %w", err)
	}
	w.loop = loop
	w.wheel = oracle.New(oracle.Config{
		Horizon: 1 << 44, Max: 60_000, Budget: o.Budget, Normal: 1.0 / 4, Bulk: 1.0 / 8, Units: int64(o.Interval),
	})
	w.tree = oracle.NewTree(w.wheel)
	w.grid = &oracle.Grid{Interval: o.Interval, CatchUp: int64(o.CatchUp)}
	w.jobs = &oracle.Jobs{Room: o.Queue + o.Workers, Keep: o.Keep}
	w.scopes = []*scope{{real: loop.Root(), m: w.tree.Root}}
	w.kinds.idle, w.kinds.grace = loop.Kind("session/idle"), loop.Kind("session/grace")
	return w, w.build()
}

// build puts our systems and hooks around those of the registry.
func (w *world) build() error {
	w.loop.OnTick(func(time.Duration) {
		w.timersOver()
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
	})
	w.loop.OnTick(func(time.Duration) {
		w.fail(w.tree.Told())
		w.calls(viaSystem)
	})
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
			w.loop.RunDue()
			clean = true
		}()
		<-over
	}
}

// tickBegins is the first thing the loop does in a tick.
func (w *world) tickBegins() {
	if w.stopping {
		return
	}
	start, late, shed, err := w.grid.Tick(w.clock.now)
	w.fail(err)
	w.facts = facts{open: true, start: start, late: late, shed: shed}
	if w.bug(bugShed) {
		w.facts.shed = 0
	}
	w.posts.inTick, w.posts.waiting = w.posts.waiting, nil
	w.facts.inbox = len(w.posts.inTick)
	if shed > 0 {
		w.say("the loop gives up %d intervals", shed)
	}
}

// inboxOver is called when the timer phase has begun, for sure.
func (w *world) inboxOver() {
	if len(w.posts.inTick) > 0 {
		w.broken(oracle.InboxRule, "post %d did not run in the inbox phase", w.posts.inTick[0])
	}
	w.fail(w.jobs.Settled())
	if !w.wheel.Advancing() && !w.facts.fired {
		w.facts.phase = w.clock.now
	}
	if n := w.jobs.Waiting(); n > 0 {
		w.broken(oracle.JobOnce, "%d results of jobs were there when the tick began, and not applied", n)
	}
}

// timersOver is the end of the timer phase.
func (w *world) timersOver() {
	if w.facts.fired || w.err != nil {
		return
	}
	w.inboxOver()
	w.wheel.Begin(w.loop.Now())
	w.fail(w.wheel.End())
	w.fail(w.tree.Told())
	w.facts.fired = true
	for lane := range tick.Lane(tick.Lanes) {
		w.facts.carried[lane], w.facts.age[lane] = w.wheel.Backlog(lane)
	}
}

// tickEnds compares the loop's account of the tick with ours.
func (w *world) tickEnds(i *tick.TickInfo) {
	f := &w.facts
	f.open = false
	w.note(uint64(i.Tick), uint64(i.Fired), uint64(i.Carried), uint64(i.Shed), uint64(i.Inbox), uint64(i.Jobs))
	if w.err != nil {
		return
	}
	carried := 0
	for _, n := range f.carried {
		carried += n
	}
	same := func(r oracle.Rule, what string, got, want any) {
		if got != want {
			w.broken(r, "tick %d says %s is %v: want %v", i.Tick, what, got, want)
		}
	}
	same(oracle.ShedCounted, "the number of intervals given up", i.Shed, f.shed)
	same(oracle.Pace, "its start", i.Start, f.start)
	same(oracle.Pace, "its lateness", i.StartLate, f.late)
	same(oracle.Counts, "the number of callbacks", i.Fired, f.callbacks)
	same(oracle.Carried, "the number of carried timers", i.Carried, carried)
	same(oracle.Carried, "the backlog by lane", i.Backlog, f.carried)
	same(oracle.Carried, "the age of the backlog", i.BacklogAge, f.age)
	same(oracle.InboxRule, "the number of posts", i.Inbox, f.inbox)
	same(oracle.Counts, "the number of jobs", i.Jobs, w.jobs.Outstanding())
	same(oracle.Guard, "a cut by the time guard", i.Guarded, f.cut)
	same(oracle.Whole, "the number of panics", i.Panics, f.panics)
	same(oracle.Whole, "the number of Goexits", i.Goexits, f.goexits)
	same(oracle.Counts, "the number of timers", w.loop.Timers(), w.wheel.Len())
	same(oracle.Counts, "the number of sessions", w.reg.Len(), len(w.mreg.Sessions()))
	same(oracle.Counts, "the number of sessions to be released", w.reg.Closing(), w.mreg.Closing())
	if i.Moved > 64 {
		w.broken(oracle.Cascade, "tick %d moved %d timers", i.Tick, i.Moved)
	}
	w.fail(w.tree.Told())
	for _, s := range w.scopes {
		if alive := s.m.Alive(); s.real.Alive() != alive {
			w.broken(oracle.AfterEnd, "%s is alive: %v, want %v", s.m.Label(), !alive, alive)
		} else if n := w.wheel.GroupLen(s.m.Group); alive && s.real.Len() != n {
			w.broken(oracle.Counts, "%s has %d timers: want %d", s.m.Label(), s.real.Len(), n)
		}
	}
}

// told is the hook of a scope or session that ends.
func (w *world) told(name string, reason error) {
	why := reasonOf(reason)
	w.say("%s ends: %s", name, why)
	w.note(uint64(len(name)), uint64(len(why)))
	w.fail(w.tree.Tell(name, why))
}

func reasonOf(err error) string {
	for _, r := range []struct {
		err  error
		name string
	}{
		{session.ErrLost, oracle.Dropped}, {session.ErrTakeover, oracle.Takeover}, {session.ErrIdle, oracle.Idle},
		{session.ErrLogout, oracle.Logout}, {errEvening, oracle.Evening}, {tick.ErrStopped, oracle.Stop},
	} {
		if errors.Is(err, r.err) {
			return r.name
		}
	}
	return err.Error()
}

// end stops the loop and looks at what is left.
func (w *world) end() {
	if w.err != nil {
		w.exec.abort()
	}
	if err := w.loop.Stop(context.Background()); err != nil && w.err == nil {
		w.broken(oracle.Stopped, "Stop: %v", err)
	}
	if w.err != nil {
		return
	}
	w.fail(w.tree.Told())
	w.fail(w.jobs.Idle())
	st := w.loop.Stats()
	switch err := w.loop.Post(func() { w.broken(oracle.Stopped, "a post ran after Stop") }); {
	case !errors.Is(err, tick.ErrStopped):
		w.broken(oracle.Stopped, "Post after Stop gave %v", err)
	case st.Timers != 0:
		w.broken(oracle.Lost, "%d timers are left after Stop", st.Timers)
	case st.Panics != w.panics:
		w.broken(oracle.Whole, "the loop counted %d panics: want %d", st.Panics, w.panics)
	case st.Shed != w.grid.Shed():
		w.broken(oracle.ShedCounted, "the loop counted %d intervals given up: want %d", st.Shed, w.grid.Shed())
	case st.Refused != w.posts.refused:
		w.broken(oracle.InboxRule, "the loop counted %d refused posts: want %d", st.Refused, w.posts.refused)
	}
	if _, err := w.loop.Root().AfterFunc(0, func() {}); !errors.Is(err, tick.ErrStopped) {
		w.broken(oracle.Stopped, "AfterFunc after Stop gave %v", err)
	}
	fired := st.Fired
	if w.drive(); w.loop.Stats().Fired != fired {
		w.broken(oracle.Stopped, "timers fired after Stop")
	}
}
