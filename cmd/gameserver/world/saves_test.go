package world

import (
	"bytes"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tickwheel/tickwheel/cmd/gameserver/protocol"
	"github.com/tickwheel/tickwheel/tick"
)

func (g *game) kill(c Conn, m int64) {
	for range 3 {
		g.post(ask(c, protocol.OpAttack, monster(m)))
	}
	g.steps(1)
}

func TestAutosaveSavesWhatChanged(t *testing.T) {
	g := newGame(t, tick.Config{}, Config{Autosave: time.Second, Idle: time.Hour})
	g.enter(1, "ann")
	g.pass(2 * time.Second)
	assert.EqualValues(t, 1, g.disk.players["ann"].Logins)
	saves := g.disk.saves
	g.pass(5 * time.Second)
	assert.Equal(t, saves, g.disk.saves, "nothing changed, nothing to save")
	g.kill(1, 1)
	g.pass(2 * time.Second)
	assert.EqualValues(t, 10, g.disk.players["ann"].XP)
	assert.Equal(t, saves+1, g.disk.saves)
}

func TestAutosaveThatFailsIsTriedAgain(t *testing.T) {
	g := newGame(t, tick.Config{}, Config{Autosave: time.Second, Idle: time.Hour})
	g.disk.saveErr = errDisk
	g.enter(1, "ann")
	g.pass(3 * time.Second)
	assert.Empty(t, g.disk.players)
	g.disk.saveErr = nil
	g.pass(3 * time.Second)
	assert.EqualValues(t, 1, g.disk.players["ann"].Logins)
}

// A bye that says saved was sent after the save, not before.
func TestByeWaitsForTheSave(t *testing.T) {
	g := newGame(t, tick.Config{}, Config{})
	g.enter(1, "ann")
	g.disk.hold = func() { assert.Nil(t, find[protocol.Bye](g, 1)) }
	g.kill(1, 1)
	g.post(ask(1, protocol.OpLogout, id(4)))
	g.steps(1)
	assert.Zero(t, g.Players())
	g.steps(1)
	h := g.got[1][len(g.got[1])-1]
	assert.Equal(t, heard{5, protocol.ID{N: 4, Set: true}, protocol.Bye{Reason: protocol.ReasonLogout, Cancelled: 1, Saved: true}}, h)
	assert.EqualValues(t, 10, g.disk.players["ann"].XP)
}

func TestLogoutAndLoginAgainSeesTheLastState(t *testing.T) {
	g := newGame(t, tick.Config{}, Config{})
	g.enter(1, "ann")
	g.kill(1, 1)
	g.post(Opened{2}, ask(1, protocol.OpLogout), ask(2, protocol.OpLogin, name("ann")))
	g.steps(3)
	assert.Equal(t, protocol.Welcome{Name: "ann", Outcome: protocol.OutcomeKnown, HP: 92, XP: 10, Kills: 1, Logins: 2}, *find[protocol.Welcome](g, 2))
}

// The store is down when players leave: they are told the truth, keep what they
// had when they come back, and are saved when the store is back.
func TestStateTheStoreRefusesIsKept(t *testing.T) {
	g := newGame(t, tick.Config{}, Config{})
	g.enter(1, "ann")
	g.enter(2, "bob")
	g.kill(1, 1)
	g.disk.saveErr = errDisk
	g.post(ask(1, protocol.OpLogout), ask(2, protocol.OpLogout))
	g.steps(2)
	assert.False(t, find[protocol.Bye](g, 1).Saved)
	assert.Len(t, g.Unsaved(), 2)
	g.pass(3 * time.Second)

	g.enter(3, "ann")
	s, _ := g.players.Find("ann")
	assert.EqualValues(t, 10, s.Player.XP, "the newest state, not the store's")
	g.disk.saveErr = nil
	g.pass(3 * time.Second)
	assert.Empty(t, g.Unsaved())
	assert.EqualValues(t, 1, g.disk.players["bob"].Logins)
	assert.EqualValues(t, 10, g.disk.players["ann"].XP)
	g.post(ask(3, protocol.OpLogout))
	g.steps(2)
	assert.EqualValues(t, 2, g.disk.players["ann"].Logins)
}

// With a full disk every save of every player fails, every second. The log has
// one line an interval for all of them.
func TestFailedSavesAreTold_InOneLineAnInterval(t *testing.T) {
	const players = 500
	var log bytes.Buffer
	cfg := Config{Autosave: 10 * time.Second, Logger: slog.New(slog.NewTextHandler(&log, nil))}
	g := newGame(t, tick.Config{Queue: 4 * players}, cfg)
	g.disk.saveErr = errDisk
	for c := Conn(1); c <= players; c++ {
		g.post(Opened{c}, ask(c, protocol.OpLogin, name(fmt.Sprintf("p%03d", c))))
	}
	for g.loop.Time() < 20*time.Second { // every player's autosave has failed
		g.steps(1)
	}
	assert.LessOrEqual(t, strings.Count(log.String(), "\n"), 20)
	assert.Regexp(t, `level=WARN msg="autosaves failed.*" failed=\d+ player=p\d+ error="the disk is full"`, log.String())

	log.Reset()
	for c := Conn(1); c <= players; c++ {
		g.post(ask(c, protocol.OpLogout))
	}
	g.pass(5 * time.Second)
	lines := strings.Count(log.String(), "level=ERROR")
	assert.GreaterOrEqual(t, lines, 4)
	assert.LessOrEqual(t, lines, 6)
	assert.Regexp(t, `could not be saved.*failed=500 unsaved=500 player=p\d+ error="the disk is full"`, log.String())

	log.Reset()
	g.disk.saveErr = nil
	g.pass(5 * time.Second)
	assert.LessOrEqual(t, strings.Count(log.String(), "\n"), 1, "what failed since the last line")
	assert.Empty(t, g.Unsaved())
}

// The same inputs give the same order of saves and byes, run for run, and a
// queue that is too short for a round of retries leaves nobody out.
func TestEndsAndRetriesAreInOrder(t *testing.T) {
	g := newGame(t, tick.Config{Queue: 2, Workers: 1, WhenFull: tick.Reject}, Config{})
	var order []string
	g.disk.saveErr = errDisk
	for c := Conn(1); c <= 9; c++ {
		g.enter(c, fmt.Sprint("p", 10-c))
	}
	for c := Conn(101); c <= 120; c++ {
		g.post(Opened{c})
	}
	g.steps(1)
	g.sent = func(to Conn, e protocol.Event) {
		if _, ok := e.(protocol.Bye); ok && to > 100 {
			order = append(order, fmt.Sprint(to))
		}
	}
	g.Drain()
	assert.Len(t, order, 20)
	assert.True(t, slices.IsSorted(order))
	g.pass(time.Second)
	require.Len(t, g.Unsaved(), 9)
	assert.True(t, slices.IsSorted(g.Unsaved()))

	g.disk.tried = nil
	g.pass(10 * time.Second)
	require.Greater(t, len(g.disk.tried), 9)
	for i, name := range g.disk.tried[:len(g.disk.tried)-1] {
		next := fmt.Sprintf("p%d", int(name[1]-'0')%9+1)
		require.Equal(t, next, g.disk.tried[i+1], "after %s: %v", name, g.disk.tried)
	}
}

func TestPlayerThatCannotBeLoaded(t *testing.T) {
	g := newGame(t, tick.Config{}, Config{})
	g.disk.loadErr = errDisk
	g.post(Opened{1}, ask(1, protocol.OpLogin, name("ann"), id(3)), ask(1, protocol.OpPing))
	g.steps(2)
	assert.Equal(t, protocol.CodeInternal, g.code(1))
	assert.NotContains(t, find[protocol.Failure](g, 1).Message, "disk", "what is wrong with the server is not theirs to know")
	assert.NotNil(t, find[protocol.Pong](g, 1), "the connection goes on")
	g.disk.loadErr = nil
	g.post(ask(1, protocol.OpLogin, name("ann")))
	g.steps(2)
	assert.NotNil(t, find[protocol.Welcome](g, 1))
}

func TestFullJobQueueIsBusy(t *testing.T) {
	g := newGame(t, tick.Config{Queue: 1, Workers: 1, WhenFull: tick.Reject}, Config{})
	for c := Conn(1); c <= 4; c++ {
		g.post(Opened{c}, ask(c, protocol.OpLogin, name(fmt.Sprint("p", c))))
	}
	g.steps(2)
	assert.NotNil(t, find[protocol.Welcome](g, 1))
	assert.NotNil(t, find[protocol.Welcome](g, 2))
	assert.Equal(t, protocol.CodeBusy, g.code(3))
	assert.Equal(t, protocol.CodeBusy, g.code(4))
	g.post(ask(3, protocol.OpLogin, name("p3")))
	g.steps(2)
	assert.NotNil(t, find[protocol.Welcome](g, 3), "it passes")
	// More last saves than fit: those without room are tried again.
	for c := Conn(1); c <= 3; c++ {
		g.post(ask(c, protocol.OpLogout))
	}
	g.steps(2)
	assert.False(t, find[protocol.Bye](g, 3).Saved)
	g.pass(2 * time.Second)
	assert.Len(t, g.disk.players, 3)
	assert.Empty(t, g.Unsaved())
}

func TestDrainSavesEverybody(t *testing.T) {
	const players = 1000
	g := newGame(t, tick.Config{Queue: 4 * players}, Config{Grace: time.Hour})
	for c := Conn(1); c <= players; c++ {
		g.post(Opened{c}, ask(c, protocol.OpLogin, name(fmt.Sprint("p", c))), ask(c, protocol.OpTimer, after(60_000, "tea")))
	}
	g.post(Opened{players + 1}, Opened{players + 2}, ask(players+2, protocol.OpLogin, name("loading")))
	g.steps(2)
	g.post(Closed{1}) // its player is in the grace time
	g.post(Opened{players + 3}, ask(players+3, protocol.OpLogin, name("late")))
	g.steps(1)
	g.Drain()
	g.Drain()
	g.post(Opened{players + 4}, ask(2, protocol.OpPing))
	for n := 0; ; n++ {
		select {
		case <-g.Drained():
		default:
			require.Less(t, n, 20, "ticks")
			g.steps(1)
			continue
		}
		break
	}
	assert.Len(t, g.disk.players, players+1, "the one without a connection, too")
	for c := Conn(2); c <= players; c++ {
		require.Equal(t, protocol.Bye{Reason: protocol.ReasonShutdown, Cancelled: 2, Saved: true}, *find[protocol.Bye](g, c))
		require.True(t, g.ended[c])
	}
	for c := Conn(players + 1); c <= players+4; c++ {
		require.Equal(t, protocol.ReasonShutdown, find[protocol.Bye](g, c).Reason)
	}
	assert.Equal(t, protocol.CodeShuttingDown, g.code(players+4))
	assert.Zero(t, g.Players())
}

// CloseAll releases sessions in slices. In the ticks until then a login timer, a
// logout or a broken stream must not pass for the end of a connection without a
// player: its bye would say saved before the save, which here fails.
func TestDrainTellsNobodySavedBeforeTheSave(t *testing.T) {
	const players = 2000 // more than a tick releases
	g := newGame(t, tick.Config{Queue: 4 * players}, Config{LoginWithin: 2 * time.Second})
	g.disk.saveErr = errDisk
	for c := Conn(1); c <= players; c++ {
		g.post(Opened{c}, ask(c, protocol.OpLogin, name(fmt.Sprint("p", c))))
	}
	for g.loop.Time() < 2*time.Second { // login timers, if there were any, are due in the next tick
		g.steps(1)
	}
	require.Equal(t, players, g.Players())
	require.NoError(t, g.loop.Post(g.Drain))
	g.post(ask(players, protocol.OpLogout), Broken{players - 1, protocol.Error{Code: protocol.CodeBinary}}, ask(players-2, protocol.OpPing))
	g.steps(1)
	require.Positive(t, g.players.Closing(), "some are still to be released")
	g.steps(20)
	for c := Conn(1); c <= players; c++ {
		require.Equal(t, 1, count[protocol.Bye](g, c))
		require.Equal(t, protocol.Bye{Reason: protocol.ReasonShutdown, Cancelled: 1}, *find[protocol.Bye](g, c), "connection %d", c)
	}
}

// The store is down when the server ends: it waits for it, as long as it may.
func TestDrainWaitsForTheStore(t *testing.T) {
	g := newGame(t, tick.Config{}, Config{})
	g.enter(1, "ann")
	g.disk.saveErr = errDisk
	g.Drain()
	g.pass(3 * time.Second)
	select {
	case <-g.Drained():
		t.Error("drained with a player who is not saved")
	default:
	}
	assert.False(t, find[protocol.Bye](g, 1).Saved, "but nobody else has to wait")
	g.disk.saveErr = nil
	g.pass(2 * time.Second)
	<-g.Drained()
	assert.Contains(t, g.disk.players, "ann")
}

func TestDrainThatMustGiveUpIsHonest(t *testing.T) {
	g := newGame(t, tick.Config{}, Config{})
	g.enter(1, "ann")
	g.post(ask(1, protocol.OpLogout))
	g.loop.OnFlush(func() {
		if g.loop.Now() == 3 { // the save is queued and has not come back
			g.Drain()
			g.Abandon()
		}
	})
	g.steps(1)
	assert.Equal(t, protocol.Bye{Reason: protocol.ReasonLogout, Cancelled: 1}, *find[protocol.Bye](g, 1))
	g.steps(2) // the save does come back, and says nothing any more
	assert.Equal(t, 1, count[protocol.Bye](g, 1))
}

// The kind of failure: a mass disconnect while heartbeats fire writes to
// connections that are gone, or makes one giant tick.
func TestS09_MassDisconnectWhileHeartbeatsFire(t *testing.T) {
	const players, budget = 2000, 500
	g := newGame(t, tick.Config{Budget: budget, Queue: 4 * players}, Config{Grace: interval})
	for c := Conn(1); c <= players; c++ {
		g.post(Opened{c}, ask(c, protocol.OpLogin, name(fmt.Sprint("p", c))))
	}
	g.steps(2)
	require.Equal(t, players, g.Players())
	for s := range g.players.All() {
		_, err := s.Every(interval, func(tick.Firing) { g.tell(s.Player.peer, protocol.ID{}, protocol.Pong{}) })
		require.NoError(t, err)
	}
	g.steps(3)
	for c := Conn(1); c <= players; c++ {
		g.post(Closed{c})
	}
	g.steps(1)
	for c := range g.got {
		g.got[c] = nil
	}
	g.ticks = nil
	g.steps(40)
	for c, heard := range g.got {
		require.Empty(t, heard, "written to connection %d after its end", c)
	}
	for _, i := range g.ticks {
		require.LessOrEqual(t, i.Fired, budget)
	}
	assert.Zero(t, g.Players())
	assert.Len(t, g.disk.players, players, "everybody was saved")
}
