package session_test

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tickwheel/tickwheel/session"
	"github.com/tickwheel/tickwheel/tick"
)

// More players than the job queue has places are saved when the loop ends, by
// the hook and the configuration that the documents show.
func TestLastSavesOutnumberTheQueue(t *testing.T) {
	l, err := tick.New(tick.Config{})
	require.NoError(t, err)
	r, err := session.New[int](l, session.Config{})
	require.NoError(t, err)
	var saved atomic.Int64
	r.OnClose(func(s *session.Session[int], _ error) {
		save := tick.Job[struct{}]{Key: s.ID(), Run: func(context.Context) (struct{}, error) {
			saved.Add(1)
			return struct{}{}, nil
		}}
		assert.NoError(t, tick.Offload(l.Root(), save, nil))
	})
	const players = 6000 // the queue has 4,096 places
	for i := range players {
		_, _, err := r.Login(fmt.Sprint("player ", i), i)
		require.NoError(t, err)
	}
	require.NoError(t, l.Stop(t.Context()))
	assert.EqualValues(t, players, saved.Load())
}
