package report

import (
	"bufio"
	"fmt"
	"io"
	"strings"
)

// writeBench writes a line a policy in the format of Go's benchmarks, so that
// benchstat compares runs: seeds, versions, settings. The machine is named only
// where it had a say.
func writeBench(w io.Writer, s Summary, env Environment) error {
	b := bufio.NewWriter(w)
	if s.Clock == "real" {
		fmt.Fprintf(b, "goos: %s\ngoarch: %s\n", env.OS, env.Arch)
	}
	fmt.Fprintf(b, "pkg: github.com/tickwheel/tickwheel/sim\n")
	for _, p := range s.Policies {
		// A slash would begin another part of the name.
		part := func(name string) string { return strings.ReplaceAll(tag(name), "/", "_") }
		fmt.Fprintf(b, "BenchmarkSimulate/scenario=%s/policy=%s %d", part(s.Scenario), part(p.Name), max(s.Ticks, 1))
		for _, v := range []struct {
			ms   float64
			name string
		}{
			{p.TickMS.P50, "tick-p50"}, {p.TickMS.P99, "tick-p99"}, {p.TickMS.P999, "tick-p999"},
			{p.TickMS.Max, "tick-max"}, {p.StartLateMS.P99, "start-late-p99"}, {p.StartLateMS.Max, "start-late-max"},
		} {
			fmt.Fprintf(b, " %.0f %s-ns", v.ms*1e6, v.name)
		}
		fmt.Fprintf(b, " %d timer-late-max-ticks %d overruns %d shed-ticks %d backlog-max\n",
			p.TimerLateTicks.Max, p.Overruns, p.ShedTicks, p.BacklogMax)
	}
	return b.Flush()
}
