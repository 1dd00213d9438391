package report

import (
	"math"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"time"
)

// Machine is where and when a comparison ran.
type Machine struct {
	Date   string `json:"date"` // UTC
	CPU    string `json:"cpu"`
	Cores  int    `json:"cores"`
	Memory string `json:"memory,omitempty"`
	System string `json:"system"`
	Go     string `json:"go"`
	Rounds int    `json:"rounds"`
	// Took is how long the whole comparison lasted.
	Took string `json:"took"`
	// Peers are the versions of the modules that were compared.
	Peers map[string]string `json:"peers"`
}

// Describe looks at the machine.
func Describe(started time.Time, rounds int) Machine {
	m := Machine{
		Date: started.UTC().Format(time.DateOnly), Rounds: rounds,
		CPU: procLine("/proc/cpuinfo", "model name"), Memory: gigabytes(procLine("/proc/meminfo", "MemTotal")),
		Cores: runtime.NumCPU(), System: runtime.GOOS + "/" + runtime.GOARCH, Go: runtime.Version(),
		Took: time.Since(started).Round(time.Second).String(), Peers: map[string]string{},
	}
	if m.CPU == "" {
		m.CPU = "unknown processor"
	}
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, d := range info.Deps {
			if strings.Contains(d.Path, "go-zero") || strings.Contains(d.Path, "gost") {
				m.Peers[d.Path] = d.Version
			}
		}
	}
	return m
}

// procLine is the value of the first line that begins with key, "" where there is
// no such file.
func procLine(file, key string) string {
	text, err := os.ReadFile(file)
	if err != nil {
		return ""
	}
	for line := range strings.Lines(string(text)) {
		if name, v, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(name) == key {
			return strings.TrimSpace(v)
		}
	}
	return ""
}

// gigabytes turns the kernel's "24683652 kB" into "24 GB".
func gigabytes(text string) string {
	kb, err := strconv.ParseFloat(strings.TrimSuffix(text, " kB"), 64)
	if err != nil {
		return "unknown"
	}
	return strconv.Itoa(int(math.Round(kb/(1<<20)))) + " GB"
}
