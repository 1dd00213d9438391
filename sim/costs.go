package sim

import "time"

// work is a sort of work with a modelled cost. The figures stand in
// docs/simulation.md; a test holds that page to them.
type work uint8

const (
	workTick work = iota
	workMovement
	workInput
	workLogin
	workLogout
	workHeartbeat
	workCooldown
	workBuff
	workKill
	workRespawn
	workSaveCopy
	workSaved
	workSave
	workMoved
	workPhase // no cost: draws of when and who
	works
)

// cost is how long a piece of work takes.
type cost struct {
	name  string
	mean  time.Duration
	table *[16]int64 // factors in 1/16 of the mean, equally likely; nil: always the mean
	what  string
}

// Factors with a mean of 16: light is a piece of game logic, heavy one that
// waits for a disk.
var (
	light = [16]int64{8, 9, 10, 11, 12, 12, 13, 14, 15, 16, 17, 18, 20, 22, 26, 33}
	heavy = [16]int64{6, 7, 8, 8, 9, 10, 10, 11, 12, 13, 14, 16, 18, 22, 32, 60}
)

var costs = [works]cost{
	workTick:      {"tick", 100 * time.Microsecond, nil, "each tick"},
	workMovement:  {"movement", 200 * time.Nanosecond, nil, "each tick for each player online"},
	workInput:     {"input", time.Microsecond, &light, "each input of a player"},
	workLogin:     {"login", 20 * time.Microsecond, &light, "each login"},
	workLogout:    {"logout", 10 * time.Microsecond, &light, "each session that ends"},
	workHeartbeat: {"heartbeat", 2 * time.Microsecond, &light, "each second for each player, urgent lane"},
	workCooldown:  {"cooldown", 3 * time.Microsecond, &light, "each end of a cooldown, normal lane"},
	workBuff:      {"buff", 5 * time.Microsecond, &light, "each end of a buff, normal lane"},
	workKill:      {"kill", 100 * time.Nanosecond, nil, "each monster that dies"},
	workRespawn:   {"respawn", 10 * time.Microsecond, nil, "each monster that comes back, bulk lane"},
	workSaveCopy:  {"autosave", 2 * time.Microsecond, &light, "each copy of a player to be saved, bulk lane"},
	workSaved:     {"saved", time.Microsecond, nil, "each result of a save, with workers"},
	workSave:      {"save", 2 * time.Millisecond, &heavy, "each save: blocks a worker, or the tick if there are none"},
	workMoved:     {"moved", 100 * time.Nanosecond, nil, "each timer the wheel moves: none"},
	workPhase:     {"phase", 0, nil, ""},
}

// length draws how long a piece of work takes.
func (d draws) length(k work, entity, n uint64) time.Duration {
	c := &costs[k]
	if c.table == nil {
		return c.mean
	}
	return c.mean * time.Duration(c.table[d.of(k, entity, n)%16]) / 16
}
