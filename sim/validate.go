package sim

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"
)

// problem is something wrong with a value, and where that stands.
type problem struct{ path, text string }

func (p problem) err() error { return errors.New("sim: " + p.text) }

// problems collects what is wrong.
type problems []problem

// want notes a problem unless ok. The text begins with the path.
func (ps *problems) want(ok bool, path, format string, args ...any) {
	if !ok {
		*ps = append(*ps, problem{path, path + ": " + fmt.Sprintf(format, args...)})
	}
}

// top is want for a key at the top, whose text names it in its own way.
func (ps *problems) top(ok bool, path, format string, args ...any) {
	if !ok {
		*ps = append(*ps, problem{path, fmt.Sprintf(format, args...)})
	}
}

// Limits of what a scenario may have.
const (
	maxPlayers = 1_000_000
	maxStorm   = 4_000_000
	maxLimit   = 1 << 26 // what a loop can hold
	maxStall   = time.Hour
	maxActions = 1_000     // of a player in a second
	maxCost    = time.Hour // of one callback, and of what each tick does
)

// Validate returns everything that is wrong with s.
func (s Scenario) Validate() error {
	var errs []error
	for _, p := range s.problems() {
		errs = append(errs, p.err())
	}
	return errors.Join(errs...)
}

func (s Scenario) problems() problems {
	var ps problems
	ps.top(printable(s.Name), "name", "name %q: want letters, digits and signs that can be shown", s.Name)
	ps.top(s.Interval >= time.Millisecond && s.Interval <= 10*time.Second, "interval",
		"interval %v: want 1ms to 10s", s.Interval)
	ps.top(s.Duration > 0 && s.Duration >= s.Interval, "duration",
		"duration %v: want at least one tick of %v", s.Duration, s.Interval)
	ps.top(s.Interval <= 0 || s.Duration/s.Interval <= maxTicks, "duration",
		"duration %v: want at most %d ticks of %v: take a longer interval or a shorter run", s.Duration, maxTicks, s.Interval)
	ps.top(s.Players >= 0 && s.Players <= maxPlayers, "players", "%d players: want 0 to %d", s.Players, maxPlayers)
	ps.top(s.Storm >= 0 && s.Storm <= maxStorm, "storm", "a storm of %d: want 0 to %d", s.Storm, maxStorm)
	ps.top(s.Speed >= 0 && s.Speed <= 10_000, "speed", "speed %d%%: want 1%% to 10000%%", s.Speed)
	ps.want(s.Actions.upTo(1, time.Second) <= maxActions, "actions", "%v: want at most %d/s", s.Actions, maxActions)
	ps.want(s.Sessions.Idle >= 0, "sessions.idle", "%v: want 0s (for ever) or more", s.Sessions.Idle)
	ps.want(s.Sessions.Returning == 0 || s.Sessions.Length != (Dist{}), "sessions.returning",
		"nobody leaves: give sessions a length, or leave it out")
	s.checkLosses(&ps)
	if len(ps) > 0 {
		return ps // the rest is measured by these
	}
	s.checkKinds(&ps)
	s.checkJobs(&ps)
	s.checkStorms(&ps)
	s.checkStalls(&ps)
	s.checkCosts(&ps)
	if len(ps) == 0 {
		ps.top(s.everybody() <= maxPlayers, "storms", "storms: %d players log in with all storms: want at most %d", s.everybody(), maxPlayers)
		ps.top(timersOf(s) <= maxLimit, "kinds", "kinds: %d timers could be pending: want at most %d: take fewer players or smaller counts", timersOf(s), maxLimit)
	}
	return ps
}

// taken are names that the world uses itself.
var taken = []string{
	"tick", "movement", "input", "login", "logout", "kill", "saved", "moved", "phase",
	"player", "server", "action", "storm", "slow-callback",
}

// printable tells whether a terminal shows s as it is: a control character could
// make it show, or do, something else.
func printable(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsPrint(r) })
}

// checkName wants a name that nothing else has.
func checkName(ps *problems, path, name string, others map[string]bool) {
	ps.want(name != "", path+".name", "missing: give it a name")
	ps.want(len(name) <= 64, path+".name", "%d bytes long: want at most 64", len(name))
	ps.want(printable(name), path+".name", "%q: want letters, digits and signs that can be shown", name)
	ps.want(!slices.Contains(taken, name), path+".name", "%q means something else here: take another name", name)
	ps.want(!others[name], path+".name", "%q stands twice: take another name", name)
	others[name] = true
}

func (s Scenario) checkKinds(ps *problems) {
	names := map[string]bool{}
	for i, k := range s.Kinds {
		at := fmt.Sprintf("kinds[%d]", i+1)
		server := k.Owner == "server"
		starts := k.On != "" && k.On != "login"
		if starts && !names[k.On] && k.On != "action" && k.On != "storm" {
			ps.want(false, at+".on", "%q: want login, action, storm, or the name of a kind above", k.On)
		}
		checkName(ps, at, k.Name, names)
		ps.want(!server || k.On == "", at+".on", "timers of the server start with the run: leave it out")
		most := 1_000
		if server {
			most = maxPlayers
		}
		ps.want(k.Count >= 0 && k.Count <= most, at+".count", "%d: want 1 to %d", k.Count, most)
		ps.want(k.Every >= 0 && k.Every <= maxLength, at+".every", "%v: want 0s (once) to %v", k.Every, maxLength)
		ps.want(k.After != (Dist{}) || k.At != (Moment{}) || k.Every != 0, at, "when does it run? give it after, at or every")
		ps.want(k.After == (Dist{}) || k.At == (Moment{}), at+".at", "after is given as well: leave one out")
		ps.want(!k.Again || (k.Every == 0 && k.At == (Moment{}) && k.Cancel == 0), at+".again", "means nothing with every, at or cancel: leave one out")
		ps.want(k.Every == 0 || !starts || k.On == "storm", at+".every", "periodic timers start with login, a storm or the server: leave out on, or take again instead")
		oneShot := starts && k.Every == 0
		ps.want(!k.Single || (oneShot && !k.Replace && k.At == (Moment{})), at+".single", "is for timers with after that an action, a storm or a kind starts, and not with replace: leave it out")
		ps.want(!k.Replace || oneShot, at+".replace", "is for one-shots that an action, a storm or a kind starts: leave it out")
		ps.want(k.Cancel == 0 || (oneShot && !k.Replace), at+".cancel", "is for one-shots that an action, a storm or a kind starts, and not with replace: leave it out")
		ps.want(k.Chance == 0 || k.On == "" || names[k.On] || k.On == "login", at+".chance", "is for kinds that start with a login or with another kind: leave it out")
		s.checkJob(ps, at, k.Job)
	}
}

func (s Scenario) checkJob(ps *problems, at, name string) {
	known := name == ""
	for _, j := range s.Jobs {
		known = known || j.Name == name
	}
	ps.want(known, at+".job", "%q: no job has this name: add it to jobs", name)
}

func (s Scenario) checkJobs(ps *problems) {
	names := map[string]bool{}
	for _, k := range s.Kinds {
		names[k.Name] = true
	}
	for i, j := range s.Jobs {
		at := fmt.Sprintf("jobs[%d]", i+1)
		checkName(ps, at, j.Name, names)
		ps.want(j.Length != (Dist{}), at+".length", "missing: how long does it block? write 2ms heavy, say")
		ps.want(j.Timeout >= 0, at+".timeout", "%v: want 0s (none) or more", j.Timeout)
	}
}

// given notes a problem for each key that means nothing for what a storm does.
func given(ps *problems, at, do string, keys map[string]bool) {
	names := make([]string, 0, len(keys))
	for k, set := range keys {
		if set {
			names = append(names, k)
		}
	}
	slices.Sort(names)
	for _, k := range names {
		ps.want(false, at+"."+k, "means nothing with do: %s: leave it out", do)
	}
}

// checkCosts wants costs of which a tick comes to an end.
func (s Scenario) checkCosts(ps *problems) {
	slowness := 100 / float64(cmp.Or(s.Speed, 100))
	hours := func(d Dist) float64 { return float64(d.longest()) * slowness / float64(maxCost) }
	one := func(path string, d Dist) {
		ps.want(hours(d) <= 1, path, "%v: want at most %v at the speed of the machine, with its spread", d, maxCost)
	}
	one("costs.tick", s.Costs.Tick)
	one("costs.input", s.Costs.Input)
	one("costs.login", s.Costs.Login)
	one("costs.logout", s.Costs.Logout)
	n := s.everybody()
	ps.want(hours(s.Costs.Movement)*float64(n) <= 1, "costs.movement",
		"%v for each of %d players: want at most %v a tick for all: take a lower cost or fewer players", s.Costs.Movement, n, maxCost)
	for i, k := range s.Kinds {
		one(fmt.Sprintf("kinds[%d].cost", i+1), k.Cost)
	}
	for i, j := range s.Jobs {
		one(fmt.Sprintf("jobs[%d].result", i+1), j.Result)
	}
	for i, st := range s.Storms {
		one(fmt.Sprintf("storms[%d].cost", i+1), st.Cost)
		one(fmt.Sprintf("storms[%d].arm", i+1), st.Arm)
	}
}

func (s Scenario) checkStorms(ps *problems) {
	total := 0
	for i, st := range s.Storms {
		at := fmt.Sprintf("storms[%d]", i+1)
		s.checkMoment(ps, at, st.At, st.Every)
		ps.want(st.Count >= 0 && st.Count <= maxStorm, at+".count", "%d: want 1 to %d", st.Count, maxStorm)
		ps.want(st.Over >= 0 && st.Over <= maxLength, at+".over", "%v: want 0s to %v", st.Over, maxLength)
		spread := st.Shape == "even" || st.Shape == "random"
		ps.want(spread == (st.Over > 0), at+".shape", "over %v and shape %q: shape even or random needs over, and over one of them", st.Over, st.Shape)
		timers := map[string]bool{"due": st.Due != Moment{}, "lane": st.Lane != 0, "cost": st.Cost != Dist{}, "arm": st.Arm != Dist{}, "job": st.Job != "", "due-mark": st.DueMark != ""}
		switch st.Do {
		case StormStart:
			timers["count"], timers["shape"], timers["over"] = st.Count > 0, st.Shape != "", st.Over > 0
			given(ps, at, st.Do, timers)
			ok := slices.ContainsFunc(s.Kinds, func(k Kind) bool { return k.Name == st.Name && k.On == "storm" })
			ps.want(ok, at+".name", "%q: want the name of a kind with on: storm", st.Name)
		case StormLogin:
			timers["name"] = st.Name != ""
			given(ps, at, st.Do, timers)
		case StormLogout, StormDisconnect:
			timers["name"], timers["count"], timers["shape"], timers["over"] = st.Name != "", st.Count > 0, st.Shape != "", st.Over > 0
			given(ps, at, st.Do, timers)
		default:
			checkName(ps, at, st.Name, map[string]bool{})
			due := st.Due.Of(s.Duration)
			ps.want(st.Due != (Moment{}) || st.At.Of(s.Duration) == 0, at+".due", "missing: when do they run? write a part of the run, such as 60%%")
			ps.want(st.Due == (Moment{}) || due >= st.At.Of(s.Duration) && due <= s.Duration, at+".due", "%v: want a moment from at (%v) to the end (%v): write a part of the run, such as 60%%", st.Due, st.At.Of(s.Duration), s.Duration)
			s.checkJob(ps, at, st.Job)
			total += s.count(st)
		}
	}
	ps.top(total <= maxStorm, "storms", "storms: %d timers in all: want at most %d: take smaller counts", total, maxStorm)
}

func (s Scenario) checkMoment(ps *problems, at string, m Moment, every time.Duration) {
	ps.want(m.Of(s.Duration) <= s.Duration, at+".at", "%v: the run ends at %v: write a part of the run, such as 60%%", m, s.Duration)
	ps.want(every == 0 || every >= s.Interval && every <= maxLength, at+".every", "%v: want 0s (once), or a tick of %v or more", every, s.Interval)
}

func (s Scenario) checkStalls(ps *problems) {
	for i, st := range s.Stalls {
		at := fmt.Sprintf("stalls[%d]", i+1)
		ps.want(st.Do != "", at+".do", "missing: want gc, callback, clock-step or suspend")
		s.checkMoment(ps, at, st.At, st.Every)
		ps.want(st.For != 0, at+".for", "missing: how long? write 80ms, say")
		ps.want(st.For >= 0 || st.Do == StallClock, at+".for", "%v: want more than 0s", st.For)
		most := maxStall
		if st.Do == StallClock {
			most = maxLength
		}
		ps.want(st.For <= most && st.For >= -most, at+".for", "%v: want at most %v", st.For, most)
		ps.want(st.Every == 0 || st.Do == StallClock || st.Every > st.For, at+".every", "%v: want more than the %v of each", st.Every, st.For)
	}
}

// onlyVirtual says which stalls the machine's own clock can't do.
func (s Scenario) onlyVirtual() problems {
	var ps problems
	for i, st := range s.Stalls {
		ps.want(st.Do != StallClock, fmt.Sprintf("stalls[%d].do", i+1), "clock-step does not put the machine's clock forward: take --clock virtual")
	}
	return ps
}

// timersOf is how many timers can be pending unless they pile up.
func timersOf(s Scenario) int {
	each, n := 64, 1024
	for _, k := range s.Kinds {
		if k.Owner == "server" {
			n += max(k.Count, 1)
		} else {
			each += max(k.Count, 1) - 1
		}
	}
	for _, st := range s.Storms {
		if st.Do == "" || st.Do == StormTimers {
			// Of a storm that is repeated, those overlap that wait for their time.
			wait := st.Due.Of(s.Duration) - st.At.Of(s.Duration) + st.Over
			rounds := s.times(st.At, st.Every)
			if st.Every > 0 {
				rounds = min(rounds, 2+int(wait/st.Every))
			}
			n += s.count(st) * rounds
		}
	}
	return n + min(each, 1<<20)*s.everybody()
}

// limitOf is the limit of the loop.
func limitOf(s Scenario) int { return min(timersOf(s), maxLimit) }
