package check

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/tickwheel/tickwheel/sim/oracle"
)

// story is what happened, in words, tick by tick.
type story struct {
	lines []string
	tick  int64
}

// maxStory bounds a story. Its end is what matters.
const maxStory = 100_000

func (s *story) say(tick int64, format string, args ...any) {
	if len(s.lines) >= maxStory {
		s.lines = s.lines[maxStory/2:]
	}
	if tick != s.tick || len(s.lines) == 0 {
		s.tick = tick
		s.lines = append(s.lines, fmt.Sprintf("tick %d", tick))
	}
	s.lines = append(s.lines, "    "+fmt.Sprintf(format, args...))
}

func (s *story) String() string { return strings.Join(s.lines, "\n") }

// frames names the functions of a stack between a panic and the goroutine's first,
// without addresses, which differ from run to run.
func frames(stack []byte) string {
	_, stack, _ = bytes.Cut(stack, []byte("panic("))
	var names []string
	for line := range strings.Lines(string(stack)) {
		name, _, call := strings.Cut(line, "(0x")
		if call && strings.HasPrefix(name, "github.com/") {
			names = append(names, name[strings.LastIndex(name, "/")+1:])
		}
	}
	return strings.Join(names[:min(len(names), 5)], " < ")
}

// Tell runs the seed of f again and says in words, tick by tick, what happened.
func Tell(f *Failure) string {
	if f.Rule == oracle.Returns {
		return "The story of a run that hangs can't be told: attach a debugger to the command above."
	}
	s := &story{}
	run(f.Seed, f.Options, f.Canary, s)
	return s.String()
}
