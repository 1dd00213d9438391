package report

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/tickwheel/tickwheel/sim"
	"github.com/tickwheel/tickwheel/tick"
)

// loopNames are words for the loop's own kinds, which stand in the raw files.
var loopNames = map[string]string{
	"loop/post": "posted calls", "loop/input": "inputs", "loop/call": "calls", "loop/flush": "sending",
	"loop/stop": "stopping", "loop/close": "logouts", "loop/observer": "measuring", "loop/executor": "results of jobs",
	"slow-callback": "slow callback",
}

// systemNames are the systems of a simulated server, in the order in which it adds
// them.
var systemNames = []string{"sessions", "movement", agendaName, "network"}

// agendaName is the system in which what the scenario says of storms and stalls is
// done: by itself it says little, see SlowTick.What.
const agendaName = "storms and stalls"

// kindName is a word for a kind as it is in the raw files.
func kindName(kind string, real bool) string {
	if name := loopNames[kind]; name != "" {
		return name
	}
	number, isSystem := strings.CutPrefix(kind, "loop/system/")
	if !isSystem {
		return kind
	}
	n := 0
	if _, err := fmt.Sscanf(number, "%d", &n); err != nil {
		return kind
	}
	if real { // the first one takes the time
		n--
	}
	switch {
	case n == 0:
		return "measuring"
	case n > 0 && n <= len(systemNames):
		return systemNames[n-1]
	}
	return "system " + number
}

// stallNames are what a stall is called in a sentence.
var stallNames = map[string]string{
	sim.StallGC: "GC pause", sim.StallCallback: "slow callback", sim.StallSuspend: "suspend", sim.StallClock: "clock step",
}

// readPlan reads the scenario as it was played and the policy it is about. A
// folder without one, or with one of another version, is still a folder of
// results: what is not known is not said.
func (f *Folder) readPlan() {
	f.Subject = f.Summary.Subject
	name := filepath.Join(f.Dir, "scenario.yaml")
	if _, err := os.Stat(name); err != nil {
		return
	}
	f.Plan = true
	text, err := os.ReadFile(name)
	if err != nil {
		return
	}
	p, err := sim.ParsePlan(name, text)
	if err != nil {
		return
	}
	f.scenario = &p.Scenario
	if p.Subject != "" {
		f.Subject = p.Subject
	}
}

// nameSlow says of the longest ticks which stall or storm began in them.
func (r *Run) nameSlow() {
	for i := range r.Slow {
		s := &r.Slow[i]
		for k := range s.Kinds {
			s.Kinds[k].Kind = kindName(s.Kinds[k].Kind, r.Folder.Meta.Clock == "real")
		}
		if sc := r.Folder.scenario; sc != nil && r.Names[s.Slowest] == agendaName {
			s.What = whatBegan(sc, &s.Tick)
		}
	}
}

// whatBegan is the stall, or else the storm, that came in the systems of t.
func whatBegan(sc *sim.Scenario, t *Tick) string {
	from := t.Start - time.Duration(t.Shed+1)*sc.Interval
	to := t.Start + t.StartLate + t.Phase[tick.PhaseInbox] + t.Phase[tick.PhaseTimers] + t.Phase[tick.PhaseSystems]
	came := func(at sim.Moment, every time.Duration) bool {
		first := at.Of(sc.Duration)
		if every > 0 && to > first {
			first += (to - first) / every * every // the last time by the end of it
		}
		return first > from && first <= to
	}
	for _, s := range sc.Stalls {
		if s.Do != sim.StallClock && came(s.At, s.Every) {
			return stallNames[s.Do]
		}
	}
	for _, s := range sc.Storms {
		if !came(s.At, s.Every) {
			continue
		}
		switch {
		case s.Do == sim.StormLogin || s.Do == sim.StormLogout || s.Do == sim.StormDisconnect:
			return "mass " + s.Do
		case s.Name != "":
			return "start of " + s.Name
		}
	}
	return ""
}
