package server

import (
	"errors"
	"fmt"
	"net"
	"os"
	"runtime/debug"

	"github.com/panjf2000/gnet/v2"

	"github.com/tickwheel/tickwheel/cmd/gameserver/protocol"
	"github.com/tickwheel/tickwheel/cmd/gameserver/world"
	"github.com/tickwheel/tickwheel/tick"
)

// network is gnet's event handler. Its methods run on gnet's goroutines; they
// never touch the game, only post inputs.
type network struct {
	gnet.BuiltinEventEngine
	s      *Server
	booted chan struct{} // closed once engine and addr are set
	engine gnet.Engine
	addr   net.Addr
}

// OnBoot implements gnet.EventHandler.
func (n *network) OnBoot(e gnet.Engine) gnet.Action {
	n.engine = e
	n.addr = boundTo(e)
	close(n.booted)
	return gnet.None
}

// boundTo asks the kernel for the address, which gnet keeps to itself.
func boundTo(e gnet.Engine) net.Addr {
	fd, err := e.Dup()
	if err != nil {
		return nil
	}
	f := os.NewFile(uintptr(fd), "listener")
	defer f.Close()
	l, err := net.FileListener(f)
	if err != nil {
		return nil
	}
	defer l.Close()
	return l.Addr()
}

// OnOpen implements gnet.EventHandler.
func (n *network) OnOpen(gc gnet.Conn) (out []byte, action gnet.Action) {
	s := n.s
	refuse := func(code protocol.Code, message string) ([]byte, gnet.Action) {
		return s.line(protocol.ID{}, protocol.Failed(protocol.Errorf(code, "%s", message))), gnet.Close
	}
	if s.draining.Load() {
		return refuse(protocol.CodeShuttingDown, "the server is ending: try again later")
	}
	c := s.table.add(gc, s.cfg.MaxConns)
	if c == nil {
		return refuse(protocol.CodeBusy, fmt.Sprintf("there are %d connections, as many as allowed: try again later", s.cfg.MaxConns))
	}
	if err := s.loop.Input(world.Opened{Conn: c.id}); err != nil {
		s.table.remove(c.id)
		return refuse(protocol.CodeBusy, "the server is too busy for another connection: try again")
	}
	gc.SetContext(c)
	s.live.Add(1)
	return nil, gnet.None
}

// OnClose implements gnet.EventHandler.
func (n *network) OnClose(gc gnet.Conn, _ error) gnet.Action {
	if c, ok := gc.Context().(*conn); ok {
		gc.SetContext(nil)
		n.s.closed(c)
	}
	return gnet.None
}

// OnTraffic implements gnet.EventHandler.
func (n *network) OnTraffic(gc gnet.Conn) (action gnet.Action) {
	defer func() {
		if v := recover(); v != nil { // a fault of ours ends this connection, not the process
			n.s.cfg.Logger.Error("a connection's input could not be handled", "panic", v, "stack", string(debug.Stack()))
			action = gnet.Close
		}
	}()
	c, ok := gc.Context().(*conn)
	// All there is: OnTraffic is not called again for what is left. The slice is
	// gnet's own, so nothing may keep it; the framer and the parser copy.
	data, err := gc.Next(-1)
	if !ok || err != nil || c.deaf.Load() || n.s.draining.Load() {
		return gnet.None
	}
	var replies []byte
	err = c.framer.Feed(data, func(line []byte) bool {
		replies = n.s.received(c, line, replies)
		return !c.deaf.Load()
	})
	var frame *protocol.FrameError
	if errors.As(err, &frame) && !c.deaf.Load() {
		c.deaf.Store(true)
		broken := world.Broken{Conn: c.id, Err: protocol.Error{Code: frame.Code, Message: frame.Reason}}
		if n.s.loop.Input(broken) != nil {
			action = gnet.Close // no room to be polite
		}
	}
	if len(replies) > 0 {
		gc.Write(replies) // an error closes the connection by itself
		if !c.gone.Load() && gc.OutboundBuffered() > n.s.cfg.MaxUnread {
			n.s.hangUp(c, "did not read its output")
		}
	}
	return action
}

// received posts what a line means. Refusals for want of room can't go through
// the tick, which has none: they are appended to replies and overtake.
func (s *Server) received(c *conn, line, replies []byte) []byte {
	r, bad := protocol.Parse(line)
	var in any = world.Asked{Conn: c.id, Request: r, At: s.loop.Time()}
	if bad != nil {
		in = world.Refused{Conn: c.id, ID: r.ID, Err: *bad}
	}
	if c.ahead.Load() >= int32(s.cfg.MaxAhead) {
		if c.refused++; c.refused > 16*s.cfg.MaxAhead {
			// It is not waiting for answers: saying busy for ever would take the
			// network goroutine from everybody else.
			s.hangUp(c, "sent more than it can expect to be answered")
			return replies
		}
		return append(replies, s.line(r.ID, protocol.Failed(protocol.Errorf(protocol.CodeBusy,
			"%d requests wait: read the answers before sending more", s.cfg.MaxAhead)))...)
	}
	c.refused = 0
	c.ahead.Add(1)
	switch err := s.loop.Input(in); {
	case errors.Is(err, tick.ErrInboxFull):
		c.ahead.Add(-1)
		return append(replies, s.line(r.ID, protocol.Failed(protocol.Errorf(protocol.CodeBusy,
			"the server is too busy: try again")))...)
	case err != nil: // it is ending, and says so in its own words
		c.ahead.Add(-1)
	}
	return replies
}

// line is an event made outside the tick.
func (s *Server) line(id protocol.ID, e protocol.Event) []byte {
	return protocol.AppendEvent(nil, int64(s.loop.Now()), id, e)
}
