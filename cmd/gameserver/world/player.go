package world

import (
	"time"

	"github.com/tickwheel/tickwheel/cmd/gameserver/store"
	"github.com/tickwheel/tickwheel/session"
)

// A Player is a player in the world. A session has one of its own: a takeover
// copies what lasts, so that nothing of the old session can reach the new one.
type Player struct {
	store.Player       // what lasts
	dirty        bool  // changed since the last copy was given to a save
	saving       bool  // an autosave is under way
	timers       int   // timer requests pending
	peer         *peer // the connection, nil while it is lost

	ready       map[string]time.Duration // when a skill can be cast again
	furyUntil   time.Duration
	shieldUntil time.Duration
}

// Session is a player's time in the world; it is the scope of all that is theirs.
type Session = session.Session[*Player]

const (
	fullHP    = 100
	standUpHP = 50
)

func newPlayer(p store.Player, ready map[string]time.Duration) *Player {
	if ready == nil {
		ready = map[string]time.Duration{}
	}
	return &Player{Player: p, ready: ready}
}

// copy returns the state to give to a save. It is newer than all copies before.
func (p *Player) copy() store.Player {
	p.Rev++
	p.dirty = false
	return p.Player
}

// takeHP takes a blow and reports whether the player fell.
func (p *Player) takeHP(n int64) (fell bool) {
	p.dirty = true
	if p.HP -= n; p.HP > 0 {
		return false
	}
	p.HP = standUpHP
	return true
}

// coolingUntil returns when the last skill is ready, 0 if none was cast.
func (p *Player) coolingUntil() (last time.Duration) {
	for _, at := range p.ready {
		last = max(last, at)
	}
	return last
}
