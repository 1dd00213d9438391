package report

import (
	"runtime"
	"runtime/debug"
	"time"
)

// Environment is environment.json: where, when and with what command the runs
// were made.
type Environment struct {
	Command    []string `json:"command"`
	Started    string   `json:"started"` // RFC 3339
	ElapsedMS  int64    `json:"elapsed_ms"`
	Go         string   `json:"go"`
	OS         string   `json:"os"`
	Arch       string   `json:"arch"`
	CPUs       int      `json:"cpus"`
	GOMAXPROCS int      `json:"gomaxprocs"`
	Version    string   `json:"version"`
	Revision   string   `json:"revision,omitempty"`
}

// Describe returns the environment of this process, for runs that were started
// at the given time by the given command and have just ended.
func Describe(command []string, started time.Time, elapsed time.Duration) Environment {
	e := Environment{
		Command:    command,
		Started:    started.Format(time.RFC3339),
		ElapsedMS:  elapsed.Milliseconds(),
		Go:         runtime.Version(),
		OS:         runtime.GOOS,
		Arch:       runtime.GOARCH,
		CPUs:       runtime.NumCPU(),
		GOMAXPROCS: runtime.GOMAXPROCS(0),
	}
	if b, ok := debug.ReadBuildInfo(); ok {
		e.Version = b.Main.Version
		for _, s := range b.Settings {
			if s.Key == "vcs.revision" {
				e.Revision = s.Value
			}
		}
	}
	return e
}
