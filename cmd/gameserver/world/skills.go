package world

import (
	"sort"
	"strings"
	"time"

	"github.com/tickwheel/tickwheel/cmd/gameserver/protocol"
	"github.com/tickwheel/tickwheel/tick"
)

const (
	healAmount = 5 // hp a second
	healLasts  = 10 * time.Second
	healEvery  = time.Second
)

// A skill is something to cast. Whether it is ready is judged by timestamp: a
// timer would be up to a tick late, and a player would have to wait for it.
type skill struct {
	lasts, cooldown time.Duration
	start           func(*World, *Session, skill) error
}

var skills = map[string]skill{
	"heal":   {lasts: healLasts, cooldown: 15 * time.Second, start: (*World).startHeal},
	"fury":   {lasts: 10 * time.Second, cooldown: 30 * time.Second, start: (*World).startFury},
	"shield": {lasts: 8 * time.Second, cooldown: 20 * time.Second, start: (*World).startShield},
}

func skillNames() string {
	names := make([]string, 0, len(skills))
	for n := range skills {
		names = append(names, n)
	}
	sort.Strings(names)
	return strings.Join(names, ", ")
}

func (w *World) cast(s *Session, r protocol.Request) *protocol.Error {
	sk, ok := skills[r.Skill]
	if !ok {
		return protocol.Errorf(protocol.CodeUnknownSkill, "skill is %q: want one of %s", r.Skill, skillNames())
	}
	p, now := s.Player, w.loop.Time()
	if left := p.ready[r.Skill] - now; left > 0 {
		err := protocol.Errorf(protocol.CodeCooldown, "%s is ready in %v", r.Skill, left.Round(time.Millisecond))
		err.RetryMS = ceilMS(left)
		return err
	}
	if err := sk.start(w, s, sk); err != nil {
		return w.scheduleFailed(err)
	}
	p.ready[r.Skill] = now + sk.cooldown
	w.tell(p.peer, r.ID, protocol.Cast{Skill: r.Skill, LastsMS: sk.lasts.Milliseconds(), CooldownMS: sk.cooldown.Milliseconds()})
	return nil
}

// startHeal heals once a second, or once a tick if ticks are longer. What a stall
// or the budget swallowed is made up for by Missed, so the sum comes out right.
func (w *World) startHeal(s *Session, sk skill) error {
	every := max(healEvery, w.loop.Interval())
	left := int64((sk.lasts + every - 1) / every) // runs
	rest := int64(sk.lasts/time.Second) * healAmount
	share := (rest + left - 1) / left
	return s.Keyed("heal", tick.Spec{Every: every, Kind: w.kinds.heal}, func(f tick.Firing) {
		runs := min(1+f.Missed, left)
		left -= runs
		heals := min(runs*share, rest)
		rest -= heals
		p := s.Player
		amount := min(heals, max(fullHP-p.HP, 0))
		p.HP += amount
		p.dirty = p.dirty || amount > 0
		w.tell(p.peer, protocol.ID{}, protocol.Heal{Amount: amount, HP: p.HP, Left: left})
		if left == 0 {
			s.StopKeyed("heal")
			w.tell(p.peer, protocol.ID{}, protocol.Faded{Skill: "heal"})
		}
	})
}

func (w *World) startFury(s *Session, sk skill) error {
	s.Player.furyUntil = w.loop.Time() + sk.lasts
	return w.fades(s, "fury", sk.lasts)
}

func (w *World) startShield(s *Session, sk skill) error {
	s.Player.shieldUntil = w.loop.Time() + sk.lasts
	return w.fades(s, "shield", sk.lasts)
}

// fades tells the player when a skill has ended. The effect itself ends by
// timestamp, whether or not anybody is told.
func (w *World) fades(s *Session, name string, after time.Duration) error {
	return s.Keyed(name, tick.Spec{After: after, Kind: w.kinds.buff}, func(tick.Firing) {
		w.tell(s.Player.peer, protocol.ID{}, protocol.Faded{Skill: name})
	})
}

// timer sends an event when after_ms have passed since the request was read, and
// says by how much more. The wait for the tick is part of both.
func (w *World) timer(s *Session, r protocol.Request, at time.Duration) *protocol.Error {
	p := s.Player
	if p.timers >= w.cfg.Timers {
		return protocol.Errorf(protocol.CodeTooManyTimers, "%d timers are pending: wait for one of them", p.timers)
	}
	after := time.Duration(r.AfterMS) * time.Millisecond
	due := at + after
	_, err := s.Schedule(tick.Spec{After: max(due-w.loop.Time(), 0), Kind: w.kinds.timer}, func(tick.Firing) {
		p.timers--
		late := w.loop.Time() - due
		w.tell(p.peer, r.ID, protocol.Timer{Tag: r.Tag, LateMS: late.Milliseconds()})
	})
	if err != nil {
		return w.scheduleFailed(err)
	}
	p.timers++
	return nil
}

// scheduleFailed turns an error of the loop into what a client may know.
func (w *World) scheduleFailed(err error) *protocol.Error {
	if isFull(err) {
		return protocol.Errorf(protocol.CodeBusy, "the world is full of timers: try again")
	}
	w.cfg.Logger.Error("could not schedule", "error", err)
	return protocol.Errorf(protocol.CodeInternal, "that could not be scheduled")
}

// ceilMS is d in milliseconds, rounded up: who comes back after it is not early.
func ceilMS(d time.Duration) int64 {
	return int64((d + time.Millisecond - 1) / time.Millisecond)
}
