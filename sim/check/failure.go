package check

import (
	"fmt"
	"strconv"
	"strings"
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
