package sim

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tickwheel/tickwheel/tick"
)

// Expectation is something that a figure of a run must meet, such as
// "tick.p99 < 40ms".
type Expectation struct {
	// Text is how it was written, without its policy.
	Text string
	// Policy is the one that is judged, Subject the one that is if no other is named.
	Policy, Subject string

	measure string
	op      string
	value   float64 // ns, ticks or a count
	ticks   bool    // value is in ticks
}

// Judgement is whether a run met an expectation.
type Judgement struct {
	Expectation string `json:"expect"`
	Policy      string `json:"policy"`
	Met         bool   `json:"met"`
	// Got is the figure of the run with its unit.
	Got string `json:"got"`
	// Subject is that of the expectation.
	Subject string `json:"-"`
}

// measure is a figure that can be expected.
type measure struct {
	name string
	time bool // a length of time or of ticks, not a count
	// of returns the figure, of times in nanoseconds, and whether there are samples.
	of func(*Recording) (float64, bool)
}

var quantileNames = []string{"p50", "p90", "p99", "p999", "max"}

// measures are the figures of summary.json, in its order.
var measures = slices.Concat(
	quantiles("tick", func(r *Recording) (Quantiles, float64, bool) { return r.Durations(), 1, len(r.Ticks) > 0 }),
	quantiles("start_late", func(r *Recording) (Quantiles, float64, bool) {
		return counted(r.Stats.StartLate, 1)
	}),
	quantiles("timer_late", func(r *Recording) (Quantiles, float64, bool) {
		return counted(r.Stats.TimerLate, float64(r.Scenario.Interval))
	}),
	[]measure{
		counts("overruns", func(r *Recording) float64 { return float64(r.Overruns()) }),
		counts("shed", func(r *Recording) float64 { return float64(r.Stats.Shed) }),
		counts("fired", func(r *Recording) float64 { return float64(r.Stats.Fired) }),
		counts("cancelled", func(r *Recording) float64 { return float64(r.Stats.Cancelled) }),
		counts("carried", func(r *Recording) float64 { return float64(r.Stats.Carried) }),
		counts("backlog_max", func(r *Recording) float64 { return float64(r.BacklogMax()) }),
		counts("jobs.run", func(r *Recording) float64 { return float64(r.Stats.Jobs.Run) }),
		counts("jobs.dropped_dead", func(r *Recording) float64 { return float64(r.Stats.Jobs.DroppedDead) }),
		counts("jobs.rejected", func(r *Recording) float64 { return float64(r.Stats.Jobs.Rejected) }),
	},
)

func quantiles(name string, of func(*Recording) (Quantiles, float64, bool)) (ms []measure) {
	for i, q := range quantileNames {
		ms = append(ms, measure{name + "." + q, true, func(r *Recording) (float64, bool) {
			v, unit, ok := of(r)
			return float64([]int64{v.P50, v.P90, v.P99, v.P999, v.Max}[i]) * unit, ok
		}})
	}
	return ms
}

func counts(name string, of func(*Recording) float64) measure {
	return measure{name, false, func(r *Recording) (float64, bool) { return of(r), len(r.Ticks) > 0 }}
}

// counted reads a histogram of the loop; there is none before the first tick.
func counted(h *tick.Histogram, unit float64) (Quantiles, float64, bool) {
	if h == nil || h.Count() == 0 {
		return Quantiles{}, unit, false
	}
	return quantilesOf(h), unit, true
}

// Measures returns the names that an expectation may have.
func Measures() (names []string) {
	for _, m := range measures {
		names = append(names, m.name)
	}
	return names
}

// ops in the order they are looked for: the longer ones first.
var ops = []string{"<=", ">=", "==", "!=", "<", ">"}

// ParseExpectation reads "tick.p99 < 40ms", "timer_late.max <= 2ticks" or
// "shed == 0". It is about subject unless another policy is named in front of it,
// as in "nothing: tick.max > 50ms".
func ParseExpectation(text, subject string) (Expectation, error) {
	e := Expectation{Text: strings.TrimSpace(text), Policy: subject, Subject: subject}
	if policy, rest, found := strings.Cut(e.Text, ":"); found {
		e.Policy, e.Text = strings.TrimSpace(policy), strings.TrimSpace(rest)
	}
	at := -1
	for _, op := range ops {
		if at = strings.Index(e.Text, op); at >= 0 {
			e.op = op
			break
		}
	}
	if at < 0 {
		return e, fmt.Errorf("sim: expect %q: want a measure, one of %s, and a value, such as tick.p99 < 40ms", text, strings.Join(ops, " "))
	}
	e.measure = strings.TrimSpace(e.Text[:at])
	i := slices.IndexFunc(measures, func(m measure) bool { return m.name == e.measure })
	if i < 0 {
		return e, fmt.Errorf("sim: expect %q: unknown measure %q: want one of %s", text, e.measure, strings.Join(Measures(), ", "))
	}
	if err := e.literal(strings.TrimSpace(e.Text[at+len(e.op):]), measures[i].time); err != nil {
		return e, fmt.Errorf("sim: expect %q: %w", text, err)
	}
	return e, nil
}

// literal reads the value of e.
func (e *Expectation) literal(s string, isTime bool) error {
	n := 0
	for n < len(s) && (s[n] >= '0' && s[n] <= '9' || s[n] == '.') {
		n++
	}
	v, err := strconv.ParseFloat(s[:n], 64)
	unit := strings.TrimSpace(s[n:])
	if err != nil || math.IsInf(v, 0) {
		return fmt.Errorf("%q is no value: write 40ms, 2ticks, or a number for a count", s)
	}
	if !isTime {
		if unit != "" {
			return fmt.Errorf("%s is a count: leave out the unit %q", e.measure, unit)
		}
		e.value = v
		return nil
	}
	scale := map[string]time.Duration{"us": time.Microsecond, "µs": time.Microsecond, "ms": time.Millisecond, "s": time.Second}[unit]
	switch {
	case unit == "tick" || unit == "ticks":
		e.ticks, e.value = true, v
	case unit == "":
		return errors.New("missing unit: write 40ms or 2ticks, say")
	case scale == 0:
		return fmt.Errorf("unknown unit %q: want us, ms, s, tick or ticks", unit)
	default:
		e.value = v * float64(scale)
	}
	return nil
}

// Judge says whether r, a run under the policy of e, meets it. A measure without
// samples is not met.
func (e Expectation) Judge(r *Recording) Judgement {
	m := measures[slices.IndexFunc(measures, func(m measure) bool { return m.name == e.measure })]
	got, ok := m.of(r)
	j := Judgement{Expectation: e.Text, Policy: e.Policy, Got: "no samples", Subject: e.Subject}
	if !ok {
		return j
	}
	want := e.value
	if e.ticks {
		want *= float64(r.Scenario.Interval)
	}
	j.Met = map[string]bool{
		"<": got < want, "<=": got <= want, ">": got > want, ">=": got >= want, "==": got == want, "!=": got != want,
	}[e.op]
	switch {
	case !m.time:
		j.Got = strconv.FormatFloat(got, 'f', -1, 64)
	case e.ticks:
		j.Got = strconv.FormatFloat(got/float64(r.Scenario.Interval), 'f', -1, 64) + " ticks"
	default:
		j.Got = time.Duration(got).String()
	}
	return j
}
