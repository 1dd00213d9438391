package check

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Options are what a seed draws: the shape of the code under test, how much
// happens, and what may. The zero Options is not valid, see [Draw].
type Options struct {
	// Parts is what is run: wheel, loop or both.
	Parts string
	// Ticks is how long the faulty phase is, Rate how many calls a tick has on
	// average.
	Ticks, Rate int

	Interval              time.Duration
	Budget, CatchUp       int
	Near, Chunk           int
	Inbox                 int
	Workers, Queue, Keep  int
	Sessions, CloseBudget int
	Grace, Idle           int // ticks, 0: none
	GraceRuns             bool
	// Guard is the time guard in per cent of the interval, 0: none.
	Guard      int
	StopInTick bool
	// Floor is the lowest speed of a loop that dilates, in per cent; 0 is a loop
	// that sheds.
	Floor int
	// Handlers is how many there are for inputs.
	Handlers int
	// MaxTimers, MaxScopes and Horizon, in ticks, are what can be refused.
	MaxTimers, MaxScopes, Horizon int
	// Normal and Bulk are the shares of the budget, in thousandths.
	Normal, Bulk int

	// Off is the calls and faults that are left out.
	Off []string
	// Ops is the numbers of the calls that are made; nil is all.
	Ops []int
}

// Draw returns the options of a seed.
func Draw(seed uint64) Options {
	r := rand.New(rand.NewPCG(seed, 0x6f7074696f6e73))
	pick := func(of ...int) int { return of[r.IntN(len(of))] }
	o := Options{
		Parts: "both", Ticks: pick(30, 60, 120), Rate: pick(1, 3, 8),
		Interval: time.Duration(pick(1, 10, 50, 100)) * time.Millisecond,
		Budget:   pick(0, 0, 1, 2, 3, 5, 20), CatchUp: pick(1, 2, 5),
		Near: pick(64, 64, 128, 16384), Chunk: pick(4, 16, 2048),
		Inbox:   pick(3, 10, 1000),
		Workers: pick(1, 2, 4), Queue: pick(1, 4, 50), Keep: pick(0, 2, 100),
		Sessions: pick(2, 5, 100), CloseBudget: pick(1, 2, 100),
		Grace: pick(0, 5, 20), Idle: pick(0, 10, 25),
		GraceRuns: r.IntN(3) == 0, StopInTick: r.IntN(2) == 0,
	}
	// Swarm testing (Groce et al. 2012): what is left out lets the rest pile up.
	for _, f := range Features() {
		if r.IntN(4) == 0 {
			o.Off = append(o.Off, f)
		}
	}
	o.Guard = pick(0, 0, 50)
	o.Floor = pick(0, 0, 5, 25, 60, 100)
	o.MaxTimers, o.MaxScopes = pick(8, 40, 60_000, 60_000), pick(4, 12, 1<<20, 1<<20)
	o.Handlers = pick(0, 1, 2)
	o.Horizon = pick(200, 1<<14, 1<<44, 1<<44)
	if o.Guard > 0 { // it looks at the clock every 64 callbacks
		o.Budget, o.MaxTimers = pick(0, 200), 1000 // the oracle looks at each
	}
	o.Normal, o.Bulk = pick(250, 250, 100, 600), pick(125, 125, 10, 300)
	return o
}

// field is an option by name.
type field struct {
	name string
	get  func(*Options) string
	set  func(*Options, string) error
}

func number(name string, least, most int, p func(*Options) *int) field {
	return field{name, func(o *Options) string { return strconv.Itoa(*p(o)) }, func(o *Options, s string) error {
		n, err := strconv.Atoi(s)
		if err != nil || n < least || n > most {
			return fmt.Errorf("check: option %s=%s: want %d to %d", name, s, least, most)
		}
		*p(o) = n
		return nil
	}}
}

func truth(name string, p func(*Options) *bool) field {
	return field{name, func(o *Options) string { return strconv.FormatBool(*p(o)) }, func(o *Options, s string) (err error) {
		if *p(o), err = strconv.ParseBool(s); err != nil {
			return fmt.Errorf("check: option %s=%s: want true or false", name, s)
		}
		return nil
	}}
}

var fields = []field{
	{"parts", func(o *Options) string { return o.Parts }, func(o *Options, s string) error {
		if s != "wheel" && s != "loop" && s != "both" {
			return fmt.Errorf("check: option parts=%s: want wheel, loop or both", s)
		}
		o.Parts = s
		return nil
	}},
	number("ticks", 1, 100_000, func(o *Options) *int { return &o.Ticks }),
	number("rate", 0, 1000, func(o *Options) *int { return &o.Rate }),
	{"interval", func(o *Options) string { return o.Interval.String() }, func(o *Options, s string) (err error) {
		if o.Interval, err = time.ParseDuration(s); err != nil || o.Interval < time.Millisecond || o.Interval > 10*time.Second {
			return fmt.Errorf("check: option interval=%s: want 1ms to 10s", s)
		}
		return nil
	}},
	number("budget", 0, 1<<20, func(o *Options) *int { return &o.Budget }),
	number("catchup", 1, 1000, func(o *Options) *int { return &o.CatchUp }),
	number("near", 64, 1<<17, func(o *Options) *int { return &o.Near }),
	number("chunk", 4, 2048, func(o *Options) *int { return &o.Chunk }),
	number("inbox", 1, 1<<24, func(o *Options) *int { return &o.Inbox }),
	number("workers", 1, 4096, func(o *Options) *int { return &o.Workers }),
	number("queue", 1, 1<<20, func(o *Options) *int { return &o.Queue }),
	number("keep", 0, 1<<20, func(o *Options) *int { return &o.Keep }),
	number("sessions", 1, 1<<20, func(o *Options) *int { return &o.Sessions }),
	number("closebudget", 1, 1<<20, func(o *Options) *int { return &o.CloseBudget }),
	number("grace", 0, 1<<20, func(o *Options) *int { return &o.Grace }),
	number("idle", 0, 1<<20, func(o *Options) *int { return &o.Idle }),
	truth("graceruns", func(o *Options) *bool { return &o.GraceRuns }),
	number("guard", 0, 100_000, func(o *Options) *int { return &o.Guard }),
	number("floor", 0, 100, func(o *Options) *int { return &o.Floor }),
	number("handlers", 0, 10, func(o *Options) *int { return &o.Handlers }),
	number("maxtimers", 1, 1<<18, func(o *Options) *int { return &o.MaxTimers }),
	number("maxscopes", 1, 1<<26, func(o *Options) *int { return &o.MaxScopes }),
	number("horizon", 64, 1<<61, func(o *Options) *int { return &o.Horizon }),
	number("normal", 1, 900, func(o *Options) *int { return &o.Normal }),
	number("bulk", 1, 900, func(o *Options) *int { return &o.Bulk }),
	truth("stopintick", func(o *Options) *bool { return &o.StopInTick }),
	{"off", func(o *Options) string { return strings.Join(o.Off, "+") }, func(o *Options, s string) error {
		o.Off = nil
		for _, f := range strings.FieldsFunc(s, func(r rune) bool { return r == '+' }) {
			if !slices.Contains(Features(), f) {
				return fmt.Errorf("check: option off=%s: %q is none of %s", s, f, strings.Join(Features(), ", "))
			}
			o.Off = append(o.Off, f)
		}
		return nil
	}},
	{"ops", func(o *Options) string { return ranges(o.Ops) }, func(o *Options, s string) (err error) {
		o.Ops, err = parseRanges(s)
		return err
	}},
}

// String returns all options in the form that Parse reads.
func (o Options) String() string { return o.than(Options{}) }

// Changed returns the options in which o differs from those that seed draws.
func (o Options) Changed(seed uint64) string { return o.than(Draw(seed)) }

func (o Options) than(base Options) string {
	var parts []string
	for _, f := range fields {
		if v := f.get(&o); v != f.get(&base) {
			parts = append(parts, f.name+"="+v)
		}
	}
	return strings.Join(parts, ",")
}

// Parse returns the options that seed draws, changed by text, a comma list of
// name=value.
func Parse(seed uint64, text string) (Options, error) {
	o := Draw(seed)
	for _, part := range strings.FieldsFunc(text, func(r rune) bool { return r == ',' }) {
		name, value, ok := strings.Cut(part, "=")
		i := slices.IndexFunc(fields, func(f field) bool { return f.name == name })
		if !ok || i < 0 {
			names := make([]string, len(fields))
			for i, f := range fields {
				names[i] = f.name
			}
			return o, fmt.Errorf("check: option %q: want name=value, with a name of %s", part, strings.Join(names, ", "))
		}
		if err := fields[i].set(&o, value); err != nil {
			return o, err
		}
	}
	if o.Normal+o.Bulk >= 1000 {
		return o, fmt.Errorf("check: options normal=%d, bulk=%d: want less than 1000 together", o.Normal, o.Bulk)
	}
	if o.Floor > 0 && o.Floor < 5 {
		return o, fmt.Errorf("check: option floor=%d: want 0 (shed) or 5 to 100", o.Floor)
	}
	if o.Near&(o.Near-1) != 0 || o.Chunk&(o.Chunk-1) != 0 {
		return o, fmt.Errorf("check: options near=%d, chunk=%d: want powers of two", o.Near, o.Chunk)
	}
	return o, nil
}

// ranges writes numbers in ascending order as 1-3+7; none is "none", nil "".
func ranges(ns []int) string {
	if ns == nil {
		return ""
	}
	if len(ns) == 0 {
		return "none"
	}
	var parts []string
	for i := 0; i < len(ns); {
		j := i
		for j+1 < len(ns) && ns[j+1] == ns[j]+1 {
			j++
		}
		if i == j {
			parts = append(parts, strconv.Itoa(ns[i]))
		} else {
			parts = append(parts, fmt.Sprintf("%d-%d", ns[i], ns[j]))
		}
		i = j + 1
	}
	return strings.Join(parts, "+")
}

func parseRanges(s string) ([]int, error) {
	if s == "" {
		return nil, nil
	}
	ns := []int{}
	if s == "none" {
		return ns, nil
	}
	for _, part := range strings.Split(s, "+") {
		from, to, pair := strings.Cut(part, "-")
		a, err := strconv.Atoi(from)
		b := a
		if err == nil && pair {
			b, err = strconv.Atoi(to)
		}
		if err != nil || a < 1 || b < a || b > 10_000_000 {
			return nil, fmt.Errorf("check: option ops=%s: want numbers and ranges joined by +, such as 3+7-9", s)
		}
		for ; a <= b; a++ {
			ns = append(ns, a)
		}
	}
	slices.Sort(ns)
	return slices.Compact(ns), nil
}

func (w *world) off(feature string) bool { return slices.Contains(w.o.Off, feature) }
