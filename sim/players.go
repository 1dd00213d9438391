package sim

import (
	"context"
	"errors"
	"time"

	"github.com/tickwheel/tickwheel/session"
	"github.com/tickwheel/tickwheel/tick"
)

// errFailed is how a job fails that is drawn to.
var errFailed = errors.New("sim: the job failed, as it was meant to")

// player is what the game knows of one player. It lives on the tick goroutine.
type player struct {
	id      uint64
	key     string
	visit   uint64
	n       []uint64        // starts or runs of each kind and job: numbers of draws
	ready   []time.Duration // by kind with Single: when the pending one is over
	session *session.Session[*player]
	losses  uint64        // of its connection
	lost    time.Duration // the last one
	left    bool          // its time is over
}

// entity is what draws of the player's are made from: other ones on each visit,
// and for each of several timers of a kind.
func (p *player) entity(slot int) uint64 {
	if p == nil {
		return uint64(slot)
	}
	return p.id | p.visit<<44 | uint64(slot)<<32
}

func (w *world) input(v any) {
	s := w.log.begin()
	switch in := v.(type) {
	case loginInput:
		w.login(in.player)
		w.log.end("login", s, 0)
	case actionInput:
		defer w.log.end("input", s, 0)
		w.work.Burn(w.draw.length(workInput, w.costs.Input, in.player, in.number))
		if s, ok := w.reg.Find(w.keys[in.player]); ok {
			s.Touch()
			for _, k := range w.on["action"] {
				w.start(s.Player, k)
			}
		}
	}
}

func (w *world) login(id uint64) {
	w.work.Burn(w.draw.length(workLogin, w.costs.Login, id, uint64(w.visits[id])))
	p := &player{id: id, key: w.keys[id], visit: uint64(w.visits[id]),
		n: make([]uint64, len(w.kinds)+len(w.jobs)), ready: make([]time.Duration, len(w.kinds))}
	s, how, err := w.reg.Login(p.key, p)
	switch {
	case err != nil:
		w.check(err)
		return
	case how == session.Resumed:
		w.resumed(s.Player)
		return
	}
	w.visits[id]++
	p.session = s
	w.connected(p)
	for _, k := range w.on["login"] {
		w.start(p, k)
	}
	w.stay(p)
}

// stay sets the time at which a player leaves.
func (w *world) stay(p *player) {
	if l := w.sc.Sessions.Length; l != (Dist{}) {
		d := l.pick(w.draw.of(workLogin, p.entity(0), 2+p.losses))
		w.agenda.add(w.loop.Time()+d, func() { w.leave(p) })
	}
}

// leave ends a session by the player's own will; some come back.
func (w *world) leave(p *player) {
	if !p.session.Alive() {
		return
	}
	if p.left = true; !p.session.Detached() { // who has no connection can't say so
		p.session.Close(nil)
	}
	x := w.draw.of(workLogout, p.entity(0), 1)
	if w.sc.Sessions.Returning.hit(x) {
		pause := w.sc.Sessions.Pause.pick(w.draw.of(workLogout, p.entity(0), 2))
		w.agenda.add(w.loop.Time()+pause, func() { w.arrive(p.id) })
	}
}

// closed is what the game does at the end of a session.
func (w *world) closed(s *session.Session[*player], _ error) {
	if w.over {
		return
	}
	defer w.log.end("logout", w.log.begin(), 0)
	w.work.Burn(w.draw.length(workLogout, w.costs.Logout, s.Player.id, s.Player.visit))
	for _, j := range w.jobs {
		if j.Logout {
			w.run(w.loop.Root(), s.Player, j)
		}
	}
}

// start starts the timers of a kind for a player.
func (w *world) start(p *player, k *timerKind) {
	if k.Every > 0 || k.On == "" || k.On == "login" {
		for slot := range k.Count {
			w.repeat(p.session.Scope, p, k, slot)
		}
		return
	}
	if w.pending(p, k) {
		return
	}
	p.n[k.place]++
	w.once(p, k, p.n[k.place])
}

// pending tells whether a timer of a kind with Single is: timestamps decide.
func (w *world) pending(p *player, k *timerKind) bool {
	return k.Single && w.loop.Time() < p.ready[k.place]
}

// serve starts the timers of the server.
func (w *world) serve() {
	for _, k := range w.on["server"] {
		for slot := range k.Count {
			w.repeat(w.loop.Root(), nil, k, slot)
		}
	}
}

// repeat starts a timer that may run several times: periodic, or again and again.
func (w *world) repeat(s *tick.Scope, p *player, k *timerKind, slot int) {
	entity := p.entity(slot)
	if k.Chance > 0 && !k.Chance.hit(w.draw.of(k.id, entity, 0)>>32) {
		return
	}
	if k.job == nil && !k.Again {
		w.chain(s, k, entity, 0, w.beat(k, entity))
		return
	}
	c := &chain{w: w, k: k, p: p, entity: entity}
	c.run = c.fire
	w.chain(s, k, entity, 0, c.run)
}

// chain schedules the run number n of such a timer.
func (w *world) chain(s *tick.Scope, k *timerKind, entity, n uint64, run func(tick.Firing)) {
	sp := tick.Spec{Every: k.Every, Lane: k.Lane, Kind: k.tick}
	if k.At != (Moment{}) && k.Every == 0 { // everybody's at once: a storm
		sp.Jitter.Late = w.pol.Jitter
	}
	w.when(&sp, k, w.draw.of(k.id, entity, n))
	_, err := s.Schedule(sp, run)
	w.check(err)
}

// beat is the callback of a timer that takes time and does nothing else. There can
// be millions, none of them in the cache when it runs. So what it needs is in its
// own 32 bytes, half a line of the cache, but for the number of runs: those of
// many timers share a line, and all may stay in the cache.
func (w *world) beat(k *timerKind, entity uint64) func(tick.Firing) {
	if len(w.beats) == 0 {
		w.beats = make([]uint32, 64) // small: it lives as long as one of its timers
	}
	n := &w.beats[0]
	w.beats = w.beats[1:]
	return func(tick.Firing) {
		k.world.work.Burn(k.Cost.pick(k.stream.of(entity, uint64(*n))))
		*n++
	}
}

// chain is a timer that starts a job with each run, or itself again.
type chain struct {
	w      *world
	k      *timerKind
	p      *player // nil for one of the server
	entity uint64
	n      uint64 // runs so far
	run    func(tick.Firing)
}

func (c *chain) fire(tick.Firing) {
	w, k := c.w, c.k
	w.work.Burn(w.draw.length(k.id, k.Cost, c.entity, c.n))
	c.n++
	s := w.loop.Root()
	if c.p != nil {
		s = c.p.session.Scope
	}
	if k.job != nil {
		w.run(s, c.p, k.job)
	}
	if k.Again {
		w.chain(s, k, c.entity, c.n, c.run)
	}
}

// when sets the time of a timer by a draw.
func (w *world) when(sp *tick.Spec, k *timerKind, x uint64) {
	sp.After = k.After.pick(x)
	if k.At != (Moment{}) {
		sp.After = max(k.At.Of(w.sc.Duration)-w.loop.Time(), 0)
	}
}

// once starts one-shots of a player, and what starts with them.
func (w *world) once(p *player, k *timerKind, n uint64) {
	x := w.draw.of(k.id, p.entity(0), n)
	for slot := range k.Count {
		w.shoot(p, k, slot, n)
	}
	if k.Single {
		p.ready[k.place] = w.loop.Time() + k.After.pick(x)
	}
	y := x >> 32
	for _, c := range k.children {
		if (c.Chance == 0 || c.Chance.hit(y)) && !w.pending(p, c) {
			w.once(p, c, n)
		}
		y = mix(y)
	}
}

// shoot starts a one-shot of a player.
func (w *world) shoot(p *player, k *timerKind, slot int, n uint64) {
	entity := p.entity(slot)
	x := w.draw.of(k.id, entity, n)
	sp := tick.Spec{Lane: k.Lane, Kind: k.tick}
	if k.On == "storm" {
		sp.Jitter.Late = w.pol.Jitter
	}
	w.when(&sp, k, x)
	again := k.Again
	run := func(tick.Firing) {
		w.work.Burn(w.draw.length(k.id, k.Cost, entity, n))
		if k.job != nil {
			w.run(p.session.Scope, p, k.job)
		}
		if again {
			p.n[k.place]++
			w.shoot(p, k, slot, p.n[k.place])
		}
	}
	if k.Replace {
		// A second one replaces the first: keyed, there is one chain only.
		w.check(p.session.Keyed(timerKey{k.Name, slot}, sp, run))
		return
	}
	t, err := p.session.Schedule(sp, run)
	w.check(err)
	if y := mix(x); err == nil && k.Cancel > 0 && k.Cancel.hit(y) {
		// A tick before its time at the latest: what is due in a tick runs first.
		w.agenda.add(w.loop.Time()+between(mix(y), 0, sp.After-w.sc.Interval), func() { t.Stop() })
	}
}

// timerKey is the key of timers that replace each other.
type timerKey struct {
	kind string
	slot int
}

// run starts a job: on a worker if the policy has them, and else right here.
// owner is the session, or the root for what outlives it and for the server's.
func (w *world) run(owner *tick.Scope, p *player, j *jobKind) {
	var key string
	n := &j.saves
	if p != nil {
		key, n = p.key, &p.n[j.place]
	}
	*n++
	entity, number := p.entity(0), *n
	d := w.draw.length(j.id, j.Length, entity, number)
	if w.pol.Workers == 0 {
		s := w.log.begin()
		w.check(w.work.Block(context.Background(), d))
		w.log.end(j.Name, s, 0)
		return
	}
	var fails error
	if j.Fails > 0 && j.Fails.hit(mix(w.draw.of(j.id, entity, number))) {
		fails = errFailed
	}
	if w.servers != nil {
		w.servers.until(w.loop.Time())
	}
	err := tick.Offload(owner, tick.Job[struct{}]{
		Key: key, Kind: j.tick, Timeout: j.Timeout,
		Run: func(ctx context.Context) (struct{}, error) {
			if err := w.waitJob(ctx, j, d); err != nil {
				return struct{}{}, err
			}
			return struct{}{}, fails
		},
	}, func(struct{}, error) {
		s := w.log.begin()
		w.work.Burn(w.draw.length(workOf("saved"), j.Result, entity, number))
		w.log.end(j.Name+"/result", s, 0)
	})
	if !errors.Is(err, tick.ErrQueueFull) { // rejected ones are counted by the loop
		w.check(err)
	}
}

// waitJob is the body of a job on a worker.
func (w *world) waitJob(ctx context.Context, j *jobKind, d time.Duration) error {
	if w.servers != nil { // which run it on the tick goroutine
		w.log.take(j.Name, d)
		w.servers.spend(d)
		return nil
	}
	return w.work.Block(ctx, d)
}
