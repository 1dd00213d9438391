package sim

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// What String writes, Set reads.
func TestValuesRoundTrip(t *testing.T) {
	for _, c := range []struct {
		v    value
		text string
	}{
		{&Dist{}, "2ms"}, {&Dist{}, "1s..8s"}, {&Dist{}, "0s..1m0s"}, {&Dist{}, "2ms light"}, {&Dist{}, "2ms heavy"},
		{&Moment{}, "1m0s"}, {&Moment{}, "40%"}, {&Moment{}, "100%"},
		{&Rate{}, "20/s"}, {&Rate{}, "3/m"}, {&Rate{}, "5/h"},
		{new(Share), "25%"}, {new(Share), "0.5%"}, {new(Share), "0.0001%"}, {new(Share), "100%"},
		{new(lane), "urgent"}, {new(lane), "bulk"}, {new(yes), "true"}, {percent{new(int)}, "150%"},
	} {
		require.NoError(t, c.v.Set(c.text), c.text)
		assert.Equal(t, c.text, c.v.String())
	}
}

func TestBadValuesSayWhatToWrite(t *testing.T) {
	for _, c := range []struct {
		v          value
		text, want string
	}{
		{&Dist{}, "5", "missing unit: write 5s"},
		{&Dist{}, "NaN", "no length of time"},
		{&Dist{}, "", "no length of time"},
		{&Dist{}, "-5s", "negative"},
		{&Dist{}, "8s..1s", "the range is empty: write the shorter length first"},
		{&Dist{}, "1s..1s", "the range is empty"},
		{&Dist{}, "..", "no length of time"},
		{&Dist{}, "2ms huge", `unknown shape "huge": want light or heavy`},
		{&Dist{}, "100000h", "want at most"},
		{&Moment{}, "60", "missing unit: write 60s, or 40% of the run"},
		{&Moment{}, "101%", "want 0% to 100%"},
		{&Moment{}, "-1%", "want 0% to 100%"},
		{&Moment{}, "NaN%", "want 0% to 100%"},
		{&Rate{}, "20", "missing unit: write 20/s"},
		{&Rate{}, "-20/s", "negative rate"},
		{&Rate{}, "NaN/s", "no rate"},
		{&Rate{}, "20/d", `unknown unit "d"`},
		{&Rate{}, "1000001/s", "at most 1000000"},
		{new(Share), "25", "missing unit: write 25%"},
		{new(Share), "101%", "want 0% to 100%"},
		{new(Share), "100.1%", "want 0% to 100%"},
		{new(Share), "-1%", "want 0% to 100%"},
		{new(Share), "%", "want 0% to 100%"},
		{new(Share), "1.%", "want 0% to 100%"},
		{new(Share), "NaN%", "want 0% to 100%"},
		{new(chance), "0%", "want more than 0%"},
		{number{new(int), false}, "0", "want 1 or more"},
		{number{new(int), true}, "1.5", "want a whole number"},
		{number{new(int), true}, "NaN", "want a whole number"},
		{number{new(int), true}, "99999999999999999999", "out of range"},
		{percent{new(int)}, "50", "missing unit"},
		{percent{new(int)}, "0%", "more than 0%"},
		{new(yes), "maybe", "want true or false"},
		{new(lane), "fast", "want urgent, normal or bulk"},
		{new(seed), "-1", "want a whole number of 64 bits"},
	} {
		assert.ErrorContains(t, c.v.Set(c.text), c.want, "%T %q", c.v, c.text)
	}
}

func TestRateUpTo(t *testing.T) {
	for _, c := range []struct {
		r    Rate
		n    uint64
		at   time.Duration
		want uint64
	}{
		{Rate{}, 5, time.Hour, 0},
		{Rate{1, time.Second}, 7, 999 * ms, 6},
		{Rate{1, time.Second}, 7, time.Second, 7},
		{Rate{3, time.Minute}, 1, 20*time.Second - 1, 0},
		{Rate{3, time.Minute}, 1, 20 * time.Second, 1},
		{Rate{1_000, time.Second}, 1_000_000, 10_000 * time.Hour, 36_000_000 * 1_000_000_000}, // past 64 bits on the way
		{Rate{1_000_000, time.Second}, 1_000_000, math.MaxInt64, math.MaxUint64},
	} {
		assert.Equal(t, c.want, c.r.upTo(c.n, c.at), "%v of %d at %v", c.r, c.n, c.at)
	}
}

func TestSharesAreHitAsOften(t *testing.T) {
	for _, s := range []Share{0, 1_000, 250_000, 333_333, 1_000_000} {
		hits := 0
		for i := range uint64(100_000) {
			if s.hit(mix(i)) {
				hits++
			}
		}
		assert.InDelta(t, float64(s)/10, hits, 500, "%v", s)
	}
	assert.True(t, Share(1_000_000).hit(math.MaxUint64))
	assert.False(t, Share(0).hit(0))
}

func TestMoments(t *testing.T) {
	assert.Equal(t, 60*time.Second, Moment{Percent: 40}.Of(150*time.Second))
	assert.Equal(t, 7*time.Second, Moment{After: 7 * time.Second}.Of(150*time.Second))
	assert.Equal(t, time.Duration(math.MaxInt64/100*100), Moment{Percent: 100}.Of(math.MaxInt64))
}
