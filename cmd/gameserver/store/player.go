package store

import (
	"encoding/json"
	"fmt"
)

// A Player is what lasts of a player. It is a plain value: a job that saves it
// takes a copy.
type Player struct {
	Name string `json:"name"`
	// Rev counts the states of a player. Save keeps the state with the highest
	// Rev, so the caller raises it with every copy it gives away.
	Rev    uint64 `json:"rev"`
	HP     int64  `json:"hp"`
	XP     int64  `json:"xp"`
	Kills  int64  `json:"kills"`
	Logins int64  `json:"logins"`
}

// valueVersion is the version of the encoding below. A change that an older
// server would misread raises it.
const valueVersion = 1

type value struct {
	V int `json:"v"`
	Player
}

func encode(p Player) ([]byte, error) {
	return json.Marshal(value{V: valueVersion, Player: p})
}

// A ValueError says that a player is in the file but cannot be used. The file
// itself is whole, so nothing is moved or overwritten.
type ValueError struct {
	Name   string
	Reason string // what is wrong and what to do
}

func (e *ValueError) Error() string { return fmt.Sprintf("store: player %q %s", e.Name, e.Reason) }

func decode(name string, data []byte) (Player, error) {
	var v value
	if err := json.Unmarshal(data, &v); err != nil {
		return Player{}, &ValueError{name, "is not readable: restore players.db from a backup"}
	}
	switch {
	case v.V < 1 || v.V > valueVersion:
		return Player{}, &ValueError{name, fmt.Sprintf("has version %d, this server reads 1 to %d: use the newer server that wrote it", v.V, valueVersion)}
	case v.Name != name:
		return Player{}, &ValueError{name, fmt.Sprintf("holds the value of %q: restore players.db from a backup", v.Name)}
	}
	return v.Player, nil
}
