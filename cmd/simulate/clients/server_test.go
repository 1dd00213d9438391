package clients

import (
	"context"
	"io"
	"log/slog"
	"net"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tickwheel/tickwheel/cmd/gameserver/server"
	"github.com/tickwheel/tickwheel/tick"
)

// serve runs the real game server on a free port and returns its address and a
// function that ends it.
func serve(t *testing.T, cfg server.Config) (addr string, end func()) {
	t.Helper()
	cfg.Addr, cfg.DataDir = "127.0.0.1:0", t.TempDir()
	cfg.Loop = tick.Config{Interval: 5 * time.Millisecond}
	cfg.FlushTimeout = 50 * time.Millisecond
	cfg.Logger = slog.New(slog.NewTextHandler(io.Discard, nil))
	s, err := server.Open(context.Background(), cfg)
	require.NoError(t, err)
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		s.Run(ctx)
	}()
	end = func() { stop(); <-done }
	t.Cleanup(end)
	return s.Addr().String(), end
}

// brief is a fleet that is done within a second or two.
func brief(addr string) Config {
	c := Defaults()
	c.Addr, c.Clients, c.Duration, c.Rate, c.ArrivalRate = addr, 40, time.Second, 20, 0
	c.Mix, _ = ParseMix("ping=4,attack=4,cast=1,timer=1,stats=1")
	return c
}

func TestTheRealServer(t *testing.T) {
	addr, _ := serve(t, server.Config{})
	r := mustPlay(t, brief(addr))
	assert.Equal(t, int64(40), r.Counts.Logins)
	assert.Equal(t, int64(40), r.Rows["logout"].Count)
	assert.Zero(t, r.Counts.Unanswered+r.Counts.Lost+r.Counts.Refused+r.Counts.GaveUp+r.Counts.LogoutsFailed, "%+v", r)
	assert.Positive(t, r.Counts.Sent)
	for code := range r.Codes {
		assert.Contains(t, []string{"cooldown", "monster_dead"}, code)
	}
	for _, name := range []string{"ping", "attack", "cast", "stats", "timer", "login", "send_late"} {
		assert.Positive(t, r.Rows[name].Count, name)
	}
	assert.Equal(t, 5.0, r.TickMS)
	assert.Empty(t, r.Failures)
}

// They drop their connections and resume, log out and come back.
func TestTheRealServerSeesThemComeAndGo(t *testing.T) {
	addr, _ := serve(t, server.Config{})
	cfg := brief(addr)
	cfg.Session, cfg.Away = 200*time.Millisecond, 10*time.Millisecond
	r := mustPlay(t, cfg)
	assert.Greater(t, r.Counts.Logins, int64(60))
	assert.Positive(t, r.Counts.Drops)
	assert.Zero(t, r.Counts.Lost+r.Counts.LogoutsFailed+r.Counts.Unanswered, "%+v", r)
}

func TestTheRealServerRefuses(t *testing.T) {
	addr, _ := serve(t, server.Config{MaxConns: 10})
	r := mustPlay(t, brief(addr))
	assert.GreaterOrEqual(t, r.Counts.Refused, int64(30))
	assert.InDelta(t, 30, r.Counts.NotLoggedIn, 1, "the connection before the start may have a place for a moment")
	assert.Positive(t, r.Failures["login refused: busy"])
}

// Version 1 knows nothing of tokens.
func TestTheRealServerRefusesTokens(t *testing.T) {
	addr, _ := serve(t, server.Config{})
	cfg := brief(addr)
	cfg.Tokens = []string{"sesame"}
	_, err := play(t, cfg)
	assert.ErrorContains(t, err, "nobody was let in: refused: unknown_field")
}

func TestTheRealServerEnds(t *testing.T) {
	addr, end := serve(t, server.Config{})
	cfg := brief(addr)
	cfg.Duration = 3 * time.Second
	cfg.Progress = func(Live) { end() } // after a second; what has ended stays so
	r, err := play(t, cfg)
	assert.ErrorContains(t, err, "no client was in the game at the end")
	require.NotNil(t, r)
	assert.Equal(t, int64(40), r.Counts.Lost)
	assert.Positive(t, r.Counts.Unsent)
	assert.Equal(t, int64(40), r.Failures["bye: shutdown"])
}

func TestNobodyThere(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	addr := l.Addr().String()
	l.Close()
	_, err = Run(t.Context(), brief(addr))
	assert.ErrorContains(t, err, "no game server at "+addr)
	assert.ErrorContains(t, err, "is it running, and is --addr its address?")
}

// The address takes connections and never says a word: the backlog of a listener
// that nobody serves.
func TestAnAddressThatDoesNotAnswer(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer l.Close()
	cfg := brief(l.Addr().String())
	cfg.Timeout = 50 * time.Millisecond
	_, err = Run(t.Context(), cfg)
	assert.ErrorContains(t, err, "no hello")

	ctx, interrupt := context.WithCancel(t.Context())
	time.AfterFunc(50*time.Millisecond, interrupt)
	cfg.Timeout = time.Hour
	_, err = Run(ctx, cfg)
	assert.Error(t, err, "an interrupt ends the wait")
}
