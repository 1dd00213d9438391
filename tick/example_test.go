package tick_test

import (
	"context"
	"fmt"
	"time"

	"github.com/tickwheel/tickwheel/tick"
)

func Example() {
	loop, err := tick.New(tick.Config{}) // 50 ms a tick
	if err != nil {
		panic(err)
	}
	player := loop.Root().Child()
	player.AfterFunc(120*time.Millisecond, func() { fmt.Println("shield ends in tick", loop.Now()) })
	player.Every(time.Second, func(f tick.Firing) { fmt.Println("heal by", 5*(1+f.Missed)) })
	player.AfterFunc(1500*time.Millisecond, func() { fmt.Println("never printed") })
	loop.Root().AfterFunc(1200*time.Millisecond, func() {
		fmt.Println("logout cancels", player.Close(nil), "timers")
	})
	for range 40 { // a server calls loop.Run(ctx) instead
		loop.Step()
	}
	// Output:
	// shield ends in tick 3
	// heal by 5
	// logout cancels 2 timers
}

// A job works on a copy while the game goes on; its result comes back on the
// tick goroutine, unless the owner has closed meanwhile.
func ExampleOffload() {
	loop, _ := tick.New(tick.Config{})
	player := loop.Root().Child()
	gold := 100
	save := tick.Job[int]{
		Key: "player/ann", Timeout: 5 * time.Second,
		Run: func(ctx context.Context) (int, error) { return 42, nil }, // bytes written
	}
	err := tick.Offload(player, save, func(n int, err error) {
		fmt.Println("tick", loop.Now(), "saved", n, "bytes of", gold, err)
	})
	fmt.Println("tick", loop.Now(), "queued", err)
	loop.Step() // under Step jobs run at the end of the tick
	loop.Step()
	// Output:
	// tick 0 queued <nil>
	// tick 2 saved 42 bytes of 100 <nil>
}

// Another engine owns the frame: its update calls Step.
func ExampleLoop_Step() {
	loop, _ := tick.New(tick.Config{Interval: time.Second / 60})
	loop.OnTick(func(dt time.Duration) { fmt.Println("systems of tick", loop.Now(), dt) })
	update := func() { loop.Step() }
	update()
	update()
	// Output:
	// systems of tick 1 16.666666ms
	// systems of tick 2 16.666666ms
}

// Run keeps pace with the clock until its context ends.
func ExampleLoop_Run() {
	loop, _ := tick.New(tick.Config{Interval: time.Millisecond})
	ctx, cancel := context.WithCancel(context.Background())
	loop.Root().AfterFunc(3*time.Millisecond, func() {
		fmt.Println("done in tick", loop.Now())
		cancel()
	})
	fmt.Println(loop.Run(ctx))
	// Output:
	// done in tick 3
	// <nil>
}

// Keyed replaces what is pending under its key, so that starting twice never
// makes two chains.
func ExampleScope_Keyed() {
	loop, _ := tick.New(tick.Config{})
	monster := loop.Root().Child()
	regen := func() {
		monster.Keyed("regen", tick.Spec{Every: 100 * time.Millisecond}, func(f tick.Firing) {
			fmt.Println("regenerates in tick", f.Tick)
		})
	}
	regen()
	regen()
	for range 4 {
		loop.Step()
	}
	fmt.Println("stopped:", monster.StopKeyed("regen"))
	// Output:
	// regenerates in tick 2
	// regenerates in tick 4
	// stopped: true
}
