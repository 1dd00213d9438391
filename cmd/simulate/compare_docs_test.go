package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// playedDocuments show what their commands give; most take a second.
var playedDocuments = []string{"guide-storms.md", "compare.md"}

var (
	shBlock = regexp.MustCompile("(?s)```sh\n(.*?)```(.*)")
	// words of a shell: quoted ones may have spaces.
	shWord = regexp.MustCompile(`'[^']*'|[^ ']+`)
)

// shownAs are the columns of tables in documents, and how they write an outcome.
var shownAs = map[string]func(*outcome) string{
	"interval":         func(o *outcome) string { return terse(o.setting.Interval) },
	"jitter":           func(o *outcome) string { return terse(o.setting.Jitter) },
	"cap":              func(o *outcome) string { return strconv.Itoa(o.Cap) },
	"workers":          func(o *outcome) string { return strconv.Itoa(o.Workers) },
	"lanes":            func(o *outcome) string { return o.Lanes },
	"busy":             func(o *outcome) string { return digits(100*o.Busy) + " %" },
	"timers late, p99": func(o *outcome) string { return digits(o.LateMS.P99) + " ms" },
	"latest timer":     func(o *outcome) string { return digits(o.LateMS.Max) + " ms" },
	"longest tick":     func(o *outcome) string { return digits(o.TickMS.Max) + " ms" },
	"tick p99.9":       func(o *outcome) string { return digits(o.TickMS.P999) + " ms" },
	"overruns":         func(o *outcome) string { return strconv.Itoa(o.Overruns) },
	"longest job wait": func(o *outcome) string { return digits(o.JobWaitMS) + " ms" },
	"carried u/n/b": func(o *outcome) string {
		return fmt.Sprintf("%d/%d/%d", o.Carried.Urgent, o.Carried.Normal, o.Carried.Bulk)
	},
}

// What the guide to storms and the page of compare show is what their commands give:
// the cells of a table behind a command, the lines of a text block, and pictures pixel
// by pixel. After a change that is meant, play the commands again.
func TestDocumentsShowWhatCompareGives(t *testing.T) {
	if testing.Short() {
		t.Skip("plays a hundred settings")
	}
	for _, name := range playedDocuments {
		text, err := os.ReadFile(filepath.Join("../../docs", name))
		require.NoError(t, err)
		pictures, played := 0, 0
		for rest := string(text); ; {
			m := shBlock.FindStringSubmatch(rest)
			if m == nil {
				break
			}
			rest = m[2]
			shown, _, _ := strings.Cut(rest, "```sh\n") // until the next command
			for line := range strings.Lines(m[1]) {
				args, ok := strings.CutPrefix(line, "go run ./cmd/simulate compare ")
				if !ok || strings.Contains(args, "my-server") {
					continue
				}
				played++
				pictures += playDocument(t, name+": "+strings.TrimSpace(line), args, m[1], shown)
			}
		}
		assert.Positive(t, played, "%s: commands", name)
		if name == playedDocuments[0] {
			assert.Equal(t, 5, pictures, "%s: pictures", name)
		}
	}
}

// playDocument runs a command and compares what is shown behind it. It returns how many
// pictures that were.
func playDocument(t *testing.T, at, line, block, shown string) (pictures int) {
	var args []string
	line, _, _ = strings.Cut(line, " #")
	for _, w := range shWord.FindAllString(strings.TrimSpace(line), -1) {
		args = append(args, strings.Trim(w, "'"))
	}
	scenarios := []string{args[0]}
	table := tableOf(shown)
	if !table.known() && !strings.Contains(block, "docs/img/") && !strings.Contains(shown, "```text\n") {
		return 0 // nothing is shown of it
	}
	if _, ok := table.column("scenario"); ok {
		scenarios = strings.Fields("boss-event daily-reset mass-login mass-logout")
	}
	for _, sc := range scenarios {
		r := simulate(t, append([]string{"compare", sc, "--quiet"}, args[1:]...)...)
		require.Contains(t, []int{exitOK, exitThreshold}, r.code, "%s: %s", at, r.stderr)
		out := "out"
		for i, a := range args {
			if a == "--out" {
				out = args[i+1]
			}
		}
		data, err := os.ReadFile(filepath.Join(r.dir, out, "compare.json"))
		require.NoError(t, err)
		var doc compareReport
		require.NoError(t, json.Unmarshal(data, &doc))
		for _, o := range doc.Settings {
			o.setting.Interval, o.setting.Jitter = ofMS(o.IntervalMS), ofMS(o.JitterMS)
		}
		table.check(t, at, sc, doc.Settings)
		if _, text, ok := strings.Cut(shown, "```text\n"); ok {
			text, _, _ = strings.Cut(text, "```")
			for want := range strings.Lines(text) {
				assert.Contains(t, trimmed(r.stdout), strings.TrimSpace(want), at)
			}
		}
		if runtime.GOARCH == "amd64" { // see TestDocumentsShowTheDefaultRun
			for _, m := range regexp.MustCompile(`cp `+out+`/(\S+) docs/img/(\S+)`).FindAllStringSubmatch(block, -1) {
				committed, err := os.ReadFile(filepath.Join("../../docs/img", m[2]))
				require.NoError(t, err)
				assert.Less(t, len(committed), 120<<10, "%s: bytes", m[2])
				drawn, err := os.ReadFile(filepath.Join(r.dir, out, m[1]))
				require.NoError(t, err)
				assert.True(t, samePixels(t, committed, drawn), "docs/img/%s is not what its command draws", m[2])
				pictures++
			}
		}
	}
	return pictures
}

func ofMS(v float64) time.Duration { return time.Duration(v * float64(time.Millisecond)) }

// trimmed is text without the spaces at the ends of lines.
func trimmed(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		b.WriteString(strings.TrimSpace(line) + "\n")
	}
	return b.String()
}

// docTable is a Markdown table: its head and its rows.
type docTable [][]string

// tableOf returns the first table of text.
func tableOf(text string) (table docTable) {
	for line := range strings.Lines(text) {
		row, ok := strings.CutPrefix(strings.TrimSpace(line), "| ")
		switch {
		case ok:
			cells := strings.Split(strings.TrimSuffix(row, "|"), "|")
			for i := range cells {
				cells[i] = strings.TrimSpace(cells[i])
			}
			table = append(table, cells)
		case len(table) > 0 && !strings.HasPrefix(line, "|"):
			return table
		}
	}
	return table
}

func (d docTable) column(name string) (int, bool) {
	if len(d) > 0 {
		for i, head := range d[0] {
			if head == name {
				return i, true
			}
		}
	}
	return 0, false
}

// known tells whether d is of outcomes, not about something else.
func (d docTable) known() bool { return len(d) > 0 && shownAs[d[0][len(d[0])-1]] != nil }

// check compares the rows of a scenario with the outcome that has the same setting.
func (d docTable) check(t *testing.T, at, scenario string, outcomes []*outcome) {
	if !d.known() {
		return
	}
	sc, several := d.column("scenario")
	for _, row := range d[1:] {
		if several && row[sc] != scenario {
			continue
		}
		found := 0
		for _, o := range outcomes {
			if !d.same(row, o) {
				continue
			}
			found++
			for i, head := range d[0] {
				if several && i == sc {
					continue
				}
				if write := shownAs[head]; assert.NotNil(t, write, "%s: column %q", at, head) {
					assert.Equal(t, write(o), row[i], "%s: %s of %v", at, head, row)
				}
			}
		}
		assert.Equal(t, 1, found, "%s: settings like %v", at, row)
	}
}

// same tells whether o has the setting of a row.
func (d docTable) same(row []string, o *outcome) bool {
	for _, axis := range axisNames {
		if i, ok := d.column(axis); ok && shownAs[axis](o) != row[i] {
			return false
		}
	}
	return true
}
