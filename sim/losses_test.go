package sim

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

// lossy is a world of a hundred players, each with a timer a second, whose
// connections are all lost after 5 s.
func lossy(s Sessions) Scenario {
	sc := blank()
	sc.Players, sc.Sessions = 100, s
	sc.Storms = []Storm{{Do: StormDisconnect, At: Moment{After: 5 * time.Second}}}
	sc.Kinds = []Kind{{Name: "k", Every: time.Second, After: Dist{Lo: time.Second}}}
	return sc
}

func TestLostConnections(t *testing.T) {
	const all = 1_000_000
	for _, c := range []struct {
		name         string
		sessions     Sessions
		in7, in12    int    // sessions at 7 s and 12 s
		fired        int    // of the kind, in 20 s: 100 a second
		opened, left uint64 // sessions in all, logouts before the end
	}{
		{"without grace they end at once", Sessions{}, 0, 0, 400, 100, 100},
		{"in grace they are kept, then they end", Sessions{Grace: 4 * time.Second}, 100, 0, 400, 100, 100},
		{"timers may go on meanwhile", Sessions{Grace: 4 * time.Second, GraceRuns: true}, 100, 0, 800, 100, 100},
		{"who comes back in time goes on", Sessions{Grace: 4 * time.Second, Reconnecting: all, Gap: Dist{Lo: 3 * time.Second}}, 100, 100, 1_600, 100, 0},
		{"and misses nothing if timers go on", Sessions{Grace: 4 * time.Second, GraceRuns: true, Reconnecting: all, Gap: Dist{Lo: 3 * time.Second}}, 100, 100, 1_900, 100, 0},
		{"who comes late begins again", Sessions{Grace: 4 * time.Second, Reconnecting: all, Gap: Dist{Lo: 6 * time.Second}}, 100, 100, 1_200, 200, 100},
		{"without grace everybody begins again", Sessions{Reconnecting: all, Gap: Dist{Lo: 3 * time.Second}}, 0, 100, 1_500, 200, 100},
	} {
		sc := lossy(c.sessions)
		at := map[time.Duration]int{}
		opened, left := uint64(0), uint64(0)
		o := online(at)
		prepare := o.prepare
		o.prepare = func(w *world) {
			prepare(w)
			w.loop.OnTick(func(time.Duration) {
				opened = 0
				for _, v := range w.visits {
					opened += uint64(v)
				}
				left = opened - uint64(w.reg.Len())
			})
		}
		r := play(t, sc, policy(t, "nothing"), o)
		assert.Equal(t, c.in7, at[7*time.Second], "%s: sessions after 7 s", c.name)
		assert.Equal(t, c.in12, at[12*time.Second], "%s: sessions after 12 s", c.name)
		assert.InDelta(t, c.fired, fired(t, r, "k"), 100, "%s: timers", c.name)
		assert.Equal(t, c.opened, opened, "%s: sessions opened", c.name)
		assert.Equal(t, c.left, left, "%s: sessions ended", c.name)
		assert.Zero(t, r.Stats.Refused, c.name)
	}
}

// Connections are lost again and again, each by a draw of its own, and a run repeats.
func TestConnectionsAreLostAgain(t *testing.T) {
	sc := blank()
	sc.Duration, sc.Players = 5*time.Minute, 50
	sc.Sessions = Sessions{
		Length: Dist{Lo: 30 * time.Second, Hi: 3 * time.Minute}, Returning: 1_000_000, Pause: Dist{Lo: time.Second},
		Lost: Dist{Lo: 5 * time.Second, Hi: 30 * time.Second}, Grace: 5 * time.Second,
		Reconnecting: 900_000, Gap: Dist{Lo: 100 * ms, Hi: 10 * time.Second},
	}
	sc.Actions = Rate{2, time.Second}
	sc.Kinds = []Kind{
		{Name: "cooldown", On: "action", After: Dist{Lo: time.Second, Hi: 4 * time.Second}, Single: true},
		{Name: "beat", Every: time.Second},
	}
	losses, most := map[uint64]uint64{}, 0
	o := Options{Seed: 1, prepare: func(w *world) {
		w.loop.OnTick(func(time.Duration) {
			detached := 0
			for s := range w.reg.All() {
				losses[s.Player.id] = max(losses[s.Player.id], s.Player.losses)
				if s.Detached() {
					detached++
				}
				for i, k := range w.kinds {
					if k.Single && s.Player.ready[i] > w.loop.Time()+4*time.Second {
						t.Errorf("a cooldown of %v", s.Player.ready[i]-w.loop.Time())
					}
				}
			}
			most = max(most, detached)
		})
	}}
	a := play(t, sc, policy(t, "jitter+cap+workers"), o)
	assert.Greater(t, most, 3, "players in grace at once")
	twice := 0
	for _, n := range losses {
		if n > 2 {
			twice++
		}
	}
	assert.Greater(t, twice, 25, "players who lost a connection three times in a session")
	o.prepare = nil
	b := play(t, sc, policy(t, "jitter+cap+workers"), o)
	assert.Equal(t, a.Trace, b.Trace)
	assert.Zero(t, a.Stats.Refused)
	assert.Less(t, fired(t, a, "beat"), 50*300*9/10, "frozen ones don't run")
}

// Nobody without a connection sends anything, and whoever was sent home stays there.
func TestWithoutAConnection(t *testing.T) {
	sc := lossy(Sessions{Grace: 10 * time.Second, GraceRuns: true})
	sc.Actions, sc.Kinds = Rate{1, time.Second}, []Kind{{Name: "k", On: "action", After: Dist{Lo: 50 * ms}}}
	r := play(t, sc, policy(t, "nothing"), Options{Seed: 1})
	assert.InDelta(t, 500, fired(t, r, "k"), 20, "actions of the first five seconds")

	sc = lossy(Sessions{Grace: 10 * time.Second, Reconnecting: 1_000_000, Gap: Dist{Lo: 3 * time.Second}})
	sc.Storms = append(sc.Storms, Storm{Do: StormLogout, At: Moment{After: 6 * time.Second}})
	at := map[time.Duration]int{}
	play(t, sc, policy(t, "nothing"), online(at))
	assert.Zero(t, at[12*time.Second], "after the logout")

	sc = lossy(Sessions{Length: Dist{Lo: 6 * time.Second}, Grace: 10 * time.Second, Reconnecting: 1_000_000, Gap: Dist{Lo: 3 * time.Second}})
	at = map[time.Duration]int{}
	play(t, sc, policy(t, "nothing"), online(at))
	assert.Equal(t, 100, at[14*time.Second], "in grace: they could not say that they leave")
	assert.Zero(t, at[16*time.Second])
}

func TestLossesThatMeanNothing(t *testing.T) {
	for _, c := range []struct {
		s    Sessions
		want string
	}{
		{Sessions{Grace: time.Second}, "sessions.grace: nobody loses a connection"},
		{Sessions{Reconnecting: 1}, "sessions.reconnecting: nobody loses a connection"},
		{Sessions{Lost: Dist{Lo: 1}, GraceRuns: true}, "sessions.grace-runs: there is no grace"},
		{Sessions{Lost: Dist{Lo: 1}, Gap: Dist{Lo: 1}}, "sessions.gap: nobody comes back"},
		{Sessions{Lost: Dist{Lo: 1}, Grace: -1}, "sessions.grace: -1ns: want 0s (none) to"},
	} {
		sc := blank()
		sc.Sessions = c.s
		assert.ErrorContains(t, sc.Validate(), c.want)
	}
	sc := lossy(Sessions{})
	sc.Storms[0].Count = 5
	assert.ErrorContains(t, sc.Validate(), "storms[1].count: means nothing with do: disconnect")
}
