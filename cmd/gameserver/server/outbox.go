package server

import (
	"sync"
	"sync/atomic"

	"github.com/panjf2000/gnet/v2"

	"github.com/tickwheel/tickwheel/cmd/gameserver/protocol"
	"github.com/tickwheel/tickwheel/cmd/gameserver/world"
)

// outbox collects what a tick has to say and sends it at its end, one write for
// each connection. It is the world's Sink and belongs to the tick goroutine,
// apart from pending.
type outbox struct {
	s     *Server
	ready []*conn // with something to send

	pending atomic.Int64 // writes whose callback has not come
	buffers sync.Pool    // *[]byte
}

// Send implements world.Sink.
func (o *outbox) Send(to world.Conn, tick int64, id protocol.ID, e protocol.Event) {
	c := o.s.table.get(to)
	if c == nil || c.ending || c.gone.Load() {
		return
	}
	if c.out == nil {
		c.out = o.buffer()
	}
	c.out = protocol.AppendEvent(c.out, tick, id, e)
	o.queue(c)
}

// End implements world.Sink.
func (o *outbox) End(id world.Conn) {
	c := o.s.table.get(id)
	if c == nil || c.ending {
		return
	}
	c.ending = true
	c.deaf.Store(true)
	o.queue(c)
}

func (o *outbox) queue(c *conn) {
	if !c.queued {
		c.queued = true
		o.ready = append(o.ready, c)
	}
}

// flush sends everything. It is the loop's OnFlush hook.
func (o *outbox) flush() {
	for i, c := range o.ready {
		o.ready[i] = nil
		c.queued = false
		o.send(c)
	}
	o.ready = o.ready[:0]
}

func (o *outbox) send(c *conn) {
	data, last := c.out, c.ending && !c.said
	c.out = nil
	if last {
		c.said = true
		o.s.linger(c)
	}
	if c.gone.Load() || (len(data) == 0 && !last) {
		o.recycle(data)
		return
	}
	// gnet has no back-pressure. What it has taken and not yet looked at only
	// grows if its goroutine is stuck, but then it grows for everybody.
	if c.flight.Load() > int64(4*o.s.cfg.MaxUnread) {
		o.recycle(data)
		o.s.hangUp(c, "did not read its output")
		return
	}
	n := int64(len(data))
	c.flight.Add(n)
	o.pending.Add(1)
	err := c.gc.AsyncWrite(data, func(gc gnet.Conn, err error) error {
		// On the network goroutine. gnet lets go of data here, not before.
		c.flight.Add(-n)
		o.recycle(data)
		if err == nil && !c.gone.Load() {
			o.written(c, gc, last)
		}
		o.s.wrote(o.pending.Add(-1))
		return nil
	})
	if err != nil { // the callback won't come
		c.flight.Add(-n)
		o.s.wrote(o.pending.Add(-1))
	}
}

// written looks at what a write has left in gnet's buffer, on the network
// goroutine: the only place where that can be known.
func (o *outbox) written(c *conn, gc gnet.Conn, last bool) {
	left := gc.OutboundBuffered()
	switch {
	case left > o.s.cfg.MaxUnread && !last:
		o.s.hangUp(c, "did not read its output")
	case last && left == 0:
		// Only our half: closing the other with something unread in it would
		// make the kernel throw away the bye.
		closeWrite(gc.Fd())
	}
}

func (o *outbox) buffer() []byte {
	if b, ok := o.buffers.Get().(*[]byte); ok {
		return (*b)[:0]
	}
	return make([]byte, 0, 512)
}

// recycle takes back a buffer. Big ones are left to the collector: one storm of
// output should not be kept for ever.
func (o *outbox) recycle(b []byte) {
	if cap(b) > 0 && cap(b) <= 16<<10 {
		o.buffers.Put(&b)
	}
}
