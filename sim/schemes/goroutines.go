package schemes

import "github.com/tickwheel/tickwheel/timers"

// Goroutines has one goroutine sleep for each timer. Each costs a stack and a
// channel, and each cancel and firing switches to it and back.
//
// Real ones sleep on the machine's clock; here a heap of sleepers takes its part,
// so that time can be driven by hand. Callbacks run on the timer's goroutine while
// Advance waits: a panic in one ends the process, which is what this design does.
type Goroutines struct {
	sleepers *Heap
	// doors lead to the sleepers; the heap's payload is a door's number. free
	// lists those that nobody waits behind.
	doors []door
	free  []int
}

// door is where a sleeper is woken, and where it says that its callback returned.
// Each has its own way back: a callback that cancels waits for another sleeper while
// Advance waits for the callback.
type door struct {
	wake chan func(uint64)
	back chan struct{}
}

// NewGoroutines makes an empty one. Close must be called to end its goroutines.
func NewGoroutines(c Config) *Goroutines {
	c.check("NewGoroutines")
	return &Goroutines{sleepers: NewHeap(c)}
}

// Schedule starts a goroutine that sleeps until deadline. It takes O(log n) time.
func (g *Goroutines) Schedule(deadline timers.Tick, payload uint64) *Timer {
	number := g.open()
	d := g.doors[number]
	go func() {
		if fire := <-d.wake; fire != nil {
			fire(payload)
		}
		d.back <- struct{}{}
	}()
	return g.sleepers.Schedule(deadline, uint64(number))
}

// open returns the number of a door that nobody waits behind.
func (g *Goroutines) open() int {
	if last := len(g.free) - 1; last >= 0 {
		number := g.free[last]
		g.free = g.free[:last]
		return number
	}
	g.doors = append(g.doors, door{make(chan func(uint64)), make(chan struct{})})
	return len(g.doors) - 1
}

// wake has the goroutine behind door number call fire, or just end if it is nil, and
// waits for that.
func (g *Goroutines) wake(number uint64, fire func(uint64)) {
	d := g.doors[number]
	d.wake <- fire
	<-d.back
	g.free = append(g.free, int(number))
}

// Cancel reports whether t was pending, and ends its goroutine. With lazy cancel
// the goroutine sleeps on until its deadline.
func (g *Goroutines) Cancel(t *Timer) bool {
	if !g.sleepers.Cancel(t) {
		return false
	}
	if !g.sleepers.lazy {
		g.wake(t.payload, nil)
	}
	return true
}

// Advance wakes the goroutines that are due, one after the other.
func (g *Goroutines) Advance(to timers.Tick, fire func(uint64)) Report {
	return g.sleepers.advance(to,
		func(number uint64) { g.wake(number, nil) },
		func(number uint64) { g.wake(number, fire) })
}

// Now is the last tick reached.
func (g *Goroutines) Now() timers.Tick { return g.sleepers.Now() }

// Len is how many timers are pending.
func (g *Goroutines) Len() int { return g.sleepers.Len() }

// Close ends all goroutines.
func (g *Goroutines) Close() {
	for _, s := range g.sleepers.slots {
		g.wake(s.t.payload, nil)
	}
	g.sleepers.Close()
}
