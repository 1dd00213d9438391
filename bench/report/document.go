package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tickwheel/tickwheel/bench/measure"
	"github.com/tickwheel/tickwheel/bench/peer"
)

// section is what the document says about a measure.
type section struct {
	measure, title, text string
	// unit labels the picture, get is what it shows.
	unit string
	get  func(Result) *float64
}

func nanoseconds(x Result) *float64 { return x.NS }

func sections() []section {
	return []section{
		{"W1", "Churn", "Cancel a random pending timer and schedule another: ns a pair, and allocations a pair. With groups, each timer belongs to one of 100; no other peer has groups, so the ratio stands for all against our figure of the same size.", "ns a pair", nanoseconds},
		{"W2", "Firing", "Timers spread over 200 ticks: ns a timer. Peers with goroutines of their own count in CPU time.", "ns a timer", nanoseconds},
		{"W3", "Ticks", "*Idle*: a tick in which nothing is due, with a million pending that begin 4,096 ticks later. *Worst*: the longest single tick in which a million timers of the mix run out over 24 h, and the most timers that a tick moved (or counted down) and fired. *Far*: nothing within the hour. *Empty*: no timers.", "ns a tick", nanoseconds},
		{"W4", "Memory", "Bytes a timer after each was replaced twice, without the caller's handle, and the time of a full collection with all of them pending. *empty-heap* is a process without timers.", "bytes a timer", func(x Result) *float64 { return x.Bytes }},
		{"W5", "Logout", "Sessions of 300 timers end one after the other, a million timers in all: ns a timer. Ours closes a group; with the others a session keeps its handles in a slice and cancels each.", "ns a timer", nanoseconds},
		{"W6", "Growth", "The slowest single schedule call while none grow to a million. The collector is off; preemption is left out by identical passes (see the method).", "ns, slowest call", nanoseconds},
		{"W7", "Posts", "Goroutines (n) post functions as fast as they can while the owner runs them: wall time a post. Ours is `tick.Loop.Post` and whole ticks; beside it a bounded slice behind a mutex and a buffered channel.", "ns a post", nanoseconds},
		{"W8", "Storms", "100,000 timers over ±2 s, where an earlier storm of as many has filled half of the window to twice the density: the fullest tick, how many times the mean that is, and the time of one scheduling call.", "fullest tick ÷ mean", func(x Result) *float64 { return x.RatioToMean }},
	}
}

const method = `## Method

- Workload "game mix": ticks of 50 ms; delays 70 %% uniform from 0.1 to 10 s, 25 %% to
  10 min, 5 %% to 24 h. The seed is fixed; delays, victims and order are drawn before
  any clock runs.
- Each measurement has a process of its own, one at a time. Rounds are interleaved:
  every case once, then every case again. A figure is the **median of %[1]d rounds**;
  the file of results has the least and every round.
- Filled in random order and warmed up: before W1 each timer was replaced twice,
  W2 and W5 leave out the first pass, which runs in fresh memory. Clocks are monotonic
  and read around batches, but for the worst tick and the slowest call, which are
  timed one by one (that includes a reading of the clock).
- Most care goes into the wheel and those that it is judged by, which are
  %[2]s. For the others the warm-up of
  W1 ends after 2 s rather than 5 s, so that with many timers more of their memory
  lies as it was filled, which favours them; W2 and W5 time one pass a round rather
  than take the median of three.
- Garbage collection: a full one before each timing. GOGC is 100 during W1, W2, W5
  and W7, so that who allocates pays for it. **The collector is off during the worst
  tick and W6**, where it would be all that is seen; what it costs stands under W4.
- The slowest call of W6 and the worst tick are the structure's, not the machine's:
  identical passes are timed call by call (tick by tick), the shortest time of each
  counts, and the longest of those is the figure. W6 has five passes, or as many as
  begin within 4 s, but two; each starts without the pages of the one before, so that
  growth pays for them. The worst tick has two passes.
- W6 of go-runtime and go-zero has one pass, so that the machine is in it: what their
  goroutines do comes at another call each time and would vanish, and the runtime
  can't be made afresh within a process.
- The worst tick of go-zero is that of the first hour, in which all but a twentieth
  of the mix fires: it takes ticks on a goroutine of its own, and to hand over a day
  of them, most of them empty, takes most of a minute.
- A tick in which nothing is due is timed in a loop inside the peer's adapter: a few
  nanoseconds would drown in a call through an interface.
- Peers that keep real time get a day added to each delay where nothing shall fire.
  The Go runtime's timers share one function, which spares it a closure each.
- The classical structures are package sim/schemes: plain, without a lock, 32 bytes a
  timer and an allocation each, cancelled at once. They are called through an
  interface, which costs them about a nanosecond a call.
- Time stands still in W1, W4 and W5. What a peer only marks as cancelled (go-zero)
  is still there, and counts as its memory.
- The sorted list is filled in order of deadline: at random that takes hours. So it
  lies in memory as it is walked, and its figures are the best it can do.
- "–" means that a figure does not apply. Sizes that a peer was not measured with are
  left out of the tables; the reason stands under the peers.
`

// Document is the text of docs/benchmarks.md. pictures names the measures that have
// one, and source is the name of the file of results.
func Document(results []Result, m Machine, pictures []string, source string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# Benchmarks\n\nThe wheel against other timers, on one machine in one run. Ratios hold elsewhere;\nabsolute figures at a million and above move with where the pages lie.\n\n")
	fmt.Fprintf(&b, "This file is written by the comparison; to write it again:\n\n```sh\ncd bench && go run ./cmd/compare\n```\n\n")
	fmt.Fprintf(&b, "All rounds: [%[1]s](../bench/results/%[1]s).\n\n", source)
	fmt.Fprintf(&b, "## Machine\n\n%s, %d cores, memory %s, %s, %s. %s, %s in all.\n\n", m.CPU, m.Cores, m.Memory, m.System, m.Go, m.Date, m.Took)
	fmt.Fprintf(&b, method, m.Rounds, references())
	b.WriteString("\n" + peers(m) + "\n")
	b.WriteString(summary(results))
	b.WriteString(floorTable(results))
	for _, s := range sections() {
		fmt.Fprintf(&b, "## %s · %s\n\n%s\n\n", s.measure, s.title, s.text)
		b.WriteString(table(results, s.measure))
		if slices.Contains(pictures, s.measure) {
			fmt.Fprintf(&b, "\n![%s: %s](%s)\n", s.title, s.unit, picturePath(s.measure))
		}
		b.WriteString("\n")
	}
	b.WriteString(elsewhere)
	return b.String()
}

// references names the peers that are measured with the most care, but ours.
func references() string {
	var names []string
	for _, k := range peer.Kinds() {
		if k.Reference && k.Name != "tickwheel" {
			names = append(names, k.Name)
		}
	}
	return strings.Join(names, ", ")
}

// picturePath is where the picture of a measure lies, seen from the document.
func picturePath(measure string) string {
	return "img/bench-" + strings.ToLower(measure) + ".svg"
}

// peers lists who was compared and what was not measured.
func peers(m Machine) string {
	var b strings.Builder
	b.WriteString("## Peers\n\n| peer | what it is | not measured |\n|---|---|---|\n")
	for _, k := range peer.Kinds() {
		var limits []string
		for _, measure := range measure.Measures()[:6] {
			// W1 has the largest size, all others stop at a million.
			largest := 1_000_000
			if measure == "W1" {
				largest = 10_000_000
			}
			switch n := k.Limit(measure); {
			case n == 0:
				limits = append(limits, measure)
			case n < largest:
				limits = append(limits, measure+" above "+whole(n))
			}
		}
		text := "–"
		if len(limits) > 0 {
			text = strings.Join(limits, ", ") + ": " + k.Why
		}
		fmt.Fprintf(&b, "| %s | %s | %s |\n", k.Name, k.What, text)
	}
	return b.String()
}

// summary puts ours beside the two that everybody has.
func summary(results []Result) string {
	var b strings.Builder
	b.WriteString("## In short\n\nHow many times as long as ours the Go runtime and the plain hashed wheel take.\n\n")
	b.WriteString("| measure | n | ours | go-runtime | hashed-512 |\n|---|---|---|---|---|\n")
	for _, x := range results {
		r := x.Row
		if r.Peer != "tickwheel" || r.NS == nil || r.Measure > "W6" {
			continue
		}
		against := func(name string) string {
			for _, o := range results {
				// Only we have groups: the others' figure is that without.
				if o.Peer == name && o.Measure == r.Measure && o.N == r.N && o.Variant == r.Variant && o.NS != nil {
					return digits(*o.NS / *r.NS) + " ×"
				}
			}
			return "–"
		}
		label := r.Measure
		if r.Variant != "" {
			label += " " + r.Variant
		}
		if r.Group {
			label += ", groups"
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s |\n", label, whole(r.N), duration(r.NS), against("go-runtime"), against("hashed-512"))
	}
	return b.String() + "\n"
}

// column is a column of a table that appears if any row has it.
type column struct {
	name string
	get  func(measure.Row) *float64
	show func(*float64) string
}

func table(results []Result, measureName string) string {
	columns := []column{
		{"time", func(r measure.Row) *float64 { return r.NS }, duration},
		{"allocations", func(r measure.Row) *float64 { return r.Allocs }, number},
		{"bytes", func(r measure.Row) *float64 { return r.Bytes }, number},
		{"GC, ms", func(r measure.Row) *float64 { return r.GCMS }, number},
		{"most moved", func(r measure.Row) *float64 { return r.MovedMax }, number},
		{"most fired", func(r measure.Row) *float64 { return r.FiredMax }, number},
		{"÷ mean", func(r measure.Row) *float64 { return r.RatioToMean }, number},
	}
	var rows []measure.Row
	for _, x := range results {
		if x.Measure == measureName {
			rows = append(rows, x.Row)
		}
	}
	columns = slices.DeleteFunc(columns, func(c column) bool {
		return !slices.ContainsFunc(rows, func(r measure.Row) bool { return c.get(r) != nil })
	})
	// Where there is nobody to compare with, nothing is.
	compared := slices.ContainsFunc(rows, func(r measure.Row) bool { return r.Peer != "tickwheel" && ratio(results, r) > 0 })
	if compared {
		columns = append(columns, column{"× ours", func(r measure.Row) *float64 {
			if q := ratio(results, r); q > 0 {
				return &q
			}
			return nil
		}, number})
	}
	var b strings.Builder
	b.WriteString("| n | peer |")
	rule := "|---|---|"
	for _, c := range columns {
		b.WriteString(" " + c.name + " |")
		rule += "---|"
	}
	b.WriteString("\n" + rule + "\n")
	for _, r := range rows {
		fmt.Fprintf(&b, "| %s | %s |", whole(r.N), Name(r))
		for _, c := range columns {
			b.WriteString(" " + c.show(c.get(r)) + " |")
		}
		b.WriteString("\n")
	}
	return b.String()
}
