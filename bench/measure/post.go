package measure

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"time"

	"github.com/tickwheel/tickwheel/tick"
)

const (
	postsFull, postsQuick = 4_000_000, 1_000_000
	postRoom              = 1 << 16 // posts that may wait, for all alike
)

// inbox is a way into the goroutine that owns the game.
type inbox struct {
	post func(func()) bool // false if there is no room
	run  func()            // runs what waits, on the owner's goroutine
	end  func() error
}

// post is W7: n goroutines post functions as fast as they can while the owner runs
// them; a post that finds no room is tried again. It is wall time a post, from the
// first call to the last function run.
func post(c Case) (Row, error) {
	in, err := newInbox(c.Peer)
	if err != nil {
		return Row{}, err
	}
	total := postsFull
	if c.Quick {
		total = postsQuick
	}
	each := total / c.N
	total = each * c.N
	ran := 0 // by the owner only
	f := func() { ran++ }
	drive := func() {
		var wg sync.WaitGroup
		for range c.N {
			wg.Go(func() {
				for range each {
					for !in.post(f) {
						runtime.Gosched()
					}
				}
			})
		}
		for ran < total {
			before := ran
			if in.run(); ran == before {
				runtime.Gosched()
			}
		}
		wg.Wait()
	}
	drive()
	ran = 0
	runtime.GC()
	began := time.Now()
	drive()
	took := time.Since(began)
	row := c.row()
	row.NS = perOp(took, total)
	return row, in.end()
}

func newInbox(name string) (*inbox, error) {
	switch name {
	case "tickwheel":
		return loopInbox()
	case "mutex-slice":
		return mutexInbox(), nil
	case "channel":
		return channelInbox(), nil
	}
	return nil, fmt.Errorf("measure: W7: peer %q: want tickwheel, mutex-slice or channel", name)
}

// loopInbox is tick.Loop.Post, its whole tick included.
func loopInbox() (*inbox, error) {
	l, err := tick.New(tick.Config{Inbox: postRoom})
	if err != nil {
		return nil, err
	}
	return &inbox{
		post: func(f func()) bool {
			err := l.Post(f)
			if err != nil && !errors.Is(err, tick.ErrInboxFull) {
				panic("measure: Post: " + err.Error())
			}
			return err == nil
		},
		run: func() { l.Step() },
		end: func() error { return l.Stop(context.Background()) },
	}, nil
}

// mutexInbox is the usual bounded slice behind a mutex, swapped by its owner.
func mutexInbox() *inbox {
	var mu sync.Mutex
	waiting, spare := make([]func(), 0, postRoom), make([]func(), 0, postRoom)
	return &inbox{
		post: func(f func()) bool {
			mu.Lock()
			defer mu.Unlock()
			if len(waiting) == postRoom {
				return false
			}
			waiting = append(waiting, f)
			return true
		},
		run: func() {
			mu.Lock()
			waiting, spare = spare[:0], waiting
			mu.Unlock()
			for i, f := range spare {
				f()
				spare[i] = nil
			}
		},
		end: func() error { return nil },
	}
}

// channelInbox is a buffered channel of which the owner takes what is there.
func channelInbox() *inbox {
	waiting := make(chan func(), postRoom)
	return &inbox{
		post: func(f func()) bool {
			select {
			case waiting <- f:
				return true
			default:
				return false
			}
		},
		run: func() {
			for range len(waiting) {
				(<-waiting)()
			}
		},
		end: func() error { return nil },
	}
}
