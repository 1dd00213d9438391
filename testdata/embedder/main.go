// Command embedder is a game server's first hour with tickwheel: a bare wheel,
// then a player who logs in, has a shield, is saved and logs out. A test builds it
// in a module of its own to see what it links.
package main

import (
	"context"
	"fmt"
	"log"
	"time"

	"github.com/tickwheel/tickwheel/session"
	"github.com/tickwheel/tickwheel/tick"
	"github.com/tickwheel/tickwheel/timers"
)

func main() {
	if err := wheel(); err != nil {
		log.Fatal(err)
	}
	if err := game(); err != nil {
		log.Fatal(err)
	}
}

func wheel() error {
	w, err := timers.New[string](timers.Config{NearTicks: 64})
	if err != nil {
		return err
	}
	if _, err := w.After(3, "respawn", timers.Spec{Lane: timers.Bulk}); err != nil {
		return err
	}
	w.Advance(10, func(f timers.Firing[string]) {
		fmt.Println("wheel:", f.Payload, "in the", f.Lane, "lane, due at tick", f.Deadline)
	})
	return nil
}

type player struct{ gold int }

func game() error {
	loop, err := tick.New(tick.Config{Interval: time.Millisecond, Workers: 1})
	if err != nil {
		return err
	}
	players, err := session.New[*player](loop, session.Config{})
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	err = loop.Post(func() { // as a network goroutine would
		ann, outcome, err := players.Login("ann", &player{gold: 42})
		fmt.Println("login:", outcome, err)
		ann.AfterFunc(time.Hour, func() { fmt.Println("an hour after the logout") })
		ann.AfterFunc(2*time.Millisecond, func() {
			fmt.Println("the shield ends")
			gold := ann.Player.gold // the job gets a copy
			save := tick.Job[string]{Key: "ann", Run: func(context.Context) (string, error) {
				return fmt.Sprint(gold, " gold saved"), nil
			}}
			err := tick.Offload(ann.Scope, save, func(what string, err error) {
				fmt.Println(what, err)
				fmt.Println("logout cancels", ann.Logout(nil), "timer")
				cancel()
			})
			if err != nil {
				fmt.Println("offload:", err)
			}
		})
	})
	if err != nil {
		return err
	}
	return loop.Run(ctx)
}
