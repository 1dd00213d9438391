//go:build unix

package server

import "syscall"

// openFiles returns how many files this process may have open.
func openFiles() (int, bool) {
	var limit syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit) != nil || uint64(limit.Cur) > 1<<30 {
		return 0, false
	}
	return int(limit.Cur), true
}

// closeWrite ends our half of a connection. An error means that the other side
// was faster.
func closeWrite(fd int) { _ = syscall.Shutdown(fd, syscall.SHUT_WR) }
