package protocol

import "fmt"

// Version is the protocol version that `hello` reports.
const Version = 1

// A Code names what was wrong, for programs. It never changes its meaning.
type Code string

// The codes of `error` events. The first two end the connection; after all
// others it goes on.
const (
	CodeLineTooLong Code = "line_too_long" // framing: over MaxLine bytes without a line end
	CodeBinary      Code = "binary"        // framing: a zero byte

	CodeBadJSON      Code = "bad_json"      // not one JSON object in UTF-8
	CodeUnknownOp    Code = "unknown_op"    // no such operation
	CodeUnknownField Code = "unknown_field" // the operation has no such field, or it came twice
	CodeMissingField Code = "missing_field" // a field the operation needs
	CodeWrongType    Code = "wrong_type"    // a string for a number and the like
	CodeOutOfRange   Code = "out_of_range"  // the type is right, the value is not

	CodeNotLoggedIn     Code = "not_logged_in"     // the operation needs a player
	CodeAlreadyLoggedIn Code = "already_logged_in" // as somebody else, on this connection
	CodeUnknownSkill    Code = "unknown_skill"     // no such skill
	CodeCooldown        Code = "cooldown"          // the skill is not ready; retry_ms says when
	CodeUnknownMonster  Code = "unknown_monster"   // no such monster
	CodeMonsterDead     Code = "monster_dead"      // it has not respawned yet
	CodeTooManyTimers   Code = "too_many_timers"   // the player has as many pending as allowed
	CodeBusy            Code = "busy"              // a queue is full; passes by itself
	CodeShuttingDown    Code = "shutting_down"     // the server is ending
	CodeInternal        Code = "internal"          // a fault of the server; see its log
)

// An Error is the refusal of one request. The connection goes on.
type Error struct {
	Code    Code
	Message string // names the value and what would be accepted
	// RetryMS is in how many milliseconds the same request would be accepted;
	// 0 if that is not a question of time.
	RetryMS int64
}

func (e *Error) Error() string { return string(e.Code) + ": " + e.Message }

// Errorf returns an Error with a formatted message.
func Errorf(code Code, format string, args ...any) *Error {
	return &Error{Code: code, Message: fmt.Sprintf(format, args...)}
}
