package sim

import (
	"container/heap"
	"context"
	"slices"
	"time"

	"github.com/tickwheel/tickwheel/tick"
)

// agenda is what the world does at set times, in order of time, then of adding.
type agenda struct {
	q []event
	n uint64
}

type event struct {
	at     time.Duration
	number uint64
	do     func()
}

func (a *agenda) Len() int      { return len(a.q) }
func (a *agenda) Swap(i, j int) { a.q[i], a.q[j] = a.q[j], a.q[i] }
func (a *agenda) Push(x any)    { a.q = append(a.q, x.(event)) }
func (a *agenda) Less(i, j int) bool {
	if a.q[i].at != a.q[j].at {
		return a.q[i].at < a.q[j].at
	}
	return a.q[i].number < a.q[j].number
}

func (a *agenda) Pop() any {
	last := a.q[len(a.q)-1]
	a.q[len(a.q)-1] = event{}
	a.q = a.q[:len(a.q)-1]
	return last
}

func (a *agenda) add(at time.Duration, do func()) {
	a.n++
	heap.Push(a, event{at, a.n, do})
}

// run does what is to be done by now, unless the run ended.
func (a *agenda) run(now time.Duration, ended func() bool) {
	for len(a.q) > 0 && a.q[0].at <= now && !ended() {
		heap.Pop(a).(event).do()
	}
}

// pause is a stall between two ticks.
type pause struct {
	at, length, every time.Duration
	clock             bool // of the wall clock only
}

// script puts storms and stalls on the agenda.
func (w *world) script() {
	for i := range w.sc.Storms {
		st := &w.sc.Storms[i]
		w.repeated(st.At, st.Every, func(round int) { w.storm(st, round) })
	}
	for _, s := range w.sc.Stalls {
		switch s.Do {
		case StallGC:
			w.repeated(s.At, s.Every, func(int) { w.work.Burn(s.For) })
		case StallCallback:
			k := w.loop.Kind("slow-callback")
			w.repeated(s.At, s.Every, func(int) {
				_, err := w.loop.Root().Schedule(tick.Spec{Kind: k}, func(tick.Firing) { w.work.Burn(s.For) })
				w.check(err)
			})
		case StallSuspend:
			if w.servers == nil { // on the real clock it sleeps, in a tick
				w.repeated(s.At, s.Every, func(int) { w.check(w.work.Block(context.Background(), s.For)) })
				continue
			}
			fallthrough
		default:
			w.pauses = append(w.pauses, pause{s.At.Of(w.sc.Duration), s.For, s.Every, s.Do == StallClock})
		}
	}
}

// repeated does something at a moment, and again after each period.
func (w *world) repeated(at Moment, every time.Duration, do func(round int)) {
	round := 0
	var next func()
	t := at.Of(w.sc.Duration)
	next = func() {
		do(round)
		if round++; every > 0 {
			t += every
			w.agenda.add(t, next)
		}
	}
	w.agenda.add(t, next)
}

// pause lets the virtual clock pass over stalls that begin before the next tick.
func (w *world) pause() {
	if len(w.pauses) == 0 {
		return
	}
	c := w.work.(*Virtual)
	for i := range w.pauses {
		p := &w.pauses[i]
		for p.at >= 0 && p.at <= c.now {
			if p.clock {
				c.step += p.length
			} else {
				c.now += p.length
			}
			if p.at += p.every; p.every == 0 {
				p.at = -1
			}
		}
	}
}

// storm does what a storm says.
func (w *world) storm(st *Storm, round int) {
	switch n := w.sc.count(*st); st.Do {
	case StormLogout:
		w.reg.CloseAll(errEvening)
	case StormDisconnect:
		for _, s := range slices.Collect(w.reg.All()) { // without grace each loss ends one
			w.lose(s.Player)
		}
	case StormStart:
		for s := range w.reg.All() {
			for _, k := range w.on["storm"] {
				if k.Name == st.Name {
					w.start(s.Player, k)
				}
			}
		}
	case StormLogin:
		first := w.newcomer
		w.newcomer += uint64(n)
		offsets := make([]time.Duration, n)
		for i := range offsets {
			offsets[i] = w.offset(st, round, i, n)
		}
		slices.Sort(offsets)
		now := w.loop.Time()
		for i, d := range offsets {
			id := first + uint64(i)
			w.agenda.add(now+d, func() { w.arrive(id) })
		}
	default:
		w.timers(st, n, round)
	}
}

// timers starts the timers of a storm, which are due in the same tick, later, if
// nothing is done about it.
func (w *world) timers(st *Storm, n, round int) {
	id, arm, armed := workOf(st.Name), workOf("kill"), st.Name+"/arm"
	sp := tick.Spec{
		Lane: st.Lane, Kind: w.loop.Kind(st.Name),
		Jitter: tick.Jitter{Late: w.pol.Jitter},
	}
	w.log.know(sp.Kind, st.Name)
	var saves *jobKind
	for _, j := range w.jobs {
		if j.Name == st.Job {
			saves = j
		}
	}
	delay, now := st.Due.Of(w.sc.Duration)-st.At.Of(w.sc.Duration), w.loop.Now()
	for i := range n {
		// A tick, not a duration: each start takes its time, and durations would
		// count from the end of it.
		d := delay + w.offset(st, round, i, n)
		sp.At = now + tick.Tick((d+w.sc.Interval-1)/w.sc.Interval)
		s := w.log.begin()
		w.work.Burn(w.draw.length(arm, st.Arm, uint64(i), uint64(round)))
		_, err := w.loop.Root().Schedule(sp, func(tick.Firing) {
			w.work.Burn(w.draw.length(id, st.Cost, uint64(i), uint64(round)))
			if saves != nil {
				w.run(w.loop.Root(), nil, saves)
			}
		})
		if err != nil {
			w.check(err)
			return
		}
		w.log.end(armed, s, 0)
	}
}

// offset is how much behind the first the number i of n comes.
func (w *world) offset(st *Storm, round, i, n int) time.Duration {
	switch st.Shape {
	case "even":
		return time.Duration(i) * (st.Over / time.Duration(n))
	case "random":
		return between(w.draw.of(workOf(st.Name), uint64(i), uint64(round)+1<<32), 0, st.Over)
	}
	return 0
}
