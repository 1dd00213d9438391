package sim

import (
	"errors"
	"time"
)

// errDropped is why a connection is lost.
var errDropped = errors.New("sim: connection dropped")

// workLost is what draws of losses are made from.
var workLost = workOf("lost")

// drops tells whether connections are lost in the scenario.
func (s Scenario) drops() bool {
	if s.Sessions.Lost != (Dist{}) {
		return true
	}
	for _, st := range s.Storms {
		if st.Do == StormDisconnect {
			return true
		}
	}
	return false
}

// connected sets the time at which a player who has just logged in or come back
// loses the connection.
func (w *world) connected(p *player) {
	d := w.sc.Sessions.Lost
	if d == (Dist{}) {
		return
	}
	n := p.losses
	w.agenda.add(w.loop.Time()+d.pick(w.draw.of(workLost, p.entity(0), 3*n)), func() {
		if p.losses == n { // no storm was faster
			w.lose(p)
		}
	})
}

// lose takes the connection from a player. The session goes into grace, or ends if
// there is none; some players come back, in time or not.
func (w *world) lose(p *player) {
	if !p.session.Alive() || p.session.Detached() {
		return
	}
	n := p.losses
	p.losses++
	p.lost = w.loop.Time()
	p.session.Detach(errDropped)
	s := w.sc.Sessions
	if !s.Reconnecting.hit(w.draw.of(workLost, p.entity(0), 3*n+1)) {
		return
	}
	gap := s.Gap.pick(w.draw.of(workLost, p.entity(0), 3*n+2))
	w.agenda.add(w.loop.Time()+gap, func() {
		// Who has left, or was sent home, does not come back for the old session.
		if !p.left && !errors.Is(p.session.Reason(), errEvening) {
			w.arrive(p.id)
		}
	})
}

// resumed continues the session of a player in time. Timers that were frozen are as
// much later as the connection was away, and so are the times of kinds with Single.
func (w *world) resumed(p *player) {
	if !w.sc.Sessions.GraceRuns {
		away := w.loop.Time() - p.lost
		for k := range p.ready {
			if p.ready[k] > p.lost {
				p.ready[k] += away
			}
		}
	}
	w.connected(p)
	if p.left { // and is back before grace was over
		p.left = false
		w.stay(p)
	}
}

// silent tells whether a player has no connection to send something by.
func (w *world) silent(id uint64) bool {
	if !w.drop {
		return false
	}
	s, ok := w.reg.Find(w.keys[id])
	return ok && s.Detached()
}

// checkLosses is about lost connections.
func (s Scenario) checkLosses(ps *problems) {
	c := s.Sessions
	nobody := "nobody loses a connection: give sessions lost, add a storm with do: disconnect, or leave it out"
	ps.want(c.Grace >= 0 && c.Grace <= maxLength, "sessions.grace", "%v: want 0s (none) to %v", c.Grace, time.Duration(maxLength))
	ps.want(c.Grace == 0 || s.drops(), "sessions.grace", "%s", nobody)
	ps.want(!c.GraceRuns || c.Grace != 0, "sessions.grace-runs", "there is no grace: give sessions one, or leave it out")
	ps.want(c.Reconnecting == 0 || s.drops(), "sessions.reconnecting", "%s", nobody)
	ps.want(c.Gap == (Dist{}) || c.Reconnecting != 0, "sessions.gap", "nobody comes back: give sessions reconnecting, or leave it out")
}
