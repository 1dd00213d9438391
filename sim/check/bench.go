package check

import (
	"encoding/binary"
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/tickwheel/tickwheel/sim/oracle"
	"github.com/tickwheel/tickwheel/timers"
)

// bench is one run of the wheel alone, with what the loop does not do: advances
// over many ticks, deadlines at any distance, snapshots.
type bench struct {
	o      Options
	canary int
	log    *story
	ops    []op

	// Payloads hold a pointer: the wheel must forget those of timers that are over,
	// and no others.
	w      *timers.Wheel[*int]
	m      *oracle.Wheel
	list   []*entry
	groups []*group
	fired  int
	births births
	trace  uint64
	err    error
	calm   bool // no more calls
	quiet  bool // a planted bug: the next callback is lost
}

type entry struct {
	id    int
	birth uint64
	h     timers.Handle
	m     *oracle.Timer
	op    op
	swap  *entry
}

type group struct {
	birth uint64
	real  timers.Group
	m     *oracle.Group
}

const (
	benchUnits = 10
	wheelSeed  = 0x776865656c
)

func newBench(seed uint64, o Options, canary int, log *story) *bench {
	b := &bench{o: o, canary: canary, log: log, births: births{}, ops: plan(seed^wheelSeed, o, true), trace: fnvOffset}
	cfg := timers.Config{
		NearTicks: o.Near, ChunkBlocks: o.Chunk, MaxTimers: 20 + o.Inbox, Horizon: b.horizon(), MaxGroups: 8,
		Budget: o.Budget, Shares: o.shares(), Seed: seed, TickUnits: benchUnits,
	}
	if o.Budget > 0 && canary == bugCap {
		cfg.Budget++
	}
	w, err := timers.New[*int](cfg)
	if err != nil {
		b.err = fmt.Errorf("check: %w", err)
		return b
	}
	b.w = w
	b.m = oracle.New(oracle.Config{
		Horizon: b.horizon(), Max: cfg.MaxTimers, Budget: o.Budget, Normal: o.shares().Normal, Bulk: o.shares().Bulk, Units: benchUnits,
	})
	b.groups = []*group{{m: &oracle.Group{}}}
	return b
}

func (b *bench) horizon() timers.Span { return min(timers.Span(b.o.Horizon), 1<<40) }

func (b *bench) fail(err error) {
	if err != nil && b.err == nil {
		b.err = err
		b.say("BROKEN: %v", err)
	}
}

func (b *bench) broken(r oracle.Rule, format string, args ...any) {
	b.fail(&oracle.Broken{Rule: r, What: fmt.Sprintf(format, args...)})
}

func (b *bench) say(format string, args ...any) {
	if b.log != nil {
		b.log.say(int64(b.m.Now()), format, args...)
	}
}

func (b *bench) note(words ...uint64) {
	for _, x := range words {
		b.trace = (b.trace ^ x) * fnvPrime
	}
}

// run is the faulty phase, and the healthy one in which all that is due must fire.
func (b *bench) run() {
	for i := 0; b.err == nil && i < b.o.Ticks; i++ {
		for len(b.ops) > 0 && b.ops[0].tick <= i+1 && b.err == nil {
			p := b.ops[0]
			b.ops = b.ops[1:]
			b.do(&p)
		}
		b.advance(1)
	}
	if b.err != nil {
		return
	}
	b.say("the healthy phase begins")
	b.calm = true
	for _, g := range b.groups[1:] {
		b.resume(g)
	}
	for _, e := range b.list { // or there would be no end
		if e.m.Periodic() {
			b.stop(e)
		}
	}
	// Each advance leads to what comes first, or serves the backlog.
	for n := b.m.Len() + 1; b.m.Len() > 0 && b.err == nil; n-- {
		if n == 0 {
			b.broken(oracle.Drains, "%d timers are left", b.m.Len())
			return
		}
		next, _ := b.m.Next()
		b.advance(timers.Span(next - b.m.Now()))
	}
	if n, ok := b.w.Next(); b.err == nil && (ok || b.w.Len() > 0) {
		b.broken(oracle.Counts, "an empty wheel says %d timers, next in tick %d", b.w.Len(), n)
	}
}

// advance moves the wheel by d ticks, however often callbacks do not return.
func (b *bench) advance(d timers.Span) {
	to := b.m.Now() + timers.Tick(d)
	b.m.Begin(to)
	fired := b.fired
	var report timers.Report
	for clean := false; !clean && b.err == nil; {
		over := make(chan struct{})
		go func() {
			defer close(over)
			defer func() {
				if v := recover(); v != nil && v != any(planned{}) {
					b.broken(oracle.Whole, "Advance panicked: %v, in %s", v, frames(debug.Stack()))
				}
			}()
			report = b.w.Advance(to, b.fire)
			clean = true
		}()
		<-over
	}
	if b.err != nil {
		return
	}
	b.fail(b.m.End())
	carried := 0
	for lane := range timers.Lane(timers.Lanes) {
		n, age := b.m.Backlog(lane)
		carried += n
		if b.w.Backlog(lane) != n || b.w.BacklogAge(lane) != age {
			b.broken(oracle.Carried, "the backlog of lane %v is %d, since %d ticks: want %d, %d", lane, b.w.Backlog(lane), b.w.BacklogAge(lane), n, age)
		}
	}
	switch {
	case b.w.Now() != b.m.Now():
		b.broken(oracle.Pace, "the wheel is in tick %d: want %d", b.w.Now(), b.m.Now())
	case report.Fired != b.fired-fired || report.Carried != carried:
		b.broken(oracle.Counts, "Advance says %d fired, %d carried: want %d, %d", report.Fired, report.Carried, b.fired-fired, carried)
	case report.Moved > 64:
		b.broken(oracle.Cascade, "Advance moved %d timers", report.Moved)
	}
	b.same()
}

// same compares the counts.
func (b *bench) same() {
	if b.w.Len() != b.m.Len() {
		b.broken(oracle.Counts, "the wheel has %d timers: want %d", b.w.Len(), b.m.Len())
	}
	got, ok := b.w.Next()
	if want, has := b.m.Next(); got != want || ok != has {
		b.broken(oracle.Lost, "the next tick is %d (%v): want %d (%v)", got, ok, want, has)
	}
	for i, g := range b.groups[1:] {
		if n := b.m.GroupLen(g.m); b.w.GroupLen(g.real) != n {
			b.broken(oracle.Counts, "group %d has %d timers: want %d", i+1, b.w.GroupLen(g.real), n)
		}
	}
}

// fire is the callback of all timers.
func (b *bench) fire(f timers.Firing[*int]) {
	if b.err != nil {
		return
	}
	if f.Payload == nil {
		b.broken(oracle.Whole, "a timer due in tick %d fired without its payload in tick %d", f.Deadline, b.w.Now())
		return
	}
	e := b.list[*f.Payload-1]
	if b.swallows(e, f) {
		return
	}
	if e.swap != nil {
		e = e.swap
	}
	b.fires(e, f)
	if b.canary == bugDouble && e.id%5 == 0 {
		b.fires(e, f)
	}
	if b.err != nil || b.calm {
		return
	}
	if e.op.later != nil {
		b.do(e.op.later)
	}
	switch e.op.then {
	case "panic":
		b.say("the callback panics")
		b.quiet = b.canary == bugPanic
		panic(planned{})
	case "goexit":
		b.say("the callback calls Goexit")
		runtime.Goexit()
	}
}

func (b *bench) swallows(e *entry, f timers.Firing[*int]) bool {
	lost := b.quiet || b.canary == bugBacklog && f.Late > 0 && e.id%2 == 0
	b.quiet = false
	return lost
}

func (b *bench) fires(e *entry, f timers.Firing[*int]) {
	b.fired++
	missed := f.Missed
	if b.canary == bugMissed {
		missed = 0
	}
	b.note(uint64(*f.Payload), uint64(b.w.Now()), uint64(f.Late))
	m, err := b.m.Fire(oracle.Firing{ID: e.id, Tick: b.w.Now(), Deadline: f.Deadline, Late: f.Late, Missed: missed, Lane: f.Lane})
	if b.fail(err); err != nil {
		return
	}
	b.say("timer %d fires, %d ticks late", e.id, f.Late)
	if m.Periodic() && m.Jitter != (timers.Jitter{}) {
		b.spread(e)
	}
}

func (b *bench) spread(e *entry) {
	left, ok := b.w.Remaining(e.h)
	if !ok {
		b.broken(oracle.Lost, "%v is not pending", e.m)
		return
	}
	b.fail(b.m.Place(e.m, b.m.Now()+timers.Tick(left)))
}

// snapshot replaces the wheel by one that was restored from its snapshot.
func (b *bench) snapshot(inCallback bool) {
	data, err := b.w.AppendSnapshot(nil, func(to []byte, p *int) ([]byte, error) {
		if p == nil {
			return to, errPlanned
		}
		return binary.AppendUvarint(to, uint64(*p)), nil
	})
	if inCallback {
		if !errors.Is(err, timers.ErrAdvancing) {
			b.broken(oracle.Snapshots, "a snapshot in a callback gave %v", err)
		}
		return
	}
	if err != nil {
		b.broken(oracle.Snapshots, "AppendSnapshot: %v", err)
		return
	}
	w, err := timers.Restore(data, func(from []byte) (*int, error) {
		p, n := binary.Uvarint(from)
		if n != len(from) {
			return nil, errPlanned
		}
		id := int(p)
		return &id, nil
	})
	if err != nil {
		b.broken(oracle.Snapshots, "Restore: %v", err)
		return
	}
	b.say("the wheel is restored from its snapshot of %d bytes", len(data))
	b.w = w
	b.gate()
	if b.canary == bugSnapshot {
		for _, e := range b.list {
			if e.m.Pending() && e.m.Frozen() {
				w.Cancel(e.h)
			}
		}
	}
	b.same()
}
