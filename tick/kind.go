package tick

import (
	"fmt"
	"sync"
	"time"
)

// Kind says what a timer or job is for, such as "respawn/elite", so that panics,
// slow ticks, statistics and traces can name it. The zero Kind is "other". See
// [Loop.Kind].
type Kind uint16

// Kinds the loop itself uses.
const (
	kindOther Kind = iota
	kindPost
	kindInput
	kindCall
	kindFlush
	kindStop
	kindClose
	kindObserver
	kindExecutor
)

var loopKinds = []string{"other", "loop/post", "loop/input", "loop/call", "loop/flush", "loop/stop",
	"loop/close", "loop/observer", "loop/executor"}

// maxKinds bounds the table: a name per monster instead of one per species is a
// mistake, and should show before it costs memory.
const maxKinds = 1 << 16

// kinds is the table of names. Any goroutine may use it.
type kinds struct {
	mu    sync.RWMutex
	names []string
	ids   map[string]Kind
}

// of returns the kind called name and whether it is new.
func (k *kinds) of(name string) (Kind, bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if id, ok := k.ids[name]; ok {
		return id, false
	}
	if len(k.names) == maxKinds {
		panic(fmt.Sprintf("tick: Loop.Kind: %q is one kind too many: at most %d", name, maxKinds))
	}
	if k.ids == nil {
		k.ids = map[string]Kind{}
	}
	id := Kind(len(k.names))
	k.names, k.ids[name] = append(k.names, name), id
	return id, true
}

func (k *kinds) name(id Kind) (string, bool) {
	k.mu.RLock()
	defer k.mu.RUnlock()
	if int(id) >= len(k.names) {
		return "", false
	}
	return k.names[id], true
}

func (k *kinds) len() int {
	k.mu.RLock()
	defer k.mu.RUnlock()
	return len(k.names)
}

// Kind returns the kind called name, the same one for the same name. It panics
// past 65,536 names. Any goroutine may call it; keep the result, the call takes
// a lock.
func (l *Loop) Kind(name string) Kind {
	id, _ := l.kinds.of(name)
	return id
}

// KindName returns the name k was made with. It panics if k is not of this loop.
func (l *Loop) KindName(k Kind) string {
	name, ok := l.kinds.name(k)
	if !ok {
		panic(fmt.Sprintf("tick: Loop.KindName: kind %d is not of this loop", k))
	}
	return name
}

// meter says which kind spent how much of the tick. It reads the clock once per
// change of kind: timers of one kind in a row are one measurement.
type meter struct {
	clock   Clock // nil under Step without Config.Clock: nothing is measured
	kind    Kind
	since   time.Duration
	tick    []kindTick
	touched []Kind // the kinds of this tick
}

// kindTick is what one kind did in the current tick.
type kindTick struct {
	spent  time.Duration
	fired  int
	listed bool
}

func (m *meter) now() time.Duration {
	if m.clock == nil {
		return 0
	}
	return m.clock.Now()
}

// to makes k the kind that whatever runs next is charged to.
func (m *meter) to(k Kind) {
	if k == m.kind {
		return
	}
	if m.clock != nil {
		m.charge(m.clock.Now())
	}
	m.enter(k)
}

func (m *meter) enter(k Kind) {
	m.fit(k)
	m.kind = k
	if t := &m.tick[k]; !t.listed {
		t.listed = true
		m.touched = append(m.touched, k)
	}
}

func (m *meter) fit(k Kind) {
	for int(k) >= len(m.tick) {
		m.tick = append(m.tick, kindTick{})
	}
}

// begin starts a tick at reading now.
func (m *meter) begin(now time.Duration) {
	for _, t := range m.touched { // between ticks, by hooks
		m.tick[t] = kindTick{}
	}
	m.touched = m.touched[:0]
	m.since = now
	m.enter(kindOther)
}

func (m *meter) charge(now time.Duration) {
	m.tick[m.kind].spent += now - m.since
	m.since = now
}

// slowest returns the kind that has taken most of the tick.
func (m *meter) slowest() (k Kind, d time.Duration) {
	for _, t := range m.touched {
		if s := m.tick[t].spent; s > d {
			k, d = t, s
		}
	}
	return k, d
}

// fold adds the tick to totals and clears it.
func (m *meter) fold(totals []KindStats) []KindStats {
	for _, t := range m.touched {
		for int(t) >= len(totals) {
			totals = append(totals, KindStats{})
		}
		totals[t].Fired += uint64(m.tick[t].fired)
		totals[t].Time += m.tick[t].spent
		m.tick[t] = kindTick{}
	}
	m.touched = m.touched[:0]
	return totals
}
