package tickwheel_test

import (
	"fmt"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// shellLine is a line of a fenced sh block in a document.
type shellLine struct{ at, text string }

// shellLines returns the lines of all sh blocks of a Markdown text. Comments and
// what follows a pipe or "&&" are cut: the tests look at the first command.
func shellLines(file, text string) []shellLine {
	var found []shellLine
	inBlock, n := "", 0
	for line := range strings.Lines(text) {
		n++
		line = strings.TrimSpace(line)
		if lang, fence := strings.CutPrefix(line, "```"); fence {
			if inBlock == "" {
				inBlock = "other"
				if slices.Contains(list("sh bash console"), lang) {
					inBlock = "sh"
				}
			} else {
				inBlock = ""
			}
			continue
		}
		if inBlock != "sh" {
			continue
		}
		line = strings.TrimPrefix(line, "$ ")
		for _, stop := range []string{" #", " | ", " && ", " > ", " & "} {
			line, _, _ = strings.Cut(line+" ", stop)
		}
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			found = append(found, shellLine{fmt.Sprintf("%s:%d", file, n), line})
		}
	}
	return found
}

// docFiles are the Markdown files of the module with their text.
func docFiles(t *testing.T) map[string]string {
	t.Helper()
	docs := map[string]string{}
	for _, f := range walk(t, ".md") {
		text, err := os.ReadFile(f)
		require.NoError(t, err)
		docs[f] = string(text)
	}
	return docs
}

func TestCommandsInDocumentsExist(t *testing.T) {
	for file, text := range docFiles(t) {
		for _, l := range shellLines(file, text) {
			if why := badCommand(l.text); why != "" {
				t.Errorf("%s: %q: %s", l.at, l.text, why)
			}
		}
	}
}

// badCommand returns what is wrong with a command line, or "". It judges paths
// and the flags of our own programs; it runs nothing.
func badCommand(line string) string {
	words := strings.Fields(line)
	if strings.HasPrefix(words[0], ".") {
		if _, err := os.Stat(words[0]); err != nil {
			return "no such file: " + words[0]
		}
	}
	if words[0] != "go" || len(words) < 2 {
		return ""
	}
	program := ""
	for _, w := range words[2:] {
		switch {
		case program == "" && (w == "." || strings.HasPrefix(w, "./")):
			dir := strings.TrimSuffix(strings.TrimSuffix(w, "..."), "/")
			if info, err := os.Stat(dir); err != nil || !info.IsDir() {
				return "no such package: " + w
			}
			if words[1] == "run" {
				program = dir
			}
		case program != "" && strings.HasPrefix(w, "--"):
			name, _, _ := strings.Cut(strings.TrimPrefix(w, "--"), "=")
			if !definesFlag(program, name) {
				return program + " has no flag --" + name
			}
		}
	}
	if words[1] == "run" && program == "" {
		return "go run without a package of this module"
	}
	return ""
}

// definesFlag reports whether a source below dir has the flag's name as a string
// of its own: as light as a check can be that still finds a renamed flag.
func definesFlag(dir, name string) bool {
	if name == "help" || name == "version" {
		return true
	}
	return slices.ContainsFunc(goFilesBelow(dir), func(f string) bool {
		text, err := os.ReadFile(f)
		return err == nil && !strings.HasSuffix(f, "_test.go") && strings.Contains(string(text), `"`+name+`"`)
	})
}

func goFilesBelow(dir string) []string {
	var files []string
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		switch name := path.Join(dir, e.Name()); {
		case e.IsDir():
			files = append(files, goFilesBelow(name)...)
		case strings.HasSuffix(name, ".go"):
			files = append(files, name)
		}
	}
	return files
}

func TestCommandCheckerFindsPlantedErrors(t *testing.T) {
	text := "```sh\n$ go test ./... # all\ngo vet ./nowhere\ngo run ./timers --no-such-flag=3\ngo run --help\n" +
		"./nothing\n# go vet ./gone\n```\n```go\ngo vet ./gone\n```\n"
	var got []string
	for _, l := range shellLines("x.md", text) {
		got = append(got, l.at+" "+badCommand(l.text))
	}
	assert.Equal(t, []string{
		"x.md:2 ",
		"x.md:3 no such package: ./nowhere",
		"x.md:4 ./timers has no flag --no-such-flag",
		"x.md:5 go run without a package of this module",
		"x.md:6 no such file: ./nothing",
	}, got)
}

var markdownLink = regexp.MustCompile(`\]\(([^)\s]+)\)|<img[^>]* src="([^"]+)"`)

func TestLinksInDocumentsLeadSomewhere(t *testing.T) {
	for file, text := range docFiles(t) {
		for _, m := range markdownLink.FindAllStringSubmatch(text, -1) {
			to, _, _ := strings.Cut(m[1]+m[2], "#")
			if to == "" || strings.Contains(to, ":") || strings.HasPrefix(to, "../../") {
				continue // a place on this page, a URL, or the site around the repository
			}
			_, err := os.Stat(path.Join(path.Dir(file), to))
			assert.NoError(t, err, "%s links to %s", file, to)
		}
	}
}

var testName = regexp.MustCompile("`((?:Test|Fuzz|Benchmark|Example)[A-Z][A-Za-z0-9_]*)`")

// A document that says which test holds a promise must not outlive the test.
func TestTestsNamedInDocumentsExist(t *testing.T) {
	defined := map[string]bool{}
	for _, p := range packages(t) {
		for _, s := range parse(t, p, p.tests()) {
			for name := range s.file.Scope.Objects {
				defined[name] = true
			}
		}
	}
	for file, text := range docFiles(t) {
		for _, m := range testName.FindAllStringSubmatch(text, -1) {
			assert.True(t, defined[m[1]], "%s names %s, which does not exist", file, m[1])
		}
	}
}

func TestChangelogHasUnreleased(t *testing.T) {
	text, err := os.ReadFile("CHANGELOG.md")
	require.NoError(t, err)
	assert.Contains(t, string(text), "\n## [Unreleased]\n")
}

// Records are found by number and stay short enough to be read.
func TestDecisionRecordsKeepTheirShape(t *testing.T) {
	entries, err := os.ReadDir("docs/decisions")
	require.NoError(t, err)
	seen := map[string]string{}
	for _, e := range entries {
		if e.Name() == "README.md" {
			continue
		}
		require.Regexp(t, `^\d{4}-[a-z0-9-]+\.md$`, e.Name())
		assert.Empty(t, seen[e.Name()[:4]], "%s: the number is taken", e.Name())
		seen[e.Name()[:4]] = e.Name()
		text, err := os.ReadFile("docs/decisions/" + e.Name())
		require.NoError(t, err)
		assert.LessOrEqual(t, strings.Count(string(text), "\n"), 40, "%s: lines", e.Name())
		assert.Regexp(t, `^# `+e.Name()[:4]+` · `, string(text), "%s: title", e.Name())
		for _, h := range []string{"Question", "Decision", "Because", "Rejected", "What would change our mind"} {
			assert.Contains(t, string(text), "**"+h+".**", "%s: part", e.Name())
		}
	}
}
