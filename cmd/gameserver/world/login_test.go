package world

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tickwheel/tickwheel/cmd/gameserver/protocol"
	"github.com/tickwheel/tickwheel/cmd/gameserver/store"
	"github.com/tickwheel/tickwheel/tick"
)

func TestHelloThenWelcome(t *testing.T) {
	g := newGame(t, tick.Config{}, Config{})
	g.disk.players["bob"] = store.Player{Name: "bob", Rev: 3, HP: 40, XP: 70, Kills: 7, Logins: 2}
	g.post(Opened{1}, Opened{2})
	g.post(ask(1, protocol.OpLogin, name("ann"), id(5)), ask(2, protocol.OpLogin, name("bob")))
	g.steps(2)
	assert.Equal(t, []heard{
		{1, protocol.ID{}, protocol.Hello{Version: 1, TickMS: 50}},
		{2, protocol.ID{N: 5, Set: true}, protocol.Welcome{Name: "ann", Outcome: protocol.OutcomeNew, HP: 100, Logins: 1}},
	}, g.take(1))
	assert.Equal(t, protocol.Welcome{Name: "bob", Outcome: protocol.OutcomeKnown, HP: 40, XP: 70, Kills: 7, Logins: 3},
		*find[protocol.Welcome](g, 2))
}

// A client that sends everything at once gets everything, in order.
func TestRequestsWaitForTheLoginBeforeThem(t *testing.T) {
	g := newGame(t, tick.Config{}, Config{Held: 3})
	g.post(Opened{1}, ask(1, protocol.OpPing, id(1)), ask(1, protocol.OpLogin, name("ann"), id(2)),
		ask(1, protocol.OpPing, id(3)),
		Refused{1, protocol.ID{N: 4, Set: true}, *protocol.Errorf(protocol.CodeUnknownOp, "no")},
		ask(1, protocol.OpLogin, name("ann"), id(5)),
		ask(1, protocol.OpPing, id(6)), // one too many
	)
	g.steps(3)
	var ids []int64
	for _, h := range g.take(1)[1:] {
		ids = append(ids, h.id.N)
	}
	assert.Equal(t, []int64{1, 6, 2, 3, 4, 5}, ids, "6 is refused at once, the rest keeps its order")
}

func TestSomeOperationsNeedAPlayer(t *testing.T) {
	g := newGame(t, tick.Config{}, Config{})
	g.post(Opened{1}, ask(1, protocol.OpPing), ask(1, protocol.OpStats))
	for _, op := range []protocol.Op{protocol.OpCast, protocol.OpAttack, protocol.OpTimer, protocol.OpStorm} {
		g.post(ask(1, op))
		g.steps(1)
		assert.Equal(t, protocol.CodeNotLoggedIn, g.code(1), op)
	}
	assert.NotNil(t, find[protocol.Pong](g, 1))
	assert.NotNil(t, find[protocol.Stats](g, 1))
	g.post(ask(1, protocol.OpLogout, id(9)))
	g.steps(1)
	assert.Equal(t, protocol.Bye{Reason: protocol.ReasonLogout, Saved: true}, *find[protocol.Bye](g, 1))
	assert.True(t, g.ended[1])
}

func TestSecondLoginOnTheSameConnection(t *testing.T) {
	g := newGame(t, tick.Config{}, Config{})
	g.enter(1, "ann")
	g.post(ask(1, protocol.OpTimer, after(500, "tea")), ask(1, protocol.OpLogin, name("ann")), ask(1, protocol.OpLogin, name("bob")))
	g.steps(1)
	assert.Equal(t, protocol.OutcomeSame, find[protocol.Welcome](g, 1).Outcome)
	assert.Equal(t, protocol.CodeAlreadyLoggedIn, g.code(1))
	g.pass(500 * time.Millisecond)
	assert.NotNil(t, find[protocol.Timer](g, 1), "nothing has changed")
}

// The kind of failure: what is left of an old connection harms the login that
// replaced it. Right: it acts on its own generation, or on nothing.
func TestS05_LateEventsOfTheOldConnectionTouchNothing(t *testing.T) {
	for _, when := range []time.Duration{0, interval, 5 * time.Second} {
		g := newGame(t, tick.Config{}, Config{Grace: time.Second})
		g.enter(1, "ann")
		g.post(ask(1, protocol.OpTimer, after(1000, "old")), ask(1, protocol.OpCast, skillOf("heal")))
		g.steps(1)
		g.take(1)

		g.post(Opened{2}, ask(2, protocol.OpLogin, name("ann")),
			// Still queued when it was replaced, and coming in later:
			ask(1, protocol.OpAttack, monster(1)), ask(1, protocol.OpLogout))
		g.steps(1)
		assert.Equal(t, []protocol.Event{protocol.Bye{Reason: protocol.ReasonTakeover, Cancelled: 3}}, g.events(1))
		assert.True(t, g.ended[1])
		assert.Equal(t, protocol.OutcomeTakeover, find[protocol.Welcome](g, 2).Outcome)
		g.post(ask(2, protocol.OpTimer, after(6000, "new")))

		g.steps(int(when / interval))
		g.post(ask(1, protocol.OpAttack, monster(1)), ask(1, protocol.OpLogout), Closed{1}, ask(1, protocol.OpLogout))
		g.pass(6 * time.Second)
		assert.Empty(t, g.take(1))
		assert.Equal(t, "new", find[protocol.Timer](g, 2).Tag, "the new session lives")
		assert.Equal(t, 1, count[protocol.Timer](g, 2))
		assert.Zero(t, count[protocol.Heal](g, 2), "and has inherited nothing")
		assert.EqualValues(t, monsterHP, g.herd.hp[0])
		assert.Equal(t, 1, g.Players())
	}
}

// The old connection's close comes before the new login's player has arrived.
func TestS05_CloseWhileTheNewLoginLoads(t *testing.T) {
	g := newGame(t, tick.Config{}, Config{Grace: time.Second})
	g.post(Opened{1}, Opened{2}, ask(1, protocol.OpLogin, name("ann")), ask(2, protocol.OpLogin, name("ann")), Closed{1})
	g.steps(2)
	assert.Equal(t, 1, g.disk.loads, "loads of one name are shared")
	assert.Equal(t, protocol.OutcomeNew, find[protocol.Welcome](g, 2).Outcome)
	assert.Nil(t, find[protocol.Welcome](g, 1))
	g.pass(2 * time.Second)
	assert.Equal(t, 1, g.Players())
}

func TestLoginsOfOneNameInOneTick(t *testing.T) {
	g := newGame(t, tick.Config{}, Config{})
	g.post(Opened{1}, Opened{2}, Opened{3})
	for c := Conn(1); c <= 3; c++ {
		g.post(ask(c, protocol.OpLogin, name("ann")))
	}
	g.steps(2)
	assert.Equal(t, protocol.ReasonTakeover, find[protocol.Bye](g, 1).Reason)
	assert.Equal(t, protocol.ReasonTakeover, find[protocol.Bye](g, 2).Reason)
	assert.Equal(t, protocol.Welcome{Name: "ann", Outcome: protocol.OutcomeTakeover, HP: 100, Logins: 3}, *find[protocol.Welcome](g, 3))
}

// Two log in as one player, and the first has sent its logout along. The second
// must not begin with what was loaded for the first.
func TestLoginBehindALoginAndLogout(t *testing.T) {
	g := newGame(t, tick.Config{}, Config{})
	g.post(Opened{1}, Opened{2}, ask(1, protocol.OpLogin, name("ann")), ask(1, protocol.OpLogout), ask(2, protocol.OpLogin, name("ann")))
	g.steps(4)
	assert.EqualValues(t, 2, find[protocol.Welcome](g, 2).Logins)
	assert.Equal(t, 1, count[protocol.Bye](g, 1))
	g.post(ask(2, protocol.OpLogout))
	g.steps(2)
	assert.EqualValues(t, 2, g.disk.players["ann"].Logins)
}

func TestLostConnectionIsResumed(t *testing.T) {
	g := newGame(t, tick.Config{}, Config{Grace: 2 * time.Second})
	g.enter(1, "ann")
	g.post(ask(1, protocol.OpTimer, after(500, "missed")), ask(1, protocol.OpTimer, after(3000, "tea"), id(8)), Closed{1})
	g.pass(time.Second)
	assert.Equal(t, 1, g.Players())
	g.post(Opened{2}, ask(2, protocol.OpLogin, name("ann")))
	g.steps(1)
	assert.Equal(t, protocol.OutcomeResumed, find[protocol.Welcome](g, 2).Outcome)
	assert.EqualValues(t, 1, find[protocol.Welcome](g, 2).Logins, "it is the same login")
	g.pass(3 * time.Second)
	assert.Equal(t, 1, count[protocol.Timer](g, 2))
	assert.Equal(t, "tea", find[protocol.Timer](g, 2).Tag)
	assert.Less(t, find[protocol.Timer](g, 2).LateMS, interval.Milliseconds()+1, "its time ran on")
}

func TestLostConnectionEndsAfterGrace(t *testing.T) {
	g := newGame(t, tick.Config{}, Config{Grace: 2 * time.Second})
	g.enter(1, "ann")
	g.post(Closed{1})
	g.pass(2 * time.Second)
	g.steps(2)
	assert.Zero(t, g.Players())
	assert.EqualValues(t, 1, g.disk.players["ann"].Logins, "saved")
	assert.False(t, g.ended[1], "there was nobody to say bye to")
}

func TestSilentConnectionIsEnded(t *testing.T) {
	g := newGame(t, tick.Config{}, Config{LoginWithin: time.Second})
	g.post(Opened{1}, Opened{2}, ask(2, protocol.OpLogin, name("ann")))
	for range 19 {
		g.post(ask(1, protocol.OpPing)) // no login, so no excuse
		g.steps(1)
	}
	assert.False(t, g.ended[1])
	g.steps(3)
	assert.Equal(t, protocol.Bye{Reason: protocol.ReasonLoginTimeout, Saved: true}, *find[protocol.Bye](g, 1))
	assert.False(t, g.ended[2])
}

// The kind of failure: a player who is active is kicked, because the timer ran
// before the input that would have moved it, or because there are two timers.
func TestS06_InputBeatsTheIdleTimerOfItsTick(t *testing.T) {
	const idle = time.Second
	const ticks = int(idle / interval)
	g := newGame(t, tick.Config{}, Config{Idle: idle})
	g.enter(1, "ann") // touched in tick 2
	for range 5 {
		g.steps(ticks - 1)
		g.post(ask(1, protocol.OpPing)) // read in the very tick in which the timer is due
		g.steps(1)
		require.False(t, g.ended[1])
	}
	for range 3 * ticks { // and every tick
		g.post(ask(1, protocol.OpPing))
		g.steps(1)
	}
	require.False(t, g.ended[1])
	g.take(1)
	g.steps(ticks - 1)
	require.False(t, g.ended[1])
	g.steps(2)
	assert.Equal(t, protocol.Bye{Reason: protocol.ReasonIdle, Cancelled: 1, Saved: true}, *find[protocol.Bye](g, 1))
	assert.Zero(t, g.Players())
}

func TestS06_LeaveAndRejoinKeepsOneIdleTimer(t *testing.T) {
	g := newGame(t, tick.Config{}, Config{Idle: time.Minute})
	before := 0
	for c := Conn(1); c <= 20; c++ {
		g.enter(c, "ann")
		if c == 2 {
			before = g.loop.Stats().Timers
		}
		if c%3 == 0 {
			g.post(Closed{c})
			g.steps(1)
		}
	}
	g.post(Opened{99}, ask(99, protocol.OpLogin, name("ann")))
	g.steps(2)
	assert.Equal(t, before, g.loop.Stats().Timers)
}

func TestBrokenStreamLogsOut(t *testing.T) {
	g := newGame(t, tick.Config{}, Config{})
	g.enter(1, "ann")
	g.post(Broken{1, *protocol.Errorf(protocol.CodeBinary, "a zero byte")})
	g.steps(2)
	assert.Equal(t, []protocol.Event{
		protocol.Failure{Code: protocol.CodeBinary, Message: "a zero byte"},
		protocol.Bye{Reason: protocol.ReasonFraming, Cancelled: 1, Saved: true},
	}, g.events(1))
	g.post(Opened{2}, Broken{2, *protocol.Errorf(protocol.CodeBinary, "a zero byte")})
	g.steps(1)
	assert.Equal(t, protocol.ReasonFraming, find[protocol.Bye](g, 2).Reason)
}

func TestFaultInARequestIsAnswered(t *testing.T) {
	g := newGame(t, tick.Config{}, Config{})
	g.expect = 1
	g.enter(1, "ann")
	g.post(ask(1, protocol.OpAttack, monster(-5), id(3)), ask(1, protocol.OpPing))
	g.steps(1)
	assert.Equal(t, protocol.CodeInternal, g.code(1))
	assert.NotNil(t, find[protocol.Pong](g, 1))
	assert.Equal(t, 1, g.panics)
}

// A login timer that outlived its login would be a trap for whatever makes a
// connection look as if it had no player.
func TestLoginStopsItsTimer(t *testing.T) {
	g := newGame(t, tick.Config{}, Config{})
	g.enter(1, "ann")
	assert.False(t, g.peers[1].StopKeyed(loginTimer), "after a login")
	g.post(Closed{1}, Opened{2}, ask(2, protocol.OpLogin, name("ann")))
	g.steps(2)
	require.Equal(t, protocol.OutcomeResumed, find[protocol.Welcome](g, 2).Outcome)
	assert.False(t, g.peers[2].StopKeyed(loginTimer), "after a resumption")
	g.post(Opened{3})
	g.steps(1)
	assert.True(t, g.peers[3].StopKeyed(loginTimer), "without a login")
}
