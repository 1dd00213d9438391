package plot

import (
	"math/rand/v2"
	"time"
)

const (
	interval = 50 * time.Millisecond
	ms1      = time.Millisecond
)

// series3000 is 150 s of ticks whose durations f gives, in ms, with a little
// noise from a fixed seed.
func series3000(name string, f func(at float64, i int) float64) Run {
	rnd := rand.New(rand.NewPCG(7, 7))
	r := Run{Name: name}
	for i := range 3000 {
		at := time.Duration(i) * interval
		v := f(at.Seconds(), i) * (0.9 + 0.2*rnd.Float64())
		r.Ticks = append(r.Ticks, Sample{At: at, Latency: time.Duration(v * float64(ms1))})
	}
	return r
}

// storm is what the default scenario looks like: 100,000 respawns due at 90 s.
func storm() ([]Run, Options) {
	calm := func(at float64) float64 {
		if at >= 120 {
			return 0.15
		}
		return 2.6
	}
	runs := []Run{
		series3000("nothing", func(at float64, i int) float64 {
			if i == 1800 {
				return 1050
			}
			return calm(at)
		}),
		series3000("jitter", func(at float64, i int) float64 {
			if i >= 1760 && i <= 1840 {
				return 15
			}
			return calm(at)
		}),
		series3000("cap", func(at float64, i int) float64 {
			if i >= 1800 && i < 1825 {
				return 42
			}
			if i%211 == 0 {
				return 61
			}
			return calm(at)
		}),
		series3000("jitter+cap", func(at float64, i int) float64 {
			if i >= 1760 && i <= 1840 {
				return 14.5
			}
			if i%211 == 0 {
				return 58
			}
			return calm(at)
		}),
		series3000("jitter+cap+workers", func(at float64, i int) float64 {
			if i >= 1760 && i <= 1840 {
				return 13
			}
			return calm(at) * 0.7
		}),
	}
	return runs, Options{
		Title:    "100,000 monsters respawn at once: what each policy does to the tick",
		Subtitle: "spawn-storm, seed 7, 2,000 players, 150 s at 50 ms a tick, virtual clock",
		Interval: interval,
		Marks: []Mark{
			{60 * time.Second, "100,000 monsters killed"},
			{90 * time.Second, "all respawn"},
			{120 * time.Second, "mass logout"},
		},
		Zoom: Window{87 * time.Second, 94 * time.Second},
	}
}
