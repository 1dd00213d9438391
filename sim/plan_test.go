package sim

import (
	"context"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestPresets(t *testing.T) {
	assert.Equal(t, strings.Fields("autosave-stall boss-event buff-refresh connection-loss daily-reset gc-pause mass-login mass-logout slow-callback spawn-storm steady suspend-resume"), Presets())
	for _, name := range Presets() {
		p, ok := Preset(name)
		require.True(t, ok, name)
		assert.Equal(t, name, p.Scenario.Name)
		assert.NotEmpty(t, p.Scenario.About, name)
		_, err := p.Check()
		assert.NoError(t, err, name)
	}
	for _, name := range []string{"", "template", "../presets/steady", "x"} {
		_, ok := Preset(name)
		assert.False(t, ok, name)
	}
}

// What was played, read again, is the same.
func TestPlansRoundTrip(t *testing.T) {
	data := map[string][]byte{"template": Template(), "empty": []byte("{}"), "odd": []byte("name: \"null\"\nabout: 'a: b # c'\nplayers: 0\nexpect: ['nothing: shed == 0', overruns < 3]\nsubject: cap\n")}
	for _, name := range Presets() {
		data[name], _ = presets.ReadFile("presets/" + name + ".yaml")
	}
	for name, d := range data {
		p, err := ParsePlan(name, d)
		require.NoError(t, err, name)
		again, err := ParsePlan(name, p.YAML())
		require.NoError(t, err, "%s:\n%s", name, p.YAML())
		p.lines, again.lines = nil, nil
		assert.Equal(t, p, again, name)
	}
}

// Every key of every part is one that the template or a preset shows.
func TestEveryKeyIsShown(t *testing.T) {
	all := string(Template())
	for _, name := range Presets() {
		d, _ := presets.ReadFile("presets/" + name + ".yaml")
		all += string(d)
	}
	var walk func(keys []field)
	walk = func(keys []field) {
		for _, f := range keys {
			assert.Contains(t, all, f.key+":", f.key)
			walk(f.sub)
			if f.list != nil {
				f.list.add()
				walk(f.list.keys(0))
			}
		}
	}
	walk(newPlan().keys())
}

// A field without a key could be neither read nor written.
func TestEveryFieldHasAKey(t *testing.T) {
	p := newPlan()
	p.Scenario.Kinds, p.Scenario.Jobs, p.Scenario.Storms, p.Scenario.Stalls = make([]Kind, 1), make([]Job, 1), make([]Storm, 1), make([]Stall, 1)
	s := p.Scenario
	leaves := reflect.TypeFor[Kind]().NumField() + reflect.TypeFor[Job]().NumField() + reflect.TypeFor[Storm]().NumField() + reflect.TypeFor[Stall]().NumField() +
		reflect.TypeFor[Arrivals]().NumField() + reflect.TypeFor[Sessions]().NumField() + reflect.TypeFor[Costs]().NumField() +
		reflect.TypeOf(s).NumField() - 3 + // without the three mappings
		reflect.TypeFor[Knobs]().NumField() + 5 // seed, clock, policy, subject, expect
	n := 0
	var count func(keys []field)
	count = func(keys []field) {
		for _, f := range keys {
			if f.sub == nil {
				n++
			}
			count(f.sub)
			if f.list != nil {
				count(f.list.keys(0))
			}
		}
	}
	count(p.keys())
	assert.Equal(t, leaves, n)
}

func TestJSONIsYAML(t *testing.T) {
	p, err := ParsePlan("x.json", []byte(`{"name": "x", "players": 3, "kinds": [{"name": "k", "every": "1s"}], "policy": ["cap"]}`))
	require.NoError(t, err)
	assert.Equal(t, 3, p.Scenario.Players)
	assert.Equal(t, time.Second, p.Scenario.Kinds[0].Every)
	assert.Equal(t, []string{"cap"}, p.Policies)
}

// Errors have file, line, key, value and what to write instead.
func TestBadPlans(t *testing.T) {
	for _, c := range []struct{ yaml, want string }{
		{"", `x: the file is empty: "simulate init" writes one`},
		{"a: [", "x: no YAML: line 1"},
		{"- a", "x:1: the scenario: want keys with values"},
		{"name: a\n---\nname: b", "x:2: a second document begins"},
		{"name: a\nplaiers: 5", "x:2: unknown key plaiers: did you mean players? want name, about"},
		{"xyzzy: 5", "x:1: unknown key xyzzy: want name"},
		{"players: 1\nplayers: 2", "x:2: players stands twice"},
		{"players:", "x:1: players has no value"},
		{"players: [1]", "x:1: players: want one value"},
		{"players: 1.5", `x:1: players: "1.5": want a whole number`},
		{"players: .nan", `x:1: players: ".nan": want a whole number`},
		{"players: -1", "x:1: -1 players: want 0 to 1000000"},
		{"jitter: 5", `x:1: jitter: "5": missing unit: write 5s or 500ms`},
		{"jitter: -5s", "x:1: jitter -5s: want 0 (none) to 1h"},
		{"cap: -1", "x:1: cap -1: want 0 (no limit) or more"},
		{"duration: 0s", "x:1: duration 0s: want at least one tick of 50ms"},
		{"policy: [cap, foo]", `x:1: unknown policy "foo"`},
		{"subject: jitters", `x:1: subject "jitters" is not among the policies`},
		{"policy: [cap]\nexpect:\n  - shed == 0\n  - shed = 0", `x:4: expect "shed = 0": want a measure`},
		{"policy: [cap]\nexpect: ['nothing: shed == 0']", `x:2: expect "nothing: shed == 0": "nothing" is not among the policies`},
		{"expect:\n  - nothing: shed == 0", "x:2: expect[1]: want a text; quote one"},
		{"kinds: 5", "x:1: kinds: want a list"},
		{"kinds:\n  - name: a\n    every: 5", `x:3: kinds[1].every: "5": missing unit`},
		{"kinds:\n  - name: a\n    evry: 5s", "x:3: unknown key kinds[1].evry: did you mean every?"},
		{"kinds:\n  - every: 5s", "x:2: kinds[1].name: missing"},
		{"kinds:\n  - name: tick\n    every: 5s", `x:2: kinds[1].name: "tick" means something else`},
		{"kinds:\n  - {name: a, every: 5s}\n  - {name: a, every: 5s}", `x:3: kinds[2].name: "a" stands twice`},
		{"kinds:\n  - name: a", "x:2: kinds[1]: when does it run? give it after, at or every"},
		{"kinds:\n  - {name: a, after: 1s, at: 5%}", "kinds[1].at: after is given as well"},
		{"kinds:\n  - {name: a, after: 8s..1s}", `kinds[1].after: "8s..1s": the range is empty`},
		{"kinds:\n  - {name: a, every: -1s}", "kinds[1].every: -1s: want 0s"},
		{"kinds:\n  - {name: a, every: 1s, on: b}", `kinds[1].on: "b": want login, action, storm, or the name`},
		{"kinds:\n  - {name: a, every: 1s, on: action}", "kinds[1].every: periodic timers start with login"},
		{"kinds:\n  - {name: a, every: 1s, replace: true}", "kinds[1].replace: is for one-shots"},
		{"kinds:\n  - {name: a, every: 1s, cancel: 5%}", "kinds[1].cancel: is for one-shots"},
		{"kinds:\n  - {name: a, every: 1s, single: true}", "kinds[1].single: is for timers"},
		{"kinds:\n  - {name: a, every: 1s, again: true}", "kinds[1].again: means nothing with every"},
		{"kinds:\n  - {name: a, every: 1s, count: 0}", `kinds[1].count: "0": want 1 or more`},
		{"kinds:\n  - {name: a, every: 1s, count: 1001}", "kinds[1].count: 1001: want 1 to 1000"},
		{"kinds:\n  - {name: a, after: 1s, on: action, chance: 5%}", "kinds[1].chance: is for kinds that start"},
		{"kinds:\n  - {name: a, every: 1s, job: b}", `kinds[1].job: "b": no job has this name`},
		{"jobs:\n  - name: a", "x:2: jobs[1].length: missing"},
		{"jobs:\n  - {name: a, length: 1ms, rate: -1/s}", `jobs[1].rate: "-1/s": negative rate`},
		{"storms:\n  - {name: a, at: 40%, due: 20%}", "storms[1].due: 20%: want a moment from at (24s) to the end"},
		{"storms:\n  - {name: a, due: 90s}", "storms[1].due: 1m30s: want a moment"},
		{"storms:\n  - {name: a, over: 5s}", "storms[1].shape: over 5s"},
		{"storms:\n  - {do: logout, count: 5}", "storms[1].count: means nothing with do: logout"},
		{"storms:\n  - {do: start, name: a}", `storms[1].name: "a": want the name of a kind with on: storm`},
		{"storms:\n  - {do: explode}", `storms[1].do: "explode": want timers, start, login, logout or disconnect`},
		{"storms:\n  - {do: logout, at: 10%, every: 1ms}", "storms[1].every: 1ms: want 0s (once), or a tick"},
		{"storms:\n  - {do: login, count: 2000000}", "storms: 2000000 players log in with all storms"},
		{"storms:\n  - {name: a, due: 50%, count: 3000000}\n  - {name: b, due: 50%, count: 3000000}", "storms: 6000000 timers in all: want at most 4000000"},
		{"stalls:\n  - at: 5s", "x:2: stalls[1].do: missing"},
		{"stalls:\n  - do: gc", "x:2: stalls[1].for: missing"},
		{"stalls:\n  - {do: gc, for: -1s}", "stalls[1].for: -1s: want more than 0s"},
		{"stalls:\n  - {do: suspend, for: 5s, every: 5s}", "stalls[1].every: 5s: want more than the 5s of each"},
		{"stalls:\n  - {do: suspend, for: 5h}", "stalls[1].for: 5h0m0s: want at most 1h0m0s"},
		{"clock: real\nstalls:\n  - {do: clock-step, for: 5h}", "x:3: stalls[1].do: clock-step does not put the machine's clock forward"},
		{"speed: 50", `x:1: speed: "50": missing unit: write 100%`},
		{"speed: 50000%", "x:1: speed 50000%: want 1% to 10000%"},
		{"sessions: {returning: 5%}", "sessions.returning: nobody leaves"},
		{"players: 1000000\nkinds:\n  - {name: a, every: 1s, count: 1000}", "kinds: 1063001024 timers could be pending"},
		{strings.Repeat("#", MaxFile+1), "want at most"},
	} {
		_, err := ParsePlan("x", []byte(c.yaml))
		assert.ErrorContains(t, err, c.want, c.yaml[:min(len(c.yaml), 200)])
	}
}

// Everything that is wrong is told at once.
func TestAllThatIsWrong(t *testing.T) {
	_, err := ParsePlan("x", []byte("cap: -1\nplayers: -1\nstorm: -1\npolicy: foo"))
	for _, want := range []string{"x:1: cap", "x:2: -1 players", "x:3: a storm of -1", `x:4: unknown policy "foo"`} {
		assert.ErrorContains(t, err, want)
	}
}

// A value that was set is no longer the file's.
func TestSetWins(t *testing.T) {
	p, err := ParsePlan("x", []byte("cap: 5\npolicy: [cap]\n"))
	require.NoError(t, err)
	require.NoError(t, p.Set("cap", "7"))
	require.NoError(t, p.Set("policy", "nothing,cap"))
	g, err := p.Check()
	require.NoError(t, err)
	assert.Equal(t, []Policy{{Name: "nothing"}, {Name: "cap", Cap: 7}}, g.Policies)
	require.NoError(t, p.Set("cap", "-7"))
	_, err = p.Check()
	assert.EqualError(t, err, "sim: cap -7: want 0 (no limit) or more")
	assert.ErrorContains(t, p.Set("kinds", "x"), "no key that holds one value")
	assert.ErrorContains(t, p.Set("foo", "x"), "no key that holds one value")
	assert.ErrorContains(t, p.Set("cap", "x"), `sim: cap "x": want a whole number`)
}

// Presets of a day are too long for a test; the others run, smaller.
func TestPresetsRun(t *testing.T) {
	for _, name := range append(Presets(), template) {
		p, ok := Preset(name)
		if !ok {
			var err error
			p, err = ParsePlan(name, Template())
			require.NoError(t, err)
		}
		sc := p.Scenario
		sc.Players = min(sc.Players, 50)
		sc.Storm = min(sc.Storm, 500)
		if name == "steady" {
			sc.Duration = 10 * time.Minute
		}
		for i := range sc.Storms {
			sc.Storms[i].Count = min(sc.Storms[i].Count, 200)
		}
		g, err := p.Check()
		require.NoError(t, err)
		for _, pol := range g.Policies {
			a := play(t, sc, pol, Options{Seed: 3})
			b := play(t, sc, pol, Options{Seed: 3})
			what := fmt.Sprint(name, " ", pol.Name)
			assert.Equal(t, a.Trace, b.Trace, what)
			assert.Positive(t, a.Stats.Fired, what)
			assert.Zero(t, a.Stats.Panics, what)
		}
	}
}

// Ten thousand storms at once are a scenario like others.
func TestTenThousandStorms(t *testing.T) {
	sc := storm(0)
	sc.Storms = nil
	for range 10_000 {
		sc.Storms = append(sc.Storms, Storm{Name: "respawn", At: Moment{Percent: 10}, Due: Moment{Percent: 50}, Count: 5, Cost: Dist{Lo: time.Microsecond}})
	}
	r := play(t, sc, policy(t, "nothing"), Options{})
	assert.Equal(t, uint64(50_000), r.Stats.Fired)
	assert.Len(t, sc.Marks(), maxMarks)
	assert.Contains(t, sc.Told(), "and 9995 more")
}

func TestClockStepsNeedTheVirtualClock(t *testing.T) {
	sc := storm(1)
	sc.Stalls = []Stall{{Do: StallClock, For: time.Hour}}
	_, err := Run(context.Background(), sc, policy(t, "nothing"), Options{Real: true})
	assert.ErrorContains(t, err, "stalls[1].do: clock-step does not put")
}
