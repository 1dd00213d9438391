//go:build tickdebug

package tick

import (
	"bytes"
	"fmt"
	"runtime"
	"sync/atomic"
)

// owner is the goroutine that drives the loop, "" before the first tick.
type owner struct{ id atomic.Pointer[string] }

func (o *owner) take() {
	id := goroutine()
	o.id.Store(&id)
}

func (o *owner) release() { o.id.Store(nil) }

func (o *owner) check(method string) {
	id := o.id.Load()
	if id == nil {
		return // being built: whoever builds it may
	}
	if me := goroutine(); me != *id {
		panic(fmt.Sprintf("tick: %s: called from goroutine %s, but goroutine %s drives the loop; use Loop.Post or Loop.Call", method, me, *id))
	}
}

// goroutine returns the number that stack traces show for the caller.
func goroutine() string {
	var buf [64]byte
	b := bytes.TrimPrefix(buf[:runtime.Stack(buf[:], false)], []byte("goroutine "))
	if i := bytes.IndexByte(b, ' '); i > 0 {
		b = b[:i]
	}
	return string(b)
}
