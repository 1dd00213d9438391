package timers_test

import (
	"errors"
	"fmt"

	"github.com/tickwheel/tickwheel/timers"
)

// A wheel is driven by whoever owns the ticks.
func Example() {
	w, err := timers.New[string](timers.Config{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fireball, _ := w.After(3, "fireball lands", timers.Spec{})
	w.After(3, "shield ends", timers.Spec{})
	w.After(5, "wolf respawns", timers.Spec{Lane: timers.Bulk})

	fmt.Println("countered:", w.Cancel(fireball))
	for w.Len() > 0 {
		w.Advance(w.Now()+1, func(f timers.Firing[string]) {
			fmt.Println("tick", w.Now(), f.Payload)
		})
	}
	fmt.Println("too late:", w.Cancel(fireball))
	// Output:
	// countered: true
	// tick 3 shield ends
	// tick 5 wolf respawns
	// too late: false
}

// A budget holds a storm to so many callbacks a tick. What is over it is
// carried, in order, and tells how late it is.
func ExampleConfig_budget() {
	w, _ := timers.New[string](timers.Config{Budget: 2})
	for _, wolf := range []string{"wolf 1", "wolf 2", "wolf 3"} {
		w.After(5, wolf, timers.Spec{Lane: timers.Bulk})
	}
	w.After(6, "heartbeat", timers.Spec{Lane: timers.Urgent})
	for w.Len() > 0 {
		report := w.Advance(w.Now()+1, func(f timers.Firing[string]) {
			fmt.Println("tick", w.Now(), f.Payload, "late", f.Late)
		})
		if report.Carried > 0 {
			fmt.Println("carried:", report.Carried)
		}
	}
	// Output:
	// tick 5 wolf 1 late 0
	// tick 5 wolf 2 late 0
	// carried: 1
	// tick 6 heartbeat late 0
	// tick 6 wolf 3 late 1
}

// Timers of a group are paused, counted and cancelled by one call.
func ExampleWheel_NewGroup() {
	w, _ := timers.New[string](timers.Config{})
	ann, _ := w.NewGroup()
	w.After(4, "buff ends", timers.Spec{Group: ann})
	w.After(9, "cooldown ends", timers.Spec{Group: ann})
	print := func(f timers.Firing[string]) { fmt.Println("tick", w.Now(), f.Payload) }

	w.Advance(1, print)
	w.Pause(ann) // connection lost
	w.Advance(100, print)
	w.Resume(ann)
	w.Advance(103, print)
	fmt.Println("logout cancels", w.CloseGroup(ann))
	_, err := w.After(1, "too late", timers.Spec{Group: ann})
	fmt.Println(err)
	// Output:
	// tick 103 buff ends
	// logout cancels 1
	// timers: group is closed
}

// A periodic timer that could not run in time runs once and says how many runs
// that one stands for.
func ExampleWheel_Every() {
	w, _ := timers.New[string](timers.Config{Budget: 1})
	heal, _ := w.Every(2, timers.Repeat{Period: 2}, "heal", timers.Spec{})
	for _, blow := range []string{"blow 1", "blow 2", "blow 3", "blow 4"} {
		w.After(3, blow, timers.Spec{})
	}
	for w.Now() < 8 {
		w.Advance(w.Now()+1, func(f timers.Firing[string]) {
			if f.Handle == heal {
				fmt.Println("tick", w.Now(), "heal", 10*(1+f.Missed))
			}
		})
	}
	// Output:
	// tick 2 heal 10
	// tick 7 heal 20
	// tick 8 heal 10
}

// A payload without pointers gives the garbage collector nothing to scan: a
// kind and an entity number are enough to find what is meant.
func ExampleNew_pointerFree() {
	type kind uint8
	const (
		respawn kind = iota
		decay
	)
	type event struct {
		what   kind
		entity uint32
	}
	monsters := map[uint32]string{17: "wolf", 18: "elite wolf"}

	w, _ := timers.New[event](timers.Config{NearTicks: 256, ChunkBlocks: 16, MaxTimers: 10_000})
	w.After(600, event{respawn, 17}, timers.Spec{Lane: timers.Bulk})
	w.After(600, event{respawn, 18}, timers.Spec{})
	w.After(20, event{decay, 17}, timers.Spec{Lane: timers.Bulk})

	for next, ok := w.Next(); ok; next, ok = w.Next() { // an idle world may jump
		w.Advance(next, func(f timers.Firing[event]) {
			verb := map[kind]string{respawn: "is back", decay: "has decayed"}[f.Payload.what]
			fmt.Println("tick", w.Now(), monsters[f.Payload.entity], verb)
		})
	}
	// Output:
	// tick 20 wolf has decayed
	// tick 600 elite wolf is back
	// tick 600 wolf is back
}

// A world that restarts goes on with the timers it had, and with the handles it
// keeps in its own save.
func ExampleRestore() {
	encode := func(b []byte, p string) ([]byte, error) { return append(b, p...), nil }
	decode := func(b []byte) (string, error) { return string(b), nil }

	w, _ := timers.New[string](timers.Config{})
	shield, _ := w.After(3, "shield ends", timers.Spec{})
	w.After(5, "wolf respawns", timers.Spec{Lane: timers.Bulk})
	w.Every(2, timers.Repeat{Period: 2}, "heal", timers.Spec{})
	w.Advance(2, func(timers.Firing[string]) {})
	saved, err := w.AppendSnapshot(nil, encode)
	if err != nil {
		fmt.Println(err)
		return
	}

	w, err = timers.Restore(saved, decode)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("dispelled:", w.Cancel(shield))
	w.Advance(6, func(f timers.Firing[string]) { fmt.Println("tick", w.Now(), f.Payload) })

	saved[40] ^= 1
	_, err = timers.Restore(saved, decode)
	fmt.Println("damaged:", errors.Is(err, timers.ErrSnapshot))
	// Output:
	// dispelled: true
	// tick 4 heal
	// tick 5 wolf respawns
	// tick 6 heal
	// damaged: true
}
