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
	viaInput              // there, too, by way of an input
	viaFlush              // in a flush hook of the tick
	viaOutside            // between ticks
	viaCall               // in the inbox phase, by a goroutine that waits for it
	vias
)

// feature is a sort of call or fault, and how often it is drawn.
type feature struct {
	name   string
	weight int
	in     parts
}

// parts says which parts have a feature.
type parts uint8

const (
	both parts = iota
	inLoop
	inWheel
)

// has reports whether a part has f.
func (f feature) has(wheel bool) bool { return f.in == both || wheel == (f.in == inWheel) }

var features = []feature{
	{"after", 10, both}, {"far", 3, both}, {"storm", 1, both}, {"every", 4, both}, {"jitter", 2, both},
	{"stop", 4, both}, {"reset", 4, both}, {"pause", 2, both}, {"resume", 3, both}, {"budget", 1, both},
	{"child", 3, both}, {"close", 2, both}, {"look", 3, both},
	{"keyed", 3, inLoop}, {"unkey", 1, inLoop}, {"rekey", 1, inLoop},
	{"login", 6, inLoop}, {"own", 2, inLoop}, {"logout", 1, inLoop}, {"hangup", 2, inLoop}, {"detach", 1, inLoop},
	{"touch", 2, inLoop}, {"masslogout", 1, inLoop},
	{"offload", 5, inLoop}, {"everyjob", 3, inLoop}, {"hook", 1, inLoop},
	{"flood", 1, inLoop}, {"call", 1, inLoop}, {"stall", 1, inLoop}, {"suspend", 1, inLoop}, {"clockstep", 1, inLoop},
	{"snapshot", 2, inWheel}, {"leap", 1, inWheel}, {"dead", 1, inWheel}, {"break", 3, inWheel},
	// What callbacks and jobs do besides, drawn for each.
	{"panic", 0, both}, {"goexit", 0, both}, {"callbacks", 0, both}, {"jobfail", 0, inLoop}, {"timeout", 0, inLoop},
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
		if f.has(wheel) {
			total += f.weight
		}
	}
	k := r.IntN(total)
	p := &op{via: via(r.IntN(int(vias))), a: r.IntN(1 << 20), b: r.IntN(1 << 20)}
	for _, f := range features {
		if !f.has(wheel) {
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
