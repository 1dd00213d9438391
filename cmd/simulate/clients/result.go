package clients

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	hdr "github.com/HdrHistogram/hdrhistogram-go"
)

// Result is what a run measured. Its JSON is clients.json.
type Result struct {
	Addr        string           `json:"addr"`
	Clients     int              `json:"clients"`
	DurationMS  float64          `json:"duration_ms"`
	ElapsedMS   float64          `json:"elapsed_ms"` // logins of the last and logouts included
	Interrupted bool             `json:"interrupted,omitempty"`
	Seed        uint64           `json:"seed"`
	Rate        float64          `json:"rate"`
	Arrivals    string           `json:"arrivals"`
	Mix         string           `json:"mix"`
	TickMS      float64          `json:"tick_ms"` // of the server's hello
	Rows        map[string]Row   `json:"latency"`
	Counts      Counts           `json:"counts"`
	Codes       map[string]int64 `json:"error_codes"` // of answers that were errors
	Failures    map[string]int64 `json:"failures"`    // why connections and logins failed
}

// Row is a line of the table: milliseconds, from when it was due.
type Row struct {
	Count int64   `json:"count"`
	Mean  float64 `json:"mean_ms"`
	P50   float64 `json:"p50_ms"`
	P90   float64 `json:"p90_ms"`
	P99   float64 `json:"p99_ms"`
	P999  float64 `json:"p999_ms"`
	Max   float64 `json:"max_ms"`
}

func rowFrom(h *hdr.Histogram) Row {
	ms := func(ns int64) float64 { return float64(ns/1000) / 1000 }
	return Row{
		Count: h.TotalCount(), Mean: ms(int64(h.Mean())),
		P50: ms(h.ValueAtPercentile(50)), P90: ms(h.ValueAtPercentile(90)), P99: ms(h.ValueAtPercentile(99)),
		P999: ms(h.ValueAtPercentile(99.9)), Max: ms(h.Max()),
	}
}

func (f *fleet) result(tickMS float64, elapsed time.Duration) *Result {
	r := &Result{
		Addr: f.cfg.Addr, Clients: f.cfg.Clients, Seed: f.cfg.Seed, TickMS: tickMS,
		DurationMS: inMS(f.cfg.Duration), ElapsedMS: inMS(elapsed),
		Rate: f.cfg.Rate, Arrivals: f.cfg.Arrivals, Mix: f.cfg.Mix.String(),
		Rows: map[string]Row{}, Counts: f.meter.counts, Codes: f.meter.codes, Failures: f.meter.failures,
	}
	for i, name := range rowNames {
		r.Rows[name] = rowFrom(f.meter.total[i])
	}
	return r
}

func inMS(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// meanings say what the rows are, where the name does not.
var meanings = map[string]string{
	"request": "all requests but timers", "timer": "lateness", "login_retried": "after a refusal",
	"slow": "requests of slow readers", "send_late": "the clients' own delay",
}

// Table writes the result for people.
func (r *Result) Table(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "latency, ms\tcount\tmean\tp50\tp90\tp99\tp99.9\tmax\t")
	for _, name := range rowNames {
		row := r.Rows[name]
		if row.Count == 0 {
			continue
		}
		fmt.Fprintf(t, "%s\t%d", name, row.Count)
		for _, v := range []float64{row.Mean, row.P50, row.P90, row.P99, row.P999, row.Max} {
			fmt.Fprintf(t, "\t%s", strconv.FormatFloat(v, 'f', 1, 64))
		}
		fmt.Fprintf(t, "\t  %s\n", meanings[name])
	}
	if err := t.Flush(); err != nil {
		return err
	}
	c := r.Counts
	fmt.Fprintf(w, "\nrequests: %d sent, %d answered (%d by an error%s), %d unanswered, %d unsent, %d abandoned, %d timers cancelled\n",
		c.Sent, c.Answered, c.Errors, listing(r.Codes), c.Unanswered, c.Unsent, c.Abandoned, c.Cancelled)
	fmt.Fprintf(w, "logins: %d, %d refusals, %d gave up, %d without an answer, %d clients not in the game at the end\n",
		c.Logins, c.Refused, c.GaveUp, c.LoginTimeouts, c.NotLoggedIn)
	fmt.Fprintf(w, "connections: %d attempts failed, %d lost, %d dropped on purpose, %d with garbage; %d logouts without a bye\n",
		c.ConnectFailed, c.Lost, c.Drops, c.Garbage, c.LogoutsFailed)
	for _, reason := range byCount(r.Failures) {
		fmt.Fprintf(w, "  %d × %s\n", r.Failures[reason], reason)
	}
	if late := r.Rows["send_late"]; late.Count > 0 && late.P99 > lateMS {
		fmt.Fprintf(w, "The clients themselves sent late (p99 %.1f ms): the figures are too high. Take fewer clients, or a machine of its own.\n", late.P99)
	}
	_, err := fmt.Fprintln(w, "Latency counts from when a request was due, not from when it was sent.")
	return err
}

// lateMS is from where on the generator's own delay spoils the figures.
const lateMS = 10

// byCount returns the keys, those with the highest count first.
func byCount(m map[string]int64) []string {
	return slices.SortedFunc(maps.Keys(m), func(a, b string) int {
		if m[a] != m[b] {
			return int(min(max(m[b]-m[a], -1), 1))
		}
		return strings.Compare(a, b)
	})
}

// listing is ": 3 busy, 1 internal", or nothing.
func listing(codes map[string]int64) string {
	var parts []string
	for _, code := range byCount(codes) {
		parts = append(parts, fmt.Sprintf("%d %s", codes[code], code))
	}
	if len(parts) == 0 {
		return ""
	}
	return ": " + strings.Join(parts, ", ")
}
