package schemes_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tickwheel/tickwheel/sim/schemes"
	"github.com/tickwheel/tickwheel/timers"
)

// reference is too simple to be wrong: a slice, searched for the earliest.
type reference struct {
	now     timers.Tick
	pending []entry // in scheduling order
}

type entry struct {
	at timers.Tick
	id uint64
}

func (r *reference) schedule(at timers.Tick, id uint64) {
	r.pending = append(r.pending, entry{max(at, r.now+1), id})
}

func (r *reference) cancel(id uint64) bool {
	i := slices.IndexFunc(r.pending, func(e entry) bool { return e.id == id })
	if i >= 0 {
		r.pending = slices.Delete(r.pending, i, i+1)
	}
	return i >= 0
}

// next removes and returns the earliest entry due by to, the first of equals.
func (r *reference) next(to timers.Tick) (entry, bool) {
	best := -1
	for i, e := range r.pending {
		if e.at <= to && (best < 0 || e.at < r.pending[best].at) {
			best = i
		}
	}
	if best < 0 {
		r.now = to
		return entry{}, false
	}
	e := r.pending[best]
	r.pending = slices.Delete(r.pending, best, best+1)
	r.now = e.at
	return e, true
}

// each runs f for every scheme, of usual and of tiny size, with both ways to cancel.
func each(t *testing.T, start timers.Tick, f func(t *testing.T, s schemes.Scheme)) {
	t.Helper()
	makers := map[string]func(schemes.Config) schemes.Scheme{
		"hashed-2":      func(c schemes.Config) schemes.Scheme { return schemes.NewHashed(2, c) },
		"hashed-8":      func(c schemes.Config) schemes.Scheme { return schemes.NewHashed(8, c) },
		"hierarchy-1x2": func(c schemes.Config) schemes.Scheme { return schemes.NewHierarchy(1, 1, c) },
		"hierarchy-2x4": func(c schemes.Config) schemes.Scheme { return schemes.NewHierarchy(2, 2, c) },
		"hierarchy-3x8": func(c schemes.Config) schemes.Scheme { return schemes.NewHierarchy(3, 3, c) },
	}
	for _, name := range schemes.Names() {
		makers[name] = func(c schemes.Config) schemes.Scheme {
			s, err := schemes.New(name, c)
			require.NoError(t, err)
			return s
		}
	}
	for name, newScheme := range makers {
		for _, lazy := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s/lazy=%v", name, lazy), func(t *testing.T) {
				s := newScheme(schemes.Config{Start: start, Lazy: lazy})
				defer s.Close()
				f(t, s)
			})
		}
	}
}

// Random calls, from outside and from inside callbacks, on a scheme and on the
// reference: every result and every firing must be the same.
func TestModel(t *testing.T) {
	starts := []timers.Tick{0, 250, 1<<31 - 100, 1<<32 - 100, 1<<36 - 70}
	for seed, start := range starts {
		each(t, start, func(t *testing.T, s schemes.Scheme) {
			p := &play{t: t, r: rand.New(rand.NewPCG(uint64(seed), 1)), s: s, ref: reference{now: start}}
			for range 300 {
				p.call()
				require.Equal(t, len(p.ref.pending), s.Len())
			}
			p.advance(s.Now() + 5000)
			for _, h := range p.handles {
				require.Equal(t, p.ref.cancel(h.id), s.Cancel(h.t))
			}
			require.Zero(t, s.Len())
		})
	}
}

// play drives a scheme and the reference with the same calls.
type play struct {
	t       *testing.T
	r       *rand.Rand
	s       schemes.Scheme
	ref     reference
	handles []handle
}

type handle struct {
	t  *schemes.Timer
	id uint64
}

func (p *play) call() {
	switch x := p.r.IntN(10); {
	case x < 5:
		p.schedule()
	case x < 8:
		p.cancel()
	default:
		p.advance(p.s.Now() + timers.Tick(p.r.IntN(1<<p.r.IntN(10))))
	}
}

func (p *play) schedule() {
	for range 1 + p.r.IntN(4) {
		id := uint64(len(p.handles))
		at := p.ref.now - 2 + timers.Tick(p.r.IntN(1<<(1+p.r.IntN(14))))
		p.handles = append(p.handles, handle{p.s.Schedule(at, id), id})
		p.ref.schedule(at, id)
	}
}

func (p *play) cancel() {
	if len(p.handles) > 0 {
		h := p.handles[p.r.IntN(len(p.handles))]
		require.Equal(p.t, p.ref.cancel(h.id), p.s.Cancel(h.t), "cancel %d", h.id)
	}
}

func (p *play) advance(to timers.Tick) {
	fired := 0
	report := p.s.Advance(to, func(id uint64) {
		want, ok := p.ref.next(to)
		require.True(p.t, ok, "fired %d, nothing is due", id)
		require.Equal(p.t, want.id, id)
		require.Equal(p.t, want.at, p.s.Now())
		fired++
		switch p.r.IntN(6) {
		case 0:
			p.schedule()
		case 1:
			p.cancel()
		}
	})
	_, more := p.ref.next(to)
	require.False(p.t, more, "something due did not fire")
	require.Equal(p.t, fired, report.Fired)
	require.Equal(p.t, to, p.s.Now())
}

func TestTiesKeepOrderAcrossLevels(t *testing.T) {
	each(t, 0, func(t *testing.T, s schemes.Scheme) {
		var got []uint64
		fire := func(id uint64) { got = append(got, id) }
		for id := range uint64(8) { // one deadline from ever nearer
			s.Schedule(300, id)
			s.Advance(s.Now()+40, fire)
		}
		require.Equal(t, []uint64{0, 1, 2, 3, 4, 5, 6, 7}, got)
	})
}

func TestCancelIsTrueOnce(t *testing.T) {
	each(t, 0, func(t *testing.T, s schemes.Scheme) {
		require.False(t, s.Cancel(nil))
		a, b := s.Schedule(5, 1), s.Schedule(5, 2)
		require.True(t, s.Cancel(a))
		require.False(t, s.Cancel(a))
		require.Equal(t, 1, s.Len())
		require.Equal(t, 1, s.Advance(5, func(id uint64) { require.EqualValues(t, 2, id) }).Fired)
		require.False(t, s.Cancel(b))
	})
}

func TestAPanicLeavesTheRestFirstInLine(t *testing.T) {
	each(t, 0, func(t *testing.T, s schemes.Scheme) {
		if _, ends := s.(*schemes.Goroutines); ends {
			return // there a panic ends the process, see its comment
		}
		for id := range uint64(3) {
			s.Schedule(7, id)
		}
		require.Panics(t, func() { s.Advance(9, func(uint64) { panic("callback") }) })
		require.Equal(t, 2, s.Len())
		var got []uint64
		s.Advance(9, func(id uint64) { got = append(got, id) })
		require.Equal(t, []uint64{1, 2}, got)
	})
}

// What each scheme is known for shows in its counts.
func TestTouchedCountsWhatASchemePaysFor(t *testing.T) {
	fire := func(uint64) {}
	h := schemes.NewHashed(8, schemes.Config{})
	for range 10 {
		h.Schedule(80, 0)
	}
	require.Equal(t, schemes.Report{Touched: 90, Fired: 10}, h.Advance(80, fire), "each lap counts down")
	c := schemes.NewHierarchy(3, 3, schemes.Config{})
	for range 10 {
		c.Schedule(80, 0)
	}
	require.Equal(t, schemes.Report{Touched: 10}, c.Advance(64, fire), "a coarse slot moves at once")
	require.Equal(t, schemes.Report{Touched: 10, Fired: 10}, c.Advance(80, fire))
	l := schemes.NewSortedList(schemes.Config{Lazy: true})
	l.Cancel(l.Schedule(3, 0))
	require.Equal(t, schemes.Report{Touched: 1}, l.Advance(3, fire), "a cancelled entry is dropped late")
}

func TestMisuse(t *testing.T) {
	_, err := schemes.New("skip-list", schemes.Config{})
	require.ErrorContains(t, err, "skip-list")
	require.Panics(t, func() { schemes.NewHashed(12, schemes.Config{}) })
	require.Panics(t, func() { schemes.NewHierarchy(9, 1, schemes.Config{}) })
	require.Panics(t, func() { schemes.NewHeap(schemes.Config{Start: -1}) })
	each(t, 10, func(t *testing.T, s schemes.Scheme) {
		require.Panics(t, func() { s.Advance(9, func(uint64) {}) })
		s.Schedule(11, 0)
		s.Advance(11, func(uint64) {
			require.Panics(t, func() { s.Advance(12, func(uint64) {}) })
		})
	})
}
