package main

import (
	"bytes"
	"encoding/json"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tickwheel/tickwheel/sim"
	"github.com/tickwheel/tickwheel/sim/report"
)

// What docs/simulation.md shows is what a default run gives: the table, and the
// pictures pixel by pixel. After a change that is meant, make them again with the
// command on that page.
func TestDocumentsShowTheDefaultRun(t *testing.T) {
	r := simulate(t)
	require.Equal(t, exitOK, r.code, r.stderr)
	var s report.Summary
	require.NoError(t, json.Unmarshal(r.file(t, "summary.json"), &s))

	page, err := os.ReadFile("../../docs/simulation.md")
	require.NoError(t, err)
	_, table, found := strings.Cut(string(page), "| policy | p50 | p90 | p99 | p99.9 | max | overruns | shed | backlog |\n|---|---|---|---|---|---|---|---|---|\n")
	require.True(t, found, "the table of the default run")
	table, _, _ = strings.Cut(table, "\n\n")
	var want []string
	for _, p := range s.Policies {
		cells := []string{p.Name}
		for _, v := range []float64{p.TickMS.P50, p.TickMS.P90, p.TickMS.P99, p.TickMS.P999, p.TickMS.Max} {
			cells = append(cells, strconv.FormatFloat(v, 'f', -1, 64))
		}
		cells = append(cells, strconv.Itoa(p.Overruns), strconv.FormatInt(p.ShedTicks, 10), strconv.Itoa(p.BacklogMax))
		want = append(want, "| "+strings.Join(cells, " | ")+" |")
	}
	assert.Equal(t, want, strings.Split(table, "\n"))

	assert.Equal(t, sim.PolicyNames(), names(s))
	assert.Positive(t, s.Policies[0].Overruns, "nothing overruns")
	assert.Zero(t, s.Policies[len(s.Policies)-1].Overruns, "all remedies together: no tick does")

	if runtime.GOARCH != "amd64" {
		return // rasterizers round floating-point numbers, which others may fuse
	}
	for _, name := range []string{"tick-latency.png", "percentiles.png"} {
		committed, err := os.ReadFile(filepath.Join("../../docs/img", name))
		require.NoError(t, err)
		// Pixels, not bytes: another version of Go may compress otherwise.
		assert.True(t, samePixels(t, committed, r.file(t, name)), "docs/img/%s is not what a default run draws", name)
	}
}

func names(s report.Summary) (names []string) {
	for _, p := range s.Policies {
		names = append(names, p.Name)
	}
	return names
}

func samePixels(t *testing.T, a, b []byte) bool {
	t.Helper()
	if bytes.Equal(a, b) {
		return true
	}
	decode := func(p []byte) image.Image {
		m, err := png.Decode(bytes.NewReader(p))
		require.NoError(t, err)
		return m
	}
	x, y := decode(a), decode(b)
	if x.Bounds() != y.Bounds() {
		return false
	}
	for j := x.Bounds().Min.Y; j < x.Bounds().Max.Y; j++ {
		for i := x.Bounds().Min.X; i < x.Bounds().Max.X; i++ {
			if x.At(i, j) != y.At(i, j) {
				return false
			}
		}
	}
	return true
}

// Every column and key of the files stands on the page, every flag in a document.
func TestThePageExplainsTheFiles(t *testing.T) {
	page, err := os.ReadFile("../../docs/simulation.md")
	require.NoError(t, err)
	r := simulate(t, quick("--quiet")...)
	header, _, _ := strings.Cut(string(r.file(t, "ticks.csv")), "\n")
	for _, column := range strings.Split(header, ",") {
		assert.Contains(t, string(page), "`"+column+"`", "column of ticks.csv")
	}
	for _, f := range report.Files() {
		assert.Contains(t, string(page), "`"+f+"`", "file")
	}
	for _, code := range []int{exitOK, exitFailed, exitUsage, exitThreshold, exitInvariant, exitInterrupted} {
		assert.Contains(t, string(page), "\n| "+strconv.Itoa(code)+" | ", "exit code")
	}
}
