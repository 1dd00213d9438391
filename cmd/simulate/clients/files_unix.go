//go:build unix

package clients

import "syscall"

// openFiles returns how many files this process may have open, after an attempt to
// have it be want. The runtime has raised the soft limit to the hard one already;
// who may raise that one does.
func openFiles(want uint64) (uint64, bool) {
	var limit syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit) != nil {
		return 0, false
	}
	if uint64(limit.Cur) < want {
		more := limit
		setLimit(&more.Cur, want)
		if uint64(more.Max) < want {
			more.Max = more.Cur
		}
		if syscall.Setrlimit(syscall.RLIMIT_NOFILE, &more) == nil {
			return want, true
		}
	}
	return uint64(limit.Cur), true
}

// setLimit sets a field whose type differs between systems.
func setLimit[T ~int64 | ~uint64](field *T, v uint64) { *field = T(v) }
