package check

import (
	"math/rand/v2"
	"slices"
)

// op is one call to the code under test, or one fault.
type op struct {
	n     int // its number in the plan
	tick  int // when, from 1
	via   via
	what  string
	a, b  int // whom, how much: what they mean is up to the call
	then  string
	later *op // what the callback does
}

// via is where a call is made.
type via uint8

const (
	viaSystem  via = iota // in a system of the tick
	viaPost               // in the inbox phase of the next
	viaOutside            // between ticks
)

// feature is a sort of call or fault, and how often it is drawn.
type feature struct {
	name   string
	weight int
	wheel  bool // the wheel alone has it, too
}

var features = []feature{
	{"after", 10, true}, {"far", 3, true}, {"storm", 1, true}, {"every", 4, true}, {"jitter", 2, true},
	{"stop", 4, true}, {"reset", 4, true}, {"pause", 2, true}, {"resume", 3, true}, {"budget", 1, true},
	{"child", 3, true}, {"close", 2, true}, {"keyed", 3, false}, {"unkey", 1, false}, {"rekey", 1, false},
	{"login", 6, false}, {"logout", 1, false}, {"hangup", 2, false}, {"touch", 2, false},
	{"masslogout", 1, false}, {"offload", 5, false}, {"flood", 1, false},
	{"stall", 1, false}, {"suspend", 1, false}, {"clockstep", 1, false},
	{"snapshot", 2, true}, {"leap", 1, true},
	// What callbacks and jobs do besides, drawn for each.
	{"panic", 0, true}, {"goexit", 0, true}, {"callbacks", 0, true}, {"jobfail", 0, false},
}

// Features are the names that Options.Off knows.
func Features() []string {
	names := make([]string, len(features))
	for i, f := range features {
		names[i] = f.name
	}
	return names
}

// plan draws the calls of a run. What a call is depends on seed, tick and its
// place in the tick alone, so that the rest stays as it is when some are left out.
func plan(seed uint64, o Options, wheel bool) []op {
	var ops []op
	n := 0
	for tick := 1; tick <= o.Ticks; tick++ {
		r := rand.New(rand.NewPCG(seed, uint64(tick)<<1|1))
		for range r.IntN(2*o.Rate + 1) {
			n++
			p := draw(r, wheel, 0)
			p.number(n)
			p.tick = tick
			if o.keeps(p) {
				o.trim(p)
				ops = append(ops, *p)
			}
		}
	}
	return ops
}

// number gives p, and what its callback does, the number n.
func (p *op) number(n int) {
	for ; p != nil; p = p.later {
		p.n = n
	}
}

func (o *Options) keeps(p *op) bool {
	if o.Ops != nil {
		if _, found := slices.BinarySearch(o.Ops, p.n); !found {
			return false
		}
	}
	return !slices.Contains(o.Off, p.what)
}

// trim takes out of p what is off.
func (o *Options) trim(p *op) {
	if slices.Contains(o.Off, p.then) {
		p.then = ""
	}
	if p.later == nil {
		return
	}
	if slices.Contains(o.Off, "callbacks") || slices.Contains(o.Off, p.later.what) {
		p.later = nil
		return
	}
	o.trim(p.later)
}

func draw(r *rand.Rand, wheel bool, depth int) *op {
	total := 0
	for _, f := range features {
		if !wheel || f.wheel {
			total += f.weight
		}
	}
	k := r.IntN(total)
	p := &op{via: via(r.IntN(3)), a: r.IntN(1 << 20), b: r.IntN(1 << 20)}
	for _, f := range features {
		if wheel && !f.wheel {
			continue
		}
		if k -= f.weight; k < 0 {
			p.what = f.name
			break
		}
	}
	switch r.IntN(16) {
	case 0:
		p.then = "panic"
	case 1:
		p.then = "goexit"
	case 2, 3:
		p.then = "jobfail"
	}
	if depth < 2 && r.IntN(3) == 0 {
		p.later = draw(r, wheel, depth+1)
		p.later.via = viaSystem
	}
	return p
}
