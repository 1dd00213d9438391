package world

import (
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/tickwheel/tickwheel/cmd/gameserver/protocol"
)

// Config holds the numbers of a world. The zero value of a field is its default;
// a negative duration is an error.
type Config struct {
	// Monsters is how many there are, 1 to protocol.MaxMonster, the default.
	Monsters int
	// RespawnAfter is how long a killed monster is away. 0 means 10 s.
	RespawnAfter time.Duration
	// RespawnJitter is by how much longer at most, so that monsters killed
	// together don't return together. It has no default: 0 is none.
	RespawnJitter time.Duration
	// LoginWithin is how long a connection may do without login. 0 means 30 s.
	LoginWithin time.Duration
	// Idle is how long a player may go without a request. 0 means 5 minutes.
	Idle time.Duration
	// Grace is how long a player whose connection was lost stays. 0 means 10 s.
	Grace time.Duration
	// Autosave is how often a changed player is saved. 0 means 30 s.
	Autosave time.Duration
	// SaveRetry is how often a save that failed is tried again, and how often the
	// log has a line about such saves at most. 0 means 1 s.
	SaveRetry time.Duration
	// Timers is how many timer requests a player may have pending. 0 means 1,000.
	Timers int
	// Held is how many requests a connection may send ahead of the answer to
	// its login. 0 means 256.
	Held int
	// Logger gets what the operator should know. nil means slog.Default.
	Logger *slog.Logger
}

func (c Config) withDefaults() (Config, error) {
	var errs []error
	number := func(name string, v *int, def, max int) {
		if *v == 0 {
			*v = def
		}
		if *v < 1 || *v > max {
			errs = append(errs, fmt.Errorf("world: Config.%s is %d: want 1 to %d", name, *v, max))
		}
	}
	length := func(name string, v *time.Duration, def time.Duration) {
		if *v == 0 {
			*v = def
		}
		if *v < 0 {
			errs = append(errs, fmt.Errorf("world: Config.%s is %v: want 0 or more", name, *v))
		}
	}
	number("Monsters", &c.Monsters, protocol.MaxMonster, protocol.MaxMonster)
	number("Timers", &c.Timers, 1000, 1<<20)
	number("Held", &c.Held, 256, 1<<16)
	length("RespawnAfter", &c.RespawnAfter, 10*time.Second)
	length("RespawnJitter", &c.RespawnJitter, 0)
	length("LoginWithin", &c.LoginWithin, 30*time.Second)
	length("Idle", &c.Idle, 5*time.Minute)
	length("Grace", &c.Grace, 10*time.Second)
	length("Autosave", &c.Autosave, 30*time.Second)
	length("SaveRetry", &c.SaveRetry, time.Second)
	if c.Logger == nil {
		c.Logger = slog.Default()
	}
	return c, errors.Join(errs...)
}
