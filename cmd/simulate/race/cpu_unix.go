//go:build unix

package race

import (
	"syscall"
	"time"
)

// cpuTime is what the process has used on all cores.
func cpuTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic("race: getrusage: " + err.Error()) // of the own process: it can't fail
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
