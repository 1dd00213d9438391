package oracle

import "fmt"

// Rule is one point of what is always true.
type Rule string

// The rules, by what breaks when one does not hold.
const (
	Early       Rule = "never early"
	Once        Rule = "exactly once, or stopped"
	Lost        Rule = "nothing is lost"
	Order       Rule = "deadline, then scheduling order"
	Lanes       Rule = "lanes get their turn and their share"
	Cap         Rule = "the cap holds"
	Guard       Rule = "the time guard cuts when it must, and what it cuts is carried"
	Dilation    Rule = "game time slows down while ticks are too long, in steps, to the floor"
	Carried     Rule = "carried timers are first in line, with their lateness"
	Periods     Rule = "periods keep their grid"
	Paused      Rule = "pause freezes, resume keeps the order"
	Handles     Rule = "stale handles touch nothing"
	Refusals    Rule = "honoured, or refused with an error"
	Counts      Rule = "counts are exact"
	Cascade     Rule = "no tick moves many timers"
	Whole       Rule = "whole after panic and Goexit"
	Snapshots   Rule = "a snapshot holds everything"
	Pace        Rule = "tick n starts at start + n*interval + shed"
	ShedCounted Rule = "wall time given up is counted"
	InboxRule   Rule = "the inbox is bounded, in order, and loses nothing"
	Phases      Rule = "hooks run each tick, once, in order"
	Told        Rule = "whoever asks is told what is"
	AfterEnd    Rule = "nothing of a scope runs after its end"
	Inherit     Rule = "a login inherits nothing"
	Hooks       Rule = "every end is told, once, with its reason"
	JobOwner    Rule = "a job of a dead owner never reaches the game"
	JobOrder    Rule = "jobs of a key run one at a time, in order"
	JobTime     Rule = "a job has its time, and no more"
	Overlaps    Rule = "runs of a periodic job overlap as agreed"
	JobOnce     Rule = "every job comes to its end, once"
	Stopped     Rule = "nothing runs after Stop"
	Repeats     Rule = "same seed, same run"
	Returns     Rule = "every call returns"
	Drains      Rule = "a healthy phase drains the backlog"
)

// Broken is a rule that did not hold.
type Broken struct {
	Rule Rule
	What string
}

// Error returns what happened and the rule.
func (b *Broken) Error() string { return fmt.Sprintf("%s (rule: %s)", b.What, b.Rule) }

func broken(r Rule, format string, args ...any) error {
	return &Broken{r, fmt.Sprintf(format, args...)}
}
