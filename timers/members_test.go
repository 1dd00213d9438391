package timers_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tickwheel/tickwheel/timers"
)

// Cancels are settled many at a time. A group's closing must count whatever number
// waits already, and whatever it adds.
func TestGroupsCloseBesideAnyNumberOfCancels(t *testing.T) {
	for size := range 130 {
		for _, waiting := range []int{0, 1, 36, 37, 63, 64} {
			w := newRig(t, room)
			g := w.group()
			var alone []timers.Handle
			for i := range 70 {
				alone = append(alone, w.after(5, i, timers.Spec{}))
			}
			for i := range size {
				w.after(timers.Span(5+i%2*500), i, timers.Spec{Group: g})
			}
			for _, h := range alone[:waiting] {
				require.True(t, w.Cancel(h))
			}
			require.Equal(t, size, w.CloseGroup(g))
			require.True(t, w.Cancel(alone[waiting]))
			left := 70 - waiting - 1
			require.Equal(t, left, w.Len(), "a group of %d beside %d", size, waiting)
			require.NoError(t, w.Check(), "a group of %d beside %d", size, waiting)
			require.Equal(t, left, w.Load(5), "a group of %d beside %d", size, waiting)
			require.Len(t, w.to(5), left, "a group of %d beside %d", size, waiting)
		}
	}
}
