package clients

import (
	"context"
	"errors"
	"math/rand/v2"
	"net"
	"sync"
	"time"

	"github.com/tickwheel/tickwheel/cmd/gameserver/protocol"
)

// maxBehind is how many requests a client sends at once that are overdue, say
// after an outage. The server takes 256 ahead of their answers; of more than this
// the oldest are given up.
const maxBehind = 200

// defaultHint is how long a client waits before it tries again what failed
// without a hint.
const defaultHint = time.Second

// client is one player. Its fields belong to the goroutine of live but for owed.
type client struct {
	f     *fleet
	name  string
	token string
	rand  *rand.Rand
	slow  bool

	lastID int64
	next   time.Time // when the next request is due; zero before the first login
	buf    []byte

	mu   sync.Mutex
	owed map[int64]debt // by id
}

// debt is a request whose answer is to come.
type debt struct {
	op  protocol.Op
	due time.Time // when the answer would come from a server that takes no time
}

// visit is one stay in the game, over as many connections as it takes.
type visit struct {
	due      time.Time // when the client meant to be logged in
	refusals int       // since then
	welcomed time.Time // on this connection
	leave    time.Time // zero before the first welcome
}

// end says how a connection ended, and with it what to do next.
type end int

const (
	endOver  end = iota // the run is over
	endLeft             // the client wished it
	endRetry            // it did not: connect again
	endGone             // it is no use to try again
)

// live is a client's whole life.
func (c *client) live(ctx context.Context, arrive time.Time) {
	due := arrive
	for c.f.sleepUntil(ctx, due) {
		v := &visit{due: due}
		switch c.stay(ctx, v) {
		case endLeft:
			due = time.Now().Add(c.f.cfg.Away)
			c.next = time.Time{} // who is away on purpose owes nothing
			continue
		case endGone:
			c.f.meter.update(func(n *Counts) { n.GaveUp++ })
		}
		break
	}
	c.settle(time.Now(), true)
}

// stay is one visit.
func (c *client) stay(ctx context.Context, v *visit) end {
	for {
		hint := defaultHint
		how := c.connection(ctx, v, &hint)
		if how != endRetry {
			return how
		}
		// A little longer, by a share that is drawn: those who were thrown out
		// together don't come back together.
		hint += time.Duration(c.rand.Int64N(int64(hint)/4 + 1))
		if !c.f.sleepUntil(ctx, time.Now().Add(hint)) {
			return c.over(v)
		}
	}
}

// over notes what a client was still waiting for when the run ended.
func (c *client) over(v *visit) end {
	c.waitedFor(v)
	c.f.meter.update(func(n *Counts) { n.NotLoggedIn++ })
	return endOver
}

// waitedFor records how long a login has taken, whether it succeeded or not.
func (c *client) waitedFor(v *visit) {
	row := rowLogin
	if v.refusals > 0 {
		row = rowRetried
	}
	c.f.meter.record(row, time.Since(v.due))
}

// connection connects, logs in and plays until that connection ends.
func (c *client) connection(ctx context.Context, v *visit, hint *time.Duration) end {
	conn, err := c.f.dial(ctx)
	if err != nil {
		if ctx.Err() != nil {
			return c.over(v)
		}
		c.f.meter.update(func(n *Counts) { n.ConnectFailed++ })
		c.f.meter.failed(reasonOf(err))
		return endRetry
	}
	if t, ok := conn.(*net.TCPConn); ok && c.slow {
		_ = t.SetReadBuffer(readSize) // or the kernel reads in its place
	}
	c.lastID++
	l := newLink(c, conn, c.lastID)
	defer l.close()
	if how, in := c.login(ctx, l, v, hint); !in {
		return how
	}
	c.f.meter.present(+1)
	defer c.f.meter.present(-1)
	return c.play(ctx, l, v)
}

// login returns true once the client is in the game.
func (c *client) login(ctx context.Context, l *link, v *visit, hint *time.Duration) (end, bool) {
	ask := func() { l.send(appendLogin(nil, l.loginID, c.name, c.token)) }
	ask()
	patience := time.NewTimer(c.f.cfg.Timeout)
	defer patience.Stop()
	again := time.NewTimer(0)
	again.Stop()
	for {
		select {
		case n := <-l.news:
			switch {
			case n.welcome:
				c.begin(v)
				return 0, true
			case n.refused != nil:
				v.refusals++
				c.f.meter.update(func(n *Counts) { n.Refused++ })
				c.f.meter.failed(reasonOf(n.refused))
				if !n.refused.passes() {
					c.f.fatal(n.refused)
					return endGone, false
				}
				if n.refused.hint > 0 {
					*hint = n.refused.hint
				}
				if n.atDoor {
					return endRetry, false
				}
				again.Reset(*hint)
				patience.Stop()
			default:
				return c.lost(n), false
			}
		case <-again.C:
			patience.Reset(c.f.cfg.Timeout)
			ask()
		case <-patience.C:
			c.f.meter.update(func(n *Counts) { n.LoginTimeouts++ })
			c.f.meter.failed("login: no answer within the timeout")
			return endRetry, false
		case <-ctx.Done():
			return c.over(v), false
		}
	}
}

// begin is the moment a client is let in.
func (c *client) begin(v *visit) {
	c.waitedFor(v)
	c.f.meter.update(func(n *Counts) { n.Logins++ })
	v.welcomed, v.refusals = time.Now(), 0
	if v.leave.IsZero() {
		v.leave = v.welcomed.Add(c.f.stayFor(c.rand))
	}
	if c.next.IsZero() {
		c.next = v.welcomed.Add(c.f.firstGap(c.rand))
	}
}

// play sends what is due until the visit, the run or the connection is over.
func (c *client) play(ctx context.Context, l *link, v *visit) end {
	alarm := time.NewTimer(0)
	defer alarm.Stop()
	for {
		at := c.next
		if v.leave.Before(at) {
			at = v.leave
		}
		alarm.Reset(time.Until(at))
		select {
		case <-alarm.C:
			if now := time.Now(); now.Before(v.leave) {
				c.sendDue(l, v, now)
				continue
			}
			if c.rand.Float64() < c.f.cfg.Drop {
				c.drop(l)
			} else {
				c.logout(l)
			}
			return endLeft
		case n := <-l.news:
			l.close()
			c.f.meter.update(func(n *Counts) { n.Lost++ })
			v.due = time.Now() // it wants back in from now on
			c.settle(v.due, false)
			return c.lost(n)
		case <-ctx.Done():
			c.sendDue(l, v, c.f.last(time.Now()))
			c.logout(l)
			return endOver
		}
	}
}

// lost notes why a connection ended that the client wanted to keep.
func (c *client) lost(n news) end {
	var garbage *garbageError
	switch {
	case errors.As(n.err, &garbage):
		c.f.meter.update(func(n *Counts) { n.Garbage++ })
		c.f.meter.failed(reasonOf(n.err))
	case n.err != nil:
		c.f.meter.failed(reasonOf(n.err))
	case n.refused != nil:
		c.f.meter.failed(reasonOf(n.refused))
	default:
		c.f.meter.failed("bye: " + clip(n.bye, 40))
	}
	return endRetry
}
