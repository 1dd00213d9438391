package timers_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tickwheel/tickwheel/timers"
)

func putInt(b []byte, p int) ([]byte, error) { return binary.AppendVarint(b, int64(p)), nil }

func getInt(b []byte) (int, error) {
	v, n := binary.Varint(b)
	if n != len(b) {
		return 0, fmt.Errorf("%x is no number", b)
	}
	return int(v), nil
}

// snapshot goes on with a wheel restored from a snapshot, which must be the
// same in everything: a snapshot of it is equal to the last byte.
func (p *pair) snapshot() {
	p.note("Snapshot")
	if p.twin {
		return
	}
	prefix := []byte("before ")
	b, err := p.w.AppendSnapshot(prefix, putInt)
	if p.m.run.active {
		p.want(errors.Is(err, timers.ErrAdvancing) && string(b) == "before ",
			"AppendSnapshot in an interrupted Advance: %q, error %v, want ErrAdvancing", b, err)
		return
	}
	p.want(err == nil && bytes.HasPrefix(b, prefix), "AppendSnapshot: %v", err)
	b = b[len(prefix):]
	w, err := timers.Restore(b, getInt)
	p.want(err == nil, "Restore: %v", err)
	again, err := w.AppendSnapshot(nil, putInt)
	p.want(err == nil && bytes.Equal(b, again), "the restored wheel has another snapshot:\n%x, want\n%x", again, b)
	again, err = p.w.AppendSnapshot(nil, putInt)
	p.want(err == nil && bytes.Equal(b, again), "AppendSnapshot changed the wheel")
	if p.m.gated {
		w.SetLive(func(id *int) bool { return !p.dead[*id] })
	}
	p.want(w.Budget() == p.m.budget, "Budget() = %d in the restored wheel, want %d", w.Budget(), p.m.budget)
	p.w = w
	if err := w.Check(); err != nil {
		p.want(false, "restored: invariant broken: %v", err)
	}
}

// TestRestoredWheelDoesAsItsTwin drives one wheel through snapshots, and one
// without: calls, results, handles and firings are the same.
func TestRestoredWheelDoesAsItsTwin(t *testing.T) {
	n := 30
	if *long {
		n = 500
	}
	traces := map[uint64]bool{}
	for seed := range n {
		var sums [2]uint64
		for i := range sums {
			data := append(noise(byte(seed), 1200), noise(byte(seed>>8)+77, 1200)...)
			p := pairOf(t, &data)
			p.twin = i == 1
			drive(p, &data)
			sums[i] = p.trace.Sum64()
		}
		require.Equal(t, sums[1], sums[0], "trace hash of seed %d", seed)
		traces[sums[0]] = true
	}
	require.Greater(t, len(traces), n*2/3, "runs differ")
}
