package clients

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/tickwheel/tickwheel/cmd/gameserver/protocol"
)

// gnet's own pool has goroutines from its init on.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m, goleak.IgnoreCurrent()) }

// asked is a request as the scripted server sees it.
type asked struct {
	Op    string        `json:"op"`
	ID    int64         `json:"id"`
	Name  string        `json:"name"`
	After int64         `json:"after_ms"`
	Token string        `json:"token"`
	at    time.Duration // since the server started
}

// scripted is a server in memory that answers in no time unless told otherwise.
// Its clock is that of the bubble, so every figure can be computed by hand.
type scripted struct {
	start time.Time
	hello string
	// full: until then, whoever connects is refused with a hint of 2 s.
	full time.Duration
	// answer returns the lines for a request, or false for the usual ones.
	answer func(s *scripted, r asked) (string, bool)
	// stall, in time since the start: nothing is answered, and if deaf, nothing
	// read either.
	stall, stallEnd time.Duration
	deaf            bool
	// away: nobody can connect, and at its start all connections end.
	away, awayEnd time.Duration

	mu    sync.Mutex
	conns map[net.Conn]bool
	log   []asked
}

const helloLine = `{"ev":"hello","tick":1,"version":1,"tick_ms":50}`

func newScripted() *scripted {
	return &scripted{start: time.Now(), hello: helloLine + "\n", conns: map[net.Conn]bool{}}
}

func (s *scripted) since() time.Duration { return time.Since(s.start) }

func (s *scripted) gone() bool {
	return s.away > 0 && s.since() >= s.away && s.since() < s.awayEnd
}

var errNobodyThere = &net.OpError{Op: "dial", Net: "tcp", Err: errors.New("connection refused")}

func (s *scripted) dial(context.Context) (net.Conn, error) {
	if s.gone() {
		return nil, errNobodyThere
	}
	ours, theirs := net.Pipe()
	s.mu.Lock()
	s.conns[ours] = true
	s.mu.Unlock()
	if s.away > 0 && s.since() < s.away {
		time.AfterFunc(s.away-s.since(), func() { ours.Close() })
	}
	go s.serve(ours)
	return theirs, nil
}

func (s *scripted) serve(conn net.Conn) {
	lines := make(chan string, 100_000)
	go func() {
		defer conn.Close()
		for l := range lines {
			if s.since() >= s.stall && s.since() < s.stallEnd {
				time.Sleep(s.stallEnd - s.since())
			}
			if _, err := conn.Write([]byte(l)); err != nil {
				for range lines { // nobody listens any more
				}
				return
			}
		}
	}()
	defer close(lines)
	if s.since() < s.full {
		lines <- `{"ev":"error","tick":1,"code":"busy","message":"full","retry_ms":2000}` + "\n"
		return
	}
	lines <- s.hello
	for in := bufio.NewScanner(conn); in.Scan(); {
		var r asked
		if json.Unmarshal(in.Bytes(), &r) != nil {
			return
		}
		r.at = s.since()
		s.mu.Lock()
		s.log = append(s.log, r)
		s.mu.Unlock()
		if s.deaf && s.since() >= s.stall && s.since() < s.stallEnd {
			time.Sleep(s.stallEnd - s.since())
		}
		s.reply(r, lines)
	}
}

func (s *scripted) reply(r asked, lines chan<- string) {
	if s.answer != nil {
		if text, ok := s.answer(s, r); ok {
			lines <- text
			return
		}
	}
	switch r.Op {
	case "login":
		lines <- fmt.Sprintf(`{"ev":"welcome","tick":1,"id":%d,"outcome":"new"}`+"\n", r.ID)
	case "logout":
		lines <- fmt.Sprintf(`{"ev":"bye","tick":1,"id":%d,"reason":"logout"}`+"\n", r.ID)
	default:
		lines <- fmt.Sprintf(`{"ev":"pong","tick":1,"id":%d}`+"\n", r.ID)
	}
}

// logins are the login requests that came.
func (s *scripted) logins() (found []asked) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range s.log {
		if r.Op == string(protocol.OpLogin) {
			found = append(found, r)
		}
	}
	return found
}

// steady is a configuration whose figures can be computed by hand: one client,
// twenty pings a second, for 30 s.
func steady(s *scripted) Config {
	c := Defaults()
	c.Clients, c.Rate, c.Arrivals, c.ArrivalRate = 1, 20, "even", 0
	c.Mix, _ = ParseMix("ping=1")
	c.Dial = s.dial
	return c
}

// play runs a fleet in the bubble's time and checks that no request got lost
// between the counts.
func play(t *testing.T, cfg Config) (*Result, error) {
	t.Helper()
	r, err := Run(t.Context(), cfg)
	if r != nil {
		accounted(t, r)
	}
	return r, err
}

func accounted(t *testing.T, r *Result) {
	t.Helper()
	c := r.Counts
	assert.Equal(t, c.Sent, c.Answered+c.Unanswered+c.Abandoned+c.Cancelled, "every request has one end: %+v", c)
}

// virtual runs a test in a bubble: no time passes outside.
func virtual(t *testing.T, f func(t *testing.T)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		f(t)
		time.Sleep(2 * time.Hour) // longer than any stall: the scripted server ends
	})
}

func mustPlay(t *testing.T, cfg Config) *Result {
	t.Helper()
	r, err := play(t, cfg)
	require.NoError(t, err)
	return r
}
