package tick

import (
	"sync"
	"sync/atomic"
	"time"
)

// Stats is what a loop has done, as of the end of the last tick unless said
// otherwise. Histograms are copies; times in them are nanoseconds.
type Stats struct {
	// Seed is what jitter is drawn from: Config.Seed or the random one.
	Seed uint64
	// Last is the last tick.
	Last TickInfo
	// Ticks, Fired and Carried are sums over all ticks; a timer carried over
	// three ticks counts three times.
	Ticks, Fired, Carried uint64
	// Shed counts intervals given up, ShedTime is their length.
	Shed     int64
	ShedTime time.Duration
	// Guarded counts timer phases that Config.Guard ended.
	Guarded uint64
	// Panics and Goexits count callbacks and jobs that did not return.
	Panics, Goexits uint64
	// Refused counts posts and inputs that found the inbox full or closed, as of
	// now; Unhandled the inputs that found no handler.
	Refused, Unhandled uint64
	// Timers is how many timers are pending, Cancelled how many were stopped so
	// far or ended with their scope.
	Timers    int
	Cancelled uint64
	// InboxDepth is how many posts and inputs wait, as of now.
	InboxDepth int
	Jobs       JobStats
	// Kinds is what each kind did, by Kind.
	Kinds []KindStats

	// By tick: how late it began (with a sample for each shed interval, so that
	// a stall shows in the percentiles), how long it and its phases took, timers
	// fired and carried, inbox and jobs, the time of the slowest kind.
	StartLate, Duration, Fires, Carries, Inbox, Outstanding, Slowest *Histogram
	Phase                                                            [Phases]*Histogram
	BacklogAge                                                       [Lanes]*Histogram // in ticks
	// By timer: how many ticks late it fired.
	TimerLate *Histogram
	// By job that ran: how long it waited and ran.
	JobWait, JobRun *Histogram
}

// JobStats counts jobs.
type JobStats struct {
	// Run counts jobs that ran; each is also one of Done, Failed, TimedOut,
	// Panicked and Exited.
	Run, Done, Failed, TimedOut, Panicked, Exited uint64
	// DroppedDead counts jobs whose owner had ended: before they started, or
	// before their result was applied. Stale counts the latter only.
	DroppedDead, Stale uint64
	// Rejected counts calls that found the queue full, Kept those held back for
	// a later tick, Skipped the runs of periodic jobs their overlap policy left
	// out, Abandoned the jobs Stop did not wait for.
	Rejected, Kept, Skipped, Abandoned uint64
	// Waiting and Running are the jobs there are as of now; OldestAge is how
	// long the one that was started first has been running: a stuck job shows.
	Waiting, Running int
	OldestAge        time.Duration
}

// KindStats is what one kind did.
type KindStats struct {
	Name  string
	Fired uint64        // timer callbacks
	Time  time.Duration // on the tick goroutine
}

// metrics gathers Stats. Counters that other goroutines touch are atomic; the
// rest is written once a tick under mu.
type metrics struct {
	panics, goexits, unhandled atomic.Uint64

	mu    sync.Mutex
	s     Stats
	kinds []KindStats

	startLate, duration, fires, carries, inbox, outstanding, slowest, timerLate, wait, ran Histogram

	phase      [Phases]Histogram
	backlogAge [Lanes]Histogram
}

// shedding counts intervals given up before a tick; the first of them would have
// begun first late. It returns what the observer is to be told.
func (m *metrics) shedding(l *Loop, n int64, first time.Duration) ShedInfo {
	gap := l.pacer.gap
	m.mu.Lock()
	m.s.Shed += n
	m.s.ShedTime += time.Duration(n) * gap
	m.startLate.recordSeries(int64(first), int64(gap), n)
	m.mu.Unlock()
	return ShedInfo{Tick: l.now, Intervals: n, Time: time.Duration(n) * gap}
}

// tick counts the tick that ends.
func (m *metrics) tick(l *Loop) {
	t := &l.tick
	i := &t.info
	m.mu.Lock()
	defer m.mu.Unlock()
	s := &m.s
	s.Last = *i
	s.Ticks++
	s.Fired += uint64(i.Fired)
	s.Carried += uint64(i.Carried)
	if i.Guarded {
		s.Guarded++
	}
	s.Timers, s.Cancelled = l.wheel.Len(), l.wheel.Cancelled()
	s.Jobs = l.queue.counts
	m.startLate.Record(int64(i.StartLate))
	m.duration.Record(int64(i.Duration))
	for p := range m.phase {
		m.phase[p].Record(int64(i.Phase[p]))
	}
	for lane := range m.backlogAge {
		m.backlogAge[lane].Record(int64(i.BacklogAge[lane]))
	}
	m.fires.Record(int64(i.Fired))
	m.carries.Record(int64(i.Carried))
	m.inbox.Record(int64(i.Inbox + i.Results))
	m.outstanding.Record(int64(i.Jobs))
	m.slowest.Record(int64(i.SlowestTime))
	if t.late.count > 0 {
		m.timerLate.Merge(&t.late)
		t.late.Reset()
	}
	m.kinds = l.meter.fold(m.kinds)
}

// job counts a job that ran.
func (m *metrics) job(t *Task) {
	if t.outcome == JobDropped {
		return
	}
	m.mu.Lock()
	m.wait.Record(int64(t.started - t.queued))
	m.ran.Record(int64(t.ended - t.started))
	m.mu.Unlock()
}

// last takes the final counts of a loop that has ended.
func (m *metrics) last(l *Loop) {
	m.mu.Lock()
	m.s.Timers, m.s.Cancelled = l.wheel.Len(), l.wheel.Cancelled()
	m.s.Jobs = l.queue.counts
	m.mu.Unlock()
}

// Stats returns what the loop has done so far. It copies some 30 KB under a lock
// that the tick goroutine takes once a tick: a look a second is free. Any
// goroutine may call it.
func (l *Loop) Stats() Stats {
	m := &l.metrics
	m.mu.Lock()
	s := m.s
	s.StartLate, s.Duration, s.Fires = m.startLate.Clone(), m.duration.Clone(), m.fires.Clone()
	s.Carries, s.Inbox, s.Outstanding = m.carries.Clone(), m.inbox.Clone(), m.outstanding.Clone()
	s.Slowest, s.TimerLate = m.slowest.Clone(), m.timerLate.Clone()
	s.JobWait, s.JobRun = m.wait.Clone(), m.ran.Clone()
	for p := range m.phase {
		s.Phase[p] = m.phase[p].Clone()
	}
	for lane := range m.backlogAge {
		s.BacklogAge[lane] = m.backlogAge[lane].Clone()
	}
	s.Kinds = append([]KindStats(nil), m.kinds...)
	m.mu.Unlock()

	s.Seed = l.cfg.Seed
	s.Panics, s.Goexits, s.Unhandled = m.panics.Load(), m.goexits.Load(), m.unhandled.Load()
	s.InboxDepth, s.Refused = l.inbox.depth()
	waiting, running, since := l.queue.load()
	s.Jobs.Waiting, s.Jobs.Running = waiting, running
	if running > 0 {
		s.Jobs.OldestAge = max(0, l.Time()-since)
	}
	for len(s.Kinds) < l.kinds.len() {
		s.Kinds = append(s.Kinds, KindStats{})
	}
	for k := range s.Kinds {
		s.Kinds[k].Name, _ = l.kinds.name(Kind(k))
	}
	return s
}
