package tick_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/tickwheel/tickwheel/tick"
)

// A timer armed late in a long tick, or after a stall in one, is delayed once.
func TestDurationsInALongTick(t *testing.T) {
	tests := []struct {
		overrun tick.Overrun
		busy    time.Duration // of the 100 ticks before
		work    time.Duration // of the tick at whose end 50 ms are armed
		atMost  tick.Tick     // CatchUp ticks that are overdue, and what 50 ms need
	}{
		{tick.Dilate, 200 * ms, 190 * ms, 10},
		{tick.Dilate, 200 * ms, 10 * time.Minute, 10},
		{tick.Dilate, 10 * ms, 10 * time.Minute, 10},
		{tick.Dilate, 10 * ms, 40 * ms, 2},
		{tick.Shed, 200 * ms, 10 * time.Minute, 7},
		{tick.Shed, 10 * ms, 40 * ms, 2},
	}
	for _, tt := range tests {
		t.Run(fmt.Sprint(tt), func(t *testing.T) {
			l, clock := paced(t, tick.Config{Overrun: tt.overrun})
			work := tt.busy
			l.OnTick(func(time.Duration) { clock.Advance(work) })
			armed, ran := tick.Tick(0), tick.Tick(0)
			l.OnFlush(func() {
				if l.Now() == 101 {
					armed = l.Now()
					must(l.Root().AfterFunc(50*ms, func() { ran = l.Now() }))
				}
			})
			for range 150 {
				if l.Now() == 100 {
					work = tt.work
				} else if l.Now() > 100 {
					work = ms
				}
				next, _ := l.RunDue()
				if d := next - clock.Now(); d > 0 {
					clock.Advance(d)
				}
			}
			assert.Positive(t, ran-armed, "it ran")
			assert.LessOrEqual(t, ran-armed, tt.atMost)
		})
	}
}

// Whatever the load, no timer runs in a tick that is meant for before its time,
// and without dilation or a stall it runs in the first that is not.
func TestR1AgainstIntendedStarts(t *testing.T) {
	type armed struct {
		at  tick.Tick
		due time.Duration
		ran tick.Tick
	}
	for _, overrun := range []tick.Overrun{tick.Shed, tick.Dilate} {
		for seed := range uint64(size(20, 400)) {
			r := rand.New(rand.NewPCG(seed, 7))
			starts, shed := map[tick.Tick]time.Duration{}, map[tick.Tick]bool{}
			l, clock := paced(t, tick.Config{Overrun: overrun, CatchUp: 1 + r.IntN(6),
				Observer: &tick.Observer{Tick: func(i *tick.TickInfo) { starts[i.Tick], shed[i.Tick] = i.Start, i.Shed > 0 }}})
			var all []*armed
			busy := 10 * ms
			l.OnTick(func(time.Duration) {
				if r.IntN(100) == 0 {
					busy = time.Duration(r.Int64N(int64(120 * ms)))
				}
				clock.Advance(time.Duration(r.Int64N(int64(busy) + 1)))
				if r.IntN(80) == 0 {
					clock.Advance(time.Duration(r.Int64N(int64(2 * time.Second))))
				}
				d := time.Duration(r.Int64N(int64(400 * ms)))
				a := &armed{at: l.Now(), due: l.Time() + d}
				all = append(all, a)
				must(l.Root().AfterFunc(d, func() { a.ran = l.Now() }))
			})
			for range 1500 {
				next, _ := l.RunDue()
				if d := next - clock.Now(); d > 0 {
					clock.Advance(d)
				}
			}
			for _, a := range all {
				if a.ran == 0 {
					continue
				}
				if !assert.GreaterOrEqual(t, starts[a.ran], a.due, "overrun %d, seed %d: early", overrun, seed) {
					return
				}
				plain := overrun == tick.Shed && a.ran > a.at+1
				for k := a.at + 1; k <= a.ran; k++ {
					plain = plain && !shed[k]
				}
				if plain && !assert.Less(t, starts[a.ran-1], a.due, "seed %d: late", seed) {
					return
				}
			}
		}
	}
}
