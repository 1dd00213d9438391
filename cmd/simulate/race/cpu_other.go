//go:build !unix

package race

import "time"

var processStart = time.Now()

// cpuTime is the wall clock here, which is as good for structures that use one
// thread and never wait.
func cpuTime() time.Duration { return time.Since(processStart) }
