package world

import (
	"context"
	"errors"
	"slices"

	"github.com/tickwheel/tickwheel/cmd/gameserver/store"
	"github.com/tickwheel/tickwheel/tick"
)

// autosave gives a copy of a changed player to a worker, now and then. It is the
// session's own job: at logout it is dropped, as the last save is newer.
func (w *World) autosave(s *Session) {
	p := s.Player
	if !p.dirty || p.saving {
		return // a slow disk must not pile up saves of one player
	}
	c := p.copy()
	err := tick.Offload(s.Scope, w.saveJob(c, w.kinds.autosave), func(_ struct{}, err error) {
		p.saving = false
		if err != nil {
			p.dirty = true
			w.autosaveFailures.add(c.Name, err)
		}
	})
	if err != nil {
		p.dirty = true
		w.autosaveFailures.add(c.Name, err)
		return
	}
	p.saving = true
}

// saveJob is under the player's key, so it comes after every save of the same
// player before it, whoever owns them.
func (w *World) saveJob(p store.Player, kind tick.Kind) tick.Job[struct{}] {
	return tick.Job[struct{}]{
		Key: p.Name, Kind: kind,
		Run: func(context.Context) (struct{}, error) { return struct{}{}, w.store.Save(p) },
	}
}

// lastSave saves the state of a player whose session has ended, and tells then
// whether it is on the disk. A job of the session would end with it; this one is
// the root's. A state that the store does not take is kept and tried again.
func (w *World) lastSave(p store.Player, then func(saved bool)) {
	w.saves++
	err := tick.Offload(w.loop.Root(), w.saveJob(p, w.kinds.save), func(_ struct{}, err error) {
		w.saves--
		w.saved(p, err)
		then(err == nil)
	})
	if err == nil {
		return
	}
	w.saves--
	w.saved(p, err)
	then(false)
}

// saved notes what became of a state.
func (w *World) saved(p store.Player, err error) {
	newest, waits := w.unsaved[p.Name]
	if err == nil {
		if waits && newest.Rev <= p.Rev {
			delete(w.unsaved, p.Name)
		}
		return
	}
	if !waits || newest.Rev < p.Rev {
		w.unsaved[p.Name] = p
	}
	w.saveFailures.add(p.Name, err)
}

// retrySaves tries the states that the store did not take, in order of name. A
// full job queue ends the round: the next one comes soon and begins there, so
// that the end of the alphabet gets its turn, too.
func (w *World) retrySaves(tick.Firing) {
	w.tellFailures()
	names := w.Unsaved()
	first, _ := slices.BinarySearch(names, w.nextRetry)
	w.nextRetry = ""
	for _, name := range slices.Concat(names[first:], names[:first]) {
		if w.retrying[name] {
			continue
		}
		p := w.unsaved[name]
		err := tick.Offload(w.scope, w.saveJob(p, w.kinds.save), func(_ struct{}, err error) {
			delete(w.retrying, name)
			w.saved(p, err)
		})
		if errors.Is(err, tick.ErrQueueFull) {
			w.nextRetry = name
			return
		}
		if err == nil {
			w.retrying[name] = true
		}
	}
}

// failures counts what went wrong in the same way since it was told last: with
// thousands of players a full disk would otherwise fill the log as well.
type failures struct {
	n      int
	player string // the last one
	err    error  // its
}

func (f *failures) add(player string, err error) { f.n, f.player, f.err = f.n+1, player, err }

// tellFailures logs the saves that failed since the last time, a line for each
// sort however many there are.
func (w *World) tellFailures() {
	if f := w.saveFailures; f.n > 0 {
		w.cfg.Logger.Error("players could not be saved, they are tried again",
			"failed", f.n, "unsaved", len(w.unsaved), "player", f.player, "error", f.err)
	}
	if f := w.autosaveFailures; f.n > 0 {
		w.cfg.Logger.Warn("autosaves failed, the next ones try again", "failed", f.n, "player", f.player, "error", f.err)
	}
	w.saveFailures, w.autosaveFailures = failures{}, failures{}
}
