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
	// emptiest of four drawn ticks. 0 is none.
	Jitter time.Duration
	// Cap is how many timer callbacks a tick may start; the rest is carried. 0 is
	// no limit.
	Cap int
	// Workers is how many blocking saves run at once off the tick goroutine. 0
	// means that they block the tick.
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

// PolicyNames are the built-in policies, in the order of a default run.
var policyNames = []string{"nothing", "jitter", "cap", "jitter+cap", "jitter+cap+workers"}

// PolicyNames returns the names of the policies of a default run, in order.
func PolicyNames() []string { return append([]string(nil), policyNames...) }

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
		if name == "" {
			errs = append(errs, errors.New("sim: an empty name in the list of policies"))
			continue
		}
		if seen[name] {
			errs = append(errs, fmt.Errorf("sim: policy %q stands twice in the list", name))
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
	var errs []error
	if k.Jitter < 0 || k.Jitter > time.Hour {
		errs = append(errs, fmt.Errorf("sim: jitter %v: want 0 (none) to 1h", k.Jitter))
	}
	if k.Cap < 0 {
		errs = append(errs, fmt.Errorf("sim: cap %d: want 0 (no limit) or more", k.Cap))
	}
	if k.Workers < 0 || k.Workers > 4096 {
		errs = append(errs, fmt.Errorf("sim: %d workers: want 0 (saves block the tick) to 4096", k.Workers))
	}
	return errors.Join(errs...)
}
