package sim

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/tickwheel/tickwheel/session"
	"github.com/tickwheel/tickwheel/tick"
)

// Rates and lengths of the players' lives.
const (
	actionsPerSec = 1 // inputs of each player
	heartbeat     = time.Second
	idleTimeout   = 30 * time.Second
	autosave      = time.Minute
	cooldownMin   = 1500 * time.Millisecond
	cooldownMax   = 8 * time.Second
	buffMin       = 5 * time.Second
	buffMax       = 30 * time.Second
	buffEvery     = 4   // one cast in so many gives a buff
	closePerSec   = 400 // sessions released by the mass logout
	saveTimeout   = 5 * time.Second
)

// errEvening is why everybody leaves.
var errEvening = errors.New("sim: mass logout")

// world is the game that is played on the loop: it does what a scenario says, in
// the way a policy allows, and spends what it would cost.
type world struct {
	sc   Scenario
	pol  Policy
	draw draws
	work worker
	loop *tick.Loop
	reg  *session.Registry[*player]
	// servers runs jobs in virtual time; nil under the real clock.
	servers *servers

	kinds  [works]tick.Kind
	keys   []string // of the players
	logins uint64   // posted so far
	inputs uint64   // drawn so far
	alive  int      // monsters that came back
	script []event
	over   bool  // the loop is stopping: nothing counts any more
	err    error // the first failure, which ends the run: a bug or a limit
}

// event is a line of the scenario's script.
type event struct {
	at time.Duration
	do func()
}

// player is what the game knows of one player. It lives on the tick goroutine.
type player struct {
	id      uint64
	key     string
	ready   time.Duration // when the cooldown is over: timestamps decide
	beats   uint64
	casts   uint64
	saves   uint64
	session *session.Session[*player]
}

// Inputs of the game, as a network would post them.
type (
	loginInput  struct{ player uint64 }
	actionInput struct{ player, number uint64 }
)

// build fills loop with the world.
func (w *world) build() error {
	for k := range w.kinds {
		w.kinds[k] = w.loop.Kind(costs[k].name)
	}
	w.keys = make([]string, w.sc.Players)
	for i := range w.keys {
		w.keys[i] = "p" + strconv.Itoa(i)
	}
	// First of the stop hooks: the registry's ends the sessions there still are.
	w.loop.OnStop(func() { w.over = true })
	reg, err := session.New[*player](w.loop, session.Config{
		Idle: idleTimeout, MaxSessions: max(w.sc.Players, 1),
		CloseBudget: int(max(closePerSec*w.sc.Interval/time.Second, 1)),
	})
	if err != nil {
		return err
	}
	w.reg = reg
	reg.OnClose(func(s *session.Session[*player], _ error) {
		if w.over {
			return
		}
		w.work.Burn(w.draw.length(workLogout, s.Player.id, 0))
		w.save(w.loop.Root(), s.Player)
	})
	w.script = []event{
		{w.sc.KillAt(), w.kill},
		{w.sc.LogoutAt(), func() { w.reg.CloseAll(errEvening) }},
	}
	w.loop.OnInput(w.input)
	w.loop.OnTick(w.movement)
	w.loop.OnTick(func(time.Duration) { w.play() })
	w.loop.OnTick(w.network)
	return nil
}

// movement is the game's own system: something for each player online.
func (w *world) movement(time.Duration) {
	w.work.Burn(costs[workTick].mean + time.Duration(w.reg.Len())*costs[workMovement].mean)
}

// play does what the script has for this tick.
func (w *world) play() {
	for len(w.script) > 0 && w.script[0].at <= w.loop.Time() {
		e := w.script[0]
		w.script = w.script[1:]
		e.do()
	}
}

// network posts what clients send until the next tick of the grid. It is a
// system, and not a goroutine, so that a run repeats. Clients do not wait for the
// server: what they send during a tick that is too long comes in a heap.
func (w *world) network(dt time.Duration) {
	next := (w.loop.Time()/dt + 1) * dt
	// Player i of n logs in at i/n of the login time.
	n, in := uint64(w.sc.Players), w.sc.loginTime()
	for until := n * uint64(min(next, in)) / uint64(in); w.logins < until; w.logins++ {
		if err := w.loop.Input(loginInput{w.logins}); err != nil {
			break // the inbox is full: they try again
		}
	}
	// Seconds and rest apart: players times nanoseconds can exceed 64 bits.
	sec, rest := uint64(next/time.Second), uint64(next%time.Second)
	for until := actionsPerSec * (n*sec + n*rest/uint64(time.Second)); w.inputs < until; w.inputs++ {
		x := w.draw.of(workInput, 0, w.inputs)
		// What finds the inbox full is lost, as it would be, and counted by the loop.
		_ = w.loop.Input(actionInput{x % n, w.inputs})
	}
}

// check ends the run with the error of a call that the scenario gives no reason
// to fail. A loop that was told to stop refuses, which is no error.
func (w *world) check(err error) {
	switch {
	case err == nil || w.err != nil || errors.Is(err, tick.ErrStopped):
	case errors.Is(err, tick.ErrFull):
		w.err = fmt.Errorf("sim: timers pile up, since the cap of %d callbacks a tick is less than what comes due: raise it, or take fewer players: %w", w.pol.Cap, err)
	default:
		w.err = fmt.Errorf("sim: %w", err)
	}
}

func (w *world) input(v any) {
	switch in := v.(type) {
	case loginInput:
		w.login(in.player)
	case actionInput:
		w.work.Burn(w.draw.length(workInput, in.player, in.number))
		if s, ok := w.reg.Find(w.keys[in.player]); ok {
			s.Touch()
			w.cast(s.Player)
		}
	}
}

func (w *world) login(id uint64) {
	w.work.Burn(w.draw.length(workLogin, id, 0))
	p := &player{id: id, key: w.keys[id]}
	s, _, err := w.reg.Login(p.key, p)
	if err != nil {
		w.check(err)
		return
	}
	p.session = s
	// Everybody's first heartbeat and autosave are at a time of their own.
	beat := max(heartbeat, w.sc.Interval)
	w.every(s.Scope, tick.Spec{
		After: between(w.draw.of(workHeartbeat, id, 0), 0, beat), Every: beat,
		Lane: tick.Urgent, Kind: w.kinds[workHeartbeat],
	}, func(tick.Firing) {
		w.work.Burn(w.draw.length(workHeartbeat, id, p.beats))
		p.beats++
	})
	w.every(s.Scope, tick.Spec{
		After: between(w.draw.of(workSaveCopy, id, 0), 0, autosave), Every: autosave,
		Lane: tick.Bulk, Kind: w.kinds[workSaveCopy],
	}, func(tick.Firing) {
		w.work.Burn(w.draw.length(workSaveCopy, id, p.saves))
		w.save(s.Scope, p)
	})
}

func (w *world) every(s *tick.Scope, sp tick.Spec, f func(tick.Firing)) {
	_, err := s.Schedule(sp, f)
	w.check(err)
}

// cast uses a skill if its cooldown is over, and now and then gets a buff.
func (w *world) cast(p *player) {
	now := w.loop.Time()
	if now < p.ready {
		return
	}
	p.casts++
	x := w.draw.of(workCooldown, p.id, p.casts)
	cooldown := between(x, cooldownMin, cooldownMax)
	p.ready = now + cooldown
	n := p.casts
	_, err := p.session.Schedule(tick.Spec{After: cooldown, Kind: w.kinds[workCooldown]}, func(tick.Firing) {
		w.work.Burn(w.draw.length(workCooldown, p.id, n))
	})
	w.check(err)
	if x>>32%buffEvery == 0 {
		// A second buff replaces the first: keyed, there is one chain only.
		d := between(w.draw.of(workBuff, p.id, p.casts), buffMin, buffMax)
		w.check(p.session.Keyed("buff", tick.Spec{After: d, Kind: w.kinds[workBuff]}, func(tick.Firing) {
			w.work.Burn(w.draw.length(workBuff, p.id, n))
		}))
	}
}

// save writes the player to the disk: on a worker if the policy has them, and
// else right here. owner is the session, or the root for the last save.
func (w *world) save(owner *tick.Scope, p *player) {
	p.saves++
	d := w.draw.length(workSave, p.id, p.saves)
	if w.pol.Workers == 0 {
		w.check(w.work.Block(context.Background(), d))
		return
	}
	if w.servers != nil {
		w.servers.until(w.loop.Time())
	}
	err := tick.Offload(owner, tick.Job[struct{}]{
		Key: p.key, Kind: w.kinds[workSave], Timeout: saveTimeout,
		Run: func(ctx context.Context) (struct{}, error) { return struct{}{}, w.waitJob(ctx, d) },
	}, func(struct{}, error) { w.work.Burn(costs[workSaved].mean) })
	if !errors.Is(err, tick.ErrQueueFull) { // rejected ones are counted by the loop
		w.check(err)
	}
}

// waitJob is the body of a save on a worker.
func (w *world) waitJob(ctx context.Context, d time.Duration) error {
	if w.servers != nil {
		w.servers.spend(d)
		return nil
	}
	return w.work.Block(ctx, d)
}

// kill is the event: every monster dies, and comes back in the same tick, later,
// if nothing is done about it.
func (w *world) kill() {
	delay := w.sc.RespawnAt() - w.sc.KillAt()
	sp := tick.Spec{
		// A tick, not a duration: each kill takes its time, and durations would
		// count from the end of it.
		At:   w.loop.Now() + tick.Tick((delay+w.sc.Interval-1)/w.sc.Interval),
		Lane: tick.Bulk, Kind: w.kinds[workRespawn],
		Jitter: tick.Jitter{Late: w.pol.Jitter},
	}
	respawn := func(tick.Firing) {
		w.work.Burn(costs[workRespawn].mean)
		w.alive++
	}
	for range w.sc.Storm {
		w.work.Burn(costs[workKill].mean)
		if _, err := w.loop.Root().Schedule(sp, respawn); err != nil {
			w.check(err)
			return
		}
	}
}
