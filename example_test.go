package tickwheel_test

import (
	"context"
	"fmt"
	"time"

	"github.com/tickwheel/tickwheel/session"
	"github.com/tickwheel/tickwheel/tick"
)

type player struct{ HP int }

// The program of the README: one player's evening on a loop.
func Example() {
	loop, _ := tick.New(tick.Config{Budget: 4000}) // 50 ms ticks, at most 4,000 timers in each
	players, _ := session.New[*player](loop, session.Config{})
	ctx, stop := context.WithCancel(context.Background())
	respawn := loop.Kind("respawn") // names work in panics, slow ticks and statistics
	go loop.Post(func() {           // network goroutines post; everything else is on the tick goroutine
		ann, _, _ := players.Login("ann", &player{HP: 40})
		ann.AfterFunc(300*time.Millisecond, func() { fmt.Println("the shield ends") })
		ann.Every(200*time.Millisecond, func(f tick.Firing) { ann.Player.HP += 5 * int(1+f.Missed) })
		ann.AfterFunc(500*time.Millisecond, func() {
			fmt.Println("logout cancels", ann.Logout(nil), "timer, hp", ann.Player.HP)
			stop()
		})

		copied := *ann.Player // a job runs on a worker: it gets a copy
		save := tick.Job[string]{Key: "ann", Run: func(context.Context) (string, error) {
			return fmt.Sprintf("saved with %d hp", copied.HP), nil // a database, in a real server
		}}
		tick.Offload(ann.Scope, save, func(s string, err error) { fmt.Println(s, err) }) // not after a logout

		storm := tick.Spec{After: 30 * time.Second, Lane: tick.Bulk, Kind: respawn,
			Jitter: tick.Jitter{Late: 2 * time.Second}} // spread over the emptiest ticks
		for range 10_000 {
			loop.Root().Schedule(storm, func(tick.Firing) { fmt.Println("a monster is back") })
		}
	})
	loop.Run(ctx)
	// Output:
	// saved with 40 hp <nil>
	// the shield ends
	// logout cancels 1 timer, hp 50
}
