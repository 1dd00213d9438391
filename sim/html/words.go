package html

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tickwheel/tickwheel/sim/report"
)

// amount writes milliseconds for reading: three digits that matter.
func amount(ms float64) string {
	switch {
	case ms >= 99.95:
		return count(int64(ms + 0.5))
	case ms >= 9.995:
		return strconv.FormatFloat(ms, 'f', 1, 64)
	}
	return strconv.FormatFloat(ms, 'f', 2, 64)
}

// exact writes a figure somebody chose: 50, not 50.0.
func exact(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }

// count writes n with a comma for every three digits.
func count(n int64) string {
	s := strconv.FormatInt(n, 10)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// things writes how many there are of something.
func things(n int64, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return count(n) + " " + many
}

// span writes milliseconds in the unit that suits them.
func span(ms float64) string {
	unit := " ms"
	if ms >= 1000 {
		ms, unit = ms/1000, " s"
	}
	if ms >= 1000 {
		return count(int64(ms+0.5)) + unit
	}
	return strconv.FormatFloat(ms, 'g', 4, 64) + unit
}

// and joins words as one says them.
func and(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:len(words)-1], ", ") + " and " + words[len(words)-1]
}

// remedies says what a policy does, in words.
func remedies(r *report.Run) []string {
	var w []string
	if r.JitterMS > 0 {
		w = append(w, "jitter of "+span(r.JitterMS))
	}
	if r.Cap > 0 {
		w = append(w, "a cap of "+count(int64(r.Cap)))
	}
	if r.Workers > 0 {
		w = append(w, things(int64(r.Workers), "worker", "workers"))
	}
	return w
}

// with begins a sentence about a run.
func with(r *report.Run) string {
	w := remedies(r)
	switch {
	case r.Label != r.Name:
		return "In " + r.Label
	case len(w) == 0 && r.Name == "nothing":
		return "With nothing done about it"
	case len(w) == 0:
		return "Under " + r.Label
	}
	return "With " + and(w)
}

// verdict is what the page says first.
type verdict struct {
	Good     bool // no tick of the subject overran
	Headline string
	Than     string   // the run it is compared with
	Notes    []string // price, cause, alternatives
	Tiles    []tile
}

// tile is a figure of the subject beside that of the run it is compared with.
type tile struct {
	Name, Value, Unit string
	Than              string
	Good              bool
}

// subjectOf is the run that is judged: of the last folder the one it names, or
// else, in folders that name none, the one that most thresholds are about, or else
// the last, which is where people put what they mean to use.
func subjectOf(s *report.Set) *report.Run {
	last := s.Runs[len(s.Runs)-1]
	subject, most := last, 0
	for _, r := range s.Runs {
		if r.Folder != last.Folder {
			continue
		}
		if r.Name == last.Folder.Subject {
			return r
		}
		n := 0
		for _, j := range last.Folder.Summary.Expect {
			if r.Name == j.Policy {
				n++
			}
		}
		if n > most {
			subject, most = r, n
		}
	}
	return subject
}

// judge says what the results mean.
func judge(s *report.Set) verdict {
	subject := subjectOf(s)
	var base *report.Run
	for _, r := range s.Runs {
		if r != subject && (base == nil || r.Name == "nothing" && base.Name != "nothing") {
			base = r
		}
	}
	v := verdict{Good: subject.Summary.Overruns == 0 && subject.Summary.ShedTicks == 0}
	if len(subject.Lengths) == 0 {
		v.Good = false
		v.Headline = "The run was ended before its first tick: there is nothing to judge."
		return v
	}
	v.Headline = headline(subject, s.Meta.IntervalMS)
	if base != nil && len(base.Lengths) > 0 {
		v.Than = than(base)
	}
	v.Notes = notes(s, subject, base)
	if ts := thresholds(s); len(ts) > 0 {
		met := int64(0)
		for _, t := range ts {
			if t.Met {
				met++
			}
		}
		v.Good = met == int64(len(ts))
		v.Notes = slices.Insert(v.Notes, 0, fmt.Sprintf("%s of %s met.", count(met), things(int64(len(ts)), "threshold", "thresholds")))
	}
	v.Tiles = tiles(subject, base, s.Meta.IntervalMS)
	return v
}

func headline(r *report.Run, interval float64) string {
	q := r.Summary.TickMS
	figures := fmt.Sprintf("p99.9 is %s ms, the longest tick %s ms", amount(q.P999), amount(q.Max))
	shed := ""
	if n := r.Summary.ShedTicks; n > 0 {
		// Ticks that never ran overran nothing: without this a night asleep looks fine.
		shed = fmt.Sprintf("%s given up", things(n, "tick was", "ticks were"))
	}
	if r.Summary.Overruns == 0 {
		if shed != "" {
			shed = ", but " + shed
		}
		return fmt.Sprintf("%s, every tick stays within %s ms%s: %s.", with(r), exact(interval), shed, figures)
	}
	if shed != "" {
		shed = ", and " + shed
	}
	return fmt.Sprintf("%s, %s of %s overrun %s ms%s: %s.", with(r),
		count(int64(r.Summary.Overruns)), things(int64(len(r.Lengths)), "tick", "ticks"), exact(interval), shed, figures)
}

func than(r *report.Run) string {
	q := r.Summary.TickMS
	text := fmt.Sprintf("%s, p99.9 is %s ms and the longest tick takes %s ms", with(r), amount(q.P999), amount(q.Max))
	if n := r.Summary.ShedTicks; n > 0 {
		text += fmt.Sprintf("; %s of game time given up", things(n, "tick", "ticks"))
	}
	return text + "."
}

// notes are the price of the remedies, milder ones, and causes.
func notes(s *report.Set, subject, base *report.Run) []string {
	var n []string
	if base != nil && len(base.Slow) > 0 {
		n = append(n, fmt.Sprintf("The longest tick under %q, at %s, is made by %s.", base.Label, span(float64(base.Slow[0].Start)/1e6), cause(base, &base.Slow[0])))
	}
	if base == nil && len(subject.Slow) > 0 && subject.Summary.Overruns > 0 {
		n = append(n, fmt.Sprintf("The longest tick, at %s, is made by %s.", span(float64(subject.Slow[0].Start)/1e6), cause(subject, &subject.Slow[0])))
	}
	late := subject.Summary.TimerLateTicks.Max
	price := "no timer ran late"
	if late > 0 {
		price = fmt.Sprintf("timers run up to %s (%s) late", things(late, "tick", "ticks"), span(float64(late)*s.Meta.IntervalMS))
	}
	if subject.JitterMS > 0 {
		price += fmt.Sprintf(", not counting the jitter of up to %s", span(subject.JitterMS))
	}
	if len(remedies(subject)) > 0 {
		price = "The price: " + price
	} else {
		price = strings.ToUpper(price[:1]) + price[1:] // of nothing there is no price
	}
	n = append(n, price+".")
	if len(s.Folders) == 1 && len(s.Runs) > 1 {
		n = append(n, milder(s, subject))
	}
	for _, r := range s.Runs {
		if r.Summary.Interrupted {
			n = append(n, fmt.Sprintf("%s was interrupted: its figures are of what there was.", r.Label))
		}
	}
	return n
}

// milder says whether a run with fewer remedies would do.
func milder(s *report.Set, subject *report.Run) string {
	best := (*report.Run)(nil)
	for _, r := range s.Runs {
		if r.Summary.Overruns == 0 && !r.Summary.Interrupted && len(r.Lengths) > 0 && (best == nil || len(remedies(r)) < len(remedies(best))) {
			best = r
		}
	}
	switch {
	case best == nil:
		return "No policy of this run keeps every tick within the budget."
	case best == subject:
		return "No milder policy of this run keeps every tick within the budget."
	}
	return fmt.Sprintf("The mildest policy of this run that keeps every tick within the budget is %s.", best.Label)
}

func tiles(r, base *report.Run, interval float64) []tile {
	was := func(f func(report.PolicySummary) string) string {
		if base == nil {
			return ""
		}
		return base.Label + ": " + f(base.Summary)
	}
	q := r.Summary.TickMS
	of := "of " + count(int64(len(r.Lengths)))
	if n := r.Summary.ShedTicks; n > 0 {
		of += ", " + count(n) + " given up"
	}
	return []tile{
		{"p99.9", amount(q.P999), "ms", was(func(p report.PolicySummary) string { return amount(p.TickMS.P999) }), q.P999 <= interval},
		{"longest tick", amount(q.Max), "ms", was(func(p report.PolicySummary) string { return amount(p.TickMS.Max) }), q.Max <= interval},
		{"overruns", count(int64(r.Summary.Overruns)), of,
			was(func(p report.PolicySummary) string { return count(int64(p.Overruns)) }), r.Summary.Overruns == 0 && r.Summary.ShedTicks == 0},
		{"timers late", count(r.Summary.TimerLateTicks.Max), "ticks at most",
			was(func(p report.PolicySummary) string { return count(p.TimerLateTicks.Max) }), true},
	}
}

// cause says what made a tick long: the parts of it that took a tenth or more.
func cause(r *report.Run, t *report.SlowTick) string {
	var parts []string
	names := [4]string{"inbox", "", "systems", "flush"}
	timers := map[string]bool{}
	for i, k := range t.Kinds {
		timers[k.Kind] = true
		if i < 3 && time.Duration(k.TimeMS*1e6)*10 >= t.Duration {
			parts = append(parts, fired(k, r.Folder.Meta.IntervalMS))
		}
	}
	for i, d := range t.Phase {
		if names[i] == "" || d*10 < t.Duration {
			continue
		}
		// The kind that took most of the tick is what the phase did, if no timer was
		// of that kind and it fits in.
		text, kind := names[i], r.Names[t.Slowest]
		switch {
		case kind == "" || timers[kind] || t.SlowestTime > d:
		case t.What != "":
			text, d = t.What, t.SlowestTime
		case kind != text:
			text += ", mostly " + kind
		}
		parts = append(parts, fmt.Sprintf("%s (%s ms)", text, amount(float64(d)/1e6)))
	}
	if len(parts) == 0 {
		return "many small parts"
	}
	return and(parts)
}

// slowCallback is the part of an interval from which on a callback is slow: a tick
// has room for four of them.
const slowCallback = 4

// fired says what the timers of a kind did. A few long callbacks are another
// trouble than many short ones, and have another remedy.
func fired(k report.KindTime, interval float64) string {
	slow := k.Fired > 0 && k.TimeMS/float64(k.Fired)*slowCallback >= interval
	switch {
	case k.Kind == "slow callback" && k.Fired == 1:
		return fmt.Sprintf("a slow callback (%s ms)", amount(k.TimeMS))
	case slow && k.Fired == 1:
		return fmt.Sprintf("slow callback %s (%s ms)", k.Kind, amount(k.TimeMS))
	case slow:
		return fmt.Sprintf("%s slow callbacks %s (%s ms)", count(int64(k.Fired)), k.Kind, amount(k.TimeMS))
	}
	return fmt.Sprintf("%s × %s (%s ms)", count(int64(k.Fired)), k.Kind, amount(k.TimeMS))
}
