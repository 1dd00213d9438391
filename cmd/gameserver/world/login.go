package world

import (
	"context"
	"errors"
	"maps"
	"time"

	"github.com/tickwheel/tickwheel/cmd/gameserver/protocol"
	"github.com/tickwheel/tickwheel/cmd/gameserver/store"
	"github.com/tickwheel/tickwheel/session"
	"github.com/tickwheel/tickwheel/tick"
)

// login begins a session. A player who is in the world is taken from there;
// anybody else has to be loaded, and at most one load of a name is under way.
func (w *World) login(p *peer, r protocol.Request) *protocol.Error {
	if w.draining {
		return protocol.Errorf(protocol.CodeShuttingDown, "the server is ending: try again later")
	}
	if s := p.Session(); s != nil {
		if s.Player.Name != r.Name {
			return protocol.Errorf(protocol.CodeAlreadyLoggedIn, "this connection is logged in as %s: logout first", s.Player.Name)
		}
		w.welcome(p, r.ID, protocol.OutcomeSame)
		return nil
	}
	if s, ok := w.players.Find(r.Name); ok {
		return w.enter(p, r.ID, s.Player.Player, true)
	}
	p.loginID = r.ID
	if waiting := w.logins[r.Name]; len(waiting) > 0 {
		w.logins[r.Name] = append(waiting, p)
		p.loading = true
		return nil
	}
	if err := w.load(r.Name); err != nil {
		if errors.Is(err, tick.ErrQueueFull) {
			return protocol.Errorf(protocol.CodeBusy, "too many logins at once: try again")
		}
		w.cfg.Logger.Error("could not load a player", "player", r.Name, "error", err)
		return protocol.Errorf(protocol.CodeInternal, "the player could not be loaded")
	}
	w.logins[r.Name] = []*peer{p}
	p.loading = true
	return nil
}

type loaded struct {
	player store.Player
	found  bool
}

// load fetches a player. Being a job of the player's key, it comes after the
// last save of an earlier session.
func (w *World) load(name string) error {
	return tick.Offload(w.scope, tick.Job[loaded]{
		Key: name, Kind: w.kinds.load,
		Run: func(context.Context) (l loaded, err error) {
			l.player, l.found, err = w.store.Load(name)
			return l, err
		},
	}, func(l loaded, err error) { w.arrived(name, l, err) })
}

// arrived lets in everybody who waited for a player, in order: each takes over
// from the one before.
func (w *World) arrived(name string, l loaded, err error) {
	waiting := w.logins[name]
	delete(w.logins, name)
	if newer, ok := w.unsaved[name]; ok && newer.Rev > l.player.Rev {
		l, err = loaded{newer, true}, nil // the store is behind
	}
	if err != nil {
		w.cfg.Logger.Error("could not load a player", "player", name, "error", err)
	}
	if !l.found {
		l.player = store.Player{Name: name, HP: fullHP}
	}
	for _, p := range waiting {
		if p.bye != nil || p.ended {
			continue
		}
		if s, ok := w.players.Find(name); ok {
			l, err = loaded{s.Player.Player, true}, nil
		}
		if err != nil {
			w.fail(p, p.loginID, protocol.Errorf(protocol.CodeInternal, "%s could not be loaded; the server's log has more", name))
		} else if refusal := w.enter(p, p.loginID, l.player, l.found); refusal != nil {
			w.fail(p, p.loginID, refusal)
		}
	}
	// Only now: a logout among what one of them has sent ahead would leave the
	// next with a state that is older than its last save.
	for _, p := range waiting {
		w.release(p)
	}
}

// enter logs a connection in. data is the player's state, the newest there is.
func (w *World) enter(p *peer, id protocol.ID, data store.Player, known bool) *protocol.Error {
	pl := newPlayer(data, w.cooldowns(data.Name))
	s, outcome, err := p.Login(data.Name, pl)
	switch {
	case errors.Is(err, session.ErrFull):
		return protocol.Errorf(protocol.CodeBusy, "there are as many players as the world holds: try again later")
	case err != nil:
		return w.scheduleFailed(err)
	case outcome == session.Resumed:
		s.Player.peer = p // its own Player: pl was not used
		p.StopKeyed(loginTimer)
		w.welcome(p, id, protocol.OutcomeResumed)
		return nil
	}
	w.forgetCooling(data.Name)
	sp := tick.Spec{
		Every: max(w.cfg.Autosave, w.loop.Interval()), Lane: tick.Bulk, Kind: w.kinds.autosave,
		// Those who came together, after a restart say, don't save together.
		Jitter: tick.Jitter{Late: w.cfg.Autosave / 2},
	}
	if _, err := s.Schedule(sp, func(tick.Firing) { w.autosave(s) }); err != nil {
		s.Logout(nil)
		return w.scheduleFailed(err)
	}
	p.StopKeyed(loginTimer)
	pl.peer = p
	pl.Logins++
	pl.dirty = true
	switch {
	case outcome == session.Replaced:
		w.welcome(p, id, protocol.OutcomeTakeover)
	case known:
		w.welcome(p, id, protocol.OutcomeKnown)
	default:
		w.welcome(p, id, protocol.OutcomeNew)
	}
	return nil
}

func (w *World) welcome(p *peer, id protocol.ID, outcome string) {
	pl := p.Session().Player
	w.tell(p, id, protocol.Welcome{
		Name: pl.Name, Outcome: outcome, HP: pl.HP, XP: pl.XP, Kills: pl.Kills, Logins: pl.Logins,
	})
}

// cooldowns returns when the skills of a player who logs in are ready: leaving
// and coming back is no way around them.
func (w *World) cooldowns(name string) map[string]time.Duration {
	if s, ok := w.players.Find(name); ok {
		return maps.Clone(s.Player.ready)
	}
	return maps.Clone(w.cooling[name])
}

// ended is the end of a session, whatever the reason: the last save, and then
// the bye. The player's timers are gone by now.
func (w *World) ended(s *Session, reason error) {
	pl := s.Player
	if p := pl.peer; p != nil && p.bye == nil {
		p.bye = &farewell{reason: reasonOf(reason)}
	}
	if pl.peer != nil {
		pl.peer.bye.cancelled = int64(s.Cancelled())
	}
	if errors.Is(reason, session.ErrTakeover) {
		if pl.peer != nil {
			w.sendBye(pl.peer, false) // the player plays on, there is nothing to wait for
		}
		return
	}
	if left := pl.coolingUntil() - w.loop.Time(); left > 0 {
		w.keepCooling(pl, left)
	}
	w.lastSave(pl.copy(), func(saved bool) {
		if pl.peer != nil {
			w.sendBye(pl.peer, saved)
		}
	})
}

// keepCooling remembers cooldowns for as long as they can matter.
func (w *World) keepCooling(pl *Player, left time.Duration) {
	name := pl.Name
	err := w.scope.Keyed(coolingKey(name), tick.Spec{After: left, Lane: tick.Bulk, Kind: w.kinds.buff}, func(tick.Firing) {
		delete(w.cooling, name)
	})
	if err == nil { // otherwise the world is full, or ending
		w.cooling[name] = pl.ready
	}
}

func (w *World) forgetCooling(name string) {
	if _, ok := w.cooling[name]; ok {
		delete(w.cooling, name)
		w.scope.StopKeyed(coolingKey(name))
	}
}

type coolingKey string

func reasonOf(err error) string {
	switch {
	case errors.Is(err, session.ErrTakeover):
		return protocol.ReasonTakeover
	case errors.Is(err, session.ErrIdle):
		return protocol.ReasonIdle
	case errors.Is(err, tick.ErrStopped), errors.Is(err, errShutdown):
		return protocol.ReasonShutdown
	case errors.Is(err, errFraming):
		return protocol.ReasonFraming
	}
	return protocol.ReasonLogout
}
