package server

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/tickwheel/tickwheel/cmd/gameserver/store"
	"github.com/tickwheel/tickwheel/cmd/gameserver/world"
	"github.com/tickwheel/tickwheel/tick"
)

// gnet's own pool has goroutines from its init on.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m, goleak.IgnoreCurrent()) }

// running is a server on a free port.
type running struct {
	*Server
	t    *testing.T
	dir  string
	stop context.CancelFunc
	done chan struct{}
	err  error // of Run, once done is closed
}

func start(t *testing.T, cfg Config) *running {
	t.Helper()
	return startOn(t, cfg, func(dir string) (players, error) { return store.Open(dir) })
}

func startOn(t *testing.T, cfg Config, openStore func(string) (players, error)) *running {
	t.Helper()
	if cfg.DataDir == "" {
		cfg.DataDir = t.TempDir()
	}
	if cfg.Addr == "" {
		cfg.Addr = "127.0.0.1:0"
	}
	if cfg.FlushTimeout == 0 {
		cfg.FlushTimeout = 50 * time.Millisecond // few tests close their connections in time
	}
	if cfg.Loop.Interval == 0 {
		cfg.Loop.Interval = 5 * time.Millisecond
	}
	if cfg.Logger == nil {
		cfg.Logger = slog.New(slog.NewTextHandler(io.Discard, nil))
	}
	s, err := open(context.Background(), cfg, openStore)
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(context.Background())
	r := &running{Server: s, t: t, dir: cfg.DataDir, stop: cancel, done: make(chan struct{})}
	go func() {
		defer close(r.done)
		r.err = s.Run(ctx)
	}()
	t.Cleanup(func() { r.end() })
	return r
}

// end stops the server and returns Run's error.
func (r *running) end() error {
	r.stop()
	<-r.done
	return r.err
}

// saved reads a player from the file after the server has ended.
func (r *running) saved(name string) (store.Player, bool) {
	r.t.Helper()
	s, err := store.Open(r.dir)
	require.NoError(r.t, err)
	defer s.Close()
	p, found, err := s.Load(name)
	require.NoError(r.t, err)
	return p, found
}

// peer is a real TCP client.
type peer struct {
	net.Conn
	t  *testing.T
	in *bufio.Reader
}

// patience bounds every read: a test that waits for what never comes fails.
const patience = 20 * time.Second

func (r *running) dial() *peer {
	r.t.Helper()
	c, err := net.Dial("tcp", r.Addr().String())
	require.NoError(r.t, err)
	require.NoError(r.t, c.SetDeadline(time.Now().Add(patience)))
	r.t.Cleanup(func() { c.Close() })
	return &peer{Conn: c, t: r.t, in: bufio.NewReaderSize(c, 1<<16)}
}

// enter is a peer that is logged in.
func (r *running) enter(name string) *peer {
	r.t.Helper()
	p := r.dial()
	p.send(`{"op":"login","name":%q}`, name)
	p.until("welcome")
	return p
}

func (p *peer) send(format string, args ...any) {
	p.t.Helper()
	_, err := fmt.Fprintf(p, format+"\n", args...)
	require.NoError(p.t, err)
}

// line reads one line; "" is the end.
func (p *peer) line() string {
	p.t.Helper()
	line, err := p.in.ReadString('\n')
	if err != nil {
		require.True(p.t, errors.Is(err, io.EOF), "read: %v", err)
	}
	return strings.TrimSuffix(line, "\n")
}

// until reads up to the next event of a name and returns its members.
func (p *peer) until(ev string) map[string]any {
	p.t.Helper()
	for {
		line := p.line()
		require.NotEmpty(p.t, line, "the connection ended before %s", ev)
		var m map[string]any
		require.NoError(p.t, json.Unmarshal([]byte(line), &m), line)
		if m["ev"] == ev {
			return m
		}
	}
}

// closed reads to the end and fails if there is anything.
func (p *peer) closed() {
	p.t.Helper()
	assert.Empty(p.t, p.line())
}

func TestTalk(t *testing.T) {
	r := start(t, Config{})
	p := r.dial()
	assert.EqualValues(t, 5, p.until("hello")["tick_ms"])
	p.send(`{"op":"login","name":"ann","id":1}`)
	assert.EqualValues(t, 1, p.until("welcome")["id"])
	p.send(`{"op":"timer","after_ms":20,"tag":"tea","id":2}`)
	timer := p.until("timer")
	assert.Equal(t, "tea", timer["tag"])
	assert.GreaterOrEqual(t, timer["late_ms"], 0.0)
	p.send(`{"op":"fly","id":3}`)
	assert.Equal(t, "unknown_op", p.until("error")["code"])
	p.send(`{"op":"stats"}`)
	assert.EqualValues(t, 1, p.until("stats")["players"])
	p.send(`{"op":"logout","id":4}`)
	bye := p.until("bye")
	assert.Equal(t, "logout", bye["reason"])
	assert.Equal(t, true, bye["saved"])
	p.closed()
	require.NoError(t, r.end())
	got, found := r.saved("ann")
	assert.True(t, found)
	assert.EqualValues(t, 1, got.Logins)
}

func TestN01_AnyChunkingOverTheWire(t *testing.T) {
	r := start(t, Config{})
	p := r.dial()
	const stream = `{"op":"ping","id":1}` + "\n" + `{"op":"ping","id":2}` + "\r\n\n" + `{"op":"ping","id":3}` + "\n"
	for i := range len(stream) { // one byte a write
		_, err := p.Write([]byte{stream[i]})
		require.NoError(t, err)
	}
	for i := 1; i <= 3; i++ {
		assert.EqualValues(t, i, p.until("pong")["id"])
	}
	_, err := io.WriteString(p, stream+stream+`{"op":"pi`) // six and a half at once
	require.NoError(t, err)
	for i := range 6 {
		assert.EqualValues(t, i%3+1, p.until("pong")["id"])
	}
	p.send(`ng","id":4}`)
	assert.EqualValues(t, 4, p.until("pong")["id"])
}

func TestN01_BrokenFramingEndsTheConnection(t *testing.T) {
	r := start(t, Config{})
	for rubbish, code := range map[string]string{
		strings.Repeat("x", 100<<10):           "line_too_long",
		"\x16\x03\x01\x02\x00\x01\x00\x01\xfc": "binary",
		"{\"op\":\"ping\"}\n\x00":              "binary",
	} {
		p := r.dial()
		_, err := io.WriteString(p, rubbish)
		require.NoError(t, err)
		assert.Equal(t, code, p.until("error")["code"])
		assert.Equal(t, "framing", p.until("bye")["reason"])
		p.closed()
	}
	p := r.dial()
	p.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
	assert.Equal(t, "bad_json", p.until("error")["code"])
	p.send(`{"op":"ping"}`)
	p.until("pong") // that was bad JSON, not bad framing
}

func TestTakeoverEndsTheOldConnection(t *testing.T) {
	r := start(t, Config{})
	first := r.enter("ann")
	second := r.enter("ann")
	bye := first.until("bye")
	assert.Equal(t, "takeover", bye["reason"])
	first.closed()
	first.Close()
	second.send(`{"op":"ping"}`)
	second.until("pong")
}

func TestTooManyRequestsAheadAreRefused(t *testing.T) {
	r := start(t, Config{MaxAhead: 10, Loop: tick.Config{Interval: 100 * time.Millisecond}})
	p := r.dial()
	p.until("hello") // a tick has just been: the next one is far
	_, err := io.WriteString(p, strings.Repeat(`{"op":"ping"}`+"\n", 40))
	require.NoError(t, err)
	pongs, busy := 0, 0
	for pongs+busy < 40 {
		var m map[string]any
		require.NoError(t, json.Unmarshal([]byte(p.line()), &m))
		switch {
		case m["ev"] == "pong":
			pongs++
		case m["code"] == "busy":
			busy++
		}
	}
	assert.GreaterOrEqual(t, pongs, 10)
	assert.Positive(t, busy)
	p.send(`{"op":"ping"}`)
	p.until("pong")
}

func TestFloodEndsTheConnection(t *testing.T) {
	r := start(t, Config{MaxAhead: 1, Loop: tick.Config{Interval: 100 * time.Millisecond}})
	p, other := r.dial(), r.dial()
	p.until("hello")
	_, err := io.WriteString(p, strings.Repeat(`{"op":"ping"}`+"\n", 1000))
	require.NoError(t, err)
	for {
		if _, err := p.in.ReadString('\n'); err != nil {
			break
		}
	}
	other.send(`{"op":"ping"}`)
	other.until("pong")
}

func TestTooManyConnectionsAreRefused(t *testing.T) {
	r := start(t, Config{MaxConns: 2})
	first, second := r.dial(), r.dial()
	first.until("hello")
	second.until("hello")
	third := r.dial()
	assert.Equal(t, "busy", third.until("error")["code"])
	third.closed()
	first.send(`{"op":"logout"}`)
	first.until("bye")
	first.closed()
	first.Close()
	for { // room comes when the server has seen the close
		p := r.dial()
		if m := p.line(); strings.Contains(m, "hello") {
			return
		}
		p.Close()
	}
}

// Nothing is read, and output piles up: the connection is ended, and the others
// do not notice.
func TestReaderTooSlowIsEnded(t *testing.T) {
	r := start(t, Config{MaxUnread: 8 << 10, MaxAhead: 4096})
	slow, other := r.dial(), r.enter("bob")
	require.NoError(t, slow.Conn.(*net.TCPConn).SetReadBuffer(4<<10))
	flood := []byte(strings.Repeat(`{"op":"`+strings.Repeat("y", 60)+`"}`+"\n", 64))
	for { // until the server has had enough
		if _, err := slow.Write(flood); err != nil {
			break
		}
	}
	other.send(`{"op":"ping"}`)
	other.until("pong")
}

func TestIdleAndSilentConnectionsEnd(t *testing.T) {
	r := start(t, Config{World: world.Config{Idle: 50 * time.Millisecond, LoginWithin: 50 * time.Millisecond}})
	p, q := r.enter("ann"), r.dial()
	assert.Equal(t, "idle", p.until("bye")["reason"])
	assert.Equal(t, "login_timeout", q.until("bye")["reason"])
	p.closed()
	q.closed()
}

// A client that neither reads nor closes after its bye is closed.
func TestLingeringConnectionsAreClosed(t *testing.T) {
	r := start(t, Config{Linger: 20 * time.Millisecond})
	p := r.enter("ann")
	p.send(`{"op":"logout"}`)
	p.until("bye")
	p.closed()
	for { // writes fail once the server has closed its other half, too
		if _, err := p.Write([]byte("{}\n")); err != nil {
			return
		}
	}
}

func TestAddressesOthersCanReach(t *testing.T) {
	ctx := context.Background()
	for _, addr := range []string{":0", "0.0.0.0:7777", "[::]:7777", "192.0.2.1:7777"} {
		_, err := resolve(ctx, addr, false)
		assert.ErrorIs(t, err, ErrExposed, addr)
		assert.ErrorContains(t, err, "--insecure")
		_, err = resolve(ctx, addr, true)
		assert.NoError(t, err, addr)
	}
	for addr, want := range map[string]string{
		"127.0.0.1:0": "127.0.0.1:0", "[::1]:7777": "[::1]:7777", "localhost:7777": "127.0.0.1:7777", "127.8.9.1:1": "127.8.9.1:1",
	} {
		got, err := resolve(ctx, addr, false)
		require.NoError(t, err)
		assert.Equal(t, want, got)
	}
	for _, addr := range []string{"", "7777", "127.0.0.1", "127.0.0.1:", "127.0.0.1:http", "127.0.0.1:65536", "127.0.0.1:-1", "127.0.0.1:+1"} {
		_, err := resolve(ctx, addr, false)
		assert.Error(t, err, addr)
		assert.ErrorContains(t, err, "want", addr)
	}
}

func TestOpenSaysWhatIsInTheWay(t *testing.T) {
	r := start(t, Config{})
	quiet := slog.New(slog.NewTextHandler(io.Discard, nil))
	_, err := Open(context.Background(), Config{Addr: r.Addr().String(), DataDir: t.TempDir(), Logger: quiet})
	assert.ErrorContains(t, err, r.Addr().String())
	assert.ErrorContains(t, err, "--addr")
	_, err = Open(context.Background(), Config{Addr: "127.0.0.1:0", DataDir: r.dir, Logger: quiet})
	var inUse *store.InUseError
	assert.ErrorAs(t, err, &inUse)
	_, err = Open(context.Background(), Config{MaxConns: -1, MaxUnread: 1, Logger: quiet})
	assert.ErrorContains(t, err, "MaxConns")
	assert.ErrorContains(t, err, "MaxUnread")
	_, err = Open(context.Background(), Config{Addr: "127.0.0.1:0", DataDir: t.TempDir(), Logger: quiet, World: world.Config{Monsters: -1}})
	assert.ErrorContains(t, err, "Monsters")
}

func TestRequestsCarryWhenTheyWereRead(t *testing.T) {
	s, err := open(context.Background(), Config{
		Addr: "127.0.0.1:0", DataDir: t.TempDir(), Logger: slog.New(slog.NewTextHandler(io.Discard, nil)),
	}, func(dir string) (players, error) { return store.Open(dir) })
	require.NoError(t, err)
	var at []time.Duration
	s.loop.OnInput(func(v any) {
		if in, ok := v.(world.Asked); ok {
			at = append(at, in.At)
		}
	})
	s.loop.Step()
	s.received(&conn{id: 7}, []byte(`{"op":"ping"}`), nil)
	s.loop.Step() // it was read in the first tick, whenever it is handled
	assert.Equal(t, []time.Duration{s.loop.Interval()}, at)
	require.NoError(t, s.loop.Stop(context.Background()))
	require.NoError(t, s.stopNetwork())
	require.NoError(t, s.closeStore())
}
