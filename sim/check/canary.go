package check

import (
	"fmt"
	"strconv"
	"strings"
)

// The planted bugs. They sit in the calls that the world makes, never in
// production code: what reaches the loop is not what the oracle is told, or the
// other way round. Each stands for a kind of error that a wheel or a loop can have.
const (
	bugNone = iota
	bugEarly
	bugPullIn
	bugLogout
	bugOrder
	bugDouble
	bugStale
	bugCap
	bugBacklog
	bugDone
	bugShed
	bugLane
	bugResume
	bugInherit
	bugKeyed
	bugInbox
	bugMissed
	bugDrift
	bugPanic
	bugToldTwice
	bugKeyOrder
	bugSnapshot
	bugReset
	bugGuard
	bugDilate
	bugFull
	bugScopes
	bugTimeout
	bugOverlap
	bugInput
	bugCall
	bugDead
	bugBreak
	bugHorizon
	bugShares
	bugHook
	bugs
)

// Canary is a planted bug.
type Canary struct {
	Number     int
	Name, What string
}

var canaries = [bugs]Canary{
	{bugNone, "none", ""},
	{bugEarly, "early", "some timers fire a tick before their time"},
	{bugPullIn, "lost-pull-in", "timers from beyond the inner ring are lost when they come within reach"},
	{bugLogout, "after-logout", "some timers of a session are not cancelled by its logout"},
	{bugOrder, "order", "two timers of one tick and lane change places"},
	{bugDouble, "double", "some timers fire twice"},
	{bugStale, "stale-handle", "stopping a timer that is over stops another one"},
	{bugCap, "cap", "the cap lets one callback more through"},
	{bugBacklog, "backlog-lost", "some timers that were carried are forgotten"},
	{bugDone, "done-after-death", "the result of a job reaches a session that has ended"},
	{bugShed, "shed-uncounted", "wall time is given up and not counted"},
	{bugLane, "lane", "urgent timers wait in the normal lane"},
	{bugResume, "resume-order", "a resume changes the order of timers"},
	{bugInherit, "takeover", "the end of an old connection detaches the session that replaced its own"},
	{bugKeyed, "two-chains", "a keyed timer does not replace the one before"},
	{bugInbox, "inbox", "a post that finds the inbox full is dropped without an error"},
	{bugMissed, "missed", "runs that a periodic timer missed are not counted"},
	{bugDrift, "drift", "periods are rounded to whole ticks"},
	{bugPanic, "panic", "a panic costs the next timer of the tick its run"},
	{bugToldTwice, "told-twice", "the end of a session is told twice"},
	{bugKeyOrder, "key-order", "jobs of one key run side by side"},
	{bugSnapshot, "snapshot", "a snapshot forgets paused timers"},
	{bugReset, "reset", "a reset moves a timer to a tick too late"},
	{bugGuard, "guard", "the time guard does not look at the clock"},
	{bugDilate, "dilation", "a loop that is to slow down while ticks are too long does not"},
	{bugFull, "full", "one timer more may be pending than the limit"},
	{bugScopes, "scopes", "one scope more may have timers than the limit"},
	{bugTimeout, "timeout", "the timeouts of jobs are forgotten"},
	{bugOverlap, "overlap", "one run more of a periodic job is under way than was agreed"},
	{bugInput, "input", "some inputs reach no handler"},
	{bugCall, "call", "the function of a call that was given up runs"},
	{bugDead, "dead", "timers of a group that has ended fire until it is released"},
	{bugBreak, "break", "callbacks go on after the end of an advance was asked for"},
	{bugHorizon, "horizon", "a deadline beyond the horizon is cut to it instead of refused"},
	{bugShares, "shares", "the lower lanes have each other's share of the budget"},
	{bugHook, "hook", "a hook that panics costs the next one its call"},
}

// Canaries returns the planted bugs there are.
func Canaries() []Canary { return canaries[1:] }

// ParseCanary returns the planted bugs that text, a number, a name or "all", names.
func ParseCanary(text string) ([]Canary, error) {
	if text == "all" {
		return Canaries(), nil
	}
	var names []string
	for _, c := range Canaries() {
		if text == c.Name || text == strconv.Itoa(c.Number) {
			return []Canary{c}, nil
		}
		names = append(names, c.Name)
	}
	return nil, fmt.Errorf("check: canary %q: want all, a number from 1 to %d, or one of %s", text, bugs-1, strings.Join(names, ", "))
}

// bug reports whether the planted bug is n.
func (w *world) bug(n int) bool { return w.canary == n }

// bugged is the budget that the loop is given for b.
func (w *world) bugged(b int) int {
	if b > 0 && w.bug(bugCap) {
		return b + 1
	}
	return b
}
