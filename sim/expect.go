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

	Threshold
}

// Threshold is a figure, an operator and a value: an expectation without a policy,
// of whatever has figures.
type Threshold struct {
	// Measure is the name of the figure.
	Measure string

	op    string
	value float64 // ns, ticks or a count
	ticks bool    // value is in ticks
	time  bool    // the figure is a length of time
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
	var err error
	if e.Threshold, err = ParseThreshold(e.Text, func(name string) (bool, error) {
		i := slices.IndexFunc(measures, func(m measure) bool { return m.name == name })
		if i < 0 {
			return false, fmt.Errorf("unknown measure %q: want one of %s", name, strings.Join(Measures(), ", "))
		}
		return measures[i].time, nil
	}); err != nil {
		return e, fmt.Errorf("sim: expect %q: %w", text, err)
	}
	return e, nil
}

// ParseThreshold reads "tick.p99 < 40ms" or "shed == 0". kind says whether the
// figure of a name is a length of time, or why there is none; a time needs a unit,
// us, ms, s, tick or ticks, and a count has none.
func ParseThreshold(text string, kind func(measure string) (isTime bool, err error)) (Threshold, error) {
	var t Threshold
	at := -1
	for _, op := range ops {
		if at = strings.Index(text, op); at >= 0 {
			t.op = op
			break
		}
	}
	if at < 0 {
		return t, fmt.Errorf("want a measure, one of %s, and a value, such as tick.p99 < 40ms", strings.Join(ops, " "))
	}
	t.Measure = strings.TrimSpace(text[:at])
	var err error
	if t.time, err = kind(t.Measure); err != nil {
		return t, err
	}
	return t, t.literal(strings.TrimSpace(text[at+len(t.op):]))
}

// literal reads the value of t.
func (t *Threshold) literal(s string) error {
	n := 0
	for n < len(s) && (s[n] >= '0' && s[n] <= '9' || s[n] == '.') {
		n++
	}
	v, err := strconv.ParseFloat(s[:n], 64)
	unit := strings.TrimSpace(s[n:])
	if err != nil || math.IsInf(v, 0) {
		return fmt.Errorf("%q is no value: write 40ms, 2ticks, or a number for a count", s)
	}
	if !t.time {
		if unit != "" {
			return fmt.Errorf("%s is a count: leave out the unit %q", t.Measure, unit)
		}
		if v != math.Trunc(v) {
			return fmt.Errorf("%s is a count: want a whole number, not %s", t.Measure, s)
		}
		t.value = v
		return nil
	}
	scale := map[string]time.Duration{"us": time.Microsecond, "µs": time.Microsecond, "ms": time.Millisecond, "s": time.Second}[unit]
	switch {
	case unit == "tick" || unit == "ticks":
		t.ticks, t.value = true, v
	case unit == "":
		return errors.New("missing unit: write 40ms or 2ticks, say")
	case scale == 0:
		return fmt.Errorf("unknown unit %q: want us, ms, s, tick or ticks", unit)
	default:
		t.value = v * float64(scale)
	}
	return nil
}

// Judge says whether r, a run under the policy of e, meets it. A measure without
// samples is not met.
func (e Expectation) Judge(r *Recording) Judgement {
	m := measures[slices.IndexFunc(measures, func(m measure) bool { return m.name == e.Measure })]
	got, ok := m.of(r)
	j := Judgement{Expectation: e.Text, Policy: e.Policy, Got: "no samples", Subject: e.Subject}
	if ok {
		j.Met, j.Got = e.Holds(got, r.Scenario.Interval)
	}
	return j
}

// Holds says whether a figure meets t, and writes it with its unit. A time is in
// nanoseconds; interval is the length of a tick.
func (t Threshold) Holds(got float64, interval time.Duration) (met bool, text string) {
	want := t.value
	if t.ticks {
		want *= float64(interval)
	}
	met = map[string]bool{
		"<": got < want, "<=": got <= want, ">": got > want, ">=": got >= want, "==": got == want, "!=": got != want,
	}[t.op]
	switch {
	case !t.time:
		return met, strconv.FormatFloat(got, 'f', -1, 64)
	case t.ticks:
		return met, strconv.FormatFloat(got/float64(interval), 'f', -1, 64) + " ticks"
	}
	return met, time.Duration(got).String()
}

// InTicks tells whether the value is in ticks, so that it needs to be known how
// long one is.
func (t Threshold) InTicks() bool { return t.ticks }
