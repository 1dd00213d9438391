package tick

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

func newWatch() *watch {
	w := new(watch)
	c, _ := Config{}.withDefaults()
	w.init(c)
	return w
}

// One gap between two looks is a machine that slept; no progress from one look
// to the next is a wedge.
func TestT06_OneGapIsSuspendedTwoLooksWithoutProgressAreStuck(t *testing.T) {
	w := newWatch()
	look := func(now time.Duration) Condition { c, _ := w.look(now); return c }
	assert.Equal(t, Healthy, look(0), "before the first tick")

	w.progress(time.Second)
	assert.Equal(t, Healthy, look(1100*ms))
	// 42 minutes asleep, as both clocks tell; the look comes before the first
	// tick does.
	wake := 42 * time.Minute
	assert.Equal(t, Suspended, look(wake))
	assert.Equal(t, Suspended, look(wake+10*ms), "another watchdog, at the same time")
	w.progress(wake + 50*ms)
	assert.Equal(t, Healthy, look(wake+time.Second))

	// A real wedge of 10 s, looked at each second.
	var seen []Condition
	for s := range 10 {
		seen = append(seen, look(wake+1060*ms+time.Duration(s)*time.Second))
	}
	assert.Equal(t, Suspended, seen[0], "first look")
	assert.Equal(t, Stuck, seen[1])
	assert.Equal(t, Stuck, seen[9])
	w.progress(wake + 12*time.Second)
	assert.Equal(t, Healthy, look(wake+12*time.Second))
}
