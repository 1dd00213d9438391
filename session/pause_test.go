package session_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/tickwheel/tickwheel/session"
	"github.com/tickwheel/tickwheel/tick"
	"github.com/tickwheel/tickwheel/tick/ticktest"
)

// Grace freezes, the game pauses, and neither undoes the other.
func TestGraceAndAPauseOfTheGameDoNotMix(t *testing.T) {
	tests := []struct {
		name          string
		before, grace func(s *sess)
		paused        bool // after the login that resumes
	}{
		{"neither", nil, nil, false},
		{"paused before", func(s *sess) { assert.True(t, s.Pause()) }, nil, true},
		{"paused in grace", nil, func(s *sess) { assert.True(t, s.Pause()); assert.False(t, s.Pause()) }, true},
		{"paused and resumed in grace", nil, func(s *sess) { assert.True(t, s.Pause()); assert.True(t, s.Resume()) }, false},
		{"resumed in grace", func(s *sess) { assert.True(t, s.Pause()) }, func(s *sess) { assert.True(t, s.Resume()) }, false},
		{"resumed in grace without a pause", nil, func(s *sess) { assert.False(t, s.Resume()) }, false},
		{"resumed and paused in grace", func(s *sess) { s.Pause() }, func(s *sess) { s.Resume(); assert.True(t, s.Pause()) }, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			l, r := world(t, tick.Config{}, session.Config{Grace: time.Minute})
			c := r.Connect()
			s := login(t, c, "ann", session.Fresh)
			ran := 0
			must(s.AfterFunc(2*interval, func() { ran++ }))
			if tt.before != nil {
				tt.before(s)
			}
			c.Close(nil)
			if tt.grace != nil {
				tt.grace(s)
			}
			assert.True(t, s.Paused())
			ticktest.Steps(l, 4)
			assert.Zero(t, ran, "in grace nothing runs")
			login(t, r.Connect(), "ann", session.Resumed)
			assert.Equal(t, tt.paused, s.Paused())
			ticktest.Steps(l, 4)
			if tt.paused {
				assert.Zero(t, ran)
				assert.True(t, s.Resume())
				ticktest.Steps(l, 4)
			}
			assert.Equal(t, 1, ran)
			s.Close(nil)
			assert.False(t, s.Pause())
			assert.False(t, s.Resume())
		})
	}
}
