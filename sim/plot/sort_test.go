package plot

import (
	"bytes"
	"context"
	"testing"

	"github.com/stretchr/testify/require"
)

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
