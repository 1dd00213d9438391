package check

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/tickwheel/tickwheel/sim/oracle"
)

// Command is the command line that repeats f.
func (f *Failure) Command() string {
	args := "simulate check --seed " + strconv.FormatUint(f.Seed, 10)
	if o := f.Options.Changed(f.Seed); o != "" {
		args += " --options " + o
	}
	if f.Canary != 0 {
		args += " --canary " + canaries[f.Canary].Name
	}
	return args
}

// Report is all there is to say about f: what broke, how to repeat it, with which
// options, and the story.
func (f *Failure) Report() string {
	var b strings.Builder
	fmt.Fprintf(&b, "seed     %d\nbroken   %s\nwhere    %s, tick %d\nwhat     %s\nrepeat   %s\noptions  %s\n\n%s\n",
		f.Seed, f.Rule, f.Part, f.Tick, f.What, f.Command(), f.Options, Tell(f))
	return b.String()
}

// Read returns the failure of a report, as [Failure.Report] writes it. It returns an
// error that names what is wrong if text is no report, is cut short before its story,
// or is of a version whose seeds draw otherwise.
func Read(text string) (*Failure, error) {
	lines := map[string]string{}
	head, _, whole := strings.Cut(text, "\n\n")
	for line := range strings.Lines(head) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), " ")
		lines[name] = strings.TrimSpace(value)
	}
	for _, name := range []string{"seed", "broken", "where", "what", "repeat", "options"} {
		if lines[name] == "" {
			return nil, fmt.Errorf("check: no report of a failure, or cut short: it has no line %q before its story", name)
		}
	}
	f := &Failure{Rule: oracle.Rule(lines["broken"]), What: lines["what"]}
	var err error
	if f.Seed, err = strconv.ParseUint(lines["seed"], 10, 64); err != nil {
		return nil, fmt.Errorf("check: seed %q: want a number", lines["seed"])
	}
	f.Part, _, _ = strings.Cut(lines["where"], ",")
	args := strings.Fields(lines["repeat"])
	options := ""
	for i := 0; i+1 < len(args); i++ {
		switch args[i] {
		case "--options":
			options = args[i+1]
		case "--canary":
			c, err := ParseCanary(args[i+1])
			if err != nil {
				return nil, err
			}
			f.Canary = c[0].Number
		}
	}
	if f.Options, err = Parse(f.Seed, options); err != nil {
		return nil, err
	}
	if f.Options.String() != lines["options"] || !whole {
		return nil, fmt.Errorf("check: cut short, or of another version: here seed %d with options %q draws %s: the file has %s",
			f.Seed, options, f.Options, lines["options"])
	}
	return f, nil
}
