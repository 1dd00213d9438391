package sim

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/tickwheel/tickwheel/tick"
)

// call is a job of a test, in milliseconds.
type call struct {
	at, length, timeout int
	key                 string
	owner               int // 0 is the root
}

// fate is what became of the call of that number.
type fate struct {
	number  uint64
	outcome tick.Outcome
	applied int // tick in which the loop took the result
}

const tickMS = 50

// onLoop offloads calls at their times on a real loop with virtual servers, and
// closes owners at theirs. It returns the fates in the order in which the loop
// learnt of them, and the numbers in the order in which the bodies ran.
func onLoop(t require.TestingT, n int, calls []call, deaths map[int]int, ticks int) (fates []fate, ran []uint64) {
	s, clock := newServers(n), &Virtual{}
	var loop *tick.Loop
	loop, err := tick.New(tick.Config{
		Seed: 1, Workers: n, Executor: s, Clock: clock,
		OnPanic: func(p tick.PanicInfo) { t.Errorf("%v\n%s", p.Value, p.Stack) },
		Observer: &tick.Observer{Job: func(j tick.JobInfo) {
			fates = append(fates, fate{j.Number, j.Outcome, int(loop.Now())})
		}},
	})
	require.NoError(t, err)
	owners := map[int]*tick.Scope{0: loop.Root()}
	for owner := 1; owner <= 3; owner++ {
		owners[owner] = loop.Root().Child()
	}
	number := uint64(0)
	offload := func(c call) {
		number++
		mine := number
		s.until(loop.Time())
		err := tick.Offload(owners[c.owner], tick.Job[int]{
			Key: c.key, Timeout: time.Duration(c.timeout) * ms,
			Run: func(context.Context) (int, error) {
				ran = append(ran, mine)
				s.spend(time.Duration(c.length) * ms)
				return 0, nil
			},
		}, nil)
		if errors.Is(err, tick.ErrClosed) {
			number--
			return
		}
		require.NoError(t, err)
	}
	loop.OnTick(func(time.Duration) {
		for at := int(loop.Now()) * tickMS; at < int(loop.Now()+1)*tickMS; at++ {
			clock.Burn(max(0, time.Duration(at)*ms-loop.Time()))
			for owner, when := range deaths {
				if when == at {
					s.until(loop.Time())
					owners[owner].Close(nil)
				}
			}
			for _, c := range calls {
				if c.at == at {
					offload(c)
				}
			}
		}
	})
	for int(loop.Now()) < ticks {
		next, _ := loop.RunDue()
		clock.Sleep(next, nil)
	}
	require.NoError(t, loop.Stop(context.Background()))
	return fates, ran
}

// inModel is onLoop said again, as naively as possible: millisecond by
// millisecond, with lists that are searched for everything.
func inModel(n int, calls []call, deaths map[int]int, ticks int) (fates []fate, ran []uint64) {
	m := &model{servers: n, dead: map[int]bool{}}
	for now := 0; now < (ticks+1)*tickMS; now++ {
		m.finish(now)
		if now%tickMS == 0 { // a tick begins
			for _, j := range m.over {
				if j.outcome != tick.JobDropped && m.dead[j.owner] {
					j.outcome = tick.JobStale
				}
				fates = append(fates, fate{j.number, j.outcome, now / tickMS})
			}
			m.over = nil
		}
		for owner, when := range deaths {
			m.dead[owner] = m.dead[owner] || when == now
		}
		for _, c := range calls {
			if c.at == now && !m.dead[c.owner] {
				m.finish(now)
				m.add(c)
				m.start(now)
			}
		}
	}
	return fates, m.ran
}

type modelJob struct {
	call
	number  uint64
	turn    int // order of becoming ready; 0: a job of its key is in the way
	end     int
	outcome tick.Outcome
}

type model struct {
	servers, turns int
	number         uint64
	waiting        []*modelJob
	running        []*modelJob
	over           []*modelJob
	ran            []uint64
	dead           map[int]bool
}

func (m *model) add(c call) {
	m.number++
	j := &modelJob{call: c, number: m.number}
	blocked := func(l []*modelJob) bool {
		return slices.ContainsFunc(l, func(o *modelJob) bool { return c.key != "" && o.key == c.key })
	}
	if !blocked(m.waiting) && !blocked(m.running) {
		m.turns++
		j.turn = m.turns
	}
	m.waiting = append(m.waiting, j)
}

func (m *model) end(j *modelJob) {
	m.over = append(m.over, j)
	for _, o := range m.waiting { // in order of number
		if j.key != "" && o.key == j.key {
			m.turns++
			o.turn = m.turns
			return
		}
	}
}

func (m *model) start(now int) {
	for len(m.running) < m.servers {
		first := -1
		for i, j := range m.waiting {
			if j.turn > 0 && (first < 0 || j.turn < m.waiting[first].turn) {
				first = i
			}
		}
		if first < 0 {
			return
		}
		j := m.waiting[first]
		m.waiting = slices.Delete(m.waiting, first, first+1)
		if m.dead[j.owner] {
			j.outcome = tick.JobDropped
			m.end(j)
			continue
		}
		m.ran = append(m.ran, j.number)
		j.end, j.outcome = now+j.length, tick.JobDone
		if j.timeout > 0 && j.length > j.timeout {
			j.end, j.outcome = now+j.timeout, tick.JobTimedOut
		}
		m.running = append(m.running, j)
	}
}

// finish ends what has ended by now, ties by number.
func (m *model) finish(now int) {
	for {
		first := -1
		for i, j := range m.running {
			if j.end <= now && (first < 0 || j.end < m.running[first].end ||
				j.end == m.running[first].end && j.number < m.running[first].number) {
				first = i
			}
		}
		if first < 0 {
			return
		}
		j := m.running[first]
		m.running = slices.Delete(m.running, first, first+1)
		m.end(j)
		m.start(now)
	}
}

func TestVirtualServers(t *testing.T) {
	for _, c := range []struct {
		name    string
		servers int
		calls   []call
		deaths  map[int]int
		want    []fate
	}{
		{"done at the first tick that starts at or after the end", 1,
			[]call{{at: 60, length: 40}}, nil, []fate{{1, tick.JobDone, 2}}},
		{"a millisecond more is a tick more", 1,
			[]call{{at: 60, length: 41}}, nil, []fate{{1, tick.JobDone, 3}}},
		{"no length at all: the next tick", 1,
			[]call{{at: 50, length: 0}}, nil, []fate{{1, tick.JobDone, 2}}},
		{"one server: the second starts when the first ends", 1,
			[]call{{at: 50, length: 100}, {at: 60, length: 100}}, nil,
			[]fate{{1, tick.JobDone, 3}, {2, tick.JobDone, 5}}},
		{"two servers: both at once", 2,
			[]call{{at: 50, length: 100}, {at: 60, length: 90}}, nil,
			[]fate{{1, tick.JobDone, 3}, {2, tick.JobDone, 3}}},
		{"ends in the same instant come by number", 3,
			[]call{{at: 50, length: 100}, {at: 60, length: 90}, {at: 70, length: 80}}, nil,
			[]fate{{1, tick.JobDone, 3}, {2, tick.JobDone, 3}, {3, tick.JobDone, 3}}},
		{"the shorter one comes first", 2,
			[]call{{at: 50, length: 90}, {at: 60, length: 10}}, nil,
			[]fate{{2, tick.JobDone, 2}, {1, tick.JobDone, 3}}},
		{"one at a time of a key, a free server or not", 2,
			[]call{{at: 50, length: 100, key: "k"}, {at: 60, length: 10, key: "k"}}, nil,
			[]fate{{1, tick.JobDone, 3}, {2, tick.JobDone, 4}}},
		{"who waited for its key goes before a job that is queued later", 1,
			[]call{{at: 50, length: 10, key: "k"}, {at: 55, length: 10, key: "k"}, {at: 70, length: 200}}, nil,
			[]fate{{1, tick.JobDone, 2}, {2, tick.JobDone, 2}, {3, tick.JobDone, 6}}},
		{"a timeout ends it and frees the server", 1,
			[]call{{at: 50, length: 500, timeout: 70}, {at: 60, length: 10}}, nil,
			[]fate{{1, tick.JobTimedOut, 3}, {2, tick.JobDone, 3}}},
		{"as long as its timeout is not too long", 1,
			[]call{{at: 50, length: 70, timeout: 70}}, nil, []fate{{1, tick.JobDone, 3}}},
		{"the owner ends before it starts", 1,
			[]call{{at: 50, length: 100}, {at: 60, length: 10, owner: 1}}, map[int]int{1: 140},
			[]fate{{1, tick.JobDone, 3}, {2, tick.JobDropped, 3}}},
		{"the owner ends while it runs", 1,
			[]call{{at: 50, length: 100, owner: 1}}, map[int]int{1: 140}, []fate{{1, tick.JobStale, 3}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, _ := onLoop(t, c.servers, c.calls, c.deaths, 20)
			assert.Equal(t, c.want, got, "number, outcome and tick of each job")
			model, _ := inModel(c.servers, c.calls, c.deaths, 20)
			assert.Equal(t, c.want, model, "the model")
		})
	}
}

func TestVirtualServersLikeTheModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 4).Draw(t, "servers")
		calls := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) call {
			return call{
				at:      rapid.IntRange(tickMS, 500).Draw(t, "at"),
				length:  rapid.IntRange(0, 120).Draw(t, "length"),
				timeout: rapid.SampledFrom([]int{0, 0, 1, 60}).Draw(t, "timeout"),
				key:     rapid.SampledFrom([]string{"", "a", "b"}).Draw(t, "key"),
				owner:   rapid.IntRange(0, 3).Draw(t, "owner"),
			}
		}), 0, 24).Draw(t, "calls")
		slices.SortStableFunc(calls, func(a, b call) int { return a.at - b.at })
		deaths := map[int]int{}
		for owner := 1; owner <= 3; owner++ {
			if rapid.Bool().Draw(t, "dies") {
				deaths[owner] = rapid.IntRange(tickMS, 700).Draw(t, "death")
			}
		}
		const ticks = 80 // all is over by then: 24 jobs of 120 ms, one after the other
		got, ran := onLoop(t, n, calls, deaths, ticks)
		want, order := inModel(n, calls, deaths, ticks)
		require.Equal(t, want, got, "number, outcome and tick of each job")
		require.Equal(t, order, ran, "order of starts")
	})
}

// What is left when the loop stops is run to its end, since virtual jobs cannot
// be stuck.
func TestVirtualServersDrain(t *testing.T) {
	got, ran := onLoop(t, 1, []call{{at: 60, length: 1000}, {at: 60, length: 1000}, {at: 60, length: 1000}}, nil, 2)
	assert.Len(t, got, 3)
	assert.Equal(t, []uint64{1, 2, 3}, ran)
}
