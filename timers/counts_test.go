package timers_test

import (
	"runtime"
	"testing"
	"weak"

	"github.com/stretchr/testify/require"

	"github.com/tickwheel/tickwheel/timers"
)

func TestW20_LenNeverDrifts(t *testing.T) {
	c := room
	c.MaxTimers = 11
	w := newRig(t, c)
	for range 50 {
		g := w.group()
		var hs []timers.Handle
		for i := range 11 {
			hs = append(hs, w.after(3, i, timers.Spec{Group: g}))
		}
		_, err := w.After(3, 99, timers.Spec{})
		require.ErrorIs(t, err, timers.ErrFull)
		w.on(0, func(timers.Firing[int]) {
			for _, h := range hs[1:] {
				require.True(t, w.Cancel(h))
			}
			require.Zero(t, w.Len())
			require.Zero(t, w.CancelGroup(g))
		})
		require.Equal(t, []int{0}, w.to(w.Now()+4))
		require.Zero(t, w.CloseGroup(g))
		require.Zero(t, w.Len())
	}
}

func TestW21_CancelledPayloadsAreCollectable(t *testing.T) {
	type buff struct{ _ [1024]byte }
	w, err := timers.New[*buff](timers.Config{})
	require.NoError(t, err)
	n := scale(1_000_000)
	base := heapInUse()
	var seen []weak.Pointer[buff]
	arm := func(cancel func(timers.Handle)) {
		for i := range n {
			b := new(buff)
			h, err := w.After(72_000, b, timers.Spec{})
			require.NoError(t, err)
			if i%100 == 0 {
				seen = append(seen, weak.Make(b))
			}
			cancel(h)
		}
	}
	arm(func(h timers.Handle) { require.True(t, w.Cancel(h)) })
	require.LessOrEqual(t, heapInUse(), base+uint64(n)*100, "cancelled at once")

	var hs []timers.Handle
	arm(func(h timers.Handle) { hs = append(hs, h) })
	for _, h := range hs {
		require.True(t, w.Cancel(h))
	}
	w.Advance(3, func(timers.Firing[*buff]) {})
	require.LessOrEqual(t, heapInUse(), base+uint64(n)*200, "cancelled after all were armed")
	for i, p := range seen {
		require.Nil(t, p.Value(), "payload %d is still held", i)
	}
	runtime.KeepAlive(w)
}

func TestW21_NoPathKeepsAPayload(t *testing.T) {
	type player struct{ _ [64]byte }
	w, err := timers.New[*player](timers.Config{NearTicks: 64, ChunkBlocks: 4, Budget: 1})
	require.NoError(t, err)
	g, err := w.NewGroup()
	require.NoError(t, err)
	var seen []weak.Pointer[player]
	arm := func(d timers.Span, s timers.Spec) timers.Handle {
		p := new(player)
		seen = append(seen, weak.Make(p))
		h, err := w.After(d, p, s)
		require.NoError(t, err)
		return h
	}
	advance := func(to timers.Tick) { w.Advance(to, func(timers.Firing[*player]) {}) }
	// Fired, carried, reset, paused and thawed, closed, far, periodic.
	arm(1, timers.Spec{})
	h := arm(1, timers.Spec{})
	for range 20 {
		arm(1, timers.Spec{Group: g, Lane: timers.Bulk})
		arm(900, timers.Spec{Group: g})
	}
	advance(1)
	_, ok := w.Reset(h, 30)
	require.True(t, ok)
	w.Pause(g)
	arm(4, timers.Spec{Group: g})
	advance(2)
	w.Resume(g)
	p := new(player)
	seen = append(seen, weak.Make(p))
	_, err = w.Every(5, timers.Repeat{Period: 2}, p, timers.Spec{Group: g})
	p = nil
	require.NoError(t, err)
	advance(8)
	w.CloseGroup(g)
	for w.Len() > 0 {
		advance(w.Now() + 1)
	}
	heapInUse()
	for i, p := range seen {
		require.Nil(t, p.Value(), "payload %d is still held", i)
	}
	runtime.KeepAlive(w)
}

func TestA11_ClosingAGroupFreesWhatItsTimersHold(t *testing.T) {
	type player struct{ hp [8]int }
	w, err := timers.New[func()](timers.Config{})
	require.NoError(t, err)
	g, err := w.NewGroup()
	require.NoError(t, err)
	arm := func() weak.Pointer[player] {
		p := new(player)
		for _, d := range []timers.Span{1, 36_000, 1 << 40} {
			_, err = w.After(d, func() { p.hp[0]++ }, timers.Spec{Group: g})
			require.NoError(t, err)
		}
		return weak.Make(p)
	}
	held := arm()
	heapInUse()
	require.NotNil(t, held.Value(), "the timers hold the player")
	require.Equal(t, 3, w.CloseGroup(g))
	heapInUse()
	require.Nil(t, held.Value())
	runtime.KeepAlive(w)
}

func TestW22_PendingTimersAreLimited(t *testing.T) {
	c := room
	c.MaxTimers = 1000
	w := newRig(t, c)
	refused := 0
	for i := range 100_000 {
		if _, err := w.After(2, i, timers.Spec{Lane: timers.Lane(i % 3)}); err != nil {
			require.ErrorIs(t, err, timers.ErrFull)
			refused++
		}
	}
	require.Equal(t, 99_000, refused)
	require.Equal(t, 1000, w.Len())
	_, err := w.Every(5, timers.Repeat{Period: 1}, 1, timers.Spec{})
	require.ErrorIs(t, err, timers.ErrFull)
	require.Len(t, w.to(2), 1000, "the wheel goes on")
	w.after(1, 1)
}

func TestW22_CarriedPausedAndPeriodicCountOnce(t *testing.T) {
	c := room
	c.MaxTimers, c.Budget = 6, 1
	w := newRig(t, c)
	g := w.group()
	w.every(1, 1)
	w.every(3, 2, timers.Spec{Group: g})
	w.at(1, 3)
	w.at(1, 4)
	w.at(9, 5, timers.Spec{Group: g})
	w.Pause(g)
	w.tickTo(2)
	require.Equal(t, 4, w.Len())
	w.after(1, 6)
	w.after(1, 7)
	_, err := w.After(1, 8, timers.Spec{})
	require.ErrorIs(t, err, timers.ErrFull)
	require.Equal(t, 2, w.CloseGroup(g))
	w.after(1, 8)
	w.after(1, 9)
	_, err = w.After(1, 10, timers.Spec{})
	require.ErrorIs(t, err, timers.ErrFull)
}

func TestW22_ResetWorksWhenFull(t *testing.T) {
	c := room
	c.MaxTimers = 2
	w := newRig(t, c)
	h := w.after(1, 1)
	w.after(50, 2)
	_, ok := w.Reset(h, 9)
	require.True(t, ok)
	w.on(1, func(f timers.Firing[int]) {
		if w.Now() == 9 {
			_, ok := w.Reset(f.Handle, 20)
			require.True(t, ok)
			_, err := w.After(1, 3, timers.Spec{})
			require.ErrorIs(t, err, timers.ErrFull)
			return
		}
		w.after(1, 3)
		_, ok := w.Reset(f.Handle, 40)
		require.False(t, ok, "its place was taken")
	})
	require.Equal(t, []int{1, 1, 3, 2}, w.tickTo(60))
}

func TestW28_ListingMatches(t *testing.T) {
	w := newRig(t, room)
	g := w.group()
	type entry struct {
		h timers.Handle
		d timers.Tick
	}
	want := map[int]entry{}
	for i := range 1000 {
		d := timers.Tick(1 + (i*7919)%500)
		s := timers.Spec{Lane: timers.Lane(i % 3)}
		if i%5 == 0 {
			s.Group = g
		}
		want[i] = entry{w.at(d, i, s), d}
	}
	for i := range 1000 {
		if (i*31)%4 < 2 {
			require.True(t, w.Cancel(want[i].h))
			delete(want, i)
		}
	}
	w.Pause(g)
	n, last := 0, timers.Tick(0)
	for p := range w.All() {
		e, ok := want[p.Payload]
		require.True(t, ok, "lists %d, which was cancelled", p.Payload)
		require.Equal(t, e, entry{p.Handle, p.Deadline})
		require.Equal(t, timers.Lane(p.Payload%3), p.Lane)
		require.Equal(t, p.Payload%5 == 0, p.Group == g)
		require.Equal(t, p.Payload%5 == 0, p.Paused)
		if !p.Paused {
			require.GreaterOrEqual(t, p.Deadline, last)
			last = p.Deadline
		}
		n++
	}
	require.Equal(t, len(want), n)
	require.Equal(t, len(want), w.Len())
	for range w.All() {
		break // leaving early is fine
	}
}

func TestA09_DroppedWheelIsCollected(t *testing.T) {
	drop := func() weak.Pointer[timers.Wheel[int]] {
		w := newRig(t, room)
		for i := range 1000 {
			w.after(timers.Span(i), i)
		}
		w.to(500)
		return weak.Make(w.Wheel)
	}
	p := drop()
	heapInUse()
	require.Nil(t, p.Value(), "a wheel needs no Stop")
}
