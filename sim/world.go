package sim

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/tickwheel/tickwheel/session"
	"github.com/tickwheel/tickwheel/tick"
)

// errEvening is why everybody leaves.
var errEvening = errors.New("sim: mass logout")

// world is the game that is played on the loop: it does what a scenario says, in
// the way a policy allows, and spends what it would cost.
type world struct {
	ctx  context.Context // of the run
	sc   Scenario
	pol  Policy
	draw draws
	work worker
	loop *tick.Loop
	reg  *session.Registry[*player]
	// servers runs jobs in virtual time; nil under the real clock.
	servers *servers
	costs   Costs    // on this machine
	log     *costLog // nil under the virtual clock

	kinds []*timerKind
	jobs  []*jobKind
	on    map[string][]*timerKind // by what starts them

	keys     []string        // of the players
	visits   []uint32        // logins of each player so far
	logins   uint64          // posted so far, of those of the beginning
	times    []time.Duration // when those log in, if not evenly
	inputs   uint64          // drawn so far
	newcomer uint64          // the first player of the next login storm
	retry    []uint64        // players whose login found the inbox full
	beats    []uint32        // counters for the next timers, see beat
	agenda   agenda
	pauses   []pause // under the virtual clock
	drop     bool    // connections are lost
	over     bool    // the loop is stopping: nothing counts any more
	err      error   // the first failure, which ends the run: a bug or a limit
}

// timerKind is a sort of timers of this world.
type timerKind struct {
	Kind
	world    *world
	place    int // in world.kinds, and in the counters of players
	id       work
	stream   stream
	tick     tick.Kind
	job      *jobKind
	children []*timerKind // that start with it
}

// jobKind is a sort of blocking work of this world.
type jobKind struct {
	Job
	place   int // behind the kinds in the counters of players
	id      work
	tick    tick.Kind
	started uint64 // by its rate
	saves   uint64 // for the server
}

// Inputs of the game, as a network would post them.
type (
	loginInput  struct{ player uint64 }
	actionInput struct{ player, number uint64 }
)

// build fills loop with the world.
func (w *world) build() error {
	for _, name := range workNames {
		w.loop.Kind(name)
	}
	w.prepare()
	w.keys = make([]string, w.sc.everybody())
	for i := range w.keys {
		w.keys[i] = "p" + strconv.Itoa(i)
	}
	w.visits = make([]uint32, len(w.keys))
	w.newcomer = uint64(w.sc.Players)
	// First of the stop hooks: the registry's ends the sessions there still are.
	w.loop.OnStop(func() { w.over = true })
	w.drop = w.sc.drops()
	c := session.Config{Idle: w.sc.Sessions.Idle, Grace: w.sc.Sessions.Grace, GraceRuns: w.sc.Sessions.GraceRuns, MaxSessions: max(len(w.keys), 1)}
	if r := w.sc.Sessions.Release; r.N > 0 {
		c.CloseBudget = int(max(r.upTo(1, w.sc.Interval), 1))
	}
	if w.log != nil { // before what sessions do in each tick
		w.loop.OnTick(func(time.Duration) { w.log.stop() })
	}
	reg, err := session.New[*player](w.loop, c)
	if err != nil {
		return err
	}
	w.reg = reg
	reg.OnClose(w.closed)
	w.script()
	w.loop.OnInput(w.input)
	w.loop.OnTick(w.movement)
	w.loop.OnTick(func(time.Duration) { w.agenda.run(w.soon(w.loop.Time()), w.ended) })
	w.loop.OnTick(w.network)
	w.serve()
	return nil
}

// prepare makes kinds and jobs what the world needs at hand.
func (w *world) prepare() {
	speed := w.sc.Speed
	if speed == 0 {
		speed = 100
	}
	c := w.sc.Costs
	w.costs = Costs{c.Tick.scaled(speed), c.Movement.scaled(speed), c.Input.scaled(speed), c.Login.scaled(speed), c.Logout.scaled(speed)}
	jobs := map[string]*jobKind{}
	for i, j := range w.sc.Jobs {
		j.Result = j.Result.scaled(speed)
		n := &jobKind{Job: j, place: len(w.sc.Kinds) + i, id: workOf(j.Name), tick: w.loop.Kind(j.Name)}
		w.jobs = append(w.jobs, n)
		if w.servers == nil { // in virtual time the loop sees lengths in whole ticks
			w.log.know(n.tick, n.Name)
		}
		jobs[j.Name] = n
	}
	w.on = map[string][]*timerKind{}
	byName := map[string]*timerKind{}
	for i, k := range w.sc.Kinds {
		k.Cost = k.Cost.scaled(speed)
		k.Count = max(k.Count, 1)
		id := workOf(k.Name)
		n := &timerKind{Kind: k, world: w, place: i, id: id, stream: w.draw.stream(id), tick: w.loop.Kind(k.Name), job: jobs[k.Job]}
		if k.Every > 0 {
			n.Every = max(k.Every, w.sc.Interval)
			if k.After == (Dist{}) {
				n.After = Dist{Hi: n.Every}
			}
		}
		w.kinds = append(w.kinds, n)
		w.log.know(n.tick, n.Name)
		byName[k.Name] = n
		switch parent := byName[k.On]; {
		case k.Owner == "server":
			w.on["server"] = append(w.on["server"], n)
		case parent != nil && parent != n:
			parent.children = append(parent.children, n)
		case k.On == "":
			w.on["login"] = append(w.on["login"], n)
		default:
			w.on[k.On] = append(w.on[k.On], n)
		}
	}
	for i := range w.sc.Storms {
		st := &w.sc.Storms[i] // a copy of the scenario's, see Run
		st.Cost, st.Arm = st.Cost.scaled(speed), st.Arm.scaled(speed)
	}
	if w.sc.Arrivals.Process == "poisson" {
		// Arrivals of a Poisson process, given their number, are uniform.
		for i := range w.sc.Players {
			w.times = append(w.times, between(w.draw.of(workLogin, uint64(i), 1), 0, w.sc.loginTime()))
		}
		slices.Sort(w.times)
	}
}

// movement is the game's own system: something for each player online.
func (w *world) movement(time.Duration) {
	s := w.log.begin()
	n := w.draw.length(workOf("tick"), w.costs.Tick, 0, uint64(w.loop.Now()))
	moved := time.Duration(w.reg.Len()) * w.draw.length(1, w.costs.Movement, 0, uint64(w.loop.Now()))
	w.work.Burn(n + moved)
	w.log.end("tick", s, moved)
}

// network posts what clients send until the next tick of the grid. It is a
// system, and not a goroutine, so that a run repeats. Clients do not wait for the
// server: what they send during a tick that is too long comes in a heap.
func (w *world) network(dt time.Duration) {
	next := w.soon((w.loop.Time()/dt + 1) * dt)
	again := w.retry
	w.retry = nil
	for _, p := range again {
		w.arrive(p)
	}
	for until := w.arrived(next); w.logins < until; w.logins++ {
		if err := w.loop.Input(loginInput{w.logins}); err != nil {
			break // the inbox is full: they try again
		}
	}
	n := uint64(w.sc.Players)
	if n == 0 {
		n = uint64(len(w.keys))
	}
	for until := w.sc.Actions.upTo(n, next); w.inputs < until && !w.ended(); w.inputs++ {
		x := w.draw.of(workInput, 0, w.inputs)
		if w.silent(x % n) {
			continue
		}
		// What finds the inbox full is lost, as it would be, and counted by the loop.
		_ = w.loop.Input(actionInput{x % n, w.inputs})
	}
	for _, j := range w.jobs {
		for until := j.Rate.upTo(1, next); j.started < until && !w.ended(); j.started++ {
			w.run(w.loop.Root(), nil, j)
		}
	}
}

// maxWork is how far work may take the virtual clock past the end of a run, some
// eleven years. What needs more has a cost or a length that nobody can mean.
const maxWork = 100_000 * time.Hour

// ended tells that the run is over, for loops that are long after a long stall:
// whoever interrupts one does not want to wait for what piled up.
func (w *world) ended() bool {
	if c, ok := w.work.(*Virtual); ok && w.err == nil && c.now-w.sc.Duration > maxWork {
		w.err = fmt.Errorf("sim: work takes more than %v past the end of the run: take lower costs, shorter jobs or fewer of them", maxWork)
	}
	return w.err != nil || w.ctx.Err() != nil
}

// soon is t, but at most a tick after the end of the run: a stall may make the last
// ticks begin years later, with as many inputs, for a run that is over.
func (w *world) soon(t time.Duration) time.Duration { return min(t, w.sc.Duration+w.sc.Interval) }

// arrived is how many players of the beginning have come by the time at.
func (w *world) arrived(at time.Duration) uint64 {
	n, in := uint64(w.sc.Players), w.sc.loginTime()
	if w.times == nil { // player i of n logs in at i/n of the time
		return n * uint64(min(at, in)) / uint64(in)
	}
	i := int(w.logins)
	for i < len(w.times) && w.times[i] < at {
		i++
	}
	return uint64(i)
}

// arrive logs a player in, or tries again with the next tick.
func (w *world) arrive(p uint64) {
	if err := w.loop.Input(loginInput{p}); err != nil {
		w.retry = append(w.retry, p)
	}
}

// check ends the run with the error of a call that the scenario gives no reason
// to fail. A loop that was told to stop refuses, which is no error.
func (w *world) check(err error) {
	switch {
	case err == nil || w.err != nil || errors.Is(err, tick.ErrStopped):
	case errors.Is(err, tick.ErrFull) && w.pol.Cap > 0:
		w.err = fmt.Errorf("sim: timers pile up, since the cap of %d callbacks a tick is less than what comes due: raise it, or take fewer players: %w", w.pol.Cap, err)
	case errors.Is(err, tick.ErrFull):
		w.err = fmt.Errorf("sim: timers pile up, more than %d: start fewer, or let them run sooner: %w", limitOf(w.sc), err)
	default:
		w.err = fmt.Errorf("sim: %w", err)
	}
}
