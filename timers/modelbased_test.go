package timers_test

import (
	"testing"

	"pgregory.net/rapid"
)

// outside are the calls drawn between two advances, with their weights.
var outside = []struct {
	name   string
	weight int
	call   func(*pair)
}{
	{"At", 8, (*pair).at},
	{"burst", 1, (*pair).burst},
	{"churn", 1, (*pair).churn},
	{"Every", 2, (*pair).every},
	{"Cancel", 3, (*pair).cancel},
	{"Reset", 3, (*pair).reset},
	{"NewGroup", 2, (*pair).newGroup},
	{"CloseGroup", 1, (*pair).closeGroup},
	{"CancelGroup", 1, (*pair).cancelGroup},
	{"Pause", 1, (*pair).pause},
	{"Resume", 1, (*pair).resume},
	{"kill", 1, (*pair).kill},
	{"SetLive", 1, (*pair).gate},
	{"SetBudget", 1, (*pair).setBudget},
	{"Snapshot", 1, (*pair).snapshot},
	{"Advance", 8, (*pair).advance},
}

// TestModel compares the wheel with the naive reference over random calls from
// outside and from inside callbacks. rapid shrinks what it finds.
func TestModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := newPair(t, func(n int) int { return rapid.IntRange(0, n-1).Draw(t, "pick") })
		actions := map[string]func(*rapid.T){"": func(*rapid.T) { p.look() }}
		for _, o := range outside {
			for i := range o.weight {
				actions[o.name+string(rune('a'+i))] = func(*rapid.T) { o.call(p) }
			}
		}
		t.Repeat(actions)
	})
}

// FuzzWheel decodes bytes to the same calls as TestModel.
func FuzzWheel(f *testing.F) {
	for seed := range byte(24) {
		f.Add(noise(seed, 600))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		runBytes(t, data)
	})
}

// runBytes drives a pair with choices taken from data until it is used up.
func runBytes(t failer, data []byte) { drive(pairOf(t, &data), &data) }

// pairOf is a pair that takes its choices from data.
func pairOf(t failer, source *[]byte) *pair {
	return newPair(t, func(n int) int {
		data := *source
		if len(data) == 0 {
			return 0
		}
		v := int(data[0])
		data = data[1:]
		if n > 256 && len(data) > 0 {
			v = v<<8 | int(data[0])
			data = data[1:]
		}
		*source = data
		return v % n
	})
}

// drive makes drawn calls until data is used up.
func drive(p *pair, data *[]byte) {
	total := 0
	for _, o := range outside {
		total += o.weight
	}
	for len(*data) > 0 {
		k := p.pick(total)
		for _, o := range outside {
			if k -= o.weight; k < 0 {
				o.call(p)
				break
			}
		}
		p.look()
	}
}

// noise is n bytes that depend on seed only.
func noise(seed byte, n int) []byte {
	b, x := make([]byte, n), uint64(seed)*0x9e3779b97f4a7c15+1
	for i := range b {
		x ^= x << 13
		x ^= x >> 7
		x ^= x << 17
		b[i] = byte(x >> 24)
	}
	return b
}

// TestModelSeeds replays fixed noise, long enough to fill and drain wheels. It
// is the part of the model test that is the same on every run.
func TestModelSeeds(t *testing.T) {
	n := 40
	if *long {
		n = 8_000
	}
	for seed := range n {
		data := append(noise(byte(seed), 1500), noise(byte(seed>>8)+1, 1500)...)
		runBytes(t, data)
	}
}
