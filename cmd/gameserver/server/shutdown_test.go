package server

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tickwheel/tickwheel/cmd/gameserver/store"
	"github.com/tickwheel/tickwheel/tick"
)

// progress is what a client knows about its player, and what it was told last.
type progress struct {
	name  string
	kills int64
	bye   map[string]any
}

// fight kills one monster after the other until the bye, and remembers every
// kill it was told of.
func fight(p *peer, name string, first int) (pr progress) {
	pr.name = name
	defer p.Close()
	attack := func(m int) { // three blows kill; an error means the connection ends, which reading tells
		_, _ = io.WriteString(p, strings.Repeat(fmt.Sprintf(`{"op":"attack","monster":%d}`+"\n", m%100_000+1), 3))
	}
	attack(first)
	for m := first + 1; ; {
		line, err := p.in.ReadString('\n')
		if err != nil {
			return pr
		}
		var e map[string]any
		if json.Unmarshal([]byte(line), &e) != nil {
			return pr
		}
		switch e["ev"] {
		case "kill":
			pr.kills = int64(e["kills"].(float64))
			attack(m)
			m++
		case "error": // dead by the storm
			if e["code"] == "monster_dead" {
				attack(m)
				m++
			}
		case "bye":
			pr.bye = e
			return pr
		}
	}
}

// The kind of failure: at a signal under load stores close under running
// servers, saves are lost, goroutines stay. Right: input, players, saves, ticks,
// output, network, store, in this order; and the process can do it again.
func TestN12_EndUnderLoad(t *testing.T) {
	const players = 60
	dir := t.TempDir()
	kills := map[string]int64{}
	for run := range 2 { // twice in one process
		r := start(t, Config{DataDir: dir, FlushTimeout: patience, Loop: tick.Config{Budget: 500}})
		results := make(chan progress, players)
		var ready sync.WaitGroup
		for i := range players {
			ready.Add(1)
			go func() {
				name := fmt.Sprintf("player-%d", i)
				p := r.enter(name)
				ready.Done()
				results <- fight(p, name, (run*players+i)*500)
			}()
		}
		ready.Wait()
		storm := r.enter("storm")
		storm.send(`{"op":"storm","count":20000,"spread_ms":500}`)
		storm.until("storm")
		r.stop()
		assert.Equal(t, "shutdown", storm.until("bye")["reason"])
		storm.Close()
		var all []progress
		for range players {
			all = append(all, <-results)
		}
		require.NoError(t, r.end())

		s, err := store.Open(dir)
		require.NoError(t, err)
		for _, pr := range all {
			require.NotNil(t, pr.bye, "%s got no bye", pr.name)
			assert.Equal(t, "shutdown", pr.bye["reason"])
			assert.Equal(t, true, pr.bye["saved"])
			p, found, err := s.Load(pr.name)
			require.NoError(t, err)
			require.True(t, found, pr.name)
			assert.Equal(t, pr.kills, p.Kills, "%s: the file has what the player was told", pr.name)
			assert.GreaterOrEqual(t, p.Kills, kills[pr.name])
			assert.EqualValues(t, run+1, p.Logins)
			kills[pr.name] = p.Kills
		}
		require.NoError(t, s.Close())
		_, err = net.Dial("tcp", r.Addr().String())
		assert.Error(t, err, "nobody listens any more")
	}
}

func TestN12_NewcomersAreRefusedWhileEnding(t *testing.T) {
	r := start(t, Config{})
	p := r.enter("ann")
	r.draining.Store(true)
	q := r.dial()
	assert.Equal(t, "shutting_down", q.until("error")["code"])
	q.closed()
	require.NoError(t, r.end())
	assert.Equal(t, "shutdown", p.until("bye")["reason"])
}

// A client that reads nothing must not hold up the end.
func TestN12_DeafClientsDoNotHoldUpTheEnd(t *testing.T) {
	r := start(t, Config{FlushTimeout: 20 * time.Millisecond})
	r.enter("ann") // never reads its bye, never closes
	require.NoError(t, r.end())
	p, found := r.saved("ann")
	assert.True(t, found)
	assert.EqualValues(t, 1, p.Logins)
}

// stuck is a store whose saves hang until it is released.
type stuck struct {
	players
	release chan struct{}
}

func (s stuck) Save(p store.Player) error {
	<-s.release
	return s.players.Save(p)
}

// A disk that has stopped must not hold up the end for ever, nor be kept quiet.
func TestN12_StuckDiskIsReported(t *testing.T) {
	release := make(chan struct{})
	r := startOn(t, Config{DrainTimeout: 100 * time.Millisecond}, func(dir string) (players, error) {
		s, err := store.Open(dir)
		return stuck{s, release}, err
	})
	p := r.enter("ann")
	err := r.end()
	assert.ErrorContains(t, err, "not everybody was saved within 100ms")
	bye := p.until("bye")
	assert.Equal(t, "shutdown", bye["reason"])
	assert.Equal(t, false, bye["saved"])
	close(release)
}

// full is a store on a disk without room.
type full struct{ players }

func (full) Save(store.Player) error { return errors.New("no space left on device") }

func TestN12_PlayersThatCannotBeSavedAreNamed(t *testing.T) {
	r := startOn(t, Config{DrainTimeout: 100 * time.Millisecond}, func(dir string) (players, error) {
		s, err := store.Open(dir)
		return full{s}, err
	})
	p := r.enter("ann")
	p.send(`{"op":"logout"}`)
	assert.Equal(t, false, p.until("bye")["saved"])
	assert.ErrorContains(t, r.end(), "1 players could not be saved, such as ann")
}

// A server that closed its connections first leaves their addresses in a state in
// which a careless successor could not bind.
func TestRestartOnTheSamePort(t *testing.T) {
	addr := ""
	for range 3 {
		r := start(t, Config{Addr: addr})
		addr = r.Addr().String()
		r.enter("ann")
		require.NoError(t, r.end())
	}
}

func TestEndBeforeRunEvenBegan(t *testing.T) {
	r := start(t, Config{})
	require.NoError(t, r.end())
}

// The network fails under the server: players are saved and the error is told.
func TestN14_NetworkThatFailsEndsTheServer(t *testing.T) {
	r := start(t, Config{})
	p := r.enter("ann")
	require.NoError(t, r.stopNetwork())
	<-r.done
	assert.ErrorContains(t, r.err, "network ended")
	p.Close()
	got, found := r.saved("ann")
	assert.True(t, found)
	assert.EqualValues(t, 1, got.Logins)
}

// gnet writes to whoever has the descriptor number now. Timers of a connection
// that has gone must not reach the one that came after it.
func TestN09_NothingReachesTheNextOwnerOfADescriptor(t *testing.T) {
	r := start(t, Config{Loop: tick.Config{Interval: 2 * time.Millisecond}})
	const rounds = 150
	for i := range rounds {
		victim := r.enter(fmt.Sprintf("victim-%d", i))
		var secrets strings.Builder
		for ms := range 30 {
			fmt.Fprintf(&secrets, `{"op":"timer","after_ms":%d,"tag":"secret"}`+"\n", ms)
		}
		victim.send("%s", strings.TrimSuffix(secrets.String(), "\n"))
		if i%2 == 0 {
			require.NoError(t, victim.Conn.(*net.TCPConn).SetLinger(0)) // RST
		}
		victim.Close()
		next := r.dial() // very likely on the same descriptor of the server
		next.send(`{"op":"ping"}`)
		for {
			line := next.line()
			require.NotContains(t, line, "secret")
			if strings.Contains(line, "pong") {
				break
			}
			require.Contains(t, line, "hello")
		}
		if i%10 == 0 { // and some stay to listen for longer
			next.send(`{"op":"login","name":"listener-%d"}`, i)
			next.send(`{"op":"timer","after_ms":40,"tag":"end"}`)
			for line := next.line(); !strings.Contains(line, `"end"`); line = next.line() {
				require.NotEmpty(t, line)
				require.NotContains(t, line, "secret")
			}
		}
		next.Close()
	}
}

// Many at once disappear while something is written to them every tick.
func TestS09_MassDisconnectOverTheWire(t *testing.T) {
	const players = 200
	r := start(t, Config{Loop: tick.Config{Interval: 2 * time.Millisecond}})
	var peers []*peer
	for i := range players {
		p := r.enter(fmt.Sprintf("p%d", i))
		for ms := range 20 {
			p.send(`{"op":"timer","after_ms":%d,"tag":"beat"}`, ms)
		}
		peers = append(peers, p)
	}
	for i, p := range peers {
		if i%2 == 0 {
			require.NoError(t, p.Conn.(*net.TCPConn).SetLinger(0))
		}
		p.Close()
	}
	q := r.enter("witness")
	for q.send(`{"op":"stats"}`); ; q.send(`{"op":"stats"}`) {
		if m := q.until("stats"); m["connections"] == 1.0 {
			break
		}
	}
	assert.Zero(t, r.loop.Stats().Panics)
	require.NoError(t, r.end())
	_, found := r.saved("p7")
	assert.True(t, found)
}
