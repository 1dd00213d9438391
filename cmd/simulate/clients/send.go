package clients

import (
	"time"

	"github.com/tickwheel/tickwheel/cmd/gameserver/protocol"
)

// sendDue sends all requests that are due by now in one write. The schedule goes
// on whatever the server does: this is what makes the loop open.
func (c *client) sendDue(l *link, v *visit, now time.Time) {
	dues := c.takeDue(now)
	if len(dues) == 0 {
		return
	}
	if over := len(dues) - maxBehind; over > 0 {
		for _, due := range dues[:over] {
			c.unsent(due, now)
		}
		dues = dues[over:]
	}
	c.buf = c.buf[:0]
	c.mu.Lock()
	for _, due := range dues {
		c.lastID++
		op := c.f.cfg.Mix.draw(c.rand)
		var after time.Duration
		c.buf, after = appendRequest(c.buf, op, c.lastID, c.rand)
		c.owed[c.lastID] = debt{op, due.Add(after)}
	}
	c.mu.Unlock()
	sent := time.Now()
	l.send(c.buf)
	c.f.meter.update(func(n *Counts) { n.Sent += int64(len(dues)) })
	for _, due := range dues {
		if !due.Before(v.welcomed) { // what was due earlier is late because of the outage
			c.f.meter.record(rowSendLate, sent.Sub(due))
		}
	}
}

// takeDue moves the schedule past now and returns what it passed.
func (c *client) takeDue(now time.Time) (dues []time.Time) {
	for !c.next.IsZero() && !c.next.After(now) {
		dues = append(dues, c.next)
		c.next = c.next.Add(c.f.gap(c.rand))
	}
	return dues
}

// unsent gives up a request that was never sent. What it would have been is drawn,
// so that no row looks better for it.
func (c *client) unsent(due, now time.Time) {
	op := c.f.cfg.Mix.draw(c.rand)
	if op == protocol.OpTimer { // its figure is a lateness, which needs a timer
		c.f.meter.update(func(n *Counts) { n.Unsent++ })
		return
	}
	c.f.meter.request(op, c.slow, now.Sub(due), func(n *Counts) { n.Unsent++ })
}

// answered settles a debt.
func (c *client) answered(id int64, code string, now time.Time) {
	c.mu.Lock()
	d, ok := c.owed[id]
	delete(c.owed, id)
	c.mu.Unlock()
	switch {
	case !ok: // of a session before, or nothing we asked for
	case code == "":
		c.f.meter.request(d.op, c.slow, now.Sub(d.due), func(n *Counts) { n.Answered++ })
	default:
		c.f.meter.code(code)
		answer := func(n *Counts) { n.Answered++; n.Errors++ }
		if d.op == protocol.OpTimer { // there is no timer that could be late
			c.f.meter.update(answer)
			return
		}
		c.f.meter.request(d.op, c.slow, now.Sub(d.due), answer)
	}
}

// resumed is told at a welcome whether the timers of the last connection run on.
func (c *client) resumed(yes bool) {
	if !yes {
		n := int64(len(c.forgive(func(op protocol.Op) bool { return op == protocol.OpTimer })))
		c.f.meter.update(func(all *Counts) { all.Cancelled += n })
	}
}

// forgive forgets the debts of matching operations and returns them.
func (c *client) forgive(match func(protocol.Op) bool) (forgiven []debt) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for id, d := range c.owed {
		if match(d.op) {
			forgiven = append(forgiven, d)
			delete(c.owed, id)
		}
	}
	return forgiven
}

func notTimer(op protocol.Op) bool { return op != protocol.OpTimer }

// settle is the end of a connection that the client did not wish, or with final
// of its life: what is owed will not be answered. Timers may be, if the session is
// resumed.
func (c *client) settle(now time.Time, final bool) {
	for _, d := range c.forgive(notTimer) {
		c.f.meter.request(d.op, c.slow, now.Sub(d.due), func(n *Counts) { n.Unanswered++ })
	}
	if final {
		c.resumed(false)
		last := c.f.last(now)
		for _, due := range c.takeDue(last) {
			c.unsent(due, last)
		}
	}
}

// drop ends the connection as a plug that is pulled would.
func (c *client) drop(l *link) {
	l.close()
	owed := int64(len(c.forgive(notTimer)))
	c.f.meter.update(func(n *Counts) { n.Drops++; n.Abandoned += owed })
}

// logout says goodbye and waits for the bye, which comes after all answers.
func (c *client) logout(l *link) {
	defer func() {
		l.close()
		c.settle(time.Now(), false)
		c.resumed(false)
	}()
	close(l.fast)
	began := time.Now()
	c.lastID++
	l.send(append(appendHead(nil, protocol.OpLogout, c.lastID), "}\n"...))
	limit := time.NewTimer(c.f.cfg.Timeout)
	defer limit.Stop()
	hurry := c.f.hurry
	for {
		select {
		case n := <-l.news:
			c.f.meter.record(rowLogout, time.Since(began))
			if n.bye != protocol.ReasonLogout {
				c.f.meter.update(func(n *Counts) { n.LogoutsFailed++ })
				c.lost(n)
			}
			return
		case <-limit.C:
			c.f.meter.record(rowLogout, time.Since(began))
			c.f.meter.update(func(n *Counts) { n.LogoutsFailed++ })
			c.f.meter.failed("logout: no bye within the timeout")
			return
		case <-hurry:
			hurry = nil
			limit.Reset(min(c.f.cfg.Timeout, farewell))
		}
	}
}
