package sim

import (
	"context"
	"fmt"
	"io"
	"log/slog"
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
	// Progress, if set, is told how much of the run is done, 0 to 1, now and
	// then, on the goroutine of the loop.
	Progress func(done float64)
}

// Run plays a scenario under a policy and returns what happened. When ctx ends
// it returns what there is up to then, with Interrupted set, and no error.
//
// It returns an error if the scenario is not valid, if a limit of the loop is
// reached, or if a callback panicked.
func Run(ctx context.Context, sc Scenario, pol Policy, o Options) (*Recording, error) {
	if err := sc.Validate(); err != nil {
		return nil, err
	}
	rec := newRecorder(sc.Ticks())
	w := &world{sc: sc, pol: pol, draw: draws{o.Seed}}
	var panicked error
	cfg := tick.Config{
		Interval:  sc.Interval,
		Budget:    pol.Cap,
		Seed:      max(mix(o.Seed), 1), // 0 would mean a random one
		Workers:   max(pol.Workers, 1),
		Queue:     max(4096, sc.Players),
		Inbox:     max(1<<16, 4*sc.Players),
		MaxTimers: sc.Storm + 64*sc.Players + 1024,
		Logger:    slog.New(slog.NewTextHandler(io.Discard, nil)),
		OnPanic: func(p tick.PanicInfo) {
			if panicked == nil {
				panicked = fmt.Errorf("sim: %s panicked in tick %d: %v\n%s", p.Name, p.Tick, p.Value, p.Stack)
			}
		},
		Observer: rec.observer(),
	}
	if o.Real {
		w.work = realClock{tick.SystemClock()}
	} else {
		w.work = &Virtual{}
		w.servers = newServers(max(pol.Workers, 1))
		cfg.Executor = w.servers
	}
	cfg.Clock = w.work
	loop, err := tick.New(cfg)
	if err != nil {
		return nil, fmt.Errorf("sim: %w", err)
	}
	w.loop = loop
	if err := w.build(); err != nil {
		return nil, fmt.Errorf("sim: %w", err)
	}
	r := &Recording{Scenario: sc, Policy: pol, Seed: o.Seed, Real: o.Real}
	if o.Real {
		err = runReal(ctx, loop, sc, o)
	} else {
		runVirtual(ctx, loop, w.work.(*Virtual), sc, o)
	}
	r.Interrupted = ctx.Err() != nil
	r.Stats = loop.Stats()
	if stopErr := loop.Stop(context.Background()); err == nil {
		err = stopErr
	}
	r.Ticks, r.Trace = rec.ticks, rec.trace.String()
	for _, e := range []error{panicked, w.err, err} {
		if e != nil {
			return nil, e
		}
	}
	return r, nil
}

// runVirtual drives the loop from tick to tick: the clock jumps to the next start
// unless work has moved it past that already.
func runVirtual(ctx context.Context, loop *tick.Loop, clock *Virtual, sc Scenario, o Options) {
	report := newMeter(sc, o.Progress)
	for {
		next, ok := loop.RunDue()
		if !ok || next > sc.Duration || ctx.Err() != nil {
			return
		}
		report.at(loop.Time())
		clock.Sleep(next, nil)
	}
}

// runReal lets the loop keep pace with the machine's clock.
func runReal(ctx context.Context, loop *tick.Loop, sc Scenario, o Options) error {
	report := newMeter(sc, o.Progress)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	loop.OnTick(func(time.Duration) {
		now := loop.Time()
		report.at(now)
		if now+sc.Interval > sc.Duration {
			cancel()
		}
	})
	return loop.Run(ctx)
}

// meter passes progress on, a hundred times a run.
type meter struct {
	total, next time.Duration
	f           func(float64)
}

func newMeter(sc Scenario, f func(float64)) *meter { return &meter{total: sc.Duration, f: f} }

func (m *meter) at(now time.Duration) {
	if m.f == nil || now < m.next {
		return
	}
	m.f(min(float64(now)/float64(m.total), 1))
	m.next = now + m.total/100
}
