package check_test

import (
	"encoding/json"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var mutants = flag.Bool("mutants", false, "kill every mutant in the folder mutants, not the first one only")

// mutant is a line of production code and what it is changed to.
type mutant struct{ name, what, file, from, to string }

func readMutants(t *testing.T) (list []mutant) {
	t.Helper()
	files, err := filepath.Glob("mutants/*.txt")
	require.NoError(t, err)
	for _, f := range files {
		text, err := os.ReadFile(f)
		require.NoError(t, err)
		m := mutant{name: strings.TrimSuffix(filepath.Base(f), ".txt")}
		for line := range strings.Lines(string(text)) {
			mark, rest, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
			switch mark {
			case "#":
				m.what = rest
			case "file":
				m.file = rest
			case "-":
				m.from = rest
			case "+":
				m.to = rest
			default:
				t.Fatalf("%s: %q: want lines that begin with #, file, - and +", f, line)
			}
		}
		list = append(list, m)
	}
	return list
}

// source returns the file of m with its line changed. A line that is gone, or
// stands there twice, is an error: the mutant would prove nothing.
func (m mutant) source(t *testing.T) (path string, changed []byte) {
	t.Helper()
	path, err := filepath.Abs(filepath.Join("../..", filepath.FromSlash(m.file)))
	require.NoError(t, err)
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, 1, strings.Count(string(text), m.from+"\n"),
		"mutants/%s.txt: how often its line is in %s: take another line that breaks the same rule", m.name, m.file)
	return path, []byte(strings.Replace(string(text), m.from+"\n", m.to+"\n", 1))
}

func TestMutantsAreThere(t *testing.T) {
	list := readMutants(t)
	assert.GreaterOrEqual(t, len(list), 10)
	page, err := os.ReadFile("../../docs/check.md")
	require.NoError(t, err)
	for _, m := range list {
		assert.NotEmpty(t, m.what, m.name)
		assert.Contains(t, string(page), "`"+m.name+"`")
		m.source(t)
	}
}

// Each mutant of the production code is killed by the seeds that every change has
// to pass. It is compiled by way of an overlay: no file is touched.
func TestMutantsAreKilled(t *testing.T) {
	list := readMutants(t)
	if !*mutants {
		list = list[:1]
	}
	for _, m := range list {
		t.Run(m.name, func(t *testing.T) {
			dir := t.TempDir()
			path, changed := m.source(t)
			replaced := filepath.Join(dir, "mutant.go")
			require.NoError(t, os.WriteFile(replaced, changed, 0o600))
			overlay, err := json.Marshal(map[string]map[string]string{"Replace": {path: replaced}})
			require.NoError(t, err)
			require.NoError(t, os.WriteFile(filepath.Join(dir, "overlay.json"), overlay, 0o600))
			out, err := exec.CommandContext(t.Context(), "go", "test", "-vet=off", "-count=1", "-timeout=60s",
				"-overlay", filepath.Join(dir, "overlay.json"), "-run", "^TestSeedsHold$", ".").CombinedOutput()
			require.NotContains(t, string(out), "[build failed]", "%s", out)
			require.Error(t, err, "%s survives: %s", m.name, m.what)
			assert.Contains(t, string(out), "broken   ", "%s", out)
		})
	}
}
