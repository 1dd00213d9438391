package race

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/tickwheel/tickwheel/sim/schemes"
)

// Config says what is played. Start from [Defaults].
type Config struct {
	Timers  int // pending all the time, 1,000 to 10 million
	Ticks   int // of the trace, 1 to 100,000
	Passes  int // of which the shortest time of each tick counts, 1 to 100
	Cancels int // timers filed and cancelled to see what they leave, 1 to 100 million
	Seed    uint64
	// Only are the names to play, see [Names]; none means all.
	Only []string
	// Patience ends a pass, or a row of cancels, that takes longer.
	Patience time.Duration
	// Progress is called before each structure. nil means nobody.
	Progress func(name string)
}

// Defaults returns a minute of 100,000 timers, and a million cancels.
func Defaults() Config {
	return Config{Timers: 100_000, Ticks: 1200, Passes: 3, Cancels: 1_000_000, Seed: 1, Patience: 3 * time.Second}
}

// Ours is the name of the wheel of package timers.
const Ours = "tickwheel"

// entrant is a structure with a way to cancel.
type entrant struct {
	name    string
	lazy    bool
	cancels int // most of them, 0 for no limit
	make    func(c Config, later time.Duration) (runner, error)
}

// label is the name with the way to cancel.
func (e entrant) label() string {
	if e.lazy {
		return e.name + ", lazy"
	}
	return e.name
}

// goroutineCancels bounds the lazily cancelled goroutines: each sleeps on, with its
// stack.
const goroutineCancels = 100_000

// entrants are all there are, ours first.
func entrants() []entrant {
	all := []entrant{
		{name: Ours, make: func(c Config, _ time.Duration) (runner, error) { return newWheel(c.Timers, c.Ticks) }},
		{name: "go-runtime", make: func(c Config, later time.Duration) (runner, error) { return newRuntime(c.Timers, later) }},
	}
	for _, name := range schemes.Names() {
		for _, lazy := range []bool{false, true} {
			e := entrant{name: name, lazy: lazy, make: func(c Config, _ time.Duration) (runner, error) {
				return newClassical(name, lazy, c.Timers, c.Ticks)
			}}
			if name == "goroutines" && lazy {
				e.cancels = goroutineCancels
			}
			all = append(all, e)
		}
	}
	return all
}

// Names lists what Config.Only may name.
func Names() []string { return append([]string{Ours, "go-runtime"}, schemes.Names()...) }

// Validate returns all that is wrong with c, joined, or nil.
func (c Config) Validate() error {
	var errs []error
	number := func(name string, v, lo, hi int) {
		if v < lo || v > hi {
			errs = append(errs, fmt.Errorf("race: %s %d: want %d to %d", name, v, lo, hi))
		}
	}
	number("timers", c.Timers, 1000, 10_000_000)
	number("ticks", c.Ticks, 1, 100_000)
	number("passes", c.Passes, 1, 100)
	number("cancels", c.Cancels, 1, 100_000_000)
	if c.Patience <= 0 {
		errs = append(errs, fmt.Errorf("race: patience %v: want more than 0", c.Patience))
	}
	for _, name := range c.Only {
		if !slices.Contains(Names(), name) {
			errs = append(errs, fmt.Errorf("race: scheme %q: want some of %s", name, strings.Join(Names(), ", ")))
		}
	}
	return errors.Join(errs...)
}

// Row is what one structure took.
type Row struct {
	Scheme string `json:"scheme"`
	Lazy   bool   `json:"lazy"` // cancelled timers stay until time comes by
	// CPU is what the process used for a tick on average, Worst the longest tick.
	CPU   float64 `json:"cpu_us_per_tick"`
	Worst float64 `json:"worst_tick_us"`
	Ticks int     `json:"ticks"` // played in each pass
	Fired int     `json:"fired"`
	// Live is the bytes of a pending timer, fixed parts included; Dead all bytes
	// that cancelled ones hold.
	Live float64 `json:"live_bytes_per_timer"`
	Dead int64   `json:"dead_bytes"`
	// Cancels is how many were made. If patience, or memory, ended them early, Dead
	// is what the full number would hold.
	Cancels int `json:"cancels"`
}

// Label is the name with the way to cancel.
func (r Row) Label() string { return entrant{name: r.Scheme, lazy: r.Lazy}.label() }

// chosen are the entrants that c names.
func (c Config) chosen() (found []entrant) {
	for _, e := range entrants() {
		if len(c.Only) == 0 || slices.Contains(c.Only, e.name) {
			found = append(found, e)
		}
	}
	return found
}

// Count is how many rows a run of c has.
func Count(c Config) int { return len(c.chosen()) }

// Run plays the trace through all structures and returns a row for each. If ctx
// ends it returns the rows that are complete. An error means that a structure fired
// another number of timers than the trace has, or that c makes no sense.
func Run(ctx context.Context, c Config) ([]Row, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	t := newTrace(c.Timers, c.Ticks, c.Seed)
	rows := []Row{}
	for _, e := range c.chosen() {
		if c.Progress != nil {
			c.Progress(e.label())
		}
		row := Row{Scheme: e.name, Lazy: e.lazy}
		if err := c.time(ctx, e, t, &row); err != nil {
			return rows, err
		}
		if err := c.weigh(ctx, e, t, &row); err != nil {
			return rows, err
		}
		if ctx.Err() != nil {
			break
		}
		rows = append(rows, row)
	}
	return rows, nil
}

// time plays the passes.
func (c Config) time(ctx context.Context, e entrant, t *trace, row *Row) error {
	took := make([]time.Duration, len(t.steps))
	for i := range took {
		took[i] = math.MaxInt64
	}
	row.CPU, row.Ticks = math.Inf(1), len(t.steps)
	for range c.Passes {
		n, cpu, err := c.pass(ctx, e, t, took[:row.Ticks])
		if err != nil {
			return err
		}
		row.Ticks = min(row.Ticks, n)
		row.CPU = min(row.CPU, micros(cpu)/float64(n))
	}
	for i, d := range took[:row.Ticks] {
		row.Worst = max(row.Worst, micros(d))
		row.Fired += t.steps[i].due
	}
	return nil
}

func micros(d time.Duration) float64 { return float64(d) / float64(time.Microsecond) }

// pass plays the trace once, as far as patience reaches, and lowers took. It returns
// how many ticks that were and the CPU they used.
func (c Config) pass(ctx context.Context, e entrant, t *trace, took []time.Duration) (int, time.Duration, error) {
	runtime.GC()
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	r, err := e.make(c, 0)
	if err != nil {
		return 0, 0, err
	}
	defer r.close()
	r.begin(t.fill)
	began, cpu := time.Now(), cpuTime()
	var waiting time.Duration
	for i, s := range t.steps[:len(took)] {
		from := time.Now()
		fired, waited := r.play(s)
		took[i] = min(took[i], time.Since(from)-waited)
		if waiting += waited; fired != s.due {
			return 0, 0, fmt.Errorf("race: %s fired %d timers in tick %d of the trace, which has %d", e.label(), fired, i, s.due)
		}
		if time.Since(began)-waiting > c.Patience || ctx.Err() != nil {
			return i + 1, cpuTime() - cpu, nil
		}
	}
	return len(took), cpuTime() - cpu, nil
}

// churned is how many cancels are made between two looks at the clock.
const churned = 1000

// weigh measures memory.
func (c Config) weigh(ctx context.Context, e entrant, t *trace, row *Row) error {
	delays := make([]int32, churned)
	for i := range delays {
		delays[i] = t.fill[uint32(i)*2654435761%uint32(len(t.fill))].delay // spread, and the same for all
	}
	before := inUse()
	r, err := e.make(c, 24*time.Hour)
	if err != nil {
		return err
	}
	defer r.close()
	r.begin(t.fill)
	live := inUse() - before - r.own()
	most := c.Cancels
	if e.cancels > 0 {
		most = min(most, e.cancels)
	}
	for began := time.Now(); row.Cancels < most && time.Since(began) < c.Patience && ctx.Err() == nil; {
		n := min(churned, most-row.Cancels)
		r.churn(uint32(c.Timers), delays[:n])
		row.Cancels += n
	}
	dead := max(0, inUse()-before-r.own()-live)
	row.Live = float64(live) / float64(c.Timers)
	row.Dead = dead
	if row.Cancels > 0 && row.Cancels < c.Cancels {
		row.Dead = int64(float64(dead) * float64(c.Cancels) / float64(row.Cancels))
	}
	runtime.KeepAlive(r)
	return nil
}

// inUse is what the process holds: heap and stacks.
func inUse() int64 {
	runtime.GC()
	runtime.GC() // what has a finalizer, or was in a pool, goes with the second
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc + m.StackInuse)
}
