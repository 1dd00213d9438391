package server

import (
	"sync"
	"sync/atomic"

	"github.com/panjf2000/gnet/v2"

	"github.com/tickwheel/tickwheel/cmd/gameserver/protocol"
	"github.com/tickwheel/tickwheel/cmd/gameserver/world"
)

// conn is one connection. It is never used for another: gnet's own object and
// the descriptor may be.
type conn struct {
	id world.Conn
	gc gnet.Conn

	// The network goroutine's.
	framer  protocol.Framer
	refused int // requests in a row for which there was no room

	ahead  atomic.Int32 // requests posted and not handled
	flight atomic.Int64 // bytes given to gnet and not written or buffered yet
	gone   atomic.Bool  // closed, or as good as: nothing is written any more
	deaf   atomic.Bool  // what it still sends is thrown away

	// The tick goroutine's.
	out    []byte // what this tick has for it
	queued bool   // it is in outbox.ready
	ending bool   // out is the last
	said   bool   // the last has gone out
}

// table finds connections by name. Both sides use it.
type table struct {
	mu    sync.Mutex
	last  world.Conn
	conns map[world.Conn]*conn
}

// add names a connection, or returns nil if there are limit of them.
func (t *table) add(gc gnet.Conn, limit int) *conn {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.conns) >= limit {
		return nil
	}
	t.last++
	c := &conn{id: t.last, gc: gc}
	t.conns[c.id] = c
	return c
}

func (t *table) get(id world.Conn) *conn {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.conns[id]
}

func (t *table) remove(id world.Conn) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.conns, id)
}
