package clients

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"sync"
	"time"

	"github.com/tickwheel/tickwheel/cmd/gameserver/protocol"
)

// farewell is how long an interrupted fleet waits for the byes.
const farewell = 2 * time.Second

// far is a time after every run.
const far = 365 * 24 * time.Hour

// fleet is what the clients share.
type fleet struct {
	cfg   Config
	meter *meter
	start time.Time
	hurry <-chan struct{} // closed when the run is interrupted

	mu      sync.Mutex
	refused error // the first refusal for good
}

// Run plays the fleet and returns what it measured. Before it starts, one
// connection is made to see that a game server is there; without one the error
// says why not, and there is no Result. With an interrupted context it returns
// what there is, and no error for it: see Result.Interrupted.
//
// An error besides a Result means that the fleet was not let in, was without a
// server at the end, or that the log could not be written.
func Run(ctx context.Context, cfg Config) (*Result, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	if cfg.Dial == nil {
		if err := roomFor(cfg.Clients, openFiles); err != nil {
			return nil, err
		}
	}
	f := &fleet{cfg: cfg, hurry: ctx.Done()}
	hello, err := f.probe(ctx)
	if err != nil {
		return nil, err
	}
	f.start = time.Now()
	f.meter = newMeter(cfg.Log, f.start)
	running, cancel := context.WithDeadline(ctx, f.start.Add(cfg.Duration))
	defer cancel()
	everybody := f.launch(running)
	f.watch(everybody)

	r := f.result(hello.TickMS, time.Since(f.start))
	r.Interrupted = ctx.Err() != nil
	return r, f.verdict(r)
}

// spareFiles is what a process has open besides its clients.
const spareFiles = 64

// roomFor returns an error if the system does not allow n connections.
func roomFor(n int, openFiles func(want uint64) (uint64, bool)) error {
	want := uint64(n + spareFiles)
	if got, known := openFiles(want); known && got < want {
		return fmt.Errorf("clients: %d clients need %d open files, and this process may have %d: raise the limit (ulimit -n %d), or take fewer clients",
			n, want, got, want)
	}
	return nil
}

// launch starts all clients and returns a channel that is closed when they have
// ended.
func (f *fleet) launch(ctx context.Context) <-chan struct{} {
	var wg sync.WaitGroup
	for i := range f.cfg.Clients {
		c := &client{
			f: f, name: f.cfg.name(i), rand: rand.New(rand.NewPCG(f.cfg.Seed, uint64(i))), owed: map[int64]debt{},
		}
		if n := len(f.cfg.Tokens); n > 0 {
			c.token = f.cfg.Tokens[i%n]
		}
		c.slow = c.rand.Float64() < f.cfg.Slow
		wg.Go(func() { c.live(ctx, f.start.Add(f.cfg.arrival(i))) })
	}
	all := make(chan struct{})
	go func() {
		wg.Wait()
		close(all)
	}()
	return all
}

// watch ends each second until everybody has ended.
func (f *fleet) watch(everybody <-chan struct{}) {
	second := time.NewTicker(time.Second)
	defer second.Stop()
	for {
		over := false
		select {
		case <-second.C:
		case <-everybody:
			over = true
		}
		live := f.meter.flush(f.start, time.Now())
		if over {
			return
		}
		if f.cfg.Progress != nil {
			f.cfg.Progress(live)
		}
	}
}

// verdict says what about a run makes its figures pointless.
func (f *fleet) verdict(r *Result) error {
	var errs []error
	n := int64(f.cfg.Clients)
	switch {
	case r.Counts.GaveUp == n:
		errs = append(errs, fmt.Errorf("clients: nobody was let in: %w", f.refused))
	case r.Counts.NotLoggedIn == n && !r.Interrupted:
		errs = append(errs, fmt.Errorf("clients: no client was in the game at the end: is the server at %s still there?", f.cfg.Addr))
	}
	if f.meter.logErr != nil {
		errs = append(errs, fmt.Errorf("clients: write the log: %w: is the disk full?", f.meter.logErr))
	}
	return errors.Join(errs...)
}

// fatal notes a refusal that does not pass.
func (f *fleet) fatal(r *refusal) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.refused == nil {
		f.refused = r
	}
}

func (f *fleet) dial(ctx context.Context) (net.Conn, error) {
	if f.cfg.Dial != nil {
		return f.cfg.Dial(ctx)
	}
	d := net.Dialer{Timeout: f.cfg.Timeout}
	return d.DialContext(ctx, "tcp", f.cfg.Addr)
}

// probe connects once and waits for the hello. A server that refuses the
// connection in the words of the protocol is one.
func (f *fleet) probe(ctx context.Context) (hello event, err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("clients: no game server at %s: %w: is it running, and is --addr its address?", f.cfg.Addr, err)
		}
	}()
	conn, err := f.dial(ctx)
	if err != nil {
		return event{}, err
	}
	defer conn.Close()
	defer context.AfterFunc(ctx, func() { conn.Close() })()
	conn.SetReadDeadline(time.Now().Add(f.cfg.Timeout)) // fails only on a closed connection
	var framer protocol.Framer
	buf := make([]byte, readSize)
	for hello.Ev == "" {
		n, err := conn.Read(buf)
		var bad error
		frameErr := framer.Feed(buf[:n], func(line []byte) bool {
			hello, bad = parseEvent(line)
			return false
		})
		switch {
		case bad != nil:
			return event{}, bad
		case hello.Ev != "":
		case frameErr != nil:
			return event{}, &garbageError{frameErr.Error()}
		case err != nil:
			return event{}, fmt.Errorf("no hello: %w", err)
		}
	}
	if hello.Ev == "hello" && hello.Version != protocol.Version {
		return event{}, fmt.Errorf("it speaks version %d of the protocol, these clients version %d", hello.Version, protocol.Version)
	}
	return hello, nil
}

// sleepUntil returns false if ctx ended first.
func (f *fleet) sleepUntil(ctx context.Context, at time.Time) bool {
	if ctx.Err() != nil {
		return false
	}
	t := time.NewTimer(time.Until(at))
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// last is the last moment of the schedule that counts: now, or the end of the run.
func (f *fleet) last(now time.Time) time.Time {
	if end := f.start.Add(f.cfg.Duration); now.After(end) {
		return end
	}
	return now
}

// gap is the time between two requests of a client.
func (f *fleet) gap(r *rand.Rand) time.Duration {
	if f.cfg.Rate == 0 {
		return far
	}
	mean := float64(time.Second) / f.cfg.Rate
	if f.cfg.Arrivals == "even" {
		return time.Duration(mean)
	}
	return max(1, time.Duration(mean*r.ExpFloat64()))
}

// firstGap is the time to a client's first request: evenly spaced ones start
// somewhere in their gap, so that clients don't march in step.
func (f *fleet) firstGap(r *rand.Rand) time.Duration {
	d := f.gap(r)
	if f.cfg.Arrivals == "even" && f.cfg.Rate > 0 {
		d = max(1, time.Duration(float64(d)*r.Float64()))
	}
	return d
}

// stayFor is how long a visit lasts.
func (f *fleet) stayFor(r *rand.Rand) time.Duration {
	if f.cfg.Session == 0 {
		return far
	}
	return time.Duration(min(float64(f.cfg.Session)*r.ExpFloat64(), float64(far)))
}
