package world

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/tickwheel/tickwheel/cmd/gameserver/protocol"
	"github.com/tickwheel/tickwheel/cmd/gameserver/store"
	"github.com/tickwheel/tickwheel/session"
	"github.com/tickwheel/tickwheel/tick"
)

// World is the game. Its state belongs to the tick goroutine of its loop.
type World struct {
	loop     *tick.Loop
	cfg      Config
	sink     Sink
	store    Store
	scope    *tick.Scope // monsters, loads, retries: what ends with the world
	players  *session.Registry[*Player]
	peers    map[Conn]*peer
	logins   map[string][]*peer                  // who waits for a player to be loaded
	unsaved  map[string]store.Player             // states the store has not taken yet
	retrying map[string]bool                     // unsaved states that are with a worker
	cooling  map[string]map[string]time.Duration // cooldowns of players who left a moment ago
	herd     herd
	kinds    kinds
	saves    int // last saves under way

	nextRetry                      string // the player to begin the next round of retries with
	saveFailures, autosaveFailures failures

	stats     protocol.Stats
	statsTick tick.Tick

	draining bool
	drained  chan struct{}
}

type kinds struct{ heal, buff, timer, respawn, load, save, autosave, login, retry tick.Kind }

// New makes a world on l, which must not run yet: it adds a system and an input
// handler.
func New(l *tick.Loop, cfg Config, sink Sink, st Store) (*World, error) {
	cfg, err := cfg.withDefaults()
	if err != nil {
		return nil, err
	}
	w := &World{
		loop: l, cfg: cfg, sink: sink, store: st, scope: l.Root().Child(),
		peers: map[Conn]*peer{}, logins: map[string][]*peer{},
		unsaved: map[string]store.Player{}, retrying: map[string]bool{}, cooling: map[string]map[string]time.Duration{},
		herd: newHerd(cfg.Monsters), drained: make(chan struct{}),
		kinds: kinds{
			heal: l.Kind("buff/heal"), buff: l.Kind("buff/fade"), timer: l.Kind("player/timer"),
			respawn: l.Kind("monster/respawn"), load: l.Kind("player/load"), save: l.Kind("player/save"),
			autosave: l.Kind("player/autosave"), login: l.Kind("conn/login"), retry: l.Kind("player/save-retry"),
		},
	}
	w.players, err = session.New[*Player](l, session.Config{Grace: cfg.Grace, GraceRuns: true, Idle: cfg.Idle})
	if err != nil {
		return nil, fmt.Errorf("world: %w", err)
	}
	w.players.OnClose(w.ended)
	if _, err := w.scope.Schedule(tick.Spec{Every: max(cfg.SaveRetry, l.Interval()), Kind: w.kinds.retry}, w.retrySaves); err != nil {
		return nil, fmt.Errorf("world: %w", err)
	}
	l.OnInput(w.input)
	l.OnTick(func(time.Duration) { w.checkDrained() })
	l.OnStop(w.tellFailures)
	return w, nil
}

// input takes what came from the network.
func (w *World) input(v any) {
	switch in := v.(type) {
	case Opened:
		w.opened(in.Conn)
	case Asked:
		if p := w.peers[in.Conn]; p != nil {
			w.asked(p, in)
		}
	case Refused:
		if p := w.peers[in.Conn]; p != nil {
			w.refused(p, in.ID, in.Err)
		}
	case Broken:
		if p := w.peers[in.Conn]; p != nil {
			w.broken(p, in.Err)
		}
	case Closed:
		if p := w.peers[in.Conn]; p != nil {
			w.closed(p)
		}
	default:
		panic(fmt.Sprintf("world: input of type %T", v))
	}
}

// tell queues an event for a peer, if there is one and it has not had its bye.
func (w *World) tell(p *peer, id protocol.ID, e protocol.Event) {
	if p == nil || p.ended {
		return
	}
	w.sink.Send(p.name, int64(w.loop.Now()), id, e)
}

// Players returns how many players are in the world, those whose connection was
// lost included.
func (w *World) Players() int { return w.players.Len() }

// Drain begins the end: whoever comes is refused, everybody is logged out,
// their last states are saved and then they get their bye; from now on nobody's
// requests are answered. Connections are told in the order in which they came.
// It belongs to the tick goroutine; see Drained.
func (w *World) Drain() {
	if w.draining {
		return
	}
	w.draining = true
	for _, p := range w.inOrder() {
		switch {
		case p.bye != nil:
		case p.Session() == nil:
			w.leave(p, protocol.ID{}, protocol.ReasonShutdown)
		default:
			// Sessions are released in slices, ticks from now. Until then their
			// connections would look as if they had no player to wait for.
			p.bye = &farewell{reason: protocol.ReasonShutdown}
		}
	}
	w.logins = map[string][]*peer{}
	w.players.CloseAll(errShutdown)
}

// Drained is closed when nobody is in the world any more and every last state is
// with the store. If the store refuses some, it is tried again and again, so
// wait with a limit. Any goroutine may wait for it.
func (w *World) Drained() <-chan struct{} { return w.drained }

// Unsaved returns the names of players whose last state the store has not taken,
// sorted. It belongs to the tick goroutine, or to whoever has stopped the loop.
func (w *World) Unsaved() []string {
	return slices.Sorted(maps.Keys(w.unsaved))
}

// Abandon says bye to everybody who still waits for a save, honestly. It is for
// the end of a drain that took too long, and belongs to the tick goroutine.
func (w *World) Abandon() {
	for _, p := range w.inOrder() {
		if p.bye != nil && !p.ended {
			w.sendBye(p, false)
		}
	}
}

// inOrder returns the connections in the order in which they came: the order of
// a map would make two runs of the same inputs differ.
func (w *World) inOrder() []*peer {
	list := make([]*peer, 0, len(w.peers))
	for _, c := range slices.Sorted(maps.Keys(w.peers)) {
		list = append(list, w.peers[c])
	}
	return list
}

func (w *World) checkDrained() {
	if !w.draining || w.players.Len() > 0 || w.players.Closing() > 0 || w.saves > 0 || len(w.unsaved) > 0 {
		return
	}
	select {
	case <-w.drained:
	default:
		close(w.drained)
	}
}

// showStats fills a stats event, at most once a tick however many ask: the
// loop's numbers are a copy of some size.
func (w *World) showStats() protocol.Stats {
	now := w.loop.Now()
	if w.statsTick == now {
		return w.stats
	}
	s := w.loop.Stats()
	ms := func(ns int64) float64 { return float64(ns/1000) / 1000 }
	backlog := 0
	for _, n := range s.Last.Backlog {
		backlog += n
	}
	w.statsTick = now
	w.stats = protocol.Stats{
		Players: int64(w.players.Len()), Connections: int64(len(w.peers)), MonstersDead: int64(w.herd.dead),
		Timers: int64(w.loop.Timers()), Backlog: int64(backlog),
		JobsQueued: int64(s.Jobs.Waiting + s.Jobs.Running), Unsaved: int64(len(w.unsaved)),
		TickP50MS: ms(s.Duration.Quantile(0.5)), TickP99MS: ms(s.Duration.Quantile(0.99)), TickMaxMS: ms(s.Duration.Max()),
		ShedTicks: s.Shed,
	}
	return w.stats
}

var (
	errLogout   = errors.New(protocol.ReasonLogout)
	errFraming  = errors.New(protocol.ReasonFraming)
	errShutdown = errors.New(protocol.ReasonShutdown)
)
