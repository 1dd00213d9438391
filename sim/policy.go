package sim

import (
	"errors"
	"fmt"
	"strings"
	"time"
)

// Policy is the set of remedies a server uses against storms.
type Policy struct {
	Name string
	// Jitter spreads respawns over this window behind their time, taking the
	// emptiest of four drawn ticks. 0 is none; at most an hour. It is rounded down
	// to whole ticks.
	Jitter time.Duration
	// Cap is how many timer callbacks a tick may start; the rest is carried. 0 is
	// no limit.
	Cap int
	// Workers is how many blocking saves run at once off the tick goroutine, up
	// to 4,096. 0 means that they block the tick.
	Workers int
}

// Knobs are the values that policies put together.
type Knobs struct {
	Jitter  time.Duration
	Cap     int
	Workers int
}

// DefaultKnobs are the values of the built-in policies.
func DefaultKnobs() Knobs { return Knobs{Jitter: 2 * time.Second, Cap: 4_000, Workers: 4} }

// PolicyNames returns the names of the policies of a default run, in order.
func PolicyNames() []string {
	return []string{"nothing", "jitter", "cap", "jitter+cap", "jitter+cap+workers"}
}

// ParsePolicy returns the policy called name: "nothing", or some of "jitter",
// "cap" and "workers" joined by "+", with the values of k.
func ParsePolicy(name string, k Knobs) (Policy, error) {
	p := Policy{Name: name}
	if name == "nothing" {
		return p, nil
	}
	seen := map[string]bool{}
	for _, part := range strings.Split(name, "+") {
		if seen[part] {
			return p, fmt.Errorf("sim: policy %q has %q twice", name, part)
		}
		seen[part] = true
		switch part {
		case "jitter":
			p.Jitter = k.Jitter
		case "cap":
			p.Cap = k.Cap
		case "workers":
			p.Workers = k.Workers
		default:
			return p, fmt.Errorf("sim: unknown policy %q: want \"nothing\", or some of jitter, cap and workers joined by +, such as jitter+cap", name)
		}
	}
	return p, nil
}

// ParsePolicies is ParsePolicy for a comma list. An empty list or a name that
// stands twice is an error.
func ParsePolicies(list string, k Knobs) ([]Policy, error) {
	var ps []Policy
	var errs []error
	seen := map[string]bool{}
	for _, name := range strings.Split(list, ",") {
		name = strings.TrimSpace(name)
		switch {
		case seen[name] && name != "":
			errs = append(errs, fmt.Errorf("sim: policy %q stands twice in the list %q", name, list))
			continue
		case name == "":
			if !seen[name] { // once is enough
				errs = append(errs, fmt.Errorf("sim: the list of policies %q has an empty name: write it like nothing,jitter+cap", list))
			}
			seen[name] = true
			continue
		}
		seen[name] = true
		p, err := ParsePolicy(name, k)
		errs = append(errs, err)
		ps = append(ps, p)
	}
	return ps, errors.Join(errs...)
}

// Validate returns everything that is wrong with k.
func (k Knobs) Validate() error {
	return Policy{Jitter: k.Jitter, Cap: k.Cap, Workers: k.Workers}.Validate()
}

// Validate returns everything that is wrong with p.
func (p Policy) Validate() error {
	var errs []error
	if p.Jitter < 0 || p.Jitter > time.Hour {
		errs = append(errs, fmt.Errorf("sim: jitter %v: want 0 (none) to 1h", p.Jitter))
	}
	if p.Cap < 0 {
		errs = append(errs, fmt.Errorf("sim: cap %d: want 0 (no limit) or more", p.Cap))
	}
	if p.Workers < 0 || p.Workers > 4096 {
		errs = append(errs, fmt.Errorf("sim: %d workers: want 0 (saves block the tick) to 4096", p.Workers))
	}
	return errors.Join(errs...)
}

// validate returns everything that is wrong with a run.
func validate(sc Scenario, pol Policy, real bool) error {
	errs := []error{sc.Validate(), pol.Validate()}
	if real {
		for _, p := range sc.onlyVirtual() {
			errs = append(errs, p.err())
		}
	}
	return errors.Join(errs...)
}
