package world

import (
	"time"

	"github.com/tickwheel/tickwheel/cmd/gameserver/protocol"
	"github.com/tickwheel/tickwheel/session"
	"github.com/tickwheel/tickwheel/tick"
)

// A peer is a connection. It outlives no Closed, and after its bye it is deaf
// and mute until then.
type peer struct {
	*session.Conn[*Player] // knows who is logged in, and is the scope of what is the connection's

	name    Conn
	loading bool        // its login waits for the player
	loginID protocol.ID // of that login
	held    []any       // requests that wait for it: Asked or Refused
	bye     *farewell   // it is leaving
	ended   bool        // its bye is out, or it has gone
}

// loginTimer is the key of the timer that ends a connection without a login. A
// login stops it: whoever had a player leaves with a bye, and never needs it again.
const loginTimer = "login"

// A farewell is a bye that waits for the last save.
type farewell struct {
	id        protocol.ID
	reason    string
	cancelled int64
}

func (w *World) opened(c Conn) {
	p := &peer{Conn: w.players.Connect(), name: c}
	w.peers[c] = p
	if w.draining {
		w.fail(p, protocol.ID{}, protocol.Errorf(protocol.CodeShuttingDown, "the server is ending: try again later"))
		w.leave(p, protocol.ID{}, protocol.ReasonShutdown)
		return
	}
	w.tell(p, protocol.ID{}, protocol.Hello{
		Version: protocol.Version, TickMS: float64(w.loop.Interval().Microseconds()) / 1000,
	})
	// Urgent, so that a storm does not keep silent connections alive.
	sp := tick.Spec{After: w.cfg.LoginWithin, Lane: tick.Urgent, Kind: w.kinds.login}
	err := p.Keyed(loginTimer, sp, func(tick.Firing) {
		if p.bye == nil {
			w.leave(p, protocol.ID{}, protocol.ReasonLoginTimeout)
		}
	})
	if err != nil {
		w.fail(p, protocol.ID{}, w.scheduleFailed(err))
		w.leave(p, protocol.ID{}, protocol.ReasonInternal)
	}
}

// closed is the end of a connection, whoever ended it. A player who is still
// logged in on it stays for the grace time; one who was taken over by another
// connection, or resumed on it, is none of this one's business.
func (w *World) closed(p *peer) {
	delete(w.peers, p.name)
	p.ended = true
	p.held = nil
	if s := p.Session(); s != nil {
		s.Player.peer = nil
	}
	p.Close(nil)
}

// broken ends a connection whose stream makes no sense.
func (w *World) broken(p *peer, err protocol.Error) {
	if p.bye != nil {
		return
	}
	w.fail(p, protocol.ID{}, &err)
	w.end(p, protocol.ID{}, errFraming)
}

func (w *World) refused(p *peer, id protocol.ID, err protocol.Error) {
	switch {
	case p.bye != nil:
	case p.loading:
		w.hold(p, id, Refused{p.name, id, err})
	default:
		p.Touch()
		w.fail(p, id, &err)
	}
}

// asked answers a request, or keeps it until the login before it is answered.
func (w *World) asked(p *peer, in Asked) {
	if in.At == 0 {
		in.At = w.loop.Time()
	}
	switch {
	case p.bye != nil:
	case p.loading:
		w.hold(p, in.Request.ID, in)
	default:
		w.answer(p, in.Request, in.At)
	}
}

func (w *World) hold(p *peer, id protocol.ID, in any) {
	if len(p.held) >= w.cfg.Held {
		w.fail(p, id, protocol.Errorf(protocol.CodeBusy, "%d requests wait for the login: wait for its answer", len(p.held)))
		return
	}
	p.held = append(p.held, in)
}

// release answers what was held back, up to the next login that takes time.
func (w *World) release(p *peer) {
	p.loading = false
	for len(p.held) > 0 && !p.loading && p.bye == nil {
		in := p.held[0]
		p.held = p.held[1:]
		w.input(in)
	}
	if len(p.held) == 0 || p.bye != nil {
		p.held = nil
	}
}

func (w *World) fail(p *peer, id protocol.ID, err *protocol.Error) {
	w.tell(p, id, protocol.Failed(err))
}

// answer carries out one request, which was read at that time.
func (w *World) answer(p *peer, r protocol.Request, at time.Duration) {
	clean := false
	defer func() {
		if !clean { // a fault of ours: the loop logs it, the client is told
			w.fail(p, r.ID, protocol.Errorf(protocol.CodeInternal, "%s failed; the server's log has more", r.Op))
		}
	}()
	p.Touch()
	if err := w.serve(p, r, at); err != nil {
		w.fail(p, r.ID, err)
	}
	clean = true
}

func (w *World) serve(p *peer, r protocol.Request, at time.Duration) *protocol.Error {
	switch r.Op {
	case protocol.OpPing:
		w.tell(p, r.ID, protocol.Pong{})
		return nil
	case protocol.OpStats:
		w.tell(p, r.ID, w.showStats())
		return nil
	case protocol.OpLogin:
		return w.login(p, r)
	case protocol.OpLogout:
		w.end(p, r.ID, errLogout)
		return nil
	}
	s := p.Session()
	if s == nil {
		return protocol.Errorf(protocol.CodeNotLoggedIn, "%s needs a player: login first", r.Op)
	}
	switch r.Op {
	case protocol.OpCast:
		return w.cast(s, r)
	case protocol.OpAttack:
		return w.attack(s, r)
	case protocol.OpTimer:
		return w.timer(s, r, at)
	case protocol.OpStorm:
		return w.storm(s, r)
	}
	return protocol.Errorf(protocol.CodeUnknownOp, "op is %q: this server does not have it", r.Op)
}

// end logs a connection's player out, if there is one, and lets it go.
func (w *World) end(p *peer, id protocol.ID, reason error) {
	s := p.Session()
	if s == nil {
		w.leave(p, id, reason.Error())
		return
	}
	p.bye = &farewell{id: id, reason: reason.Error()}
	s.Logout(reason) // the rest is the OnClose hook's
}

// leave sends the bye of a connection that has no player to save.
func (w *World) leave(p *peer, id protocol.ID, reason string) {
	p.bye = &farewell{id: id, reason: reason}
	w.sendBye(p, true)
}

func (w *World) sendBye(p *peer, saved bool) {
	if p.ended {
		return
	}
	w.tell(p, p.bye.id, protocol.Bye{Reason: p.bye.reason, Cancelled: p.bye.cancelled, Saved: saved})
	p.ended = true
	p.held = nil
	p.Close(nil)
	w.sink.End(p.name)
}
