package main

import (
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/tickwheel/tickwheel/cmd/simulate/clients"
	"github.com/tickwheel/tickwheel/sim"
)

// fleetExpectation is what clients must measure, read as scenarios are.
type fleetExpectation struct {
	text string
	sim.Threshold
}

// fleetJudgement is what became of one, as it is in clients.json.
type fleetJudgement struct {
	Expect string `json:"expect"`
	Met    bool   `json:"met"`
	Got    string `json:"got"` // the figure, or why there is none
}

func parseFleetExpectation(text string) (fleetExpectation, error) {
	t, err := sim.ParseThreshold(text, clients.Measure)
	if err != nil {
		example := ""
		if !strings.ContainsAny(text, "<>=!") {
			example = `: something like "request.p99 < 150ms" or "lost == 0"`
		}
		err = fmt.Errorf("simulate: expect %q: %w%s", text, err, example)
	}
	return fleetExpectation{text, t}, err
}

// judge holds a result against e. A figure without samples meets none.
func (e fleetExpectation) judge(r *clients.Result) fleetJudgement {
	j := fleetJudgement{Expect: e.text}
	got, ok := r.Figure(e.Measure)
	switch isTime, _ := clients.Measure(e.Measure); {
	case !ok:
		j.Got = "no samples"
		return j
	case e.InTicks() && r.TickMS == 0:
		j.Got = "the server did not say how long a tick is"
		return j
	case isTime:
		got = math.Round(got * 1e6) // results are to the microsecond
	}
	j.Met, j.Got = e.Holds(got, time.Duration(r.TickMS*float64(time.Millisecond)))
	return j
}
