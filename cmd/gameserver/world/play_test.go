package world

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tickwheel/tickwheel/cmd/gameserver/protocol"
	"github.com/tickwheel/tickwheel/tick"
)

func TestCooldownIsJudgedByTimestamp(t *testing.T) {
	g := newGame(t, tick.Config{}, Config{})
	g.enter(1, "ann")
	g.post(ask(1, protocol.OpCast, skillOf("fury"), id(1)))
	g.steps(1)
	assert.Equal(t, []protocol.Event{protocol.Cast{Skill: "fury", LastsMS: 10_000, CooldownMS: 30_000}}, g.events(1))

	g.pass(29 * time.Second) // one tick more than that has passed
	g.take(1)
	g.post(ask(1, protocol.OpCast, skillOf("fury")))
	g.steps(1)
	assert.Equal(t, []protocol.Event{protocol.Failure{Code: protocol.CodeCooldown, Message: "fury is ready in 900ms", RetryMS: 900}}, g.events(1))
	g.steps(17)
	g.post(ask(1, protocol.OpCast, skillOf("fury")))
	g.steps(1)
	require.NotNil(t, find[protocol.Cast](g, 1), "exactly 30 s after")
	g.post(ask(1, protocol.OpCast, skillOf("dance")))
	g.steps(1)
	assert.Equal(t, "skill is \"dance\": want one of fury, heal, shield", find[protocol.Failure](g, 1).Message)
}

func TestCooldownSurvivesALogout(t *testing.T) {
	g := newGame(t, tick.Config{}, Config{})
	g.enter(1, "ann")
	g.post(ask(1, protocol.OpCast, skillOf("heal")), ask(1, protocol.OpLogout))
	g.steps(2)
	g.enter(2, "ann")
	g.post(ask(2, protocol.OpCast, skillOf("heal")))
	g.steps(1)
	assert.Equal(t, protocol.CodeCooldown, g.code(2))
	g.enter(3, "ann") // a takeover is no way around it either
	g.post(ask(3, protocol.OpCast, skillOf("heal")))
	g.steps(1)
	assert.Equal(t, protocol.CodeCooldown, g.code(3))
	g.post(ask(3, protocol.OpLogout))
	g.pass(15 * time.Second)
	assert.Empty(t, g.cooling, "and is forgotten when it is over")
	g.enter(4, "ann")
	g.post(ask(4, protocol.OpCast, skillOf("heal")))
	g.steps(1)
	assert.NotNil(t, find[protocol.Cast](g, 4))
}

func TestHealOverTime(t *testing.T) {
	g := newGame(t, tick.Config{}, Config{})
	g.enter(1, "ann")
	s, _ := g.players.Find("ann")
	s.Player.HP = 62
	g.post(ask(1, protocol.OpCast, skillOf("heal")))
	g.pass(20 * time.Second)
	var sum, runs int64
	for _, e := range g.events(1) {
		switch e := e.(type) {
		case protocol.Heal:
			sum += e.Amount
			runs++
			assert.EqualValues(t, 10-runs, e.Left)
		case protocol.Faded:
			assert.Equal(t, "heal", e.Skill)
			assert.EqualValues(t, 10, runs)
		}
	}
	assert.EqualValues(t, 38, sum, "up to 100 and no further")
	assert.EqualValues(t, 100, s.Player.HP)
	assert.EqualValues(t, 10, runs)
}

// Ticks may be longer than a second; the sum stays the same.
func TestHealWithLongTicks(t *testing.T) {
	for _, interval := range []time.Duration{1500 * time.Millisecond, 3 * time.Second, 10 * time.Second} {
		g := newGame(t, tick.Config{Interval: interval}, Config{Idle: time.Hour, LoginWithin: time.Hour})
		g.enter(1, "ann")
		s, _ := g.players.Find("ann")
		s.Player.HP = 1
		g.post(ask(1, protocol.OpCast, skillOf("heal")))
		g.steps(12)
		assert.EqualValues(t, 51, s.Player.HP, "interval %v", interval)
		assert.EqualValues(t, 0, find[protocol.Heal](g, 1).Left)
		assert.Equal(t, 1, count[protocol.Faded](g, 1))
	}
}

// The budget holds heals back for seconds; what was missed is made up for.
func TestHealComesOutRightUnderLoad(t *testing.T) {
	g := newGame(t, tick.Config{Budget: 3}, Config{Idle: time.Hour})
	g.enter(1, "ann")
	s, _ := g.players.Find("ann")
	s.Player.HP = 10
	g.post(ask(1, protocol.OpCast, skillOf("heal")))
	g.steps(1)
	for range 600 { // due before the heals, tick after tick
		_, err := g.loop.Root().AfterFunc(900*time.Millisecond, func() {})
		require.NoError(t, err)
	}
	g.pass(30 * time.Second)
	assert.Less(t, count[protocol.Heal](g, 1), 10, "some runs were missed")
	assert.EqualValues(t, 60, s.Player.HP)
}

func TestFight(t *testing.T) {
	g := newGame(t, tick.Config{}, Config{Monsters: 5, RespawnAfter: time.Second})
	g.enter(1, "ann")
	g.post(ask(1, protocol.OpAttack, monster(3)), ask(1, protocol.OpAttack, monster(3)), ask(1, protocol.OpAttack, monster(3)),
		ask(1, protocol.OpAttack, monster(3)), ask(1, protocol.OpAttack, monster(6)))
	g.steps(1)
	assert.Equal(t, []protocol.Event{
		protocol.Hit{Monster: 3, Damage: 12, MonsterHP: 18, Taken: 4, HP: 96},
		protocol.Hit{Monster: 3, Damage: 12, MonsterHP: 6, Taken: 4, HP: 92},
		protocol.Hit{Monster: 3, Damage: 12, HP: 92},
		protocol.Kill{Monster: 3, XP: 10, Kills: 1},
		protocol.Failure{Code: protocol.CodeMonsterDead, Message: "monster 3 is dead: it respawns after a while"},
		protocol.Failure{Code: protocol.CodeUnknownMonster, Message: "monster is 6: this world has 1 to 5"},
	}, g.events(1))
	assert.Equal(t, 1, g.herd.dead)
	g.pass(time.Second)
	assert.Equal(t, []protocol.Event{protocol.Respawn{Monster: 3}}, g.events(1))
	assert.Zero(t, g.herd.dead)
}

func TestSkillsChangeAFight(t *testing.T) {
	g := newGame(t, tick.Config{}, Config{})
	g.enter(1, "ann")
	g.post(ask(1, protocol.OpCast, skillOf("fury")), ask(1, protocol.OpCast, skillOf("shield")), ask(1, protocol.OpAttack, monster(1)))
	g.steps(1)
	assert.Equal(t, protocol.Hit{Monster: 1, Damage: 24, MonsterHP: 6, Taken: 2, HP: 98}, *find[protocol.Hit](g, 1))
	g.take(1)
	g.pass(10 * time.Second)
	assert.Equal(t, []protocol.Event{protocol.Faded{Skill: "shield"}, protocol.Faded{Skill: "fury"}}, g.events(1))
	g.post(ask(1, protocol.OpAttack, monster(2)))
	g.steps(1)
	assert.Equal(t, protocol.Hit{Monster: 2, Damage: 12, MonsterHP: 18, Taken: 4, HP: 94}, *find[protocol.Hit](g, 1))
}

func TestFallAndStandUp(t *testing.T) {
	g := newGame(t, tick.Config{}, Config{})
	g.enter(1, "ann")
	s, _ := g.players.Find("ann")
	s.Player.HP = 4
	g.post(ask(1, protocol.OpAttack, monster(1)))
	g.steps(1)
	assert.Equal(t, []protocol.Event{
		protocol.Hit{Monster: 1, Damage: 12, MonsterHP: 18, Taken: 4, HP: 50},
		protocol.Fell{Monster: 1, HP: 50},
	}, g.events(1))
}

func TestKillerWhoLeftIsNotTold(t *testing.T) {
	g := newGame(t, tick.Config{}, Config{RespawnAfter: time.Second})
	g.enter(1, "ann")
	for range 3 {
		g.post(ask(1, protocol.OpAttack, monster(1)))
	}
	g.post(ask(1, protocol.OpLogout))
	g.steps(2)
	g.enter(2, "ann")
	g.pass(time.Second)
	assert.Zero(t, g.herd.dead)
	assert.Empty(t, g.take(2))
}

func TestTimersSayHowLateTheyAre(t *testing.T) {
	g := newGame(t, tick.Config{}, Config{Timers: 4})
	g.enter(1, "ann")
	for i, ms := range []int64{0, 1, 50, 51} {
		g.post(ask(1, protocol.OpTimer, after(ms, "t"), id(int64(i))))
	}
	g.post(ask(1, protocol.OpTimer, after(1, "one too many"), id(9)))
	g.steps(5)
	var got []int64
	for _, h := range g.take(1) {
		switch e := h.Event.(type) {
		case protocol.Timer:
			got = append(got, h.id.N, e.LateMS)
		case protocol.Failure:
			assert.Equal(t, protocol.CodeTooManyTimers, e.Code)
			assert.EqualValues(t, 9, h.id.N)
		}
	}
	assert.Equal(t, []int64{0, 50, 1, 49, 2, 0, 3, 49}, got, "id and late_ms of each")
	g.post(ask(1, protocol.OpTimer, after(protocol.MaxAfterMS, "tomorrow")), ask(1, protocol.OpLogout))
	g.steps(2)
	assert.EqualValues(t, 2, find[protocol.Bye](g, 1).Cancelled, "that one and the autosave")
}

// A storm is thousands of respawns on one tick. The budget holds, the players
// feel nothing, and every monster is back.
func TestStormStaysWithinTheBudget(t *testing.T) {
	const budget, storm = 400, 10_000
	for _, spread := range []int64{0, 2000} {
		g := newGame(t, tick.Config{Budget: budget}, Config{})
		g.enter(1, "ann")
		g.enter(2, "bob")
		g.post(ask(1, protocol.OpStorm, many(storm, spread), id(7)), ask(2, protocol.OpTimer, after(1500, "tea")))
		g.steps(1)
		assert.Equal(t, protocol.Storm{Killed: storm, Pending: storm, SpreadMS: spread}, *find[protocol.Storm](g, 1))
		assert.Equal(t, storm, g.herd.dead)
		g.ticks = nil
		g.pass(8 * time.Second)
		for _, i := range g.ticks {
			require.LessOrEqual(t, i.Fired, budget)
		}
		over := find[protocol.StormOver](g, 1)
		require.NotNil(t, over)
		assert.EqualValues(t, storm, over.Respawned)
		assert.GreaterOrEqual(t, over.Ticks, int64(storm/budget))
		if spread > 0 {
			assert.Less(t, over.MaxLateTicks, int64(3), "spread over 40 ticks it fits")
		}
		assert.Zero(t, g.herd.dead)
		assert.LessOrEqual(t, find[protocol.Timer](g, 2).LateMS, interval.Milliseconds(), "gameplay does not wait for bulk")
	}
}

func TestStormsTakeOnlyTheLiving(t *testing.T) {
	g := newGame(t, tick.Config{}, Config{Monsters: 100})
	g.enter(1, "ann")
	g.post(ask(1, protocol.OpStorm, many(70, 0)), ask(1, protocol.OpStorm, many(70, 0)), ask(1, protocol.OpStorm, many(70, 0)))
	g.steps(1)
	assert.Equal(t, []protocol.Event{
		protocol.Storm{Killed: 70, Pending: 70}, protocol.Storm{Killed: 30, Pending: 100}, protocol.Storm{Pending: 100},
		protocol.StormOver{}, // the third killed nobody
	}, g.events(1))
	g.pass(2 * time.Second)
	assert.Zero(t, g.herd.dead)
	assert.Equal(t, 2, count[protocol.StormOver](g, 1))
}

func TestFullWheelIsBusy(t *testing.T) {
	g := newGame(t, tick.Config{MaxTimers: 12}, Config{Monsters: 100})
	g.enter(1, "ann")
	g.post(ask(1, protocol.OpStorm, many(50, 0)))
	g.steps(1)
	storm := find[protocol.Storm](g, 1)
	require.NotNil(t, storm)
	assert.EqualValues(t, g.herd.dead, storm.Killed, "who could not respawn did not die")
	assert.Less(t, storm.Killed, int64(12))
	for _, r := range []Asked{ask(1, protocol.OpStorm, many(1, 0)), ask(1, protocol.OpTimer, after(9, "")), ask(1, protocol.OpCast, skillOf("heal"))} {
		g.post(r)
		g.steps(1)
		assert.Equal(t, protocol.CodeBusy, g.code(1), r.Request.Op)
		g.take(1)
	}
	g.pass(2 * time.Second)
	g.post(ask(1, protocol.OpTimer, after(9, "")))
	g.steps(3)
	assert.NotNil(t, find[protocol.Timer](g, 1), "it passes")
}

// A timer counts from when its request was read: the wait for the tick, or for a
// login before it, is no free extra, and what is late is told.
func TestTimerCountsFromWhenItWasRead(t *testing.T) {
	g := newGame(t, tick.Config{}, Config{})
	g.enter(1, "ann")
	start := g.loop.Time()
	timer := func(c Conn, at time.Duration, ms int64) Asked {
		a := ask(c, protocol.OpTimer, after(ms, ""), id(int64(c)))
		a.At = at
		return a
	}
	g.post(timer(1, start+20*time.Millisecond, 100), Opened{2}, ask(2, protocol.OpLogin, name("bob")))
	g.post(timer(2, start+10*time.Millisecond, 0)) // waits for the login
	g.steps(3)
	assert.EqualValues(t, 140, find[protocol.Timer](g, 2).LateMS, "read at 10 ms, due then; its login took until 100, it ran at 150")
	assert.EqualValues(t, 30, find[protocol.Timer](g, 1).LateMS, "due at 120 ms, ran at 150")
}
