package protocol

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
)

// An Event is the body of a line from the server: everything but `ev`, `tick`
// and `id`, which every line has or may have. See [AppendEvent].
type Event interface{ Ev() string }

// Events that answer a request carry its id; the others carry none. A `timer`
// event carries the id of the request that armed it.
type (
	// Hello is the first line of every connection.
	Hello struct {
		Version int     `json:"version"`
		TickMS  float64 `json:"tick_ms"` // length of a tick
	}
	// Welcome answers login.
	Welcome struct {
		Name    string `json:"name"`
		Outcome string `json:"outcome"` // OutcomeNew and so on
		HP      int64  `json:"hp"`
		XP      int64  `json:"xp"`
		Kills   int64  `json:"kills"`
		Logins  int64  `json:"logins"` // this one included
	}
	// Pong answers ping.
	Pong struct{}
	// Cast answers cast: the skill is running.
	Cast struct {
		Skill      string `json:"skill"`
		LastsMS    int64  `json:"lasts_ms"`
		CooldownMS int64  `json:"cooldown_ms"`
	}
	// Heal is one run of the heal-over-time buff.
	Heal struct {
		Amount int64 `json:"amount"`
		HP     int64 `json:"hp"`
		Left   int64 `json:"left"` // runs still to come
	}
	// Faded says that a skill has ended.
	Faded struct {
		Skill string `json:"skill"`
	}
	// Hit answers attack: the blow and the blow that came back.
	Hit struct {
		Monster   int64 `json:"monster"`
		Damage    int64 `json:"damage"`
		MonsterHP int64 `json:"monster_hp"`
		Taken     int64 `json:"taken"`
		HP        int64 `json:"hp"`
	}
	// Kill follows the hit that killed a monster.
	Kill struct {
		Monster int64 `json:"monster"`
		XP      int64 `json:"xp"` // the player's, this kill included
		Kills   int64 `json:"kills"`
	}
	// Fell says that the player's hp reached 0; they are set to HP.
	Fell struct {
		Monster int64 `json:"monster"`
		HP      int64 `json:"hp"`
	}
	// Respawn tells who killed a monster that it is back.
	Respawn struct {
		Monster   int64 `json:"monster"`
		LateTicks int64 `json:"late_ticks"` // behind its deadline, after jitter
	}
	// Timer is what the timer operation asked for.
	Timer struct {
		Tag    string `json:"tag"`
		LateMS int64  `json:"late_ms"` // now - (request + after_ms), never negative
	}
	// Storm answers storm: the monsters are dead.
	Storm struct {
		Killed   int64 `json:"killed"`  // of those asked for, the ones that were alive
		Pending  int64 `json:"pending"` // respawns now pending in the world
		SpreadMS int64 `json:"spread_ms"`
	}
	// StormOver says that every monster of a storm is back.
	StormOver struct {
		Respawned    int64 `json:"respawned"`
		Ticks        int64 `json:"ticks"` // from the first respawn to the last
		MaxLateTicks int64 `json:"max_late_ticks"`
	}
	// Stats answers stats.
	Stats struct {
		Players      int64   `json:"players"`
		Connections  int64   `json:"connections"`
		MonstersDead int64   `json:"monsters_dead"`
		Timers       int64   `json:"timers"`
		Backlog      int64   `json:"backlog"`
		JobsQueued   int64   `json:"jobs_queued"`
		Unsaved      int64   `json:"unsaved"`
		TickP50MS    float64 `json:"tick_p50_ms"`
		TickP99MS    float64 `json:"tick_p99_ms"`
		TickMaxMS    float64 `json:"tick_max_ms"`
		ShedTicks    int64   `json:"shed_ticks"`
	}
	// Bye is the last line of a connection.
	Bye struct {
		Reason    string `json:"reason"`    // ReasonLogout and so on
		Cancelled int64  `json:"cancelled"` // timers that ended with the session
		Saved     bool   `json:"saved"`     // the player is on disk, or there was none to save
	}
	// Failure is the body of an `error` event.
	Failure struct {
		Code    Code   `json:"code"`
		Message string `json:"message"`
		RetryMS int64  `json:"retry_ms,omitempty"`
	}
)

// Values of Welcome.Outcome.
const (
	OutcomeNew      = "new"      // never seen before
	OutcomeKnown    = "known"    // loaded from the file
	OutcomeResumed  = "resumed"  // the connection was lost a moment ago
	OutcomeTakeover = "takeover" // another connection was logged in, and ended
	OutcomeSame     = "same"     // this connection is logged in already: nothing changed
)

// Values of Bye.Reason.
const (
	ReasonLogout       = "logout"
	ReasonTakeover     = "takeover"
	ReasonIdle         = "idle"
	ReasonLoginTimeout = "login_timeout"
	ReasonShutdown     = "shutdown"
	ReasonFraming      = "framing"
	ReasonInternal     = "internal"
)

func (Hello) Ev() string     { return "hello" }
func (Welcome) Ev() string   { return "welcome" }
func (Pong) Ev() string      { return "pong" }
func (Cast) Ev() string      { return "cast" }
func (Heal) Ev() string      { return "heal" }
func (Faded) Ev() string     { return "faded" }
func (Hit) Ev() string       { return "hit" }
func (Kill) Ev() string      { return "kill" }
func (Fell) Ev() string      { return "fell" }
func (Respawn) Ev() string   { return "respawn" }
func (Timer) Ev() string     { return "timer" }
func (Storm) Ev() string     { return "storm" }
func (StormOver) Ev() string { return "storm_over" }
func (Stats) Ev() string     { return "stats" }
func (Bye) Ev() string       { return "bye" }
func (Failure) Ev() string   { return "error" }

// Events returns one of each event, in the order of the documentation.
func Events() []Event {
	return []Event{Hello{}, Welcome{}, Pong{}, Cast{}, Heal{}, Faded{}, Hit{}, Kill{}, Fell{},
		Respawn{}, Timer{}, Storm{}, StormOver{}, Stats{}, Bye{}, Failure{}}
}

// Failed returns the `error` event that tells of err.
func Failed(err *Error) Failure {
	return Failure{Code: err.Code, Message: err.Message, RetryMS: err.RetryMS}
}

// AppendEvent appends the line of an event, its line feed included, to buf.
// The members come in the order ev, tick, id, then those of the body. It panics
// if e cannot be encoded, which a type of this package always can.
func AppendEvent(buf []byte, tick int64, id ID, e Event) []byte {
	buf = append(buf, `{"ev":"`...)
	buf = append(buf, e.Ev()...) // a name of this package: nothing to escape
	buf = append(buf, `","tick":`...)
	buf = strconv.AppendInt(buf, tick, 10)
	if id.Set {
		buf = append(buf, `,"id":`...)
		buf = strconv.AppendInt(buf, id.N, 10)
	}
	var body bytes.Buffer
	enc := json.NewEncoder(&body)
	enc.SetEscapeHTML(false) // a tag is shown to people as they wrote it
	if err := enc.Encode(e); err != nil {
		panic(fmt.Sprintf("protocol: AppendEvent: %T: %v", e, err))
	}
	if b := body.Bytes(); len(b) > len("{}\n") {
		buf = append(buf, ',')
		return append(buf, b[1:]...)
	}
	return append(buf, "}\n"...)
}

// A Line is what a client reads of an event without knowing its type.
type Line struct {
	Ev     string `json:"ev"`
	Tick   int64  `json:"tick"`
	ID     *int64 `json:"id"`
	Reason string `json:"reason"` // of bye
}

// ParseEvent reads what all events have in common, or returns an error that
// says what is wrong with the line.
func ParseEvent(line []byte) (Line, error) {
	var l Line
	if err := json.Unmarshal(line, &l); err != nil {
		return Line{}, fmt.Errorf("protocol: %s is not an event: %s", clip(string(line)), jsonReason(err))
	}
	if l.Ev == "" {
		return Line{}, fmt.Errorf("protocol: %s has no ev: want an event", clip(string(line)))
	}
	return l, nil
}
