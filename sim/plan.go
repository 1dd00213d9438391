package sim

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"
)

// Plan is a scenario with how it is played and judged: what a file holds.
type Plan struct {
	Scenario Scenario
	// Seed is what every random choice is drawn from. 0 draws one.
	Seed uint64
	// Clock is "virtual" or "real".
	Clock string
	// Policies are names for [ParsePolicy], Knobs their values.
	Policies []string
	Knobs    Knobs
	// Expect are texts for [ParseExpectation]. They are about Subject, a policy;
	// "" is the last of Policies.
	Expect  []string
	Subject string

	file  string
	lines map[string]int // of the file, by path
}

func newPlan() *Plan {
	return &Plan{
		Scenario: Scenario{Name: "scenario", Interval: 50 * time.Millisecond, Duration: time.Minute},
		Seed:     1, Clock: "virtual", Policies: PolicyNames(), Knobs: DefaultKnobs(),
	}
}

// ParsePlan reads a scenario in YAML, of which JSON is a part; name is what
// errors call it. Keys that it does not have keep their defaults. The error names
// everything that is wrong, each with line, key, value and what to write instead.
func ParsePlan(name string, data []byte) (*Plan, error) {
	p := newPlan()
	p.file = name
	r := &reader{lines: map[string]int{}, name: name}
	r.decode(data, p.keys())
	p.lines = r.lines
	if len(r.errs) > 0 {
		return nil, errors.Join(first(r.errs, r.failed)...)
	}
	if _, err := p.Check(); err != nil {
		return nil, err
	}
	return p, nil
}

// Set gives a key at the top another value, in the text of a file.
func (p *Plan) Set(key, text string) error {
	f := find(p.keys(), key)
	if f == nil || f.value == nil && f.words == nil {
		return fmt.Errorf("sim: %s: no key that holds one value", key)
	}
	for at := range p.lines { // it is no longer the file's
		if at == key || strings.HasPrefix(at, key+"[") {
			delete(p.lines, at)
		}
	}
	if f.words != nil {
		*f.words = nil
		for _, w := range strings.Split(text, ",") {
			*f.words = append(*f.words, strings.TrimSpace(w))
		}
		return nil
	}
	if err := f.value.Set(text); err != nil {
		return fmt.Errorf("sim: %s %q: %w", key, text, err)
	}
	return nil
}

// Game is a plan that was found right.
type Game struct {
	Policies []Policy
	Expect   []Expectation
}

// Check returns the policies and the expectations of p, or everything that is
// wrong with it.
func (p *Plan) Check() (*Game, error) {
	var errs []error
	add := func(path string, err error) {
		if n := (&reader{lines: p.lines}).line(path); err != nil && n > 0 {
			for line := range strings.Lines(err.Error()) {
				errs = append(errs, fmt.Errorf("%s:%d: %s", p.file, n, strings.TrimPrefix(strings.TrimSuffix(line, "\n"), "sim: ")))
			}
			return
		}
		errs = append(errs, err)
	}
	g := &Game{}
	var err error
	g.Policies, err = ParsePolicies(strings.Join(p.Policies, ","), p.Knobs)
	add("policy", err)
	add("jitter", Policy{Jitter: p.Knobs.Jitter}.Validate())
	add("cap", Policy{Cap: p.Knobs.Cap}.Validate())
	add("workers", Policy{Workers: p.Knobs.Workers}.Validate())
	for _, problem := range p.Scenario.problems() {
		add(problem.path, problem.err())
	}
	if p.Clock == "real" {
		for _, problem := range p.Scenario.onlyVirtual() {
			add(problem.path, problem.err())
		}
	}
	known := func(name string) bool {
		return slices.ContainsFunc(g.Policies, func(q Policy) bool { return q.Name == name })
	}
	subject := p.Subject
	if subject == "" && len(g.Policies) > 0 {
		subject = g.Policies[len(g.Policies)-1].Name
	} else if subject != "" && !known(subject) {
		add("subject", fmt.Errorf("sim: subject %q is not among the policies: take one of them, or add it to policy", subject))
	}
	for i, text := range p.Expect {
		e, err := ParseExpectation(text, subject)
		if err == nil && e.Policy != subject && !known(e.Policy) {
			err = fmt.Errorf("sim: expect %q: %q is not among the policies: add it to policy", text, e.Policy)
		}
		add(fmt.Sprintf("expect[%d]", i+1), err)
		g.Expect = append(g.Expect, e)
	}
	errs = slices.DeleteFunc(errs, func(err error) bool { return err == nil })
	if err := errors.Join(first(errs, len(errs))...); err != nil {
		return nil, err
	}
	return g, nil
}

// first is the first of all errors, and a word on how many more there are.
func first(errs []error, all int) []error {
	if all <= maxErrors {
		return errs
	}
	return append(errs[:maxErrors:maxErrors], fmt.Errorf("… and %d more", all-maxErrors))
}

// YAML writes p as ParsePlan reads it: every key that is set, defaults included.
func (p *Plan) YAML() []byte {
	var b bytes.Buffer
	e := yaml.NewEncoder(&b)
	e.SetIndent(2)
	if err := e.Encode(encode(p.keys())); err != nil {
		panic(fmt.Sprintf("sim: YAML: %v", err)) // a tree of texts
	}
	return b.Bytes()
}

// UsesStorm tells whether a storm takes its number from Scenario.Storm.
func (p *Plan) UsesStorm() bool {
	return slices.ContainsFunc(p.Scenario.Storms, func(s Storm) bool {
		return s.Count == 0 && (s.Do == "" || s.Do == StormTimers || s.Do == StormLogin)
	})
}
