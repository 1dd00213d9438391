package tick

import (
	"errors"
	"time"
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
	old := s.keyed[key]
	k := &keyedTimer{scope: s, key: key, once: sp.Every == 0, f: f}
	t, err := s.Schedule(sp, k.fire)
	if errors.Is(err, ErrFull) && old != nil {
		// The old one's place is enough for the new one, whose Spec was good.
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

// StopKeyed stops the timer of key and returns true if there was one.
func (s *Scope) StopKeyed(key any) bool {
	k := s.keyed[key]
	if k == nil {
		return false
	}
	delete(s.keyed, key)
	return k.timer.Stop()
}

// ResetKeyed moves the timer of key to d from now, as [Timer.Reset] does, and
// returns true if there is one. In its own callback it arms it again.
func (s *Scope) ResetKeyed(key any, d time.Duration) bool {
	k := s.keyed[key]
	return k != nil && k.timer.Reset(d)
}

// KeyedLen is how many keys of s have a timer.
func (s *Scope) KeyedLen() int { return len(s.keyed) }
