package check

import (
	"context"
	"errors"

	"github.com/tickwheel/tickwheel/session"
	"github.com/tickwheel/tickwheel/sim/oracle"
	"github.com/tickwheel/tickwheel/tick"
)

// told is the hook of a scope or session that ends.
func (w *world) told(name string, reason error) {
	if w.muffled {
		w.muffled = false
		return
	}
	why := reasonOf(reason)
	w.say("%s ends: %s", name, why)
	w.note(uint64(len(name)), uint64(len(why)))
	w.fail(w.tree.Tell(name, why))
}

func reasonOf(err error) string {
	for _, r := range []struct {
		err  error
		name string
	}{
		{session.ErrLost, oracle.Dropped}, {session.ErrTakeover, oracle.Takeover}, {session.ErrIdle, oracle.Idle},
		{session.ErrLogout, oracle.Logout}, {errEvening, oracle.Evening}, {tick.ErrStopped, oracle.Stop},
	} {
		if errors.Is(err, r.err) {
			return r.name
		}
	}
	return err.Error()
}

// end stops the loop and looks at what is left.
func (w *world) end() {
	if w.err != nil {
		w.exec.abort()
	}
	if err := w.loop.Stop(context.Background()); err != nil && w.err == nil {
		w.broken(oracle.Stopped, "Stop: %v", err)
	}
	for _, c := range w.posts.callers { // of a run that is given up
		<-c.left
	}
	if w.err != nil {
		return
	}
	w.fail(w.tree.Told())
	w.fail(w.jobs.Idle())
	st := w.loop.Stats()
	switch err := w.loop.Post(func() { w.broken(oracle.Stopped, "a post ran after Stop") }); {
	case !errors.Is(err, tick.ErrStopped):
		w.broken(oracle.Stopped, "Post after Stop gave %v", err)
	case st.Timers != 0:
		w.broken(oracle.Lost, "%d timers are left after Stop", st.Timers)
	case st.Panics != w.panics:
		w.broken(oracle.Whole, "the loop counted %d panics: want %d", st.Panics, w.panics)
	case st.Shed != w.grid.Shed():
		w.broken(oracle.ShedCounted, "the loop counted %d intervals given up: want %d", st.Shed, w.grid.Shed())
	case st.ShedTime != w.grid.ShedTime():
		w.broken(oracle.ShedCounted, "the loop says that it has given up %v: want %v", st.ShedTime, w.grid.ShedTime())
	case st.Unhandled != w.posts.unhandled:
		w.broken(oracle.InboxRule, "the loop counted %d inputs without handler: want %d", st.Unhandled, w.posts.unhandled)
	case st.Goexits != w.goexits:
		w.broken(oracle.Whole, "the loop counted %d Goexits: want %d", st.Goexits, w.goexits)
	case st.Cancelled != w.wheel.Cancelled():
		w.broken(oracle.Counts, "the loop counted %d cancelled timers: want %d", st.Cancelled, w.wheel.Cancelled())
	case st.Guarded != w.cuts:
		w.broken(oracle.Guard, "the loop counted %d cuts: want %d", st.Guarded, w.cuts)
	case st.Refused != w.posts.refused:
		w.broken(oracle.InboxRule, "the loop counted %d refused posts: want %d", st.Refused, w.posts.refused)
	}
	if _, err := w.loop.Root().AfterFunc(0, func() {}); !errors.Is(err, tick.ErrStopped) {
		w.broken(oracle.Stopped, "AfterFunc after Stop gave %v", err)
	}
	w.sameJobs(st.Jobs)
	fired := st.Fired
	if w.drive(); w.loop.Stats().Fired != fired {
		w.broken(oracle.Stopped, "timers fired after Stop")
	}
}
