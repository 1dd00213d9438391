package timers_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tickwheel/tickwheel/timers"
)

// A one-shot ran last in a block that is used again. A periodic callback that does
// not return there must not wipe the payload in the one-shot's place.
func TestPanicOfAPeriodicLeavesItsNeighboursPayload(t *testing.T) {
	w, err := timers.New[*string](timers.Config{})
	require.NoError(t, err)
	name := func(s string) *string { return &s }
	for _, s := range []string{"a", "b"} {
		_, err := w.At(1, name(s), timers.Spec{})
		require.NoError(t, err)
	}
	w.Advance(1, func(timers.Firing[*string]) {})
	for _, s := range []string{"c", "d"} {
		_, err := w.Every(2, timers.Repeat{Period: 10}, name(s), timers.Spec{})
		require.NoError(t, err)
	}
	var ran []*string
	fire := func(f timers.Firing[*string]) {
		ran = append(ran, f.Payload)
		if len(ran) == 1 {
			panic("planned")
		}
	}
	assert.Panics(t, func() { w.Advance(2, fire) })
	w.Advance(2, fire)
	require.Len(t, ran, 2)
	require.NotNil(t, ran[1], "wiped")
	assert.Equal(t, "d", *ran[1])
}
