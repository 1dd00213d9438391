package sim

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"time"

	"github.com/tickwheel/tickwheel/tick"
)

// Options say how a run is made.
type Options struct {
	// Seed is what every random choice is drawn from. 0 is a seed like any other.
	Seed uint64
	// Real keeps the machine's clock, with work that really burns and blocks,
	// instead of the virtual one. The run then takes as long as the scenario.
	Real bool
	// Progress, if set, is told how much of the run is done, 0 to 1, up to a
	// hundred times, on the goroutine of the loop.
	Progress func(done float64)

	prepare func(*world) // lets tests of this package add to the world
	measure bool         // costs under the virtual clock, too
}

// Run plays a scenario under a policy and returns what happened. When ctx ends
// it returns what there is up to then, with Interrupted set, and no error.
//
// It returns an error that names everything that is wrong with the scenario or
// the policy, an error if the run reaches a limit of the loop or its work takes
// years, and one with the stack if a callback panicked.
func Run(ctx context.Context, sc Scenario, pol Policy, o Options) (*Recording, error) {
	if err := validate(sc, pol, o.Real); err != nil {
		return nil, err
	}
	rec := newRecorder(sc.Ticks())
	w := &world{ctx: ctx, sc: sc, pol: pol, draw: draws{o.Seed}}
	w.sc.Storms = slices.Clone(sc.Storms) // the world changes their costs to its machine's
	cfg := config(sc, pol, o)
	cfg.Observer = rec.observer()
	cfg.OnPanic = func(p tick.PanicInfo) {
		w.check(fmt.Errorf("%s panicked in tick %d: %v\n%s", p.Name, p.Tick, p.Value, p.Stack))
	}
	if o.Real {
		w.work = realClock{tick.SystemClock()}
	} else {
		w.work = &Virtual{}
		w.servers = newServers(cfg.Workers)
		cfg.Executor = w.servers
	}
	cfg.Clock, rec.clock = w.work, w.work
	if o.Real || o.measure {
		rec.costs = newCostLog(w.work)
		w.log = rec.costs
	}
	loop, err := tick.New(cfg)
	if err != nil {
		return nil, fmt.Errorf("sim: %w", err)
	}
	w.loop = loop
	r := &Recording{Scenario: sc, Policy: pol, Seed: o.Seed, Real: o.Real}
	// The figures are those of the last tick's end: the timers that the stop
	// cancels and the jobs it waits for are no part of the run.
	loop.OnStop(func() { r.Stats, r.Trace = loop.Stats(), rec.trace.String() })
	if err := w.build(); err != nil {
		return nil, fmt.Errorf("sim: %w", err)
	}
	if o.prepare != nil {
		o.prepare(w)
	}
	if o.Real {
		r.Interrupted = !runReal(ctx, w, rec, o)
	} else {
		r.Interrupted = !runVirtual(ctx, w, o)
	}
	// Jobs that had not ended in time are the only error it can have.
	_ = loop.Stop(context.Background())
	r.Ticks, r.Slow, r.Events, r.EventsDropped = rec.ticks, rec.slow, rec.events, rec.dropped
	r.Costs = rec.costs.samples()
	if w.err != nil {
		return nil, w.err
	}
	return r, nil
}

// config is the loop's, sized so that only a policy can make it run into limits.
func config(sc Scenario, pol Policy, o Options) tick.Config {
	players := sc.everybody()
	inputs := 0
	if r := sc.Actions; r.N > 0 {
		// A tick of several seconds has the inputs of as many.
		inputs = 4 * players * int(1+r.upTo(1, sc.Interval))
	}
	return tick.Config{
		Interval:    sc.Interval,
		Budget:      pol.Cap,
		Seed:        max(mix(o.Seed), 1), // 0 would mean a random one
		Workers:     max(pol.Workers, 1),
		Queue:       max(4096, players),
		Inbox:       min(max(1<<16, inputs, 2*players), 1<<24),
		MaxTimers:   limitOf(sc),
		MaxScopes:   4*players + 1024,
		StopTimeout: time.Second, // whoever interrupts a run does not want to wait for its saves
		Logger:      slog.New(slog.NewTextHandler(io.Discard, nil)),
	}
}

// runVirtual drives the loop from tick to tick: the clock jumps to the next start
// unless work has moved it past that already. It reports whether the run came to
// its end.
func runVirtual(ctx context.Context, w *world, o Options) bool {
	report := meter{total: w.sc.Duration, f: o.Progress}
	for w.err == nil && ctx.Err() == nil {
		next, ok := w.loop.RunDue()
		if w.ended() {
			return false
		}
		if !ok || next > w.sc.Duration {
			return ok
		}
		report.at(w.loop.Time())
		w.work.Sleep(next, nil)
		w.pause()
	}
	return false
}

// runReal lets the loop keep pace with the machine's clock. It reports whether
// the run came to its end.
func runReal(ctx context.Context, w *world, rec *recorder, o Options) (whole bool) {
	report := meter{total: w.sc.Duration, f: o.Progress}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	w.loop.OnTick(func(time.Duration) {
		report.at(w.loop.Time())
		// By intended starts, as under the virtual clock: overdue ticks still run.
		whole = int64(w.loop.Now())+rec.shed >= w.sc.Ticks()
		if whole || w.err != nil {
			cancel()
		}
	})
	_ = w.loop.Run(ctx) // always nil
	return whole
}

// meter passes progress on, a hundred times a run.
type meter struct {
	total, next time.Duration
	f           func(float64)
}

func (m *meter) at(now time.Duration) {
	if m.f == nil || now < m.next {
		return
	}
	m.f(min(float64(now)/float64(m.total), 1))
	m.next = now + m.total/100
}
