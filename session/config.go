package session

import (
	"errors"
	"fmt"
	"time"
)

// Config says how sessions are kept. The zero Config keeps up to 65,536 sessions
// that end with their connection and have no idle timeout.
type Config struct {
	// Grace is how long a session is kept when its connection is lost, 0 or
	// more. 0 means that it ends at once.
	Grace time.Duration
	// GraceRuns lets the timers of a session without connection go on. By
	// default they are frozen until it is resumed.
	GraceRuns bool
	// Idle is how long a connection that is logged in may be silent (see
	// [Conn.Touch]) before its session ends with ErrIdle. 0 means for ever.
	// Values under a tick are a tick.
	Idle time.Duration
	// MaxSessions is how many sessions there may be, those in grace included, 1
	// to 1<<24. 0 means 65,536.
	MaxSessions int
	// CloseBudget is how many sessions a tick releases after CloseAll, 1 or
	// more. 0 means 256. Too many and their OnClose hooks make a long tick; too
	// few and shutdown takes long.
	CloseBudget int
}

func (c Config) withDefaults() (Config, error) {
	if c.MaxSessions == 0 {
		c.MaxSessions = 1 << 16
	}
	if c.CloseBudget == 0 {
		c.CloseBudget = 256
	}
	var errs []error
	bad := func(ok bool, format string, args ...any) {
		if !ok {
			errs = append(errs, fmt.Errorf("session: Config."+format, args...))
		}
	}
	bad(c.Grace >= 0, "Grace is %v: want 0 (none) or more", c.Grace)
	bad(c.Idle >= 0, "Idle is %v: want 0 (off) or more", c.Idle)
	bad(c.MaxSessions >= 1 && c.MaxSessions <= 1<<24, "MaxSessions is %d: want 1 to %d", c.MaxSessions, 1<<24)
	bad(c.CloseBudget >= 1, "CloseBudget is %d: want 1 or more", c.CloseBudget)
	return c, errors.Join(errs...)
}

// Reasons for which sessions end, as given to OnClose hooks and found as the
// cause of their contexts. When the loop stops the reason is tick.ErrStopped.
var (
	// ErrLogout is the reason of a logout that gave none.
	ErrLogout = errors.New("session: logged out")
	// ErrTakeover means that the same name logged in on another connection.
	ErrTakeover = errors.New("session: replaced by another login")
	// ErrLost means that the connection was lost and not resumed in time.
	ErrLost = errors.New("session: connection lost")
	// ErrIdle means that the connection was silent for Config.Idle.
	ErrIdle = errors.New("session: idle for too long")
)

// Errors of Login. The login changed nothing.
var (
	// ErrFull means that Config.MaxSessions sessions exist. It passes when one
	// ends.
	ErrFull = errors.New("session: as many sessions as Config.MaxSessions allows")
	// ErrLoggedIn means that the connection is logged in under another name. It
	// passes with a logout.
	ErrLoggedIn = errors.New("session: connection is logged in under another name")
	// ErrEnding means that an OnClose hook tried to log in the very name whose
	// session is ending. It passes when the hook returns.
	ErrEnding = errors.New("session: a session of this name is just ending")
)

// Outcome is what a login did.
type Outcome uint8

const (
	// Fresh means that nobody was logged in under the name.
	Fresh Outcome = iota
	// Replaced means that a session of the name was ended first.
	Replaced
	// Resumed means that the session was in grace and goes on.
	Resumed
	// Same means that the connection was logged in under the name already.
	Same
)

var outcomes = [...]string{"fresh", "replaced", "resumed", "same"}

// String returns the outcome in a word.
func (o Outcome) String() string {
	if int(o) < len(outcomes) {
		return outcomes[o]
	}
	return fmt.Sprintf("Outcome(%d)", uint8(o))
}
