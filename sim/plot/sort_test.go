package plot

import (
	"bytes"
	"context"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestSortedIsInOrder(t *testing.T) {
	for _, n := range []int{0, 1, 2, sortPart, sortPart + 1, 3*sortPart + 7} {
		r := rand.New(rand.NewPCG(1, uint64(n)))
		ds := make([]time.Duration, n)
		for i := range ds {
			ds[i] = time.Duration(r.Int64N(1000))
		}
		want := slices.Clone(ds)
		slices.Sort(want)
		got, err := Sorted(t.Context(), ds)
		require.NoError(t, err)
		require.True(t, slices.Equal(want, got), n)
	}
}

// Who has pressed Ctrl-C gets the prompt back, not half a picture.
func TestAContextThatHasEndedStopsTheDrawing(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	runs, o := storm()
	for _, draw := range []func(context.Context, *bytes.Buffer) error{
		func(ctx context.Context, b *bytes.Buffer) error { return TickLatency(ctx, b, PNG, runs, o) },
		func(ctx context.Context, b *bytes.Buffer) error { return Percentiles(ctx, b, SVG, runs, o) },
	} {
		var b bytes.Buffer
		require.ErrorIs(t, draw(ctx, &b), context.Canceled)
		require.Zero(t, b.Len())
	}
	_, err := Lengths(ctx, make([]Sample, 10))
	require.ErrorIs(t, err, context.Canceled)
}
