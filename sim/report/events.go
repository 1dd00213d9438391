package report

import (
	"bufio"
	"encoding/json"
	"io"

	"github.com/tickwheel/tickwheel/sim"
)

// Event is a line of events.jsonl. Type says which of the other fields it has.
type Event struct {
	// Type is "mark" (an event of the scenario), "shed" (N intervals given up,
	// TimeMS long), "guard" (the timer phase was cut after N callbacks), "job" (N
	// jobs with an outcome other than done), "slow" (one of the longest ticks, with
	// what its timers did) or "end" (the last line of a policy; N is how many
	// events there was no room for).
	Type    string     `json:"type"`
	Policy  string     `json:"policy,omitempty"`
	Tick    int64      `json:"tick,omitempty"`
	AtMS    float64    `json:"at_ms"` // the intended start of the tick
	Label   string     `json:"label,omitempty"`
	N       int64      `json:"n,omitempty"`
	Outcome string     `json:"outcome,omitempty"`
	TimeMS  float64    `json:"time_ms,omitempty"`
	Kinds   []KindTime `json:"kinds,omitempty"`
	Run     string     `json:"run,omitempty"` // at the end, that of run.json
}

// KindTime is what the timers of one kind did in one tick.
type KindTime struct {
	Kind   string  `json:"kind"`
	Fired  int     `json:"fired"`
	TimeMS float64 `json:"time_ms"`
}

// writeEvents writes the marks, and then policy by policy what happened.
func writeEvents(w io.Writer, m Meta, runs []*sim.Recording) error {
	b := bufio.NewWriterSize(w, 1<<16)
	e := json.NewEncoder(b)
	e.SetEscapeHTML(false)
	for _, k := range m.Marks {
		if err := e.Encode(Event{Type: "mark", AtMS: k.AtMS, Label: k.Label}); err != nil {
			return err
		}
	}
	for _, r := range runs {
		for _, ev := range eventsOf(r) {
			if ev.Type == "end" {
				ev.Run = m.Run
			}
			if err := e.Encode(ev); err != nil {
				return err
			}
		}
	}
	return b.Flush()
}

// eventsOf returns the lines of one run.
func eventsOf(r *sim.Recording) []Event {
	es := make([]Event, 0, len(r.Events)+len(r.Slow)+1)
	for _, e := range r.Events {
		ev := Event{Type: e.Type, Policy: r.Policy.Name, Tick: int64(e.Tick), N: e.N, Outcome: e.Outcome, TimeMS: exactMS(e.Time)}
		if len(r.Ticks) > 0 { // ticks have no gaps; the last one may not have come to its end
			if i := int64(e.Tick - r.Ticks[0].Tick); i >= 0 && i < int64(len(r.Ticks)) {
				ev.AtMS = exactMS(r.Ticks[i].Start)
			} else {
				ev.AtMS = exactMS(r.Ticks[len(r.Ticks)-1].Start)
			}
		}
		es = append(es, ev)
	}
	for _, s := range r.Slow {
		t := &r.Ticks[s.Index]
		ev := Event{Type: "slow", Policy: r.Policy.Name, Tick: int64(t.Tick), AtMS: exactMS(t.Start)}
		for _, k := range s.Kinds {
			name := ""
			if int(k.Kind) < len(r.Stats.Kinds) {
				name = r.Stats.Kinds[k.Kind].Name
			}
			ev.Kinds = append(ev.Kinds, KindTime{name, k.Fired, exactMS(k.Time)})
		}
		es = append(es, ev)
	}
	end := Event{Type: "end", Policy: r.Policy.Name, AtMS: exactMS(r.Length()), N: r.EventsDropped}
	if len(r.Ticks) > 0 {
		end.Tick = int64(r.Ticks[len(r.Ticks)-1].Tick)
	}
	return append(es, end)
}
