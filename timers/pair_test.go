package timers_test

import (
	"errors"
	"fmt"
	"hash"
	"hash/fnv"
	"math"
	"slices"
	"strings"

	"github.com/tickwheel/tickwheel/timers"
)

// failer is the part of testing.TB and rapid.T that a pair needs.
type failer interface {
	Helper()
	Fatalf(format string, args ...any)
}

// pair is a wheel and its model, driven through the same calls. Every call
// compares its results, and look compares all that can be seen.
type pair struct {
	t    failer
	w    *timers.Wheel[int]
	m    *model
	pick func(n int) int // the next choice, in [0, n); 0 once choices run out
	dead map[int]bool

	ids     int
	handles []timers.Handle // all there ever were, bounded
	groups  []timers.Group
	inside  int // calls that callbacks of this Advance may still make
	looks   int
	log     []string
	trace   hash.Hash64 // of all calls, results and firings
	twin    bool        // takes no snapshots, see snapshot
}

// setups are what a run is drawn from: sizes where masks and shifts differ, and
// clocks just below a power of two.
var setups = []timers.Config{
	{NearTicks: 64, ChunkBlocks: 4, MaxTimers: 40, MaxGroups: 3},
	{NearTicks: 64, ChunkBlocks: 4, MaxTimers: 120, MaxGroups: 8, Start: 1<<31 - 70, Seed: 1},
	{NearTicks: 64, ChunkBlocks: 4, MaxTimers: 120, MaxGroups: 8, Start: 1<<32 - 33, TickUnits: 50, Seed: 2},
	{NearTicks: 128, ChunkBlocks: 8, Start: 1<<40 - 5, Seed: 3, Shares: timers.Shares{Normal: .45, Bulk: .4}},
	{Start: 1 << 62, Horizon: 1 << 61, TickUnits: 50_000_000, Seed: 4},
	{Seed: 5},
	{NearTicks: 64, ChunkBlocks: 4, MaxTimers: 200, Horizon: 5000, TickUnits: 3},
}

func newPair(t failer, pick func(int) int) *pair {
	cfg := setups[pick(len(setups))]
	cfg.Budget = []int{0, 0, 1, 2, 3, 5, 8, 16}[pick(8)]
	cfg.Start = max(0, cfg.Start-timers.Tick(pick(4)))
	w, err := timers.New[int](cfg)
	if err != nil {
		t.Fatalf("New(%+v): %v", cfg, err)
	}
	if pick(4) == 3 {
		w.LimitGenerations(6) // blocks retire soon
	}
	p := &pair{t: t, w: w, pick: pick, dead: map[int]bool{}, trace: fnv.New64a()}
	p.m = newModel(filled(cfg))
	p.m.dead = p.dead
	p.handles = append(p.handles, timers.Handle{})
	p.groups = append(p.groups, timers.Group{})
	p.note("wheel %+v", cfg)
	return p
}

// filled is cfg with the documented defaults.
func filled(c timers.Config) timers.Config {
	def := func(v *int, d int) {
		if *v == 0 {
			*v = d
		}
	}
	def(&c.NearTicks, 16_384)
	def(&c.MaxTimers, 4_194_304)
	def(&c.MaxGroups, 1_048_576)
	if c.Horizon == 0 {
		c.Horizon = 1 << 44
	}
	if c.TickUnits == 0 {
		c.TickUnits = 1
	}
	if c.Shares == (timers.Shares{}) {
		c.Shares = timers.Shares{Normal: 1. / 4, Bulk: 1. / 8}
	}
	return c
}

func (p *pair) note(format string, args ...any) {
	line := fmt.Sprintf(format, args...)
	p.trace.Write([]byte(line))
	p.log = append(p.log, line)
	if len(p.log) > 400 {
		p.log = p.log[200:]
	}
}

// want fails with the calls that led here unless ok.
func (p *pair) want(ok bool, format string, args ...any) {
	if !ok {
		p.t.Helper()
		p.t.Fatalf("%s\ncalls:\n  %s", fmt.Sprintf(format, args...), strings.Join(p.log, "\n  "))
	}
}

// delay draws a distance: mostly small, sometimes one where a mask or a shift
// of some wheel goes wrong.
func (p *pair) delay() timers.Span {
	n := timers.Span(p.m.cfg.NearTicks)
	edges := []timers.Span{0, 1, -1, math.MinInt64, n - 1, n, n + 1, 2 * n, 2*n + 1, 3*n - 1,
		n*n - 1, n * n, n*n + 1, 1<<31 - 1, 1 << 31, 1<<32 - 1, 1 << 32, 1<<32 + 1,
		p.m.cfg.Horizon, p.m.cfg.Horizon + 1, math.MaxInt64 - 1, math.MaxInt64}
	switch p.pick(8) {
	case 0, 1, 2, 3:
		return timers.Span(1 + p.pick(6))
	case 4:
		return timers.Span(p.pick(3 * int(min(n, 256))))
	case 5, 6:
		return timers.Span(p.pick(70))
	}
	return edges[p.pick(len(edges))]
}

func (p *pair) handle() timers.Handle { return p.handles[len(p.handles)-1-p.pick(len(p.handles))] }
func (p *pair) group() timers.Group   { return p.groups[p.pick(len(p.groups))] }

func (p *pair) remember(h timers.Handle) {
	if len(p.handles) > 300 {
		p.handles = slices.Delete(p.handles, 1, 100)
	}
	p.handles = append(p.handles, h)
}

func (p *pair) spec() timers.Spec {
	s := timers.Spec{Lane: timers.Lane(p.pick(timers.Lanes))}
	if p.pick(2) == 1 {
		s.Group = p.group()
	}
	switch p.pick(10) {
	case 7:
		s.Jitter = timers.Jitter{Late: timers.Span(p.pick(5))}
	case 8:
		s.Jitter, s.Choices = timers.Jitter{Early: timers.Span(p.pick(4)), Late: timers.Span(p.pick(90))}, uint8(p.pick(5))
	case 9:
		s.Jitter, s.Choices = timers.Jitter{Early: timers.Span(p.pick(3)) - 1, Late: p.delay()}, uint8(p.pick(20))
	}
	return s
}

// refused checks an error against the reasons the model sees; true if there is one.
func (p *pair) refused(call string, err error, reasons []error) bool {
	if len(reasons) == 0 {
		p.want(err == nil, "%s: %v, want it accepted", call, err)
		return false
	}
	named := slices.ContainsFunc(reasons, func(r error) bool { return errors.Is(err, r) })
	p.want(named, "%s: error %v, want one of %v", call, err, reasons)
	return true
}

// drawn reads the deadline back from the wheel, checks that it lies in the
// window around d, and gives it to the model's timer.
func (p *pair) drawn(t *mTimer, d timers.Tick) {
	rem, ok := p.w.Remaining(t.handle)
	p.want(ok, "Remaining of timer %d just filed: false", t.id)
	got := p.m.now + timers.Tick(rem)
	lo, hi := p.m.clamp(d-timers.Tick(t.jitter.Early)), p.m.clamp(d+timers.Tick(t.jitter.Late))
	p.want(lo <= got && got <= hi, "timer %d drawn at %d, want %d to %d", t.id, got, lo, hi)
	t.deadline = got
	p.m.freezeIfPaused(t)
}

func (p *pair) at() { p.file(p.delay(), p.spec()) }

// burst files several timers alike, so that a tick has more than one block.
func (p *pair) burst() {
	d, s := p.delay(), p.spec()
	for range p.pick(30) {
		p.file(d, s)
	}
}

// churn lets timers of one group follow each other, so that its list of members
// fills with stale ones.
func (p *pair) churn() {
	s := p.spec()
	s.Group = p.group()
	for range p.pick(80) {
		if p.pick(3) == 0 {
			p.at()
		} else {
			p.file(timers.Span(1+p.pick(5)), s)
		}
		if h := p.handles[len(p.handles)-1-p.pick(3)%len(p.handles)]; p.pick(5) != 4 {
			p.want(p.w.Cancel(h) == p.m.cancel(h), "Cancel(%v) in churn", h)
			p.note("Cancel(%v)", h)
		}
	}
}

func (p *pair) file(d timers.Span, s timers.Spec) {
	id := p.ids
	p.ids++
	deadline := p.m.after(d)
	var h timers.Handle
	var err error
	call := fmt.Sprintf("At(%d, %d, %+v)", deadline, id, s)
	if p.pick(2) == 0 {
		call = fmt.Sprintf("After(%d, %d, %+v)", d, id, s)
		h, err = p.w.After(d, id, s)
	} else {
		h, err = p.w.At(deadline, id, s)
	}
	p.note("%s = %v, %v", call, h, err)
	if p.refused(call, err, p.m.refusals(deadline, s)) {
		return
	}
	p.remember(h)
	p.drawn(p.m.add(id, deadline, s, h), p.m.clamp(deadline))
}

func (p *pair) every() {
	u := p.m.cfg.TickUnits
	first, s := p.m.after(p.delay()), p.spec()
	r := timers.Repeat{Period: u * int64(1+p.pick(9)), Delay: p.pick(4) == 3}
	switch p.pick(8) {
	case 5:
		r.Period += int64(p.pick(int(min(u, 1000))))
	case 6:
		r.Lead = int64(p.pick(int(min(u, 1000))))
	case 7:
		r.Period = []int64{0, -1, u - 1, u, u * 64, u * 65, math.MaxInt64, math.MinInt64}[p.pick(8)]
		r.Lead = []int64{0, -1, u - 1, u}[p.pick(4)]
	}
	id := p.ids
	p.ids++
	call := fmt.Sprintf("Every(%d, %+v, %d, %+v)", first, r, id, s)
	h, err := p.w.Every(first, r, id, s)
	p.note("%s = %v, %v", call, h, err)
	reasons := p.m.refusals(first, s)
	if p.m.badRepeat(r) {
		reasons = append(reasons, timers.ErrPeriod)
	}
	if p.m.wideJitter(r, s.Jitter) {
		reasons = append(reasons, timers.ErrJitter)
	}
	if p.refused(call, err, reasons) {
		return
	}
	p.remember(h)
	t := p.m.add(id, first, s, h)
	if first <= p.m.now {
		r.Lead = 0 // there is no grid before the next tick
	}
	p.m.repeat(t, first, r)
	p.drawn(t, p.m.clamp(first))
}
