package tick

import (
	"context"
	"sync"
	"time"
)

// Executor runs jobs. The loop keeps their queue, order, liveness, timeouts and
// results; an Executor only decides when and where each one runs. Times are on
// the scale of [Loop.Time].
//
// The loop's own ones run jobs on goroutines or at the end of the tick; a
// simulation brings one whose servers work in virtual time.
type Executor interface {
	// Bind is called once, before anything else, with the queue to take from.
	Bind(q *JobQueue)
	// Ready is called on the tick goroutine after a job was queued, and by
	// whoever delivered a job if another one of its key waited for it. It must
	// not block.
	Ready(now time.Duration)
	// Begin is called on the tick goroutine when a tick begins, before its inbox
	// phase: what is delivered here is applied in this tick.
	Begin(now time.Duration)
	// End is called on the tick goroutine when a tick ends; once more if a job
	// that it ran ended the goroutine.
	End(now time.Duration)
	// Drain is called once, on the tick goroutine, when the loop stops. It
	// returns when every job that can be taken has been delivered or ctx ends.
	Drain(ctx context.Context)
}

// goroutines runs at most n jobs at once, each worker on a goroutine that lives
// as long as there is work.
type goroutines struct {
	q       *JobQueue
	n       int
	mu      sync.Mutex
	running int
	idle    sync.Cond // running is 0
}

// Goroutines returns an Executor that runs up to n jobs at once on goroutines of
// its own, started when there is work and ended when there is none. It panics if
// n < 1. It serves one loop.
func Goroutines(n int) Executor {
	if n < 1 {
		panic("tick: Goroutines: want at least 1 worker")
	}
	g := &goroutines{n: n}
	g.idle.L = &g.mu
	return g
}

func (g *goroutines) Bind(q *JobQueue)      { g.q = q }
func (g *goroutines) Begin(_ time.Duration) {}
func (g *goroutines) End(_ time.Duration)   {}

func (g *goroutines) Ready(_ time.Duration) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.running < g.n {
		g.running++
		go g.work()
	}
}

func (g *goroutines) work() {
	clean := false
	defer func() {
		if !clean { // a job called Goexit: this worker ends, another takes over
			go g.work()
		}
	}()
	for {
		t := g.next()
		if t == nil {
			clean = true
			return
		}
		t.Do()
	}
}

// next takes a job or signs the worker off. Both under one lock: a job that is
// queued between a failed Take and the sign-off would wait for nobody.
func (g *goroutines) next() *Task {
	g.mu.Lock()
	defer g.mu.Unlock()
	t := g.q.Take()
	if t == nil {
		g.running--
		if g.running == 0 {
			g.idle.Broadcast()
		}
	}
	return t
}

func (g *goroutines) Drain(ctx context.Context) {
	stop := context.AfterFunc(ctx, func() {
		g.mu.Lock()
		defer g.mu.Unlock()
		g.idle.Broadcast()
	})
	defer stop()
	g.mu.Lock()
	defer g.mu.Unlock()
	for g.running > 0 && ctx.Err() == nil {
		g.idle.Wait()
	}
}

// inline runs jobs on the tick goroutine at the end of the tick.
type inline struct{ q *JobQueue }

// Inline returns the Executor that is the default under Step: jobs run on the
// tick goroutine after the flush phase, and their results come in the next tick.
// It serves one loop.
func Inline() Executor { return &inline{} }

func (e *inline) Bind(q *JobQueue)      { e.q = q }
func (e *inline) Ready(_ time.Duration) {}
func (e *inline) Begin(_ time.Duration) {}

func (e *inline) End(_ time.Duration) {
	for t := e.q.Take(); t != nil; t = e.q.Take() {
		t.Do()
	}
}

func (e *inline) Drain(ctx context.Context) {
	for ctx.Err() == nil {
		t := e.q.Take()
		if t == nil {
			return
		}
		t.Do()
	}
}
