package sim

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Mark is a moment of a scenario that a picture shows.
type Mark struct {
	At    time.Duration
	Label string
}

// maxMarks is how many fit into a picture, maxTold into a line.
const maxMarks, maxTold = 12, 5

// Marks are the moments at which storms and stalls first come, in the order of
// the scenario, at most twelve.
func (s Scenario) Marks() []Mark {
	ms := []Mark{}
	add := func(at Moment, label string) {
		if len(ms) < maxMarks {
			ms = append(ms, Mark{at.Of(s.Duration), label})
		}
	}
	for _, st := range s.Storms {
		if s.empty(st) {
			continue
		}
		switch {
		case st.Mark != "":
			add(st.At, st.Mark)
		case st.Do == StormLogin || st.Do == StormLogout || st.Do == StormDisconnect:
			add(st.At, "mass "+st.Do)
		default:
			add(st.At, st.Name)
		}
		if st.DueMark != "" {
			add(st.Due, st.DueMark)
		}
	}
	for _, st := range s.Stalls {
		add(st.At, st.Do)
	}
	return ms
}

// Peak is when the first storm of timers is due, and whether there is one: what
// is worth a close-up.
func (s Scenario) Peak() (time.Duration, bool) {
	for _, st := range s.Storms {
		if (st.Do == "" || st.Do == StormTimers) && !s.empty(st) {
			return st.Due.Of(s.Duration), true
		}
	}
	return 0, false
}

// Told says of each storm and stall what happens, at most five.
func (s Scenario) Told() []string {
	var told []string
	more := 0
	add := func(text string) {
		if len(told) == maxTold {
			more++
			return
		}
		told = append(told, text)
	}
	for _, st := range s.Storms {
		if !s.empty(st) {
			add(s.tell(st))
		}
	}
	for _, st := range s.Stalls {
		text := fmt.Sprintf("%s of %v at %s", st.Do, st.For, seconds(st.At.Of(s.Duration)))
		if st.Every > 0 {
			text += fmt.Sprintf(" and every %s from then on", seconds(st.Every))
		}
		add(text)
	}
	if more > 0 {
		told = append(told, fmt.Sprintf("and %d more", more))
	}
	return told
}

func (s Scenario) tell(st Storm) string {
	text := st.Text
	if text == "" {
		text = map[string]string{
			StormStart:      st.Name + " for all at {at}",
			StormLogin:      "{count} players log in at {at}",
			StormLogout:     "mass logout at {at}",
			StormDisconnect: "everybody's connection is lost at {at}",
		}[st.Do]
	}
	if text == "" {
		text = "{count} × " + st.Name + " at {due}"
	}
	return strings.NewReplacer(
		"{count}", thousands(s.count(st)),
		"{at}", seconds(st.At.Of(s.Duration)),
		"{due}", seconds(st.Due.Of(s.Duration)),
	).Replace(text)
}

// empty tells whether a storm is of nothing or of nobody.
func (s Scenario) empty(st Storm) bool {
	switch st.Do {
	case StormStart, StormLogout, StormDisconnect:
		return s.everybody() == 0
	}
	return s.count(st) == 0
}

// seconds writes d in seconds, to the millisecond.
func seconds(d time.Duration) string {
	return strconv.FormatFloat(float64(d.Milliseconds())/1000, 'f', -1, 64) + " s"
}

// thousands writes n with a comma for every three digits.
func thousands(n int) string {
	t := strconv.Itoa(n)
	for i := len(t) - 3; i > 0; i -= 3 {
		t = t[:i] + "," + t[i:]
	}
	return t
}
