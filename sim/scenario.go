package sim

import (
	"errors"
	"fmt"
	"time"
)

// Scenario is what happens to the server. Its script is tied to Duration: the
// kill comes at 40 % of it, the respawn at 60 %, the mass logout at 80 %; rates
// of players do not change with it.
type Scenario struct {
	Name string
	// Interval is the length of a tick, 1 ms to 10 s.
	Interval time.Duration
	// Duration is the length of the run, 1 to 1,000,000 intervals. What is left
	// over of it after the last whole interval is not run.
	Duration time.Duration
	// Players is how many log in during the first seconds, 0 to 1,000,000.
	Players int
	// Storm is how many monsters die at once, and respawn at once, 0 to
	// 4,000,000.
	Storm int
}

// maxTicks bounds the memory of a recording: about 350 bytes a tick.
const maxTicks = 1_000_000

// SpawnStorm is the built-in scenario: 2,000 players; after 60 s an event kills
// 100,000 monsters that respawn 30 s later; after 120 s everybody logs out;
// players are saved throughout.
func SpawnStorm() Scenario {
	return Scenario{
		Name:     "spawn-storm",
		Interval: 50 * time.Millisecond,
		Duration: 150 * time.Second,
		Players:  2_000,
		Storm:    100_000,
	}
}

// Validate returns everything that is wrong with s.
func (s Scenario) Validate() error {
	var errs []error
	bad := func(ok bool, format string, args ...any) {
		if !ok {
			errs = append(errs, fmt.Errorf("sim: "+format, args...))
		}
	}
	bad(s.Interval >= time.Millisecond && s.Interval <= 10*time.Second,
		"interval %v: want 1ms to 10s", s.Interval)
	bad(s.Duration > 0 && s.Duration >= s.Interval, "duration %v: want at least one tick of %v", s.Duration, s.Interval)
	bad(s.Interval <= 0 || s.Duration/s.Interval <= maxTicks,
		"duration %v: want at most %d ticks of %v: take a longer interval or a shorter run", s.Duration, maxTicks, s.Interval)
	bad(s.Players >= 0 && s.Players <= 1_000_000, "%d players: want 0 to 1000000", s.Players)
	bad(s.Storm >= 0 && s.Storm <= 4_000_000, "a storm of %d: want 0 to 4000000", s.Storm)
	return errors.Join(errs...)
}

// KillAt is when the monsters die.
func (s Scenario) KillAt() time.Duration { return s.Duration / 10 * 4 }

// RespawnAt is when they are meant to be back, before jitter.
func (s Scenario) RespawnAt() time.Duration { return s.Duration / 10 * 6 }

// LogoutAt is when everybody leaves.
func (s Scenario) LogoutAt() time.Duration { return s.Duration / 10 * 8 }

// Ticks is how many ticks the run has if none is shed.
func (s Scenario) Ticks() int64 { return int64(s.Duration / s.Interval) }

// loginTime is how long it takes until all players are in: 2 s, less in a run
// shorter than 20 s.
func (s Scenario) loginTime() time.Duration { return max(min(2*time.Second, s.Duration/10), 1) }
