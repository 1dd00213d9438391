package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/tickwheel/tickwheel/sim"
)

// costsFile is what was measured of a run on the real clock, in its folder.
const costsFile = "costs.csv"

// calibrate returns a scenario with the costs of a folder or file. base is a name or
// file; "" is the scenario of the folder.
func calibrate(from, base string) ([]byte, *sim.Calibration, error) {
	if from == "" {
		return nil, nil, &usageError{errors.New("simulate: from \"\": want a results folder, or a file with costs")}
	}
	name, dir := from, false
	info, err := os.Stat(from)
	if err == nil && info.IsDir() {
		name, dir = filepath.Join(from, costsFile), true
	}
	samples, err := readCosts(name, from, dir)
	if err != nil {
		return nil, nil, err
	}
	p, err := planFor(from, base, dir)
	if err != nil {
		return nil, nil, err
	}
	c, err := p.Calibrate(samples)
	if err != nil {
		return nil, nil, &usageError{fmt.Errorf("simulate: %s: %s", name, strings.TrimPrefix(err.Error(), "sim: "))}
	}
	p.Clock = "virtual" // what it is for
	head := fmt.Sprintf("# Costs were measured: %s has them. Each is one of some lengths that are as\n# likely, the mean of every sixteenth of the runs.\n#\n", oneLine(filepath.ToSlash(name)))
	return append([]byte(head+toldCosts(&c, "# ")), p.YAML()...), &c, nil
}

// readCosts reads a file of costs; from is what was asked for.
func readCosts(name, from string, dir bool) ([]sim.CostSample, error) {
	if err := readable(name); err != nil {
		return nil, err
	}
	f, err := os.Open(name)
	switch {
	case errors.Is(err, os.ErrNotExist) && dir:
		return nil, &usageError{fmt.Errorf("simulate: %s has no %s: \"simulate run --clock real --out %s\" measures costs; those of the virtual clock are what its scenario says", from, costsFile, from)}
	case err != nil:
		return nil, &usageError{fmt.Errorf("simulate: no costs: %w: want a folder of \"simulate run --clock real\", or a file", err)}
	}
	defer f.Close()
	samples, err := sim.ReadCosts(name, f)
	if err != nil {
		return nil, &usageError{err}
	}
	return samples, nil
}

// planFor is the scenario that gets the costs.
func planFor(from, base string, dir bool) (*sim.Plan, error) {
	switch {
	case base != "":
		if p, ok := sim.Preset(base); ok {
			return p, nil
		}
		return readPlan(base)
	case dir:
		return readPlan(filepath.Join(from, "scenario.yaml"))
	}
	return nil, &usageError{fmt.Errorf("simulate: %s does not say which scenario gets its costs: add --scenario NAME|FILE", from)}
}

// toldCosts is a table of what was measured, each line after a prefix.
func toldCosts(c *sim.Calibration, prefix string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s%-20s %10s %10s %10s %10s %10s\n", prefix, "work", "runs", "mean", "p50", "p99", "max")
	for _, m := range c.Measured {
		fmt.Fprintf(&b, "%s%-20s %10d %10v %10v %10v %10v\n", prefix, oneLine(m.Work), m.Runs, threeDigits(m.Mean), threeDigits(m.P50), threeDigits(m.P99), threeDigits(m.Max))
	}
	if len(c.Kept) > 0 {
		fmt.Fprintf(&b, "%snot measured, as they were: %s\n", prefix, oneLine(strings.Join(c.Kept, ", ")))
	}
	if len(c.Foreign) > 0 {
		fmt.Fprintf(&b, "%snot in the scenario: %s\n", prefix, oneLine(strings.Join(c.Foreign, ", ")))
	}
	return b.String()
}

// oneLine is s, quoted if it would end the comment that it stands in.
func oneLine(s string) string {
	if strings.ContainsFunc(s, unicode.IsControl) {
		return strconv.Quote(s)
	}
	return s
}

// threeDigits is d to about three digits.
func threeDigits(d time.Duration) time.Duration {
	step := time.Duration(1)
	for d/step >= 1_000 {
		step *= 10
	}
	return d.Round(step)
}

// measuredCost is one of sim.Measured for programs.
type measuredCost struct {
	Work   string  `json:"work"`
	Runs   int64   `json:"runs"`
	MeanMS float64 `json:"mean_ms"`
	P50MS  float64 `json:"p50_ms"`
	P99MS  float64 `json:"p99_ms"`
	MaxMS  float64 `json:"max_ms"`
	Cost   string  `json:"cost"`
}

func measuredJSON(all []sim.Measured) (out []measuredCost) {
	for _, m := range all {
		out = append(out, measuredCost{m.Work, m.Runs, inMS(m.Mean), inMS(m.P50), inMS(m.P99), inMS(m.Max), m.Cost.String()})
	}
	return out
}

func inMS(d time.Duration) float64 { return float64(d) / 1e6 }

// orNone is a list for JSON, which has no null for an empty one.
func orNone(s []string) []string {
	if s == nil {
		return []string{}
	}
	return s
}
