package world

import (
	"time"

	"github.com/tickwheel/tickwheel/cmd/gameserver/protocol"
	"github.com/tickwheel/tickwheel/cmd/gameserver/store"
)

// Conn names a connection. Names are never used twice, so that what is meant
// for a connection that has gone cannot reach one that came after it.
type Conn uint64

// Inputs of the world, for tick.Loop.Input. Each is a value without pointers
// into anything of the network.
type (
	// Opened says that a connection is there.
	Opened struct{ Conn Conn }
	// Asked is a request.
	Asked struct {
		Conn    Conn
		Request protocol.Request
		// At is when it was read, by the loop's Time; 0 means when its tick handles
		// it. Carried here, it is the same when inputs are replayed.
		At time.Duration
	}
	// Refused is a line that was no good request. It takes the same way as a
	// good one, so that answers keep their order.
	Refused struct {
		Conn Conn
		ID   protocol.ID
		Err  protocol.Error
	}
	// Broken says that the stream of a connection is not lines of text.
	Broken struct {
		Conn Conn
		Err  protocol.Error
	}
	// Closed says that a connection has gone. It is its last input.
	Closed struct{ Conn Conn }
)

// Sink is where events go. It is called on the tick goroutine only.
type Sink interface {
	// Send queues an event for a connection. It goes out at the end of the tick;
	// if the connection has gone, nowhere.
	Send(to Conn, tick int64, id protocol.ID, e protocol.Event)
	// End has a connection closed once what was sent has gone out.
	End(c Conn)
}

// Store is where players live while they are not in the world. Its methods
// block and are called on worker goroutines. Save must keep the state with the
// highest Rev. [store.Store] is the real one.
type Store interface {
	Load(name string) (p store.Player, found bool, err error)
	Save(p store.Player) error
}
