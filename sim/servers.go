package sim

import (
	"cmp"
	"context"
	"math"
	"slices"
	"time"

	"github.com/tickwheel/tickwheel/tick"
)

// servers runs the loop's jobs in virtual time: a job starts when it is queued
// and one of n servers is free, and its result is there at the first tick that
// starts after its length has passed. Queue, keys, liveness and results are the
// loop's own.
//
// It works event by event. Whoever offloads calls until first, so that a server
// that became free in the meantime takes what waited then, and not a job that is
// queued later. Whether the owner of a job lives is judged when the event is
// worked off: at the call of until or at the next tick, whichever comes first.
type servers struct {
	q     *tick.JobQueue
	n     int
	busy  []running     // by end, then number
	at    time.Duration // the last event
	spent time.Duration // by the job in hand
}

type running struct {
	end  time.Duration
	task *tick.Task
}

func newServers(n int) *servers { return &servers{n: n} }

// spend is called by the body of a job to take d of virtual time.
func (s *servers) spend(d time.Duration) { s.spent += d }

// Bind keeps the queue to take from.
func (s *servers) Bind(q *tick.JobQueue) { s.q = q }

// Ready gives the job that was just queued to a free server, if there is one.
func (s *servers) Ready(time.Duration) { s.start() }

// Begin hands over what has ended by now.
func (s *servers) Begin(now time.Duration) { s.until(now) }

// End does nothing: what ends between ticks is there when the next one begins.
func (s *servers) End(time.Duration) {}

// until works off the ends of jobs up to now; each lets a waiting job start.
func (s *servers) until(now time.Duration) {
	for s.start(); len(s.busy) > 0 && s.busy[0].end <= now; s.start() {
		r := s.busy[0]
		s.busy = slices.Delete(s.busy, 0, 1)
		s.at = r.end
		r.task.Deliver() // may let the next job of its key go
	}
	s.at = max(s.at, now)
}

// start gives free servers work, as of the last event.
func (s *servers) start() {
	for len(s.busy) < s.n {
		t := s.q.Take()
		if t == nil {
			return
		}
		s.spent = 0
		t.Run()
		length := s.spent
		if limit := t.Timeout(); limit > 0 && length > limit {
			length = limit
			t.Fail(context.DeadlineExceeded)
		}
		// Before s.at there was no server, or a job of its key was in the way.
		started := max(t.Queued(), s.at)
		r := running{end: started + length, task: t}
		t.Timed(started, r.end)
		i, _ := slices.BinarySearchFunc(s.busy, r, func(a, b running) int {
			return cmp.Or(cmp.Compare(a.end, b.end), cmp.Compare(a.task.Number(), b.task.Number()))
		})
		s.busy = slices.Insert(s.busy, i, r)
	}
}

// Drain runs everything to its end: virtual jobs are never stuck.
func (s *servers) Drain(context.Context) { s.until(math.MaxInt64) }
