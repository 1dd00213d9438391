package oracle

import "time"

// Watch is what Health has to say: nobody is stuck who was looked at once.
type Watch struct {
	// Limit is how long no tick may end before anybody wonders.
	Limit time.Duration

	ended, doubted time.Duration // when a tick ended; when somebody noticed that none did
	doubt          bool
}

// Conditions of a loop, as the oracle calls them.
const (
	Healthy   = "healthy"
	Suspended = "suspended"
	Stuck     = "stuck"
)

// Progress is the end of a tick.
func (w *Watch) Progress(now time.Duration) { w.ended, w.doubt = now, false }

// Look is what is to be said at now, and since when no tick has ended.
func (w *Watch) Look(now time.Duration) (condition string, age time.Duration) {
	age = now - w.ended
	switch {
	case age <= w.Limit:
		w.doubt = false
		return Healthy, age
	case w.doubt && now-w.doubted >= w.Limit:
		return Stuck, age
	case !w.doubt:
		w.doubt, w.doubted = true, now
	}
	return Suspended, age
}
