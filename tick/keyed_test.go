package tick_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/tickwheel/tickwheel/tick"
	"github.com/tickwheel/tickwheel/tick/ticktest"
)

// A refused replacement leaves the old timer, on a full wheel as well; one that
// is good takes its place.
func TestARefusedReplacementLeavesTheOldTimer(t *testing.T) {
	bad := map[string]struct {
		sp   tick.Spec
		want error
	}{
		"jitter wider than the period": {tick.Spec{Every: time.Second, Jitter: tick.Jitter{Late: 2 * time.Second}}, tick.ErrJitter},
		"too many choices":             {tick.Spec{Jitter: tick.Jitter{Late: time.Second, Choices: 99}}, tick.ErrJitter},
		"negative jitter":              {tick.Spec{Jitter: tick.Jitter{Late: -1}}, tick.ErrJitter},
		"jitter beyond the horizon":    {tick.Spec{After: 90 * interval, Jitter: tick.Jitter{Late: 20 * interval}}, tick.ErrHorizon},
		"period below the interval":    {tick.Spec{Every: 1}, tick.ErrPeriod},
		"beyond the horizon":           {tick.Spec{After: time.Hour}, tick.ErrHorizon},
	}
	for _, room := range []int{1, 9} {
		for name, tt := range bad {
			l := ticktest.New(t, tick.Config{MaxTimers: room, Horizon: 100})
			s := l.Root().Child()
			ran := 0
			assert.NoError(t, s.Keyed("k", tick.Spec{After: interval}, func(tick.Firing) { ran++ }))
			assert.ErrorIs(t, s.Keyed("k", tt.sp, func(tick.Firing) { t.Error(name) }), tt.want, name)
			assert.Equal(t, 1, l.Timers(), name)
			assert.NoError(t, s.Keyed("k", tick.Spec{Every: 10 * interval, Jitter: tick.Jitter{Late: interval}}, func(tick.Firing) { ran++ }), name)
			assert.Equal(t, 1, l.Timers(), name)
			ticktest.Steps(l, 12)
			assert.Equal(t, 1, ran, name)
		}
	}
}
