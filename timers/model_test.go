package timers_test

import (
	"cmp"
	"math/big"
	"slices"

	"github.com/tickwheel/tickwheel/timers"
)

// model is the naive reference: all timers in one slice, every question
// answered by looking at each of them. It shares no idea with the wheel, so
// what both say is what the rules say. Handles and jitter draws are the wheel's
// own; everything else the model works out for itself.
type model struct {
	cfg    timers.Config // defaults filled in
	now    timers.Tick
	seq    uint64
	ts     []*mTimer
	groups map[timers.Group]*mGroup
	dead   map[int]bool // payloads a live gate refuses
	gated  bool         // whether it is asked
	budget int
	hungry [timers.Lanes]int // ticks in a row a lane had due work and no run
	run    mRun

	cancelled uint64
}

type mTimer struct {
	id       int
	lane     timers.Lane
	deadline timers.Tick
	seq      uint64
	group    *mGroup
	jitter   timers.Jitter
	handle   timers.Handle
	frozen   bool
	raw      timers.Span // remaining when it froze, negative for a carried one
	since    timers.Tick // when it froze
	rep      *mRepeat    // nil for a one-shot
}

// mRepeat is the grid of a periodic timer, exact in units of 1/TickUnits tick.
type mRepeat struct {
	period *big.Int
	delay  bool
	point  *big.Int // grid point of the pending run
}

type mGroup struct{ paused bool }

// rank is the place of a lane in the run order.
func rank(l timers.Lane) int {
	switch l {
	case timers.Urgent:
		return 0
	case timers.Normal:
		return 1
	}
	return 2
}

var byRank = [timers.Lanes]timers.Lane{timers.Urgent, timers.Normal, timers.Bulk}

func newModel(cfg timers.Config) *model {
	return &model{cfg: cfg, now: cfg.Start, budget: cfg.Budget,
		groups: map[timers.Group]*mGroup{}, dead: map[int]bool{}}
}

func (m *model) nextSeq() uint64 { m.seq++; return m.seq }

// clamp is the rule that the past means the next tick.
func (m *model) clamp(d timers.Tick) timers.Tick { return max(d, m.now+1) }

// far reports whether d lies beyond the horizon.
func (m *model) far(d timers.Tick) bool { return timers.Span(d-m.now) > m.cfg.Horizon }

// after is now+d without overflow.
func (m *model) after(d timers.Span) timers.Tick {
	if d > 0 && m.now+timers.Tick(d) < m.now {
		return 1<<63 - 1
	}
	return max(m.now+timers.Tick(d), 0)
}

// refusals lists every reason to refuse a new timer; the wheel may name any.
func (m *model) refusals(d timers.Tick, s timers.Spec) []error {
	var errs []error
	if m.far(m.clamp(d)) {
		errs = append(errs, timers.ErrHorizon)
	}
	j, ahead := s.Jitter, timers.Span(m.clamp(d)-m.now)
	if j.Early < 0 || j.Late < 0 || s.Choices > timers.MaxChoices ||
		j.Late > 0 && j.Early > m.cfg.Horizon-j.Late {
		errs = append(errs, timers.ErrJitter)
	}
	if j.Early > m.cfg.Horizon || j.Late > m.cfg.Horizon-ahead {
		errs = append(errs, timers.ErrHorizon)
	}
	if _, ok := m.groups[s.Group]; !ok && !s.Group.IsZero() {
		errs = append(errs, timers.ErrClosed)
	}
	if len(m.ts) >= m.cfg.MaxTimers {
		errs = append(errs, timers.ErrFull)
	}
	return errs
}

// add files a timer at d, jitter already drawn.
func (m *model) add(id int, d timers.Tick, s timers.Spec, h timers.Handle) *mTimer {
	t := &mTimer{id: id, lane: s.Lane, deadline: m.clamp(d), seq: m.nextSeq(),
		group: m.groups[s.Group], jitter: s.Jitter, handle: h}
	m.freezeIfPaused(t)
	m.ts = append(m.ts, t)
	return t
}

func (m *model) freezeIfPaused(t *mTimer) {
	if t.frozen = t.group != nil && t.group.paused; t.frozen {
		t.raw, t.since = timers.Span(t.deadline-m.now), m.now
	}
}

// units is tick t in units.
func (m *model) units(t timers.Tick) *big.Int {
	return new(big.Int).Mul(big.NewInt(int64(t)), big.NewInt(m.cfg.TickUnits))
}

// tickOf is the first tick at or after a point in units.
func (m *model) tickOf(p *big.Int) timers.Tick {
	u := big.NewInt(m.cfg.TickUnits)
	q, r := new(big.Int).DivMod(p, u, new(big.Int))
	if r.Sign() > 0 {
		q.Add(q, big.NewInt(1))
	}
	return timers.Tick(q.Int64())
}

// badRepeat reports whether r must be refused with ErrPeriod.
func (m *model) badRepeat(r timers.Repeat) bool {
	return r.Period < m.cfg.TickUnits || r.Period/m.cfg.TickUnits > int64(m.cfg.Horizon) ||
		r.Lead < 0 || r.Lead >= m.cfg.TickUnits
}

// wideJitter reports whether a window is not smaller than the period.
func (m *model) wideJitter(r timers.Repeat, j timers.Jitter) bool {
	if j.Early < 0 || j.Late < 0 {
		return true
	}
	w := new(big.Int).Add(big.NewInt(int64(j.Early)), big.NewInt(int64(j.Late)))
	w.Mul(w, big.NewInt(m.cfg.TickUnits))
	return w.Sign() > 0 && w.Cmp(big.NewInt(r.Period)) >= 0
}

// repeat turns t, just added for the tick first, into a periodic timer.
func (m *model) repeat(t *mTimer, first timers.Tick, r timers.Repeat) {
	p := m.units(m.clamp(first))
	t.rep = &mRepeat{period: big.NewInt(r.Period), delay: r.Delay,
		point: p.Sub(p, big.NewInt(r.Lead))}
}

// rearm moves a periodic timer that runs at m.now to its next run and returns
// the grid points it missed. The deadline is before jitter.
func (m *model) rearm(t *mTimer) (missed int64) {
	r := t.rep
	if r.delay {
		r.point = m.units(m.now)
		r.point.Add(r.point, r.period)
	} else {
		behind := new(big.Int).Sub(m.units(m.now), r.point)
		if behind.Sign() > 0 {
			missed = behind.Div(behind, r.period).Int64()
		}
		step := new(big.Int).Mul(r.period, big.NewInt(missed+1))
		r.point = new(big.Int).Add(r.point, step)
	}
	t.deadline, t.seq = m.clamp(m.tickOf(r.point)), m.nextSeq()
	m.freezeIfPaused(t)
	return missed
}

func (m *model) find(h timers.Handle) *mTimer {
	for _, t := range m.ts {
		if t.handle == h {
			return t
		}
	}
	return nil
}

func (m *model) remove(t *mTimer) {
	m.ts = slices.DeleteFunc(m.ts, func(o *mTimer) bool { return o == t })
}

func (m *model) cancel(h timers.Handle) bool {
	t := m.find(h)
	if t != nil {
		m.remove(t)
		m.cancelled++
	}
	return t != nil
}

// reset returns the timer it moved, nil for false. The caller notes the new
// handle.
func (m *model) reset(h timers.Handle, d timers.Tick) *mTimer {
	d = m.clamp(d)
	if m.far(d) {
		return nil
	}
	t := m.find(h)
	if t == nil {
		f := m.run.firing
		if f == nil || f.rep != nil || f.handle != h || len(m.ts) >= m.cfg.MaxTimers ||
			f.group != nil && !m.open(f.group) {
			return nil
		}
		m.run.firing, t = nil, f // only once
		m.ts = append(m.ts, t)
	}
	t.deadline, t.seq = d, m.nextSeq()
	if t.rep != nil {
		t.rep.point = m.units(d)
	}
	m.freezeIfPaused(t)
	return t
}

func (m *model) remaining(t *mTimer) timers.Span {
	if t.frozen {
		return max(t.raw, 0)
	}
	return max(timers.Span(t.deadline-m.now), 0)
}

// dueAt is the tick at which t would run if nothing held it back.
func (m *model) dueAt(t *mTimer) timers.Tick {
	if t.frozen {
		return m.now + timers.Tick(max(t.raw, 1))
	}
	return t.deadline
}

func (m *model) next() (timers.Tick, bool) {
	best, ok := timers.Tick(0), false
	for _, t := range m.ts {
		if d := m.clamp(t.deadline); !t.frozen && (!ok || d < best) {
			best, ok = d, true
		}
	}
	return best, ok
}

// backlog counts due timers of a lane and tells how late the oldest is.
func (m *model) backlog(l timers.Lane) (n int, age timers.Span) {
	for _, t := range m.ts {
		if !t.frozen && t.lane == l && t.deadline <= m.now {
			n++
			age = max(age, timers.Span(m.now-t.deadline))
		}
	}
	return n, age
}

// load counts timers due exactly at d.
func (m *model) load(d timers.Tick) (n int) {
	for _, t := range m.ts {
		if !t.frozen && t.deadline == d {
			n++
		}
	}
	return n
}

// all lists pending timers in firing order, paused ones last.
func (m *model) all() []*mTimer {
	s := slices.Clone(m.ts)
	slices.SortFunc(s, func(a, b *mTimer) int {
		if a.frozen != b.frozen {
			if b.frozen {
				return -1
			}
			return 1
		}
		if a.frozen {
			return cmp.Or(cmp.Compare(a.raw, b.raw), cmp.Compare(a.seq, b.seq))
		}
		return cmp.Or(cmp.Compare(m.clamp(a.deadline), m.clamp(b.deadline)),
			cmp.Compare(rank(a.lane), rank(b.lane)),
			cmp.Compare(a.deadline, b.deadline), cmp.Compare(a.seq, b.seq))
	})
	return s
}
