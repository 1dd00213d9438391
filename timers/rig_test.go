package timers_test

import (
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tickwheel/tickwheel/timers"
)

// room is a small geometry, in which far lists and block reuse come soon.
var room = timers.Config{NearTicks: 64, ChunkBlocks: 4, MaxTimers: 100_000}

// rig is a wheel whose firings are noted.
type rig struct {
	*timers.Wheel[int]
	t    testing.TB
	log  []timers.Firing[int]
	when []timers.Tick // Now of each firing
	do   map[int]func(timers.Firing[int])
}

func newRig(t testing.TB, c timers.Config) *rig {
	t.Helper()
	w, err := timers.New[int](c)
	require.NoError(t, err)
	return &rig{Wheel: w, t: t, do: map[int]func(timers.Firing[int]){}}
}

// at schedules id, which must be accepted.
func (r *rig) at(d timers.Tick, id int, s ...timers.Spec) timers.Handle {
	r.t.Helper()
	s = append(s, timers.Spec{})
	h, err := r.At(d, id, s[0])
	require.NoError(r.t, err)
	return h
}

func (r *rig) after(d timers.Span, id int, s ...timers.Spec) timers.Handle {
	r.t.Helper()
	s = append(s, timers.Spec{})
	h, err := r.After(d, id, s[0])
	require.NoError(r.t, err)
	return h
}

// every schedules a run of id each period whole units, the first after one.
func (r *rig) every(period int64, id int, s ...timers.Spec) timers.Handle {
	r.t.Helper()
	s = append(s, timers.Spec{})
	h, err := r.Every(r.Now()+timers.Tick(period), timers.Repeat{Period: period}, id, s[0])
	require.NoError(r.t, err)
	return h
}

func (r *rig) group() timers.Group {
	r.t.Helper()
	g, err := r.NewGroup()
	require.NoError(r.t, err)
	return g
}

// on sets what the callback of id does.
func (r *rig) on(id int, f func(timers.Firing[int])) { r.do[id] = f }

// to advances to a tick and returns the payloads that fired, in order.
func (r *rig) to(t timers.Tick) []int {
	r.t.Helper()
	n := len(r.log)
	r.Advance(t, r.fire)
	require.Equal(r.t, t, r.Now())
	return r.ids(n)
}

// ids is the payloads fired from the n-th firing on; nil if none.
func (r *rig) ids(n int) []int {
	var ids []int
	for _, f := range r.log[n:] {
		ids = append(ids, f.Payload)
	}
	return ids
}

func (r *rig) fire(f timers.Firing[int]) {
	r.log = append(r.log, f)
	r.when = append(r.when, r.Now())
	require.Equal(r.t, f.Late, timers.Span(r.Now()-f.Deadline), "Late of %d", f.Payload)
	require.GreaterOrEqual(r.t, r.Now(), f.Deadline, "%d is early", f.Payload)
	if do := r.do[f.Payload]; do != nil {
		do(f)
	}
}

// tickTo is to, one tick an Advance.
func (r *rig) tickTo(t timers.Tick) []int {
	r.t.Helper()
	n := len(r.log)
	for r.Now() < t {
		r.Advance(r.Now()+1, r.fire)
	}
	return r.ids(n)
}

// heapInUse is the live heap after a full collection.
func heapInUse() uint64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// allocated is how many bytes were allocated so far, garbage included.
func allocated() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.TotalAlloc
}

// scale is n with -long, and a hundredth of it, at least 1, without.
func scale(n int) int {
	if *long {
		return n
	}
	return max(n/100, 1)
}
