package check

import (
	"time"

	"github.com/tickwheel/tickwheel/sim/oracle"
	"github.com/tickwheel/tickwheel/tick"
)

// handles stops and moves timers, stale ones among them.
func (w *world) handles(p *op) {
	t, ok := pick(w.timers, p.a, func(t *timer) uint64 { return t.birth }, func(t *timer) bool { return t.m.Pending() })
	if !ok || t.real == nil {
		return
	}
	if p.what == "stop" {
		w.stop(t)
		return
	}
	alive := !t.m.Group.Closed && !t.m.Group.Dead
	d := w.o.Interval * time.Duration(p.b%3000) / 100
	want := alive && w.wheel.Reset(t.m, w.due(d))
	if w.bug(bugReset) && want {
		d += w.o.Interval
	}
	got := t.real.Reset(d)
	w.say("timer %d is reset to %v: %v", t.id, d, got)
	if got != want {
		w.broken(oracle.Handles, "Reset of %v gave %v: want %v", t.m, got, want)
	}
	if got && want {
		t.notBefore = w.clock.now + d
		if !w.bug(bugReset) {
			w.sameRemaining(t)
		}
	}
}

func (w *world) stop(t *timer) {
	want := !t.m.Group.Closed && !t.m.Group.Dead && w.wheel.Cancel(t.m)
	got := t.real.Stop()
	w.say("timer %d is stopped: %v", t.id, got)
	if got != want {
		w.broken(oracle.Handles, "Stop of %v gave %v: want %v", t.m, got, want)
	}
	if !w.bug(bugStale) || got {
		return
	}
	for _, o := range w.timers {
		if o.real != nil && o.real.Stop() {
			return
		}
	}
}

// keys makes the calls of keyed timers.
func (w *world) keys(p *op, s *scope) {
	key := w.key(1 + p.b%2)
	d := w.o.Interval * time.Duration(p.b%2000) / 100
	old := s.m.Keys[key]
	switch p.what {
	case "keyed":
		w.keyed(p, s, key, tick.Spec{After: d, Lane: tick.Lane(p.a >> 8 % tick.Lanes)})
	case "unkey":
		want := false
		if old != nil && s.m.Alive() {
			delete(s.m.Keys, key)
			want = w.wheel.Cancel(old)
		}
		if got := s.real.StopKeyed(key); got != want {
			w.broken(oracle.Handles, "StopKeyed of %q in %s gave %v: want %v", key, s.m.Label(), got, want)
		}
	case "rekey":
		want := old != nil && s.m.Alive() && w.wheel.Reset(old, w.due(d))
		if got := s.real.ResetKeyed(key, d); got != want {
			w.broken(oracle.Handles, "ResetKeyed of %q in %s gave %v: want %v", key, s.m.Label(), got, want)
		}
	}
}

// keyed makes the timer of a key, in the place of the one there was.
func (w *world) keyed(p *op, s *scope, key string, sp tick.Spec) {
	t := &timer{id: len(w.timers) + 1, birth: w.births.next(p), op: *p}
	call := func(f tick.Firing) {
		w.callback(t, f, func() {
			if s.m.Keys[key] == t.m && !t.m.Pending() {
				delete(s.m.Keys, key)
			}
		})
	}
	at := w.due(sp.After)
	old := s.m.Keys[key]
	want := w.refusals(s, at, sp, old != nil && old.Pending())
	var err error
	if w.bug(bugKeyed) && s.m.Keys[key] != nil {
		_, err = s.real.Schedule(sp, call)
	} else {
		err = s.real.Keyed(key, sp, call)
	}
	if !w.asWanted(err, want, "key %q in %s", key, s.m.Label()) {
		return
	}
	if old := s.m.Keys[key]; old != nil {
		w.wheel.Cancel(old)
	}
	t.m = w.wheel.Add(t.id, at, sp.Lane, s.m.Group)
	s.m.Keys[key] = t.m
	w.timers = append(w.timers, t)
	w.say("%s schedules %v under key %q", s.m.Label(), t.m, key)
}
