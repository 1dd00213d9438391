package clients

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strconv"
	"sync"
	"time"

	"github.com/tickwheel/tickwheel/cmd/gameserver/protocol"
)

// event is what a client looks at of a line from the server.
type event struct {
	Ev      string  `json:"ev"`
	ID      *int64  `json:"id"`
	Version int     `json:"version"`  // of hello
	TickMS  float64 `json:"tick_ms"`  // of hello
	Outcome string  `json:"outcome"`  // of welcome
	Reason  string  `json:"reason"`   // of bye
	Code    string  `json:"code"`     // of error
	Message string  `json:"message"`  // of error
	RetryMS int64   `json:"retry_ms"` // of error
}

// parseEvent reads a line. Whatever is no event ends the connection: what follows
// would be guesswork.
func parseEvent(line []byte) (event, error) {
	var e event
	if err := json.Unmarshal(line, &e); err != nil || e.Ev == "" {
		return event{}, &garbageError{"a line that is no event: " + quote(clip(string(line), 60))}
	}
	return e, nil
}

// A garbageError says that the other side does not speak the protocol.
type garbageError struct{ what string }

func (e *garbageError) Error() string { return "not a game server: " + e.what }

// A refusal is an error event that stands in the way of a login.
type refusal struct {
	code, message string
	hint          time.Duration // 0 if there is none
}

func (r *refusal) Error() string {
	return fmt.Sprintf("refused: %s: %s", r.code, clip(r.message, 120))
}

// passes tells whether the same login may be let in later.
func (r *refusal) passes() bool {
	switch protocol.Code(r.code) {
	case protocol.CodeBusy, protocol.CodeShuttingDown, protocol.CodeInternal:
		return true
	}
	return r.hint > 0
}

// news is what the reader of a connection tells the client that plays on it.
type news struct {
	welcome bool
	refused *refusal
	atDoor  bool   // refused: on connect, and the connection ends
	bye     string // the reason
	err     error  // the connection is over
}

// link is one connection: what arrives is measured by a goroutine of its own, so
// that a client that waits to send does not delay it.
type link struct {
	c    *client
	conn net.Conn
	news chan news
	done chan struct{} // closed when the client has no more interest
	once sync.Once     // closes done
	fast chan struct{} // closed when a slow reader is to hurry
	gone chan struct{} // closed when the reader has ended

	framer  protocol.Framer
	loginID int64
	slow    bool // the reader's: from the welcome of a slow reader on
}

func newLink(c *client, conn net.Conn, loginID int64) *link {
	l := &link{
		c: c, conn: conn, loginID: loginID,
		news: make(chan news), done: make(chan struct{}), fast: make(chan struct{}), gone: make(chan struct{}),
	}
	go l.read()
	return l
}

// close ends the connection and its reader: what is owed now stays owed. It may be
// called again.
func (l *link) close() {
	l.once.Do(func() { close(l.done) })
	l.conn.Close() // an error means that it is closed
	<-l.gone
}

func (l *link) tell(n news) {
	select {
	case l.news <- n:
	case <-l.done:
	}
}

// readSize is what one read takes.
const readSize = 4096

func (l *link) read() {
	defer close(l.gone)
	buf := make([]byte, readSize)
	for {
		if l.slow && !l.pause() {
			return
		}
		n, err := l.conn.Read(buf)
		now := time.Now()
		var bad error
		frameErr := l.framer.Feed(buf[:n], func(line []byte) bool {
			bad = l.line(line, now)
			return bad == nil
		})
		if bad == nil && frameErr != nil {
			bad = &garbageError{frameErr.Error()}
		}
		if bad == nil {
			bad = err
		}
		if bad != nil {
			l.tell(news{err: bad})
			return
		}
	}
}

// pause keeps a slow reader from its connection, and returns false if nobody
// wants it to read on.
func (l *link) pause() bool {
	t := time.NewTimer(l.c.f.cfg.SlowPause)
	defer t.Stop()
	select {
	case <-t.C:
	case <-l.fast:
	case <-l.done:
		return false
	}
	return true
}

// line looks at one line that was read at now.
func (l *link) line(line []byte, now time.Time) error {
	e, err := parseEvent(line)
	if err != nil {
		return err
	}
	switch {
	case e.Ev == "welcome":
		l.slow = l.c.slow
		l.c.resumed(e.Outcome == protocol.OutcomeResumed)
		l.tell(news{welcome: true})
	case e.Ev == "bye":
		l.tell(news{bye: e.Reason})
	case e.Ev == "error" && (e.ID == nil || *e.ID == l.loginID):
		l.tell(news{
			refused: &refusal{e.Code, e.Message, time.Duration(min(e.RetryMS, maxHint.Milliseconds())) * time.Millisecond},
			atDoor:  e.ID == nil,
		})
	case e.ID != nil:
		l.c.answered(*e.ID, e.Code, now)
	}
	return nil
}

// maxHint bounds a hint: a server that says "in a year" is not obeyed.
const maxHint = time.Minute

// send writes lines. A failure shows when reading: the server may have said why
// before it closed.
func (l *link) send(lines []byte) {
	l.conn.SetWriteDeadline(time.Now().Add(l.c.f.cfg.Timeout)) // fails only on a closed connection
	if _, err := l.conn.Write(lines); err != nil {
		l.conn.Close()
	}
}

// reasonOf names an error for the list of failures, without what differs from
// client to client, such as ports.
func reasonOf(err error) string {
	var refused *refusal
	var op *net.OpError
	switch {
	case errors.As(err, &refused):
		return "login refused: " + refused.code
	case errors.Is(err, io.EOF):
		return "closed by the server without a bye"
	case errors.Is(err, net.ErrClosed):
		return "could not send within the timeout"
	case errors.Is(err, os.ErrDeadlineExceeded):
		return "connect: no answer within the timeout"
	case errors.As(err, &op):
		return op.Op + ": " + clip(op.Err.Error(), 80)
	}
	return clip(err.Error(), 120)
}

// clip shortens a text from outside.
func clip(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	return s[:limit] + "…"
}

// quote writes a text as JSON, or for a message: on one line, and unable to
// imitate what is around it.
func quote(s string) string {
	b, err := json.Marshal(s)
	if err != nil {
		return strconv.Quote(s)
	}
	return string(b)
}
