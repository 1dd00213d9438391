package tick

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

const ms = time.Millisecond

// timeline runs ticks that cost what cost says, by number, until a reading of
// end, and draws what happened: "n@start(+late)" a tick, "shed k" where time was
// given up.
func timeline(c Config, end time.Duration, cost func(n int) time.Duration) string {
	c, err := c.withDefaults()
	if err != nil {
		panic(err)
	}
	p := newPacer(c)
	p.start(0)
	var out []string
	for now, n := time.Duration(0), 0; now < end; {
		ok, shed, _ := p.due(now)
		if !ok {
			now = p.next
			continue
		}
		if shed > 0 {
			out = append(out, fmt.Sprintf("shed %d", shed))
		}
		n++
		s := fmt.Sprintf("%d@%v", n, now)
		if late := p.begin(now); late > 0 {
			s += fmt.Sprintf("(+%v)", late)
		}
		out = append(out, s)
		d := cost(n)
		now += d
		p.end(d)
	}
	return strings.Join(out, " ")
}

func costs(base time.Duration, special map[int]time.Duration) func(int) time.Duration {
	return func(n int) time.Duration {
		if d, ok := special[n]; ok {
			return d
		}
		return base
	}
}

func TestPacerTimelines(t *testing.T) {
	tests := []struct {
		name string
		c    Config
		end  time.Duration
		cost func(int) time.Duration
		want string
	}{
		{"on time", Config{}, 220 * ms, costs(0, nil), "1@50ms 2@100ms 3@150ms 4@200ms"},
		{"work does not add to the period", Config{}, 220 * ms, costs(20*ms, nil), "1@50ms 2@100ms 3@150ms 4@200ms"},
		{"one tick too long", Config{}, 260 * ms, costs(0, map[int]time.Duration{1: 70 * ms}),
			"1@50ms 2@120ms(+20ms) 3@150ms 4@200ms 5@250ms"},
		{"a stall within CatchUp", Config{}, 260 * ms, costs(0, map[int]time.Duration{1: 160 * ms}),
			"1@50ms 2@210ms(+110ms) 3@210ms(+60ms) 4@210ms(+10ms) 5@250ms"},
		{"a stall of 8 with CatchUp 5 sheds 3", Config{}, 510 * ms, costs(0, map[int]time.Duration{1: 400 * ms}),
			"1@50ms shed 3 2@450ms(+200ms) 3@450ms(+150ms) 4@450ms(+100ms) 5@450ms(+50ms) 6@450ms 7@500ms"},
		{"CatchUp 1 sheds all but the tick that is due", Config{CatchUp: 1}, 510 * ms, costs(0, map[int]time.Duration{1: 400 * ms}),
			"1@50ms shed 7 2@450ms 3@500ms"},
		{"dilation absorbs ticks of twice the interval", Config{Overrun: Dilate, CatchUp: 100}, 600 * ms, costs(100*ms, nil),
			"1@50ms 2@150ms(+47.368422ms) 3@250ms(+91.812867ms) 4@350ms(+132.989338ms) 5@450ms(+170.489338ms) 6@550ms(+203.822672ms)"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) { assert.Equal(t, tt.want, timeline(tt.c, tt.end, tt.cost)) })
	}
}

// Under Dilate the ratio follows the load in steps and comes back.
func TestPacerDilationRatio(t *testing.T) {
	c, _ := Config{Overrun: Dilate}.withDefaults()
	p := newPacer(c)
	now := time.Duration(0)
	p.start(now)
	step := func(d time.Duration) {
		was := p.ratio
		now = max(now, p.next)
		p.due(now)
		p.begin(now)
		now += d
		p.end(d)
		assert.LessOrEqual(t, max(p.ratio-was, was-p.ratio), int64(dilateStep), "a tick changes the ratio by 0.05 at most")
		assert.GreaterOrEqual(t, p.ratio, p.floor)
		assert.LessOrEqual(t, p.ratio, int64(ratioUnit))
	}
	for range 100 {
		step(100 * ms)
	}
	assert.EqualValues(t, 500_000, p.ratio, "ticks of twice the interval run at half speed")
	for range 100 {
		step(time.Second)
	}
	assert.EqualValues(t, 250_000, p.ratio, "not below Floor")
	for range 100 {
		step(10 * ms)
	}
	assert.EqualValues(t, ratioUnit, p.ratio)
	assert.Equal(t, 50*ms, p.gap)
}

// Whatever happens, ticks and shed intervals together are the time that passed.
func TestPacerAccountsForAllTime(t *testing.T) {
	c, _ := Config{}.withDefaults()
	p := newPacer(c)
	p.start(0)
	rnd := uint64(1)
	var now time.Duration
	var ticks, shed int64
	for range 10_000 {
		rnd = rnd*6364136223846793005 + 1442695040888963407
		now += time.Duration(rnd >> 35 % uint64(400*ms))
		run := 0
		for {
			ok, s, _ := p.due(now)
			if !ok {
				break
			}
			run++
			shed += s
			ticks++
			late := p.begin(now)
			assert.LessOrEqual(t, late, time.Duration(c.CatchUp)*c.Interval)
			p.end(0)
		}
		assert.LessOrEqual(t, run, c.CatchUp)
		assert.Equal(t, int64(now/c.Interval), ticks+shed)
	}
}

// A timer armed at the end of a stall is not delayed by the stall as well.
func TestPacerOffsetLeavesOutWhatWillBeShed(t *testing.T) {
	c, _ := Config{}.withDefaults()
	for _, tt := range []struct{ stall, want time.Duration }{
		{0, 0}, {20 * ms, 20 * ms}, {299 * ms, 299 * ms},
		{300 * ms, 250 * ms}, {30 * time.Second, 250 * ms}, {30*time.Second + 7*ms, 257 * ms},
	} {
		p := newPacer(c)
		p.start(0)
		p.due(50 * ms)
		p.begin(50 * ms)
		now := 50*ms + tt.stall
		off, _ := p.offset(now)
		assert.Equal(t, tt.want, off, "stall %v", tt.stall)
		// The tick k from here is meant for base + k*interval, once the pacer has
		// shed: never before the instant off stands for.
		_, _, _ = p.due(now)
		assert.Equal(t, now-off, p.next-c.Interval, "stall %v", tt.stall)
	}
}
