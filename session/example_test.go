package session_test

import (
	"fmt"
	"time"

	"github.com/tickwheel/tickwheel/session"
	"github.com/tickwheel/tickwheel/tick"
)

type Player struct{ HP int }

func Example() {
	loop, _ := tick.New(tick.Config{})
	players, _ := session.New[*Player](loop, session.Config{})
	players.OnClose(func(s *session.Session[*Player], reason error) {
		fmt.Printf("%s: %v, %d timers cancelled\n", s.ID(), reason, s.Cancelled())
	})

	ann, outcome, _ := players.Login("ann", &Player{HP: 10})
	fmt.Println("ann is", outcome)
	ann.Every(time.Second, func(f tick.Firing) { ann.Player.HP += 1 + int(f.Missed) })
	ann.AfterFunc(time.Hour, func() { fmt.Println("never printed") })
	for range 60 {
		loop.Step()
	}
	fmt.Println("HP", ann.Player.HP)

	again, outcome, _ := players.Login("ann", &Player{HP: 10})
	fmt.Println("ann is", outcome, again.Player.HP, "alive", again.Alive(), ann.Alive())
	// Output:
	// ann is fresh
	// HP 13
	// ann: session: replaced by another login, 2 timers cancelled
	// ann is replaced 10 alive true false
}

// A lost connection leaves the session in grace, its timers frozen, until the
// player is back.
func ExampleConn_Login() {
	loop, _ := tick.New(tick.Config{})
	players, _ := session.New[*Player](loop, session.Config{Grace: 30 * time.Second})

	first := players.Connect()
	ann, _, _ := first.Login("ann", &Player{})
	buff, _ := ann.AfterFunc(5*time.Second, func() { fmt.Println("buff ends in tick", loop.Now()) })

	first.Close(nil) // the socket closed
	for range 200 {
		loop.Step()
	}
	left, _ := buff.Remaining()
	fmt.Println("tick", loop.Now(), "detached", ann.Detached(), "left", left)

	same, outcome, _ := players.Connect().Login("ann", &Player{})
	fmt.Println(outcome, same == ann)
	for range 100 {
		loop.Step()
	}
	// Output:
	// tick 200 detached true left 5s
	// resumed true
	// buff ends in tick 300
}
