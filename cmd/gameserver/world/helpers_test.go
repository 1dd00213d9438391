package world

import (
	"errors"
	"io"
	"log/slog"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/tickwheel/tickwheel/cmd/gameserver/protocol"
	"github.com/tickwheel/tickwheel/cmd/gameserver/store"
	"github.com/tickwheel/tickwheel/tick"
	"github.com/tickwheel/tickwheel/tick/ticktest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const interval = 50 * time.Millisecond

// memory is a store in memory that can be told to fail.
type memory struct {
	mu      sync.Mutex
	players map[string]store.Player
	loads   int
	saves   int
	loadErr error
	saveErr error
	tried   []string // whose saves, in order
	hold    func()   // called at the start of a save, if set
}

func (m *memory) Load(name string) (store.Player, bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.loads++
	p, ok := m.players[name]
	return p, ok, m.loadErr
}

func (m *memory) Save(p store.Player) error {
	if m.hold != nil {
		m.hold()
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.saves++
	m.tried = append(m.tried, p.Name)
	if m.saveErr != nil {
		return m.saveErr
	}
	if m.players[p.Name].Rev < p.Rev {
		m.players[p.Name] = p
	}
	return nil
}

var errDisk = errors.New("the disk is full")

// heard is an event as a client would get it.
type heard struct {
	tick int64
	id   protocol.ID
	protocol.Event
}

// game is a world under the test's control, its sink and its store.
type game struct {
	*World
	t      *testing.T
	loop   *tick.Loop
	disk   *memory
	got    map[Conn][]heard
	ended  map[Conn]bool
	ticks  []tick.TickInfo
	sent   func(Conn, protocol.Event) // called for every event, if set
	expect int                        // panics
	panics int
}

func newGame(t *testing.T, loop tick.Config, cfg Config) *game {
	t.Helper()
	g := &game{t: t, disk: &memory{players: map[string]store.Player{}}, got: map[Conn][]heard{}, ended: map[Conn]bool{}}
	if loop.Interval == 0 {
		loop.Interval = interval
	}
	loop.OnPanic = func(p tick.PanicInfo) {
		if g.panics++; g.panics > g.expect {
			t.Errorf("panic in %s: %v\n%s", p.Name, p.Value, p.Stack)
		}
	}
	loop.Observer = &tick.Observer{Tick: func(i *tick.TickInfo) { g.ticks = append(g.ticks, *i) }}
	if cfg.Logger == nil {
		cfg.Logger = slog.New(slog.NewTextHandler(io.Discard, nil))
	}
	g.loop = ticktest.New(t, loop)
	w, err := New(g.loop, cfg, g, g.disk)
	require.NoError(t, err)
	g.World = w
	return g
}

// Send implements Sink. Nothing may come after the end.
func (g *game) Send(to Conn, at int64, id protocol.ID, e protocol.Event) {
	assert.False(g.t, g.ended[to], "%s for connection %d after its end", e.Ev(), to)
	if g.sent != nil {
		g.sent(to, e)
	}
	g.got[to] = append(g.got[to], heard{at, id, e})
}

// End implements Sink.
func (g *game) End(c Conn) {
	assert.False(g.t, g.ended[c], "connection %d ended twice", c)
	g.ended[c] = true
}

func (g *game) post(inputs ...any) {
	g.t.Helper()
	for _, in := range inputs {
		require.NoError(g.t, g.loop.Input(in))
	}
}

// steps runs n ticks.
func (g *game) steps(n int) { ticktest.Steps(g.loop, n) }

// pass runs as many ticks as d lasts, and one.
func (g *game) pass(d time.Duration) { g.steps(int(d/interval) + 1) }

func ask(c Conn, op protocol.Op, with ...func(*protocol.Request)) Asked {
	r := protocol.Request{Op: op}
	for _, f := range with {
		f(&r)
	}
	return Asked{Conn: c, Request: r}
}

func id(n int64) func(*protocol.Request) {
	return func(r *protocol.Request) { r.ID = protocol.ID{N: n, Set: true} }
}
func name(s string) func(*protocol.Request)    { return func(r *protocol.Request) { r.Name = s } }
func skillOf(s string) func(*protocol.Request) { return func(r *protocol.Request) { r.Skill = s } }
func monster(n int64) func(*protocol.Request)  { return func(r *protocol.Request) { r.Monster = n } }
func after(ms int64, tag string) func(*protocol.Request) {
	return func(r *protocol.Request) { r.AfterMS, r.Tag = ms, tag }
}
func many(count, spread int64) func(*protocol.Request) {
	return func(r *protocol.Request) { r.Count, r.SpreadMS = count, spread }
}

// enter connects c and logs it in, and forgets what it heard on the way.
func (g *game) enter(c Conn, player string) {
	g.t.Helper()
	g.post(Opened{c}, ask(c, protocol.OpLogin, name(player)))
	g.steps(2)
	require.NotNil(g.t, find[protocol.Welcome](g, c), "connection %d got in as %s", c, player)
	g.got[c] = nil
}

// take returns what c heard since the last time.
func (g *game) take(c Conn) []heard {
	got := g.got[c]
	g.got[c] = nil
	return got
}

// events returns what c heard since the last time, without ticks and ids.
func (g *game) events(c Conn) (list []protocol.Event) {
	for _, h := range g.take(c) {
		list = append(list, h.Event)
	}
	return list
}

// find returns the last event of type E that c has heard, or nil.
func find[E protocol.Event](g *game, c Conn) *E {
	for i := len(g.got[c]) - 1; i >= 0; i-- {
		if e, ok := g.got[c][i].Event.(E); ok {
			return &e
		}
	}
	return nil
}

// count returns how many events of type E c has heard.
func count[E protocol.Event](g *game, c Conn) (n int) {
	for _, h := range g.got[c] {
		if _, ok := h.Event.(E); ok {
			n++
		}
	}
	return n
}

// code returns the code of the last error c has heard.
func (g *game) code(c Conn) protocol.Code {
	if f := find[protocol.Failure](g, c); f != nil {
		return f.Code
	}
	return ""
}
