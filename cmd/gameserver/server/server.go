package server

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"github.com/panjf2000/gnet/v2"

	"github.com/tickwheel/tickwheel/cmd/gameserver/store"
	"github.com/tickwheel/tickwheel/cmd/gameserver/world"
	"github.com/tickwheel/tickwheel/tick"
)

// players is what a server needs of a *store.Store.
type players interface {
	world.Store
	Path() string
	Close() error
}

// Server is a game server that is listening.
type Server struct {
	cfg    Config
	store  players
	loop   *tick.Loop
	world  *world.World
	scope  *tick.Scope
	linked tick.Kind
	table  table
	outbox outbox
	net    *network
	netEnd chan struct{} // closed when gnet has ended
	netErr error         // why, valid then

	draining atomic.Bool
	live     atomic.Int64  // connections gnet has
	changed  chan struct{} // something that the end waits for has changed

	mu   sync.Mutex
	lost []world.Closed // inputs that found no room; they must not get lost
}

// Open binds the address, opens the store and makes the world. Connections are
// accepted from then on, and answered once Run runs. After an error nothing is
// left open, and if the address was taken, no file was made.
func Open(ctx context.Context, cfg Config) (*Server, error) {
	return open(ctx, cfg, func(dir string) (players, error) { return store.Open(dir) })
}

func open(ctx context.Context, cfg Config, openStore func(dir string) (players, error)) (*Server, error) {
	cfg, err := cfg.withDefaults()
	if err != nil {
		return nil, err
	}
	addr, err := resolve(ctx, cfg.Addr, cfg.Insecure)
	if err != nil {
		return nil, err
	}
	loop, err := tick.New(cfg.Loop)
	if err != nil {
		return nil, err
	}
	s := &Server{
		cfg: cfg, loop: loop, scope: loop.Root().Child(), linked: loop.Kind("conn/linger"),
		table: table{conns: map[world.Conn]*conn{}}, netEnd: make(chan struct{}), changed: make(chan struct{}, 1),
	}
	s.outbox.s = s
	// First, as the likeliest to fail. What connections send now waits in the
	// loop's inbox: the network touches nothing that is made below.
	if err := s.listen(addr); err != nil {
		return nil, err
	}
	if s.store, err = openStore(cfg.DataDir); err != nil {
		return nil, errors.Join(err, s.stopNetwork())
	}
	loop.OnInput(s.taken) // before the world, which may panic over an input
	if s.world, err = world.New(loop, cfg.World, &s.outbox, s.store); err != nil {
		return nil, errors.Join(err, s.stopNetwork(), s.store.Close())
	}
	loop.OnInput(s.handled)
	loop.OnTick(func(time.Duration) { s.postLost() })
	loop.OnFlush(s.outbox.flush)
	return s, nil
}

// listen starts gnet and waits until it has bound addr, or has not.
func (s *Server) listen(addr string) error {
	s.net = &network{s: s, booted: make(chan struct{})}
	go func() {
		defer close(s.netEnd)
		// One loop: on few cores a second one steals from the tick. SO_REUSEPORT
		// stays off, so that a second server on the port is an error.
		s.netErr = gnet.Run(s.net, "tcp://"+addr,
			gnet.WithNumEventLoop(1), gnet.WithReuseAddr(true), gnet.WithLogger(gnetLog{s.cfg.Logger}))
	}()
	select {
	case <-s.net.booted:
		return nil
	case <-s.netEnd:
		return fmt.Errorf("server: listen on %s: %w: is another server running? choose another --addr", addr, s.netErr)
	}
}

// Addr returns the address that was bound, with the port that was free.
func (s *Server) Addr() net.Addr { return s.net.addr }

// Run serves until ctx ends and then ends everything, see the package. It
// returns nil if all went well, and an error if the network failed, players could
// not be saved, or something had not ended in time.
func (s *Server) Run(ctx context.Context) error {
	loopEnd := make(chan struct{})
	go func() {
		defer close(loopEnd)
		s.loop.Run(context.Background()) // ends by Stop, in its turn; returns nil
	}()
	s.cfg.Logger.Info("listening", "addr", s.net.addr.String(), "tick", s.loop.Interval(),
		"seed", s.loop.Stats().Seed, "data", s.store.Path(), "max_conns", s.cfg.MaxConns)
	var failed error
	select {
	case <-ctx.Done():
	case <-s.netEnd:
		failed = fmt.Errorf("server: the network ended: %w", s.netErr)
		if s.netErr == nil {
			failed = errors.New("server: the network ended by itself")
		}
	}
	return errors.Join(failed, s.shutdown(loopEnd))
}

// shutdown ends everything in the order in which nothing is lost: input, players
// and their saves, ticks, output, network, store.
func (s *Server) shutdown(loopEnd <-chan struct{}) error {
	log := s.cfg.Logger
	log.Info("shutting down", "connections", s.live.Load())
	s.draining.Store(true) // new connections and requests are refused from here
	ctx, cancel := context.WithTimeout(context.Background(), s.cfg.DrainTimeout)
	defer cancel()
	err := s.drain(ctx)

	stopCtx, stopCancel := context.WithTimeout(context.Background(), s.cfg.DrainTimeout)
	defer stopCancel()
	if e := s.loop.Stop(stopCtx); e != nil {
		err = errors.Join(err, e)
	} else {
		<-loopEnd
		// The retries end with the loop; a last word about those they were for.
		if names := s.world.Unsaved(); len(names) > 0 {
			err = errors.Join(err, fmt.Errorf("server: %d players could not be saved, such as %s", len(names), names[0]))
		}
	}
	s.awaitFlush()
	err = errors.Join(err, s.stopNetwork(), s.closeStore())
	log.Info("stopped", "clean", err == nil)
	return err
}

// drain logs everybody out and waits for the last saves.
func (s *Server) drain(ctx context.Context) error {
	// What was posted before is handled before. If there is no room for the call
	// there soon will be: nothing new comes in any more.
	err := s.loop.Call(ctx, s.world.Drain)
	for errors.Is(err, tick.ErrInboxFull) && sleep(ctx, s.loop.Interval()) {
		err = s.loop.Call(ctx, s.world.Drain)
	}
	if err == nil {
		select {
		case <-s.world.Drained():
			return nil
		case <-ctx.Done():
			err = ctx.Err()
		}
	}
	// The byes that still wait go out without what they waited for.
	last, cancel := context.WithTimeout(context.Background(), 10*s.loop.Interval())
	defer cancel()
	_ = s.loop.Call(last, s.world.Abandon)
	return fmt.Errorf("server: not everybody was saved within %v: %w", s.cfg.DrainTimeout, err)
}

// awaitFlush waits until everything is written and every client has gone, or
// the time for it is up: gnet forgets what is left without a word.
func (s *Server) awaitFlush() {
	limit := time.NewTimer(s.cfg.FlushTimeout)
	defer limit.Stop()
	for s.outbox.pending.Load() > 0 || s.live.Load() > 0 {
		select {
		case <-s.changed:
		case <-s.netEnd:
			return
		case <-limit.C:
			return
		}
	}
}

func (s *Server) stopNetwork() error {
	now, cancel := context.WithCancel(context.Background())
	cancel() // Stop polls for the end twice a second; netEnd is faster
	_ = s.net.engine.Stop(now)
	limit := time.NewTimer(s.cfg.DrainTimeout)
	defer limit.Stop()
	select {
	case <-s.netEnd:
		return nil // its error, if any, was Run's to tell
	case <-limit.C:
		return fmt.Errorf("server: the network did not end within %v", s.cfg.DrainTimeout)
	}
}

// closeStore closes the file, unless a save is stuck in it: the disk has been
// given its time, and what it has not taken by now is told as lost.
func (s *Server) closeStore() error {
	closed := make(chan error, 1)
	go func() { closed <- s.store.Close() }()
	limit := time.NewTimer(s.cfg.DrainTimeout)
	defer limit.Stop()
	select {
	case err := <-closed:
		return err
	case <-limit.C:
		return fmt.Errorf("server: %s did not close within %v: a save is stuck", s.store.Path(), s.cfg.DrainTimeout)
	}
}

// sleep waits and reports true, or false if ctx ended first.
func sleep(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// taken counts down the requests ahead. Like handled it is on the tick goroutine.
func (s *Server) taken(v any) {
	var id world.Conn
	switch in := v.(type) {
	case world.Asked:
		id = in.Conn
	case world.Refused:
		id = in.Conn
	default:
		return
	}
	if c := s.table.get(id); c != nil {
		c.ahead.Add(-1)
	}
}

// handled forgets a connection that the world has heard the last of.
func (s *Server) handled(v any) {
	if in, ok := v.(world.Closed); ok {
		s.table.remove(in.Conn)
	}
}

// closed is told by gnet that a connection has gone.
func (s *Server) closed(c *conn) {
	s.live.Add(-1)
	s.forget(c)
	s.signal()
}

// hangUp ends a connection that takes more than its share. It gets no bye: it
// would not read that either.
func (s *Server) hangUp(c *conn, why string) {
	if s.forget(c) {
		s.cfg.Logger.Warn("a connection was ended: it "+why, "conn", c.id)
		c.gc.Close() // queued behind what runs now; on a closed one it does nothing
	}
}

// forget has the world told, once, that a connection has gone.
func (s *Server) forget(c *conn) bool {
	if !c.gone.CompareAndSwap(false, true) {
		return false
	}
	c.deaf.Store(true)
	in := world.Closed{Conn: c.id}
	if err := s.loop.Input(in); errors.Is(err, tick.ErrInboxFull) {
		s.mu.Lock()
		s.lost = append(s.lost, in)
		s.mu.Unlock()
	}
	return true
}

// postLost posts what found no room before. It runs in every tick.
func (s *Server) postLost() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for len(s.lost) > 0 && s.loop.Input(s.lost[0]) == nil {
		s.lost = s.lost[1:]
	}
}

// linger gives a client some time to read its bye. Whoever takes longer, or
// waits for us to close first, is closed.
func (s *Server) linger(c *conn) {
	sp := tick.Spec{After: s.cfg.Linger, Lane: tick.Urgent, Kind: s.linked}
	_, err := s.scope.Schedule(sp, func(tick.Firing) {
		if !c.gone.Load() {
			c.gc.Close()
		}
	})
	if err != nil && !errors.Is(err, tick.ErrStopped) {
		c.gc.Close()
	}
}

// wrote is told how many writes are left.
func (s *Server) wrote(left int64) {
	if left == 0 {
		s.signal()
	}
}

func (s *Server) signal() {
	select {
	case s.changed <- struct{}{}:
	default:
	}
}
