package timers_test

import (
	"bufio"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tickwheel/tickwheel/timers"
)

var update = flag.Bool("update", false, "rewrite the expected part of testdata scripts")

// TestScripts plays the stories in testdata. A story is a list of acts, parted
// by empty lines: remarks (#), calls one a line, "----", and what came of them:
// firings, results of calls, and a state line.
//
//	wheel near=64 budget=2 max=10 start=0 units=1
//	at deadline=5 lane=bulk group=ann a b c
//	after delay=5 a        every first=3 period=2 lead=0 delay=true a
//	cancel a               reset a deadline=9
//	group ann              close ann, empty ann, pause ann, resume ann
//	budget 2               on a cancel b (what a callback does)
//	advance to=5           tick to=5 (one Advance a tick)
func TestScripts(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txt")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, f := range files {
		t.Run(strings.TrimSuffix(filepath.Base(f), ".txt"), func(t *testing.T) {
			text, err := os.ReadFile(f)
			require.NoError(t, err)
			got := playStory(t, string(text))
			if *update {
				require.NoError(t, os.WriteFile(f, []byte(got), 0o644))
			}
			require.Equal(t, string(text), got)
		})
	}
}

// playStory returns the text with what really came of the calls.
func playStory(t *testing.T, text string) string {
	s := &stage{t: t, handles: map[string]timers.Handle{}, groups: map[string]timers.Group{}, on: map[string][]string{}}
	var out strings.Builder
	told := false // past "----": what is written there is what is tested
	lines := bufio.NewScanner(strings.NewReader(text))
	for lines.Scan() {
		line := lines.Text()
		switch {
		case line == "":
			told = false
			fmt.Fprintln(&out)
		case told:
		case line == "----":
			told = true
			fmt.Fprintf(&out, "----\n%s%s\n", s.out.String(), s.state())
			s.out.Reset()
		default:
			fmt.Fprintln(&out, line)
			if line[0] != '#' {
				s.call(line)
			}
		}
	}
	return out.String()
}

// stage is the wheel of a story and the names in it.
type stage struct {
	t       *testing.T
	w       *timers.Wheel[string]
	handles map[string]timers.Handle
	groups  map[string]timers.Group
	on      map[string][]string // name of a timer → calls of its callback
	out     strings.Builder
}

func (s *stage) state() string {
	backlog := 0
	for _, l := range byRank {
		backlog += s.w.Backlog(l)
	}
	return fmt.Sprintf("now=%d pending=%d backlog=%d", s.w.Now(), s.w.Len(), backlog)
}

func (s *stage) say(format string, args ...any) { fmt.Fprintf(&s.out, format+"\n", args...) }

// words are the parts of a call: its name, key=value options, and the rest.
type words struct {
	t    *testing.T
	line string
	opt  map[string]string
	args []string
}

func (w words) int(key string, def int64) int64 {
	v, ok := w.opt[key]
	if !ok {
		return def
	}
	n, err := strconv.ParseInt(v, 0, 64)
	require.NoError(w.t, err, "in %q", w.line)
	return n
}

func (s *stage) call(line string) {
	fields := strings.Fields(line)
	w := words{t: s.t, line: line, opt: map[string]string{}}
	for _, f := range fields[1:] {
		if k, v, ok := strings.Cut(f, "="); ok && fields[0] != "on" {
			w.opt[k] = v
		} else {
			w.args = append(w.args, f)
		}
	}
	calls := map[string]func(words){
		"wheel": s.wheel, "at": s.schedule, "after": s.schedule, "every": s.schedule,
		"cancel": s.cancel, "reset": s.reset, "group": s.group, "close": s.group, "empty": s.group,
		"pause": s.group, "resume": s.group, "budget": s.budget, "on": s.react,
		"advance": s.advance, "tick": s.advance, "break": func(words) { s.w.Break() },
		"panic": func(words) { panic(errPlanned) },
	}
	require.Contains(s.t, calls, fields[0], "in %q", line)
	calls[fields[0]](w)
}

func (s *stage) wheel(w words) {
	wheel, err := timers.New[string](timers.Config{
		NearTicks: int(w.int("near", 64)), ChunkBlocks: 4, MaxTimers: int(w.int("max", 0)),
		Budget: int(w.int("budget", 0)), Start: timers.Tick(w.int("start", 0)),
		TickUnits: w.int("units", 0), Horizon: timers.Span(w.int("horizon", 0)),
	})
	require.NoError(s.t, err)
	s.w = wheel
}

func (s *stage) schedule(w words) {
	lanes := map[string]timers.Lane{"": timers.Normal, "urgent": timers.Urgent, "normal": timers.Normal, "bulk": timers.Bulk}
	require.Contains(s.t, lanes, w.opt["lane"], "in %q", w.line)
	spec := timers.Spec{Lane: lanes[w.opt["lane"]], Group: s.groups[w.opt["group"]]}
	for _, name := range w.args {
		var h timers.Handle
		var err error
		switch strings.Fields(w.line)[0] {
		case "at":
			h, err = s.w.At(timers.Tick(w.int("deadline", 0)), name, spec)
		case "after":
			h, err = s.w.After(timers.Span(w.int("delay", 0)), name, spec)
		case "every":
			r := timers.Repeat{Period: w.int("period", 0), Lead: w.int("lead", 0), Delay: w.opt["delay"] == "true"}
			h, err = s.w.Every(timers.Tick(w.int("first", 0)), r, name, spec)
		}
		if err != nil {
			s.say("%s refused: %v", name, err)
			continue
		}
		s.handles[name] = h
	}
}

func (s *stage) cancel(w words) {
	for _, name := range w.args {
		s.say("cancel %s %v", name, s.w.Cancel(s.handles[name]))
	}
}

func (s *stage) reset(w words) {
	for _, name := range w.args {
		h, ok := s.w.Reset(s.handles[name], timers.Tick(w.int("deadline", 0)))
		s.handles[name] = h
		s.say("reset %s %v", name, ok)
	}
}

func (s *stage) group(w words) {
	for _, name := range w.args {
		switch g := s.groups[name]; strings.Fields(w.line)[0] {
		case "group":
			g, err := s.w.NewGroup()
			require.NoError(s.t, err)
			s.groups[name] = g
		case "close":
			s.say("close %s %d", name, s.w.CloseGroup(g))
		case "empty":
			s.say("empty %s %d", name, s.w.CancelGroup(g))
		case "pause":
			s.say("pause %s %v", name, s.w.Pause(g))
		case "resume":
			s.say("resume %s %v", name, s.w.Resume(g))
		}
	}
}

func (s *stage) budget(w words) {
	n, err := strconv.Atoi(w.args[0])
	require.NoError(s.t, err)
	require.NoError(s.t, s.w.SetBudget(n))
}

func (s *stage) react(w words) {
	s.on[w.args[0]] = append(s.on[w.args[0]], strings.Join(w.args[1:], " "))
}

func (s *stage) advance(w words) {
	to := timers.Tick(w.int("to", 0))
	for s.w.Now() < to {
		next := to
		if strings.HasPrefix(w.line, "tick") {
			next = s.w.Now() + 1
		}
		for !s.whole(next) {
			s.say("interrupted at %d", s.w.Now())
		}
	}
}

// whole advances and reports whether no callback panicked.
func (s *stage) whole(to timers.Tick) (ok bool) {
	defer func() {
		if !ok {
			if r := recover(); r != nil && r != errPlanned {
				panic(r)
			}
		}
	}()
	s.w.Advance(to, func(f timers.Firing[string]) {
		missed := ""
		if f.Missed > 0 {
			missed = fmt.Sprintf(" missed=%d", f.Missed)
		}
		s.say("fire %s deadline=%d late=%d%s", f.Payload, f.Deadline, f.Late, missed)
		for _, call := range s.on[f.Payload] {
			s.call(call)
		}
	})
	return true
}
