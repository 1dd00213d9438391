package tick

import (
	"errors"
	"time"

	"github.com/tickwheel/tickwheel/timers"
)

// keyedTimer is the timer of one key. The map always names the live one: it
// learns of firing by running first, and of nothing else, since nobody else has
// the handle.
type keyedTimer struct {
	scope *Scope
	key   any
	timer Timer
	once  bool
	f     func(Firing)
}

func (k *keyedTimer) fire(f Firing) {
	defer k.settle() // also if f panics: a key must not stay behind
	k.f(f)
}

// settle forgets a one-shot that ran, unless its callback re-armed it by
// ResetKeyed or replaced it by Keyed.
func (k *keyedTimer) settle() {
	s := k.scope
	if !k.once || s.keyed[k.key] != k {
		return
	}
	if _, pending := s.loop.wheel.Remaining(k.timer.h); !pending {
		delete(s.keyed, k.key)
	}
}

// Keyed is Schedule for the one timer that s has under key: a pending one is
// replaced, so that starting something twice never makes two chains. The key is
// any comparable value; one that is not panics. The timer has no handle: stop it
// with StopKeyed, move it with ResetKeyed, or replace it.
//
// Errors are those of Schedule; the timer there was is then still pending.
func (s *Scope) Keyed(key any, sp Spec, f func(Firing)) error {
	if f == nil {
		panic("tick: Scope.Keyed: nil function")
	}
	s.loop.owner.check("Scope.Keyed")
	old := s.keyed[key]
	k := &keyedTimer{scope: s, key: key, once: sp.Every == 0, f: f}
	t, err := s.Schedule(sp, k.fire)
	if errors.Is(err, ErrFull) && old != nil {
		// The old one's place is enough for the new one, if nothing else is
		// wrong with it: the old one must not go for nothing.
		if fits := s.loop.jitterFits(sp); fits != nil {
			return fits
		}
		if old.timer.Stop() {
			t, err = s.Schedule(sp, k.fire)
		}
	}
	if err != nil {
		return err
	}
	if old != nil {
		old.timer.Stop()
	}
	if s.keyed == nil {
		s.keyed = map[any]*keyedTimer{}
	}
	k.timer = t
	s.keyed[key] = k
	return nil
}

// jitterFits returns the error that a wheel with room has for sp, whose deadline
// and period it has accepted: a full one does not look at the jitter.
func (l *Loop) jitterFits(sp Spec) error {
	if sp.Jitter == (Jitter{}) {
		return nil
	}
	w, err := timers.New[struct{}](timers.Config{NearTicks: 64, ChunkBlocks: 4, Horizon: l.cfg.Horizon, TickUnits: int64(l.cfg.Interval)})
	if err != nil {
		return err
	}
	spec, err := l.wheelSpec(sp, timers.Group{})
	if err != nil {
		return err
	}
	at, _ := l.first(sp)
	at -= l.now
	if sp.Every != 0 {
		_, err = w.Every(at, timers.Repeat{Period: int64(sp.Every), Delay: sp.Delay}, struct{}{}, spec)
	} else {
		_, err = w.At(at, struct{}{}, spec)
	}
	return err
}

// StopKeyed stops the timer of key and returns true if there was one.
func (s *Scope) StopKeyed(key any) bool {
	s.loop.owner.check("Scope.StopKeyed")
	k := s.keyed[key]
	if k == nil || !s.Alive() {
		return false
	}
	delete(s.keyed, key)
	return k.timer.Stop()
}

// ResetKeyed moves the timer of key to d from now, as [Timer.Reset] does, and
// returns true if there is one. In its own callback it arms it again.
func (s *Scope) ResetKeyed(key any, d time.Duration) bool {
	s.loop.owner.check("Scope.ResetKeyed")
	k := s.keyed[key]
	return k != nil && k.timer.Reset(d)
}

// KeyedLen is how many keys of s have a timer.
func (s *Scope) KeyedLen() int {
	s.loop.owner.check("Scope.KeyedLen")
	if !s.Alive() {
		return 0
	}
	return len(s.keyed)
}
