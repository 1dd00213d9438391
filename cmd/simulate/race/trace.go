package race

import (
	"math/rand/v2"
	"slices"
)

// ticksPerSecond is what the delays of the game mix are made for.
const ticksPerSecond = 20

// delay draws a delay of the game mix, in ticks: 70 % from 0.1 to 10 s, 25 % to 10
// minutes, 5 % to 24 hours.
func delay(r *rand.Rand) int32 {
	between := func(lo, hi int) int32 { return int32(lo + r.IntN(hi-lo)) }
	switch x := r.IntN(100); {
	case x < 70:
		return between(2, 10*ticksPerSecond)
	case x < 95:
		return between(10*ticksPerSecond, 600*ticksPerSecond)
	}
	return between(600*ticksPerSecond, 24*3600*ticksPerSecond)
}

// order files timer number timer, delay ticks from now.
type order struct {
	timer uint32
	delay int32
}

// step is what happens in a tick before time goes on, and how many timers fire
// then.
type step struct {
	cancel []uint32
	file   []order
	due    int
}

// trace is the work that every structure gets.
type trace struct {
	fill  []order // by delay: what a sorted list needs to be filled in bearable time
	steps []step
}

// newTrace draws a trace: timers pending from the start on, each filed again when
// it has fired, and a hundredth of them in each tick cancelled and filed anew, as a
// buff is that is cast again.
func newTrace(pending, ticks int, seed uint64) *trace {
	r := rand.New(rand.NewPCG(seed, 1))
	t := &trace{fill: make([]order, pending), steps: make([]step, ticks)}
	deadline := make([]int, pending) // of each timer, in ticks of the trace
	dueIn := make([][]uint32, ticks+1)
	file := func(now int, o order) {
		at := now + int(o.delay)
		deadline[o.timer] = at
		if at <= ticks {
			dueIn[at] = append(dueIn[at], o.timer)
		}
	}
	delays := make([]int32, pending)
	for i := range delays {
		delays[i] = delay(r)
	}
	slices.Sort(delays)
	for i, d := range delays {
		t.fill[i] = order{uint32(i), d}
		file(0, t.fill[i])
	}
	again := []uint32{} // fired in the tick before
	busy := make([]int, pending)
	for now := range ticks { // the step leads to tick now+1
		s := &t.steps[now]
		for _, i := range again {
			s.file = append(s.file, order{i, delay(r)})
			busy[i] = now + 1
		}
		for range max(1, pending/100) {
			i := uint32(r.IntN(pending))
			if busy[i] == now+1 {
				continue // filed or cancelled in this very step
			}
			busy[i] = now + 1
			s.cancel = append(s.cancel, i)
			s.file = append(s.file, order{i, delay(r)})
		}
		for _, o := range s.file {
			file(now, o)
		}
		again = again[:0]
		for _, i := range dueIn[now+1] {
			if deadline[i] == now+1 { // not cancelled since
				again = append(again, i)
				deadline[i] = 0
			}
		}
		s.due = len(again)
		dueIn[now+1] = nil
	}
	return t
}
