package timers

import (
	"errors"
	"fmt"
	"math/bits"
)

// Config is the geometry and the limits of a Wheel. The zero value suits one
// big world; see each field for its default. A small room does with
// Config{NearTicks: 256, ChunkBlocks: 16, MaxTimers: 10_000}.
type Config struct {
	// NearTicks is how many ticks ahead the inner ring covers, a power of two
	// from 64 to 1<<17. 0 means 16,384 (13.6 minutes at 50 ms), which costs
	// 36 bytes a tick. Timers due later cost a hash probe more to schedule and to
	// cancel.
	NearTicks int
	// ChunkBlocks is by how many blocks of 8 timers memory grows, a power of
	// two from 4 to 2,048, and its default.
	ChunkBlocks int
	// MaxTimers is how many timers may be pending, counting carried, paused
	// and periodic ones once. At most 1<<26, and 65,536 times ChunkBlocks. 0 means
	// 4,194,304, or that product if it is less.
	MaxTimers int
	// MaxGroups is how many groups may exist. 0 means 1,048,576; at most 1<<26.
	MaxGroups int
	// Horizon is how far ahead a deadline may lie, in ticks. 0 means 1<<44
	// (27,800 years at 50 ms); at most 1<<61.
	Horizon Span
	// Start is the tick the wheel begins at; 0 or more, at most 1<<62.
	Start Tick
	// Budget is how many callbacks one Advance may start; the rest is carried.
	// 0 means no limit. See [Wheel.SetBudget].
	Budget int
	// Shares is what of the budget lower lanes are sure of.
	Shares Shares
	// Seed seeds the generator behind Jitter. Equal seeds and equal calls give
	// equal draws; 0 is a seed like any other.
	Seed uint64
	// TickUnits divides a tick for periods: Repeat.Period and Lead count units
	// of 1/TickUnits tick. 0 means 1. A loop sets its interval in nanoseconds,
	// so that 70 ms at a 50 ms tick keeps its grid.
	TickUnits int64
}

// Shares are the parts of a tick's budget that a lane with due work gets even
// when more urgent lanes could use it all. Each is at least one callback when
// the budget is 3 or more. Zero fields mean the defaults.
type Shares struct {
	Normal float64 // default 1/4; more than 0, Normal+Bulk less than 1
	Bulk   float64 // default 1/8
}

const (
	defaultNear    = 1 << 14
	defaultChunk   = maxChunk
	defaultTimers  = 1 << 22
	defaultGroups  = 1 << 20
	defaultHorizon = Span(1) << 44
	maxHorizon     = Span(1) << 61
	maxStart       = Tick(1) << 62
	maxTimers      = 1 << 26
	timersPerBlock = maxChunks / 2 // of ChunkBlocks: each timer may need a block of its own
	maxGroups      = 1 << 26
)

// withDefaults returns c with zero fields replaced, or all that is wrong with it.
func (c Config) withDefaults() (Config, error) {
	def := func(v *int, d int) {
		if *v == 0 {
			*v = d
		}
	}
	def(&c.NearTicks, defaultNear)
	def(&c.ChunkBlocks, defaultChunk)
	def(&c.MaxTimers, min(defaultTimers, max(c.ChunkBlocks, 1)*timersPerBlock))
	def(&c.MaxGroups, defaultGroups)
	if c.Horizon == 0 {
		c.Horizon = defaultHorizon
	}
	if c.TickUnits == 0 {
		c.TickUnits = 1
	}
	if c.Shares.Normal == 0 {
		c.Shares.Normal = 1.0 / 4
	}
	if c.Shares.Bulk == 0 {
		c.Shares.Bulk = 1.0 / 8
	}
	var errs []error
	bad := func(ok bool, format string, args ...any) {
		if !ok {
			errs = append(errs, fmt.Errorf("timers: Config."+format, args...))
		}
	}
	pow2 := func(n int) bool { return n > 0 && bits.OnesCount(uint(n)) == 1 }
	bad(pow2(c.NearTicks) && c.NearTicks >= 64 && c.NearTicks <= 1<<slotBits,
		"NearTicks is %d: want a power of two from 64 to %d", c.NearTicks, 1<<slotBits)
	bad(pow2(c.ChunkBlocks) && c.ChunkBlocks >= 4 && c.ChunkBlocks <= maxChunk,
		"ChunkBlocks is %d: want a power of two from 4 to %d", c.ChunkBlocks, maxChunk)
	most := min(maxTimers, max(c.ChunkBlocks, 4)*timersPerBlock)
	bad(c.MaxTimers > 0 && c.MaxTimers <= most, "MaxTimers is %d: want 1 to %d, with ChunkBlocks %d", c.MaxTimers, most, c.ChunkBlocks)
	bad(c.MaxGroups > 0 && c.MaxGroups <= maxGroups,
		"MaxGroups is %d: want 1 to %d", c.MaxGroups, maxGroups)
	bad(c.Horizon > 0 && c.Horizon <= maxHorizon,
		"Horizon is %d: want 1 to %d ticks", c.Horizon, maxHorizon)
	bad(c.Start >= 0 && c.Start <= maxStart, "Start is %d: want 0 to %d", c.Start, maxStart)
	bad(c.Budget >= 0, "Budget is %d: want 0 (no limit) or more", c.Budget)
	bad(c.Shares.Normal > 0 && c.Shares.Bulk > 0 && c.Shares.Normal+c.Shares.Bulk < 1,
		"Shares is {Normal: %v, Bulk: %v}: want both above 0 and their sum under 1",
		c.Shares.Normal, c.Shares.Bulk)
	bad(c.TickUnits > 0 && c.TickUnits <= 1<<40, "TickUnits is %d: want 1 to %d", c.TickUnits, int64(1)<<40)
	return c, errors.Join(errs...)
}
