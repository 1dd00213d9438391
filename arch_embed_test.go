package tickwheel_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// embedder is a module of its own, somewhere else, that uses this checkout by a
// replace line as the README tells. It has an empty module cache and no proxy,
// so needing anything to download fails.
type embedder struct {
	dir string
	env []string
}

func newEmbedder(t *testing.T) embedder {
	t.Helper()
	root, err := filepath.Abs(".")
	require.NoError(t, err)
	ours, err := os.ReadFile("go.mod")
	require.NoError(t, err)
	goLine := regexp.MustCompile(`(?m)^go .*$`).FindString(string(ours))
	require.NotEmpty(t, goLine)
	program, err := os.ReadFile("testdata/embedder/main.go")
	require.NoError(t, err)

	e := embedder{dir: t.TempDir()}
	e.env = append(os.Environ(),
		"GOFLAGS=-mod=mod -modcacherw -buildvcs=false", "GOPROXY=off", "GOSUMDB=off", "GOWORK=off", "GOTOOLCHAIN=local",
		"GOMODCACHE="+filepath.Join(t.TempDir(), "mod"))
	gomod := "module example.com/embedder\n\n" + goLine + "\n\nrequire " + modulePath + " v0.0.0\n\nreplace " + modulePath + " => " + root + "\n"
	require.NoError(t, os.WriteFile(filepath.Join(e.dir, "go.mod"), []byte(gomod), 0o644))
	require.NoError(t, os.WriteFile(filepath.Join(e.dir, "main.go"), program, 0o644))
	return e
}

// run runs a command in the embedder's folder and returns what it prints.
func (e embedder) run(t *testing.T, name string, args ...string) string {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.Env = e.dir, e.env
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s %s:\n%s", name, strings.Join(args, " "), out)
	return string(out)
}

func TestEmbedderLinksOnlyUsAndTheStandardLibrary(t *testing.T) {
	e := newEmbedder(t)
	app := filepath.Join(e.dir, "app")
	if runtime.GOOS == "windows" {
		app += ".exe"
	}
	e.run(t, "go", "build", "-o", app, ".")
	want, err := os.ReadFile("testdata/embedder/want.txt")
	require.NoError(t, err)
	assert.Equal(t, string(want), e.run(t, app), "what the embedder prints")

	packages := strings.Fields(e.run(t, "go", "list", "-deps", "-f", "{{if not .Standard}}{{.ImportPath}}{{end}}", "."))
	assert.ElementsMatch(t, []string{
		"example.com/embedder", modulePath + "/timers", modulePath + "/tick", modulePath + "/session",
	}, packages, "packages outside the standard library")

	var modules []string
	for line := range strings.Lines(e.run(t, "go", "version", "-m", app)) {
		if f := strings.Fields(line); len(f) > 1 && f[0] == "dep" {
			modules = append(modules, f[1])
		}
	}
	assert.Equal(t, []string{modulePath}, modules, "modules in the binary")
	assert.NoFileExists(t, filepath.Join(e.dir, "go.sum"), "nothing was downloaded, so there is nothing to sum")
}
