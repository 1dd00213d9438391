package sim

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/tickwheel/tickwheel/tick"
)

// value is what a key of a scenario holds. It is also a flag.Value.
type value interface {
	// Set reads a text. Its error says what to write instead.
	Set(string) error
	// String writes the value as Set reads it. "" means unset: it is left out.
	String() string
}

// field is a key of a scenario and where its value goes: one of a scalar, a
// mapping, a list of words or a list of mappings.
type field struct {
	key   string
	value value
	sub   []field
	words *[]string
	list  *elements
}

// elements is a list of mappings.
type elements struct {
	len  func() int
	add  func() // appends a zero element
	keys func(i int) []field
}

func listOf[T any](s *[]T, keys func(*T) []field) *elements {
	return &elements{
		len:  func() int { return len(*s) },
		add:  func() { *s = append(*s, *new(T)) },
		keys: func(i int) []field { return keys(&(*s)[i]) },
	}
}

// keys returns the keys of a plan, in the order they are written.
func (p *Plan) keys() []field {
	s := &p.Scenario
	return []field{
		{key: "name", value: (*text)(&s.Name)},
		{key: "about", value: (*text)(&s.About)},
		{key: "interval", value: (*length)(&s.Interval)},
		{key: "duration", value: (*length)(&s.Duration)},
		{key: "players", value: number{&s.Players, true}},
		{key: "storm", value: number{&s.Storm, true}},
		{key: "speed", value: percent{&s.Speed}},
		{key: "seed", value: (*seed)(&p.Seed)},
		{key: "clock", value: &word{&p.Clock, "virtual real"}},
		{key: "policy", words: &p.Policies},
		{key: "jitter", value: spelled{&p.Knobs.Jitter}},
		{key: "cap", value: number{&p.Knobs.Cap, true}},
		{key: "workers", value: number{&p.Knobs.Workers, true}},
		{key: "arrivals", sub: []field{
			{key: "process", value: &word{&s.Arrivals.Process, "even poisson"}},
			{key: "over", value: &s.Arrivals.Over},
			{key: "limit", value: &s.Arrivals.Limit},
		}},
		{key: "sessions", sub: []field{
			{key: "length", value: &s.Sessions.Length},
			{key: "returning", value: &s.Sessions.Returning},
			{key: "pause", value: &s.Sessions.Pause},
			{key: "lost", value: &s.Sessions.Lost},
			{key: "grace", value: (*length)(&s.Sessions.Grace)},
			{key: "grace-runs", value: (*yes)(&s.Sessions.GraceRuns)},
			{key: "reconnecting", value: &s.Sessions.Reconnecting},
			{key: "gap", value: &s.Sessions.Gap},
			{key: "idle", value: (*length)(&s.Sessions.Idle)},
			{key: "release", value: &s.Sessions.Release},
		}},
		{key: "actions", value: &s.Actions},
		{key: "costs", sub: []field{
			{key: "tick", value: &s.Costs.Tick},
			{key: "movement", value: &s.Costs.Movement},
			{key: "input", value: &s.Costs.Input},
			{key: "login", value: &s.Costs.Login},
			{key: "logout", value: &s.Costs.Logout},
		}},
		{key: "kinds", list: listOf(&s.Kinds, (*Kind).keys)},
		{key: "jobs", list: listOf(&s.Jobs, (*Job).keys)},
		{key: "storms", list: listOf(&s.Storms, (*Storm).keys)},
		{key: "stalls", list: listOf(&s.Stalls, (*Stall).keys)},
		{key: "subject", value: (*text)(&p.Subject)},
		{key: "expect", words: &p.Expect},
	}
}

func (k *Kind) keys() []field {
	return []field{
		{key: "name", value: (*text)(&k.Name)},
		{key: "owner", value: &word{&k.Owner, "player server"}},
		{key: "on", value: (*text)(&k.On)},
		{key: "lane", value: (*lane)(&k.Lane)},
		{key: "count", value: number{&k.Count, false}},
		{key: "after", value: &k.After},
		{key: "at", value: &k.At},
		{key: "every", value: (*length)(&k.Every)},
		{key: "again", value: (*yes)(&k.Again)},
		{key: "chance", value: (*chance)(&k.Chance)},
		{key: "single", value: (*yes)(&k.Single)},
		{key: "replace", value: (*yes)(&k.Replace)},
		{key: "cancel", value: &k.Cancel},
		{key: "cost", value: &k.Cost},
		{key: "job", value: (*text)(&k.Job)},
	}
}

func (j *Job) keys() []field {
	return []field{
		{key: "name", value: (*text)(&j.Name)},
		{key: "length", value: &j.Length},
		{key: "result", value: &j.Result},
		{key: "timeout", value: (*length)(&j.Timeout)},
		{key: "fails", value: &j.Fails},
		{key: "logout", value: (*yes)(&j.Logout)},
		{key: "rate", value: &j.Rate},
	}
}

func (s *Storm) keys() []field {
	return []field{
		{key: "do", value: &word{&s.Do, "timers start login logout disconnect"}},
		{key: "name", value: (*text)(&s.Name)},
		{key: "at", value: &s.At},
		{key: "every", value: (*length)(&s.Every)},
		{key: "count", value: number{&s.Count, false}},
		{key: "due", value: &s.Due},
		{key: "shape", value: &word{&s.Shape, "same even random"}},
		{key: "over", value: (*length)(&s.Over)},
		{key: "lane", value: (*lane)(&s.Lane)},
		{key: "cost", value: &s.Cost},
		{key: "arm", value: &s.Arm},
		{key: "job", value: (*text)(&s.Job)},
		{key: "mark", value: (*text)(&s.Mark)},
		{key: "due-mark", value: (*text)(&s.DueMark)},
		{key: "text", value: (*text)(&s.Text)},
	}
}

func (s *Stall) keys() []field {
	return []field{
		{key: "do", value: &word{&s.Do, "gc callback clock-step suspend"}},
		{key: "at", value: &s.At},
		{key: "every", value: (*length)(&s.Every)},
		{key: "for", value: (*length)(&s.For)},
	}
}

type text string

func (t *text) Set(s string) error { *t = text(s); return nil }
func (t *text) String() string     { return string(*t) }

// length is a time with its sign; whether that may be is judged later.
type length time.Duration

func (l *length) Set(s string) error {
	d, err := time.ParseDuration(s)
	if err == nil {
		*l = length(d)
	}
	return LengthError(err)
}

func (l *length) String() string {
	if *l == 0 {
		return ""
	}
	return time.Duration(*l).String()
}

// spelled is a length that is written also when it is 0.
type spelled struct{ d *time.Duration }

func (s spelled) Set(t string) error { return (*length)(s.d).Set(t) }
func (s spelled) String() string     { return s.d.String() }

// number is a whole one. zero tells whether 0 may be written.
type number struct {
	n    *int
	zero bool
}

func (n number) Set(s string) error {
	v, err := strconv.Atoi(s)
	if errors.Is(err, strconv.ErrRange) {
		return errors.New("out of range: want a smaller number")
	}
	if err != nil {
		return errors.New("want a whole number without unit")
	}
	if v == 0 && !n.zero {
		return errors.New("want 1 or more, or leave the key out")
	}
	*n.n = v
	return nil
}

func (n number) String() string {
	if *n.n == 0 && !n.zero {
		return ""
	}
	return strconv.Itoa(*n.n)
}

type percent struct{ n *int }

func (p percent) Set(s string) error {
	t, found := strings.CutSuffix(s, "%")
	if !found {
		return errors.New("missing unit: write 100% for the machine that costs are for, 50% for half its speed")
	}
	v, err := strconv.Atoi(t)
	if err != nil || v == 0 {
		return errors.New("want whole per cent, more than 0%")
	}
	*p.n = v
	return nil
}

func (p percent) String() string {
	if *p.n == 0 {
		return ""
	}
	return strconv.Itoa(*p.n) + "%"
}

type seed uint64

func (x *seed) Set(s string) error {
	v, err := strconv.ParseUint(s, 10, 64)
	if err != nil {
		return errors.New("want a whole number of 64 bits, 0 or more")
	}
	*x = seed(v)
	return nil
}

func (x *seed) String() string { return strconv.FormatUint(uint64(*x), 10) }

type yes bool

func (y *yes) Set(s string) error {
	switch s {
	case "true":
		*y = true
	case "false":
		*y = false
	default:
		return errors.New("want true or false")
	}
	return nil
}

func (y *yes) String() string {
	if *y {
		return "true"
	}
	return ""
}

// chance is a share of which nothing is no use.
type chance Share

func (c *chance) Set(s string) error {
	if err := (*Share)(c).Set(s); err != nil {
		return err
	}
	if *c == 0 {
		return errors.New("never: want more than 0%, or leave the kind out")
	}
	return nil
}

func (c *chance) String() string { return Share(*c).String() }

// word is one of some.
type word struct {
	s     *string
	words string
}

func (w *word) Set(s string) error {
	all := strings.Fields(w.words)
	for _, a := range all {
		if a == s {
			*w.s = s
			return nil
		}
	}
	last := len(all) - 1
	return fmt.Errorf("want %s or %s", strings.Join(all[:last], ", "), all[last])
}

func (w *word) String() string { return *w.s }

var laneNames = map[tick.Lane]string{tick.Urgent: "urgent", tick.Normal: "normal", tick.Bulk: "bulk"}

type lane tick.Lane

func (l *lane) Set(s string) error {
	for k, name := range laneNames {
		if name == s {
			*l = lane(k)
			return nil
		}
	}
	return errors.New("want urgent, normal or bulk")
}

func (l *lane) String() string {
	if tick.Lane(*l) == tick.Normal {
		return ""
	}
	return laneNames[tick.Lane(*l)]
}
