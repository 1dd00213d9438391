package tick

import (
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/tickwheel/tickwheel/timers"
)

// Overrun says what happens when ticks take longer than the interval.
type Overrun uint8

const (
	// Shed keeps game time at the speed of wall time: after a stall up to
	// Config.CatchUp ticks run back to back and the rest is given up.
	Shed Overrun = iota
	// Dilate slows game time down while ticks are too long, to Config.Floor at
	// the slowest. What it cannot absorb (more than Config.CatchUp ticks
	// overdue) is shed.
	Dilate
)

// WhenFull says what [Offload] does when the job queue is full.
type WhenFull uint8

const (
	// Keep keeps up to Config.Keep jobs on the tick goroutine and queues them in
	// order as room appears, once a tick. Past that it rejects. A mass logout
	// loses no last save to a short queue.
	Keep WhenFull = iota
	// Reject returns ErrQueueFull to the caller.
	Reject
)

// Config is everything a loop is made of. The zero Config is a 50 ms loop that
// sheds, has no budget, and keeps real time.
type Config struct {
	// Interval is the length of a tick, 1 ms to 10 s. 0 means 50 ms. Shorter
	// costs CPU, longer costs players patience; it is fixed for a loop's life.
	Interval time.Duration
	// Overrun is the policy for ticks that are too long. 0 is Shed.
	Overrun Overrun
	// CatchUp is how many overdue ticks run back to back, 1 to 1,000. 0 means 5.
	// Too high and a stall is followed by a fast-forward.
	CatchUp int
	// Floor is the lowest speed of Dilate as a part of 1, 0.05 to 1. 0 means
	// 0.25.
	Floor float64

	// Budget is how many timer callbacks a tick may start; the rest is carried
	// to the next tick, first in line. 0 means no limit: a storm of 100,000
	// timers then is one very long tick. See [Loop.SetBudget].
	Budget int
	// Shares is what of Budget the lower lanes are sure of; zero fields mean a
	// quarter for Normal and an eighth for Bulk.
	Shares Shares
	// Guard ends the timer phase of a tick once it has taken this long, looked
	// at every 64 callbacks; the rest is carried. 0 means off. Runs with a guard
	// repeat only if the guard cuts are replayed. Under Step it needs a Clock.
	Guard time.Duration

	// Inbox is how many posts and inputs may wait for a tick, 1 to 1<<24. 0
	// means 65,536. Results of jobs have their own room.
	Inbox int
	// Workers is how many jobs may run at once, 1 to 4,096. 0 means 4.
	Workers int
	// Queue is how many jobs may wait besides, 1 to 1<<22. 0 means 4,096.
	// Queue + Workers bounds the jobs whose result was not applied yet, so it
	// is also the most jobs that can end in one tick.
	Queue int
	// WhenFull is what happens to the job that does not fit. 0 is Keep.
	WhenFull WhenFull
	// Keep is how many jobs WhenFull == Keep holds back, 1 to 1<<22. 0 means
	// 65,536.
	Keep int
	// Executor runs the jobs. nil means goroutines under Run and RunDue, and
	// the tick goroutine, at the end of the tick, under Step.
	Executor Executor

	// Clock is what Run and RunDue keep pace with. nil means [SystemClock].
	// Under Step a Clock given here only measures how long phases take.
	Clock Clock
	// Spin is how long before a tick Run stops sleeping and spins instead, 0 to
	// the interval. 0 means no spinning. It buys about a millisecond of start
	// lateness for that much CPU a tick.
	Spin time.Duration
	// Seed is what jitter is drawn from. 0 means a random one, see Stats.Seed.
	Seed uint64

	// MaxTimers is how many timers may be pending, up to 1<<26 and 65,536 times
	// ChunkBlocks. 0 means 4,194,304, or that product if it is less.
	MaxTimers int
	// MaxScopes is how many open scopes may have timers, up to 1<<26. 0 means
	// 1,048,576.
	MaxScopes int
	// Horizon is how many ticks ahead a deadline may lie, at most 1<<61. 0 means
	// 1<<44, so that every time.Duration fits.
	Horizon Span
	// NearTicks is the width of the wheel's inner ring, a power of two from 64
	// to 1<<17. 0 means 16,384; a small room does with 256.
	NearTicks int
	// ChunkBlocks is by how many blocks of 8 timers memory grows, a power of two
	// from 4 to 2,048, and its default; a small room does with 16.
	ChunkBlocks int

	// StopTimeout is how long the end of the loop may wait for jobs when the
	// caller of Stop sets no deadline. 0 means 10 s; negative is an error.
	StopTimeout time.Duration
	// OnPanic is told of each panic in a callback, system, hook or job, on the
	// tick goroutine. nil logs an error with the stack. If it panics itself,
	// both are counted and the loop logs them.
	OnPanic func(PanicInfo)
	// Logger is where the loop writes what nobody else hears of. nil means
	// slog.Default.
	Logger *slog.Logger
	// Observer watches the loop. nil means nobody.
	Observer *Observer
}

// withDefaults returns c with zero fields replaced, or all that is wrong with it.
func (c Config) withDefaults() (Config, error) {
	def(&c.Interval, 50*time.Millisecond)
	def(&c.CatchUp, 5)
	def(&c.Floor, 0.25)
	def(&c.Inbox, 1<<16)
	def(&c.Workers, 4)
	def(&c.Queue, 4096)
	def(&c.Keep, 1<<16)
	def(&c.StopTimeout, 10*time.Second)
	if c.Logger == nil {
		c.Logger = slog.Default()
	}
	if c.Seed == 0 {
		var b [8]byte
		rand.Read(b[:]) // never fails since Go 1.24
		c.Seed = binary.LittleEndian.Uint64(b[:]) | 1
	}
	var errs []error
	bad := func(ok bool, format string, args ...any) {
		if !ok {
			errs = append(errs, fmt.Errorf("tick: Config."+format, args...))
		}
	}
	in := func(n, max int) bool { return n >= 1 && n <= max }
	bad(c.Interval >= time.Millisecond && c.Interval <= 10*time.Second, "Interval is %v: want 1ms to 10s", c.Interval)
	bad(c.Overrun <= Dilate, "Overrun is %d: want Shed or Dilate", c.Overrun)
	bad(in(c.CatchUp, 1000), "CatchUp is %d: want 1 to 1000", c.CatchUp)
	bad(c.Floor >= 0.05 && c.Floor <= 1, "Floor is %v: want 0.05 to 1", c.Floor)
	bad(c.Guard >= 0, "Guard is %v: want 0 (off) or more", c.Guard)
	bad(in(c.Inbox, 1<<24), "Inbox is %d: want 1 to %d", c.Inbox, 1<<24)
	bad(in(c.Workers, 4096), "Workers is %d: want 1 to 4096", c.Workers)
	bad(in(c.Queue, 1<<22), "Queue is %d: want 1 to %d", c.Queue, 1<<22)
	bad(c.WhenFull <= Reject, "WhenFull is %d: want Keep or Reject", c.WhenFull)
	bad(in(c.Keep, 1<<22), "Keep is %d: want 1 to %d", c.Keep, 1<<22)
	bad(c.Spin >= 0 && c.Spin <= c.Interval, "Spin is %v: want 0 to the interval, %v", c.Spin, c.Interval)
	or0 := func(n, min, max int) bool { return n == 0 || n >= min && n <= max }
	pow2 := func(n int) bool { return n&(n-1) == 0 }
	bad(c.Budget >= 0, "Budget is %d: want 0 (no limit) or more", c.Budget)
	bad(or0(c.MaxTimers, 1, 1<<26), "MaxTimers is %d: want 1 to %d", c.MaxTimers, 1<<26)
	bad(or0(c.MaxScopes, 1, 1<<26), "MaxScopes is %d: want 1 to %d", c.MaxScopes, 1<<26)
	bad(c.Horizon >= 0 && c.Horizon <= 1<<61, "Horizon is %d: want 1 to %d ticks", c.Horizon, int64(1)<<61)
	bad(or0(c.NearTicks, 64, 1<<17) && pow2(c.NearTicks), "NearTicks is %d: want a power of two from 64 to %d", c.NearTicks, 1<<17)
	bad(or0(c.ChunkBlocks, 4, 2048) && pow2(c.ChunkBlocks), "ChunkBlocks is %d: want a power of two from 4 to 2048", c.ChunkBlocks)
	bad(c.StopTimeout > 0, "StopTimeout is %v: want more than 0", c.StopTimeout)
	return c, errors.Join(errs...)
}

// wheel returns the part of c that is the wheel's business.
func (c Config) wheel() timers.Config {
	return timers.Config{
		NearTicks: c.NearTicks, ChunkBlocks: c.ChunkBlocks,
		MaxTimers: c.MaxTimers, MaxGroups: c.MaxScopes, Horizon: c.Horizon,
		Budget: c.Budget, Shares: c.Shares, Seed: c.Seed,
		// Periods are kept in nanoseconds, so that 70 ms at a 50 ms tick runs
		// at ticks 2, 3, 5, 6, 7 and never drifts.
		TickUnits: int64(c.Interval),
	}
}

func def[T comparable](v *T, d T) {
	var zero T
	if *v == zero {
		*v = d
	}
}
