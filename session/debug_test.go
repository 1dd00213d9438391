//go:build tickdebug

package session_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/tickwheel/tickwheel/session"
	"github.com/tickwheel/tickwheel/tick"
)

// A registry asked from another goroutine panics before anything has changed.
func TestA06_TheWrongGoroutineIsTold(t *testing.T) {
	l, r := world(t, tick.Config{}, session.Config{})
	login(t, r.Connect(), "ann", session.Fresh)
	l.Step()
	for name, f := range map[string]func(){
		"Find":     func() { r.Find("ann") },
		"Len":      func() { r.Len() },
		"Closing":  func() { r.Closing() },
		"All":      func() { r.All() },
		"OnClose":  func() { r.OnClose(func(*sess, error) {}) },
		"CloseAll": func() { r.CloseAll(nil) },
	} {
		told := make(chan string)
		go func() {
			defer func() { told <- fmt.Sprint(recover()) }()
			f()
		}()
		assert.Contains(t, <-told, "tick: Registry."+name+": called from goroutine")
	}
	assert.Equal(t, 1, r.Len())
	assert.Zero(t, r.Closing())
}
