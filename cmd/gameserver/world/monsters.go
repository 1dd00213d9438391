package world

import (
	"errors"
	"time"

	"github.com/tickwheel/tickwheel/cmd/gameserver/protocol"
	"github.com/tickwheel/tickwheel/tick"
)

const (
	monsterHP     = 30
	blow          = 12 // what a player takes from a monster
	counterBlow   = 4  // and the other way round
	killXP        = 10
	stormRespawns = time.Second // a storm's monsters are away for this and their spread
)

// herd is all monsters: their hp by number, 0 for the dead. There are many, and
// without pointers the garbage collector has nothing to look at.
type herd struct {
	hp   []int16
	dead int
	next int // where the next storm starts to look for the living
}

func newHerd(n int) herd {
	h := herd{hp: make([]int16, n)}
	for i := range h.hp {
		h.hp[i] = monsterHP
	}
	return h
}

func (h *herd) kill(i int)   { h.hp[i] = 0; h.dead++ }
func (h *herd) revive(i int) { h.hp[i] = monsterHP; h.dead-- }

func (w *World) attack(s *Session, r protocol.Request) *protocol.Error {
	h := &w.herd
	if r.Monster > int64(len(h.hp)) {
		return protocol.Errorf(protocol.CodeUnknownMonster, "monster is %d: this world has 1 to %d", r.Monster, len(h.hp))
	}
	i := int(r.Monster) - 1
	if h.hp[i] <= 0 {
		return protocol.Errorf(protocol.CodeMonsterDead, "monster %d is dead: it respawns after a while", r.Monster)
	}
	p, now := s.Player, w.loop.Time()
	damage, taken := int64(blow), int64(counterBlow)
	if now < p.furyUntil {
		damage *= 2
	}
	if now < p.shieldUntil {
		taken /= 2
	}
	left := max(int64(h.hp[i])-damage, 0)
	if left == 0 {
		taken = 0
		// The way back first: a monster that could not respawn must not die.
		if err := w.respawn(s, i); err != nil {
			return w.scheduleFailed(err)
		}
		h.kill(i)
	} else {
		h.hp[i] = int16(left)
	}
	fell := p.takeHP(taken)
	w.tell(p.peer, r.ID, protocol.Hit{Monster: r.Monster, Damage: damage, MonsterHP: left, Taken: taken, HP: p.HP})
	if fell {
		w.tell(p.peer, protocol.ID{}, protocol.Fell{Monster: r.Monster, HP: p.HP})
	}
	if left == 0 {
		p.XP += killXP
		p.Kills++
		w.tell(p.peer, protocol.ID{}, protocol.Kill{Monster: r.Monster, XP: p.XP, Kills: p.Kills})
	}
	return nil
}

// respawn arms the way back of monster i. The timer is the world's, not the
// killer's, who may have left by then.
func (w *World) respawn(killer *Session, i int) error {
	sp := tick.Spec{
		After: w.cfg.RespawnAfter, Lane: tick.Bulk, Kind: w.kinds.respawn,
		Jitter: tick.Jitter{Late: w.cfg.RespawnJitter},
	}
	_, err := w.scope.Schedule(sp, func(f tick.Firing) {
		w.herd.revive(i)
		if killer.Alive() {
			w.tell(killer.Player.peer, protocol.ID{}, protocol.Respawn{Monster: int64(i) + 1, LateTicks: int64(f.Late)})
		}
	})
	return err
}

// storm is the respawn of many. Its monsters are interchangeable until they are
// back, so all its timers share one callback that takes the next in line: a
// hundred thousand closures would be garbage for the collector.
type storm struct {
	w        *World
	by       *Session
	monsters []int32
	back     int
	first    tick.Tick
	late     tick.Span
}

func (w *World) storm(s *Session, r protocol.Request) *protocol.Error {
	st := &storm{w: w, by: s, monsters: make([]int32, 0, r.Count)}
	sp := tick.Spec{
		After: stormRespawns, Lane: tick.Bulk, Kind: w.kinds.respawn,
		Jitter: tick.Jitter{Late: time.Duration(r.SpreadMS) * time.Millisecond},
	}
	h := &w.herd
	fire := st.fire
	for range h.hp {
		if int64(len(st.monsters)) == r.Count {
			break
		}
		i := h.next
		h.next = (h.next + 1) % len(h.hp)
		if h.hp[i] <= 0 {
			continue
		}
		if _, err := w.scope.Schedule(sp, fire); err != nil {
			if len(st.monsters) == 0 {
				return w.scheduleFailed(err)
			}
			w.cfg.Logger.Warn("a storm was cut short", "asked", r.Count, "killed", len(st.monsters), "error", err)
			break
		}
		h.kill(i)
		st.monsters = append(st.monsters, int32(i))
	}
	w.tell(s.Player.peer, r.ID, protocol.Storm{Killed: int64(len(st.monsters)), Pending: int64(h.dead), SpreadMS: r.SpreadMS})
	if len(st.monsters) == 0 { // nobody was alive: over at once
		w.tell(s.Player.peer, protocol.ID{}, protocol.StormOver{})
	}
	return nil
}

func (st *storm) fire(f tick.Firing) {
	st.w.herd.revive(int(st.monsters[st.back]))
	if st.back == 0 {
		st.first = f.Tick
	}
	st.late = max(st.late, f.Late)
	if st.back++; st.back == len(st.monsters) && st.by.Alive() {
		st.w.tell(st.by.Player.peer, protocol.ID{}, protocol.StormOver{
			Respawned: int64(st.back), Ticks: int64(f.Tick-st.first) + 1, MaxLateTicks: int64(st.late),
		})
	}
}

func isFull(err error) bool { return errors.Is(err, tick.ErrFull) || errors.Is(err, tick.ErrHorizon) }
