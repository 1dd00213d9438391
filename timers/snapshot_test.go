package timers_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tickwheel/tickwheel/timers"
)

// restored is a rig that goes on from a snapshot of r.
func (r *rig) restored() *rig {
	r.t.Helper()
	b, err := r.AppendSnapshot(nil, putInt)
	require.NoError(r.t, err)
	w, err := timers.Restore(b, getInt)
	require.NoError(r.t, err)
	require.NoError(r.t, w.Check())
	return &rig{Wheel: w, t: r.t, do: map[int]func(timers.Firing[int]){}}
}

// everyState is a small wheel that has one of everything a snapshot holds.
func everyState(t testing.TB) *rig {
	r := newRig(t, timers.Config{NearTicks: 64, ChunkBlocks: 4, MaxTimers: 50, MaxGroups: 4, Budget: 2, TickUnits: 10, Seed: 7})
	open, paused, closed := r.group(), r.group(), r.group()
	r.CloseGroup(closed)
	for i := range 9 {
		r.at(3, i, timers.Spec{Lane: timers.Lane(i % 3), Group: open})
	}
	r.at(40, 9, timers.Spec{Group: paused})
	r.at(1000, 10)
	r.at(1<<40, 11, timers.Spec{Lane: timers.Bulk, Group: open})
	_, err := r.Every(8, timers.Repeat{Period: 25, Lead: 5}, 12, timers.Spec{Group: paused, Jitter: timers.Jitter{Late: 1}, Choices: 2})
	require.NoError(t, err)
	_, err = r.Every(9, timers.Repeat{Period: 70, Delay: true}, 13, timers.Spec{})
	require.NoError(t, err)
	r.Cancel(r.at(70, 14, timers.Spec{Group: open}))
	require.True(t, r.Pause(paused))
	r.at(50, 15, timers.Spec{Group: paused})
	r.to(4)
	return r
}

func TestSnapshotKeepsHandlesAndGroups(t *testing.T) {
	r := newRig(t, room)
	g, shut := r.group(), r.group()
	r.CloseGroup(shut)
	plain, far := r.at(10, 1), r.at(900, 2, timers.Spec{Group: g})
	periodic, gone := r.every(7, 3), r.at(5, 4)
	r.Cancel(gone)
	s := r.restored()

	require.False(t, s.Cancel(gone), "a stale handle stays stale")
	require.True(t, s.Cancel(plain))
	require.False(t, s.Cancel(plain))
	moved, ok := s.Reset(far, 20)
	require.True(t, ok)
	require.False(t, s.Cancel(far), "Reset gave it another handle")
	_, err := s.After(1, 5, timers.Spec{Group: shut})
	require.ErrorIs(t, err, timers.ErrClosed)
	again, err := s.NewGroup()
	require.NoError(t, err)
	require.NotContains(t, []timers.Group{g, shut}, again)
	require.Equal(t, []int{3, 3, 2}, s.to(20))
	_, pending := s.Remaining(moved)
	require.False(t, pending, "it fired")
	require.True(t, s.Cancel(periodic))
	require.Zero(t, s.Len())
	require.Equal(t, 3, r.Len(), "the other wheel knows nothing of it")
	require.Equal(t, []int{3, 1, 3}, r.to(20))
}

func TestSnapshotKeepsWhatIsFrozenCarriedAndCounted(t *testing.T) {
	r := everyState(t)
	s := r.restored()
	require.Equal(t, r.Len(), s.Len())
	require.Equal(t, r.Cancelled(), s.Cancelled())
	for _, l := range byRank {
		require.Positive(t, r.Backlog(l), "the state has a backlog of %v", l)
		require.Equal(t, r.Backlog(l), s.Backlog(l))
		require.Equal(t, r.BacklogAge(l), s.BacklogAge(l))
	}
	require.Equal(t, slices.Collect(r.All()), slices.Collect(s.All()))
	before := len(r.log)
	r.tickTo(2000)
	s.tickTo(2000)
	require.Equal(t, r.log[before:], s.log)
	require.Equal(t, r.when[before:], s.when)
	require.Greater(t, len(s.log), 200)
}

func TestSnapshotOfAnEmptyWheel(t *testing.T) {
	for _, c := range []timers.Config{{}, room, {NearTicks: 1 << 17, ChunkBlocks: 2048, Start: 1 << 62, Horizon: 1 << 61}} {
		r := newRig(t, c)
		s := r.restored()
		require.Equal(t, r.Now(), s.Now())
		require.Equal(t, s.after(1, 7), r.after(1, 7), "the first handle")
		require.Equal(t, []int{7}, s.to(s.Now()+1))
	}
}

func TestSnapshotNeedsAFinishedAdvance(t *testing.T) {
	r := newRig(t, room)
	r.at(1, 1)
	r.at(1, 2)
	r.on(1, func(timers.Firing[int]) {
		b, err := r.AppendSnapshot([]byte("kept"), putInt)
		require.ErrorIs(t, err, timers.ErrAdvancing)
		require.Equal(t, "kept", string(b))
		panic("stop")
	})
	require.Panics(t, func() { r.to(1) })
	_, err := r.AppendSnapshot(nil, putInt)
	require.ErrorIs(t, err, timers.ErrAdvancing, "interrupted")
	r.to(1)
	require.Equal(t, []int{1, 2}, r.ids(0))
	_, err = r.AppendSnapshot(nil, putInt)
	require.NoError(t, err)
}

func TestSnapshotReportsCodecErrors(t *testing.T) {
	r := newRig(t, room)
	r.at(33, 5)
	odd := errors.New("odd payload")
	b, err := r.AppendSnapshot([]byte("kept"), func([]byte, int) ([]byte, error) { return nil, odd })
	require.ErrorIs(t, err, odd)
	require.ErrorContains(t, err, "due at 33")
	require.Equal(t, "kept", string(b))
	b, err = r.AppendSnapshot(nil, putInt)
	require.NoError(t, err)
	_, err = timers.Restore(b, func([]byte) (int, error) { return 0, odd })
	require.ErrorIs(t, err, odd)
	require.NotErrorIs(t, err, timers.ErrSnapshot, "the snapshot is sound")
	require.ErrorContains(t, err, "due at 33")
}

// unread is a decoder for input that must be refused before it is decoded.
func unread(b []byte) (int, error) { panic("decoded a payload of a damaged snapshot") }

func TestEveryBitFlipIsRefused(t *testing.T) {
	b, err := everyState(t).AppendSnapshot(nil, putInt)
	require.NoError(t, err)
	for bit := range len(b) * 8 {
		b[bit/8] ^= 1 << (bit % 8)
		_, err := timers.Restore(b, unread)
		require.ErrorIs(t, err, timers.ErrSnapshot, "bit %d flipped", bit)
		b[bit/8] ^= 1 << (bit % 8)
	}
	_, err = timers.Restore(b, getInt)
	require.NoError(t, err, "the flips were taken back")
}

func TestCutAndForeignInputIsRefused(t *testing.T) {
	b, err := everyState(t).AppendSnapshot(nil, putInt)
	require.NoError(t, err)
	for n := range b {
		_, err := timers.Restore(b[:n:n], unread)
		require.ErrorIs(t, err, timers.ErrSnapshot, "cut to %d of %d bytes", n, len(b))
	}
	newer := slices.Clone(b)
	newer[8]++
	for says, in := range map[string][]byte{
		"newer build":            newer,
		"no snapshot of a wheel": []byte("\x7fELF, most likely"),
		"at least":               nil,
		"joined":                 append(slices.Clone(b), b...),
		"cut off":                b[:len(b)-1],
	} {
		_, err := timers.Restore(in, unread)
		require.ErrorIs(t, err, timers.ErrSnapshot)
		require.ErrorContains(t, err, says)
	}
}
