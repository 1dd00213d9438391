package tick

import (
	"errors"
	"fmt"

	"github.com/tickwheel/tickwheel/timers"
)

// Errors of this package. They come wrapped in text that names the value; test
// for them with [errors.Is]. After any of them nothing was scheduled or queued.
var (
	// ErrFull means that Config.MaxTimers timers or Config.MaxScopes scopes
	// with timers exist. It passes when timers fire or scopes close.
	ErrFull = timers.ErrFull
	// ErrHorizon means a deadline further away than Config.Horizon. It does not
	// pass by itself.
	ErrHorizon = timers.ErrHorizon
	// ErrPeriod means a period below the loop's interval or beyond the horizon.
	ErrPeriod = timers.ErrPeriod
	// ErrJitter means a negative or too wide Jitter.
	ErrJitter = timers.ErrJitter
	// ErrClosed means that the scope was closed. It does not pass.
	ErrClosed = errors.New("tick: scope is closed")
	// ErrStopped means that the loop is stopping or has stopped.
	ErrStopped = errors.New("tick: loop is stopped")
	// ErrInTick means a call that waits for the loop, made by a callback or a
	// job of a loop: it would wait for itself.
	ErrInTick = errors.New("tick: called from a callback or job, which the call would wait for")
	// ErrInboxFull means that Config.Inbox posts and inputs wait. It passes with
	// the next tick.
	ErrInboxFull = errors.New("tick: inbox is full")
	// ErrQueueFull means that Config.Queue + Config.Workers jobs are
	// outstanding and, unless Config.WhenFull is Reject, Config.Keep more are
	// kept. It passes when jobs end.
	ErrQueueFull = errors.New("tick: job queue is full")
)

// PanicError is the error of a job or [Loop.Call] whose function panicked or
// called runtime.Goexit instead of returning.
type PanicError struct {
	// Value is what was given to panic, nil for Goexit.
	Value any
	// Stack is the stack at the panic, nil for Goexit.
	Stack []byte
	// Goexit tells a call of runtime.Goexit from a panic.
	Goexit bool
}

// Error returns a line without the stack.
func (e *PanicError) Error() string {
	if e.Goexit {
		return "tick: function called runtime.Goexit"
	}
	return fmt.Sprintf("tick: function panicked: %v", e.Value)
}

// Unwrap returns the panic's value if it was an error.
func (e *PanicError) Unwrap() error {
	err, _ := e.Value.(error)
	return err
}
