package timers_test

import (
	"encoding/binary"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tickwheel/tickwheel/timers"
)

// anyInt decodes whatever there is.
func anyInt(b []byte) (int, error) { return len(b), nil }

// survives restores a sealed body that may say anything. It must be refused, or
// give a wheel that is whole and stays so whatever is called.
func survives(t failer, body []byte) (restored bool) {
	t.Helper()
	w, err := timers.Restore(timers.Seal(body), anyInt)
	if err != nil {
		if !errors.Is(err, timers.ErrSnapshot) {
			t.Fatalf("body %x: error %v, want an ErrSnapshot", body, err)
		}
		return false
	}
	exercise(t, w, body)
	return true
}

func exercise(t failer, w *timers.Wheel[int], body []byte) {
	t.Helper()
	whole := func(after string) {
		if err := w.Check(); err != nil {
			t.Fatalf("body %x: after %s: %v", body, after, err)
		}
	}
	whole("Restore")
	var all []timers.Pending[int]
	groups := map[timers.Group]bool{}
	for p := range w.All() {
		all = append(all, p)
		groups[p.Group] = true
	}
	if len(all) != w.Len() {
		t.Fatalf("body %x: All lists %d timers, Len is %d", body, len(all), w.Len())
	}
	nop := func(timers.Firing[int]) {}
	const last = 1<<62 + 1<<61 - 1<<22
	advance := func(to timers.Tick) {
		if to <= last {
			w.Advance(max(to, w.Now()), nop)
		}
	}
	again := func() {
		for g := range groups {
			for i := range 40 {
				_, _ = w.After(timers.Span(1+i%3*70), i, timers.Spec{Group: g, Lane: timers.Lane(i % timers.Lanes)})
			}
		}
	}
	again()
	whole("After")
	advance(w.Now() + 1)
	whole("one tick")
	for g := range groups {
		w.Pause(g)
	}
	whole("Pause")
	for i, p := range all {
		switch i % 4 {
		case 0:
			w.Cancel(p.Handle)
		case 1:
			w.Reset(p.Handle, w.Now()+timers.Tick(i))
		}
	}
	whole("Cancel and Reset")
	advance(w.Now() + 70)
	for g := range groups {
		w.Resume(g)
	}
	whole("Resume")
	for range 12 {
		if next, ok := w.Next(); ok {
			advance(next)
		}
		whole("the next timer")
	}
	again()
	for g := range groups {
		if w.CancelGroup(g); len(groups)%2 == 0 {
			w.CloseGroup(g)
		}
	}
	whole("CancelGroup")
	if b, err := w.AppendSnapshot(nil, putInt); err != nil {
		t.Fatalf("body %x: AppendSnapshot: %v", body, err)
	} else if _, err := timers.Restore(b, getInt); err != nil && !grown(err) {
		t.Fatalf("body %x: a snapshot of the wheel is refused: %v", body, err)
	}
}

// grown tells whether what is refused is a counter that the input set to its
// limit, where no wheel comes by itself, and that grew since.
func grown(err error) bool {
	return strings.Contains(err.Error(), "newest stamp") || strings.Contains(err.Error(), "starved")
}

// bodies are snapshots of wheels in many states, without header and checksum.
func bodies(t testing.TB, n int) (all [][]byte) {
	add := func(w *timers.Wheel[int]) {
		if b, err := w.AppendSnapshot(nil, putInt); err == nil {
			all = append(all, timers.Body(b))
		}
	}
	add(everyState(t).Wheel)
	add(newRig(t, room).Wheel)
	for seed := range n {
		data := noise(byte(seed), 500)
		p := pairOf(t, &data)
		drive(p, &data)
		add(p.w)
	}
	return all
}

// TestHostileSnapshotGivesAnErrorOrAWholeWheel changes snapshots a number at a
// time, with a checksum that fits.
func TestHostileSnapshotGivesAnErrorOrAWholeWheel(t *testing.T) {
	n := 2
	if *long {
		n = 10
	}
	tried, restored := 0, 0
	try := func(body []byte) {
		tried++
		if survives(t, body) {
			restored++
		}
	}
	for _, body := range bodies(t, n) {
		for at := range body {
			if at > 250 && !*long {
				break
			}
			was := body[at]
			for _, v := range []byte{0, 1, 2, 3, 7, 8, was + 1, was - 1, was ^ 0x40, was ^ 0x80, 0x7f, 0xff} {
				body[at] = v
				if v != was {
					try(body)
				}
			}
			body[at] = was
		}
		for at := range body {
			if at > 150 && !*long {
				break
			}
			for _, v := range []uint64{1 << 31, 1<<32 - 1, 1 << 62, 1<<64 - 1} {
				_, size := binary.Uvarint(body[at:])
				if size > 0 {
					try(slices.Concat(body[:at], binary.AppendUvarint(nil, v), body[at+size:]))
				}
			}
			try(slices.Delete(slices.Clone(body), at, at+1))
			try(body[:at:at])
		}
	}
	require.Greater(t, tried, 5_000)
	require.Greater(t, tried, 2*restored, "most is refused")
	require.Greater(t, restored, tried/100, "some numbers may be anything")
}

// FuzzRestore feeds bodies with a checksum that fits, and the bytes as they are.
func FuzzRestore(f *testing.F) {
	for _, b := range bodies(f, 12) {
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		survives(t, data)
		if _, err := timers.Restore(data, anyInt); err != nil && !errors.Is(err, timers.ErrSnapshot) {
			t.Fatalf("error %v, want an ErrSnapshot", err)
		}
	})
}

// TestSmallInputTakesLittleMemory restores headers that announce much.
func TestSmallInputTakesLittleMemory(t *testing.T) {
	whole := timers.Body(func() []byte {
		b, err := newRig(t, room).AppendSnapshot(nil, putInt)
		require.NoError(t, err)
		return b
	}())
	for at := range whole {
		body := slices.Concat(whole[:at], binary.AppendUvarint(nil, 1<<26), whole[at:])
		before := allocated()
		_, err := timers.Restore(timers.Seal(body), anyInt)
		require.Less(t, allocated()-before, uint64(32<<20), "a body of %d bytes, error %v", len(body), err)
	}
}
