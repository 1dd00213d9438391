package sim

import (
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"math"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/tickwheel/tickwheel/tick"
)

func TestSameSeedSameRun(t *testing.T) {
	for _, name := range PolicyNames() {
		for _, seed := range []uint64{0, 1, math.MaxUint64} {
			a := play(t, small(), policy(t, name), Options{Seed: seed})
			b := play(t, small(), policy(t, name), Options{Seed: seed})
			assert.Equal(t, a, b, "%s, seed %d", name, seed)
			assert.Regexp(t, `^[0-9a-f]{16}$`, a.Trace)
		}
	}
}

func TestOtherSeedOtherRun(t *testing.T) {
	seen := map[string]string{}
	for _, name := range PolicyNames() {
		if name == "jitter+cap" { // the same as jitter while no tick reaches the cap
			continue
		}
		for _, seed := range []uint64{0, 1, 2, math.MaxUint64} {
			sc := small()
			sc.Storm = 20_000
			r := play(t, sc, policy(t, name), Options{Seed: seed})
			what := fmt.Sprint(name, " seed ", seed)
			assert.Empty(t, seen[r.Trace], "%s has the trace of", what)
			seen[r.Trace] = what
		}
	}
}

// Runs share nothing: at the same time they give what they give alone.
func TestRunsAtTheSameTime(t *testing.T) {
	want := play(t, small(), policy(t, "jitter+cap+workers"), Options{Seed: 3}).Trace
	var wg sync.WaitGroup
	got := make([]string, 4)
	for i := range got {
		wg.Go(func() {
			got[i] = play(t, small(), policy(t, "jitter+cap+workers"), Options{Seed: 3}).Trace
		})
	}
	wg.Wait()
	for _, g := range got {
		assert.Equal(t, want, g)
	}
}

// A cap that is never reached changes nothing, and neither does jitter without a
// storm: policies differ by what they do and by nothing else.
func TestPoliciesMeetTheSameDraws(t *testing.T) {
	jitter := play(t, small(), policy(t, "jitter"), Options{Seed: 5})
	both := play(t, small(), policy(t, "jitter+cap"), Options{Seed: 5})
	assert.Equal(t, jitter.Trace, both.Trace)
	assert.Equal(t, jitter.Ticks, both.Ticks)

	calm := small()
	calm.Storm = 0
	nothing := play(t, calm, policy(t, "nothing"), Options{Seed: 5})
	for _, name := range []string{"jitter", "cap", "jitter+cap"} {
		r := play(t, calm, policy(t, name), Options{Seed: 5})
		assert.Equal(t, nothing.Trace, r.Trace, name)
	}
	// Workers take the saves out of the ticks; what the game does is the same.
	workers := play(t, calm, policy(t, "workers"), Options{Seed: 5})
	for _, k := range []string{"heartbeat", "autosave", "cooldown"} {
		assert.Equal(t, kind(t, nothing, k).Fired, kind(t, workers, k).Fired, k)
		assert.Positive(t, kind(t, workers, k).Fired, k)
	}
	assert.Less(t, kind(t, workers, "autosave").Time, kind(t, nothing, "autosave").Time)
}

// A draw depends on what it is for, and on nothing drawn before.
func TestDrawsDoNotDependOnEachOther(t *testing.T) {
	d, save := draws{7}, Dist{Lo: 2 * ms, Shape: "heavy"}
	want := d.length(workOf("save"), save, 12, 3)
	for n := range uint64(100) {
		_ = d.length(workOf("save"), save, 12, n)
	}
	assert.Equal(t, want, d.length(workOf("save"), save, 12, 3))

	seen := map[uint64]bool{}
	for seed := range uint64(3) {
		for k := range work(len(workNames)) {
			for entity := range uint64(10) {
				for n := range uint64(10) {
					seen[draws{seed}.of(k, entity, n)] = true
				}
			}
		}
	}
	assert.Len(t, seen, 3*len(workNames)*10*10, "seed, kind, entity and number all matter")
}

func TestTraceIsFNV1a(t *testing.T) {
	tr, want := newTrace(), fnv.New64a()
	put := func(words ...uint64) {
		for _, w := range words {
			assert.NoError(t, binary.Write(want, binary.LittleEndian, w))
		}
	}
	assert.Equal(t, fmt.Sprintf("%016x", want.Sum64()), tr.String(), "empty")
	tr.fire(tick.FireInfo{Tick: 1, Kind: 2, Lane: 3, Seq: 4, Late: 5, Missed: 6})
	put(1, 1, 2, 3, 4, 5, 6)
	tr.shed(tick.ShedInfo{Tick: 7, Intervals: 8})
	put(2, 7, 8)
	tr.guard(tick.GuardInfo{Tick: 9, After: 10})
	put(3, 9, 10)
	tr.job(tick.JobInfo{Number: 11, Kind: 12, Outcome: tick.JobStale})
	put(4, 11, 12, uint64(tick.JobStale))
	for _, w := range []uint64{math.MaxUint64, 1 << 63, 0xFF00FF00, 0} { // zero bytes are put together
		tr.add(w)
		put(w)
	}
	assert.Equal(t, fmt.Sprintf("%016x", want.Sum64()), tr.String())
}

// Each field that a trace is made of changes it.
func TestTraceSeesEveryField(t *testing.T) {
	of := func(f func(*trace)) string {
		tr := newTrace()
		f(tr)
		return tr.String()
	}
	seen := map[string]bool{}
	for _, f := range []tick.FireInfo{{}, {Tick: 1}, {Kind: 1}, {Lane: 1}, {Seq: 1}, {Late: 1}, {Missed: 1}} {
		seen[of(func(tr *trace) { tr.fire(f) })] = true
	}
	for _, s := range []tick.ShedInfo{{}, {Tick: 1}, {Intervals: 1}} {
		seen[of(func(tr *trace) { tr.shed(s) })] = true
	}
	for _, g := range []tick.GuardInfo{{}, {Tick: 1}, {After: 1}} {
		seen[of(func(tr *trace) { tr.guard(g) })] = true
	}
	for _, j := range []tick.JobInfo{{}, {Number: 1}, {Kind: 1}, {Outcome: tick.JobFailed}} {
		seen[of(func(tr *trace) { tr.job(j) })] = true
	}
	assert.Len(t, seen, 7+3+3+4)
}
