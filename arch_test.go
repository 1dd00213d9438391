// The tests of this folder hold the rules that no compiler checks: who imports
// whom, which calls are banned where, what every package says about itself, that
// the commands in the documents exist, and what an embedder links.
package tickwheel_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

const modulePath = "github.com/tickwheel/tickwheel"

// goPackage is what `go list -json` says about one package of the module.
type goPackage struct {
	ImportPath, Dir, Name, Doc string
	// GoFiles and CgoFiles are built here; IgnoredGoFiles are those of other
	// systems and build tags. Rules hold for all of them, so that a violation
	// can't hide behind a tag.
	GoFiles, CgoFiles, IgnoredGoFiles []string
	TestGoFiles, XTestGoFiles         []string
}

// room is the package's path below the module, "." for the root.
func (p goPackage) room() string {
	if p.ImportPath == modulePath {
		return "."
	}
	return strings.TrimPrefix(p.ImportPath, modulePath+"/")
}

// sources are the package's files that end up in binaries, on any system.
func (p goPackage) sources() []string {
	var files []string
	for _, f := range concat(p.GoFiles, p.CgoFiles, p.IgnoredGoFiles) {
		if !strings.HasSuffix(f, "_test.go") {
			files = append(files, f)
		}
	}
	return files
}

// tests are the package's test files, on any system.
func (p goPackage) tests() []string {
	files := concat(p.TestGoFiles, p.XTestGoFiles)
	for _, f := range p.IgnoredGoFiles {
		if strings.HasSuffix(f, "_test.go") {
			files = append(files, f)
		}
	}
	return files
}

func concat(lists ...[]string) []string {
	var all []string
	for _, l := range lists {
		all = append(all, l...)
	}
	return all
}

// listed runs go list once for all tests of this folder. The working directory
// of a test is its package's, which here is the root of the module.
var listed = sync.OnceValues(func() ([]goPackage, error) {
	cmd := exec.Command("go", "list", "-json=ImportPath,Dir,Name,Doc,GoFiles,CgoFiles,IgnoredGoFiles,TestGoFiles,XTestGoFiles", "./...")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, errors.New("go list ./...: " + err.Error() + "\n" + stderr.String())
	}
	var pkgs []goPackage
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		var p goPackage
		if err := dec.Decode(&p); err == io.EOF {
			return pkgs, nil
		} else if err != nil {
			return nil, err
		}
		pkgs = append(pkgs, p)
	}
})

// packages returns every package of the module, which is never none.
func packages(t *testing.T) []goPackage {
	t.Helper()
	pkgs, err := listed()
	require.NoError(t, err)
	require.NotEmpty(t, pkgs)
	// go list runs in another process, so go test would not notice that a
	// package was added and show a cached "ok". Walking the tree makes it
	// look, and finds folders whose files are all behind build tags.
	dirs := map[string]bool{}
	for _, f := range walk(t, ".go") {
		dirs[path.Dir(f)] = true
	}
	for _, p := range pkgs {
		delete(dirs, p.room())
	}
	require.Empty(t, dirs, "folders with Go files that go list does not see")
	return pkgs
}

// walk returns the files of the module that end in suffix, as slash paths. It
// leaves out what the go command ignores: other modules, testdata, and folders
// that begin with a dot or "_"; and "out", where the simulator writes.
func walk(t *testing.T, suffix string) []string {
	t.Helper()
	var files []string
	require.NoError(t, filepath.WalkDir(".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || name == "." {
			return err
		}
		if d.IsDir() {
			_, err := os.Stat(filepath.Join(name, "go.mod"))
			if err == nil || strings.ContainsAny(d.Name()[:1], "._") || d.Name() == "testdata" || d.Name() == "out" {
				return filepath.SkipDir
			}
		} else if strings.HasSuffix(name, suffix) {
			files = append(files, filepath.ToSlash(name))
		}
		return nil
	}))
	return files
}

// isLibrary reports whether others may import the package: a rule for libraries
// does not bind the programs under cmd.
func isLibrary(p goPackage) bool { return p.Name != "main" && !strings.HasPrefix(p.room(), "cmd/") }

// source is a parsed file with what is needed to say where something stands.
type source struct {
	name string // below the module, with slashes
	fset *token.FileSet
	file *ast.File
}

// at returns "file:line" of n.
func (s source) at(n ast.Node) string {
	p := s.fset.Position(n.Pos())
	return s.name + ":" + strconv.Itoa(p.Line)
}

// parse reads the named files of p, comments included.
func parse(t *testing.T, p goPackage, files []string) []source {
	t.Helper()
	var out []source
	for _, f := range files {
		text, err := os.ReadFile(filepath.Join(p.Dir, f))
		require.NoError(t, err)
		out = append(out, parseText(t, path.Join(p.room(), f), string(text)))
	}
	return out
}

func parseText(t *testing.T, name, text string) source {
	t.Helper()
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, name, text, parser.ParseComments)
	require.NoError(t, err)
	return source{name: name, fset: fset, file: file}
}
