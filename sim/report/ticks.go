package report

import (
	"bufio"
	"encoding/csv"
	"io"
	"strconv"
	"time"

	"github.com/tickwheel/tickwheel/sim"
)

var tickColumns = []string{
	"policy", "tick", "start_ms", "start_late_ms", "duration_ms",
	"inbox_ms", "timers_ms", "systems_ms", "flush_ms",
	"fired", "carried", "backlog_urgent", "backlog_normal", "backlog_bulk",
	"oldest_ticks", "shed_before", "inputs", "results", "jobs", "slowest_kind", "slowest_ms",
	"late_urgent", "late_normal", "late_bulk", "jobs_ended", "jobs_ran_ms", "job_wait_ms", "panics",
}

// writeTicks writes one line for each tick of each run.
func writeTicks(w io.Writer, runs []*sim.Recording) error {
	b := bufio.NewWriterSize(w, 1<<16)
	c := csv.NewWriter(b)
	if err := c.Write(tickColumns); err != nil {
		return err
	}
	row := make([]string, 0, len(tickColumns))
	for _, r := range runs {
		for i := range r.Ticks {
			row = appendTick(row[:0], r, &r.Ticks[i])
			if err := c.Write(row); err != nil {
				return err
			}
		}
	}
	c.Flush()
	if err := c.Error(); err != nil {
		return err
	}
	return b.Flush()
}

func appendTick(row []string, r *sim.Recording, t *sim.TickRecord) []string {
	ms := func(d time.Duration) string { return strconv.FormatFloat(float64(d)/1e6, 'f', -1, 64) }
	n := func(v int64) string { return strconv.FormatInt(v, 10) }
	row = append(row, r.Policy.Name, n(int64(t.Tick)), ms(t.Start), ms(t.StartLate), ms(t.Duration))
	for _, d := range t.Phase {
		row = append(row, ms(d))
	}
	oldest := int64(0)
	for _, age := range t.BacklogAge {
		oldest = max(oldest, int64(age))
	}
	kind := ""
	if int(t.Slowest) < len(r.Stats.Kinds) && t.SlowestTime > 0 {
		kind = r.Stats.Kinds[t.Slowest].Name
	}
	return append(row, n(int64(t.Fired)), n(int64(t.Carried)),
		n(int64(t.Backlog[lanes[0]])), n(int64(t.Backlog[lanes[1]])), n(int64(t.Backlog[lanes[2]])),
		n(oldest), n(t.Shed), n(int64(t.Inbox)), n(int64(t.Results)), n(int64(t.Jobs)), kind, ms(t.SlowestTime),
		n(int64(t.LateMax[lanes[0]])), n(int64(t.LateMax[lanes[1]])), n(int64(t.LateMax[lanes[2]])),
		n(int64(t.JobsEnded)), ms(t.JobsRan), ms(t.JobWait), n(int64(t.Panics+t.Goexits)))
}
