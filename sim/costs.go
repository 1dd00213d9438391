package sim

import (
	"hash/fnv"
	"time"
)

// Names of work that every loop knows, in the order in which it is told them. The
// place of a name is also what its draws are made from, so that they don't depend
// on which kinds a scenario has, or in which order.
var workNames = [...]string{
	"tick", "movement", "input", "login", "logout", "heartbeat", "cooldown", "buff",
	"kill", "respawn", "autosave", "saved", "save", "moved", "phase",
}

// work is a sort of work, as draws see it.
type work uint64

const (
	workInput  work = 2
	workLogin  work = 3
	workLogout work = 4
)

// workOf returns the work of a name.
func workOf(name string) work {
	for i, n := range workNames {
		if n == name {
			return work(i)
		}
	}
	h := fnv.New64a()
	h.Write([]byte(name))
	return work(h.Sum64() | 1<<63)
}

// Factors in 1/16 of a mean, equally likely, with a mean of 16: light is a piece
// of game logic, heavy one that waits for a disk.
var (
	light = [16]int64{8, 9, 10, 11, 12, 12, 13, 14, 15, 16, 17, 18, 20, 22, 26, 33}
	heavy = [16]int64{6, 7, 8, 8, 9, 10, 10, 11, 12, 13, 14, 16, 18, 22, 32, 60}
)

// length draws how long a piece of work takes.
func (d draws) length(k work, l Dist, entity, n uint64) time.Duration {
	if l.Shape == "" && l.Hi == 0 && l.Values == nil {
		return l.Lo
	}
	return l.pick(d.of(k, entity, n))
}
