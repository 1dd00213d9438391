package tickwheel_test

import (
	"go/ast"
	"go/token"
	"path"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// rule bans functions of one package in the sources of some rooms.
type rule struct {
	// rooms it binds; nil means every library.
	rooms []string
	// except are files, below the module, that may.
	except []string
	// pkg is the import path, banned its functions. With only set, everything
	// but those names is banned: a new function of the package can't slip in.
	pkg          string
	banned, only []string
	why          string
}

// importOnly as a rule's banned list forbids the import itself.
var importOnly = []string{"import"}

var rules = []rule{
	{
		rooms: list("timers tick session"), except: list("tick/clock.go"),
		pkg: "time", banned: list("Now Since Until Sleep After AfterFunc NewTimer NewTicker Tick"),
		why: "time comes in as an argument; tick/clock.go is the only reader of real time",
	},
	{
		rooms: list("timers tick session"), except: list("tick/clock.go"),
		pkg: "math/rand/v2", only: list("New NewPCG NewChaCha8 NewZipf Rand PCG ChaCha8 Zipf Source"),
		why: "a global generator makes runs differ: draw from one seeded by Config.Seed",
	},
	{
		rooms: list("timers tick session"), pkg: "math/rand", banned: importOnly,
		why: "use math/rand/v2 with a generator seeded by Config.Seed",
	},
	{rooms: list("timers"), pkg: "time", banned: importOnly, why: "the wheel counts in ticks"},
	{rooms: list("timers"), pkg: "sync", banned: importOnly, why: "the wheel has no lock: one goroutine owns it"},
	{rooms: list("timers"), pkg: "sync/atomic", banned: importOnly, why: "the wheel has no lock: one goroutine owns it"},
	{rooms: list("timers"), pkg: "context", banned: importOnly, why: "the wheel waits for nothing"},
	{rooms: list("timers"), pkg: "os", banned: importOnly, why: "the wheel does no I/O"},
	{rooms: list("timers"), pkg: "io", banned: importOnly, why: "the wheel does no I/O"},
	{rooms: list("timers"), pkg: "log/slog", banned: importOnly, why: "the wheel does no I/O"},
	{rooms: list("timers tick session"), pkg: "unsafe", banned: importOnly, why: "the wheel is fast enough without"},
	{rooms: list("timers tick session"), pkg: "net", banned: importOnly, why: "the network belongs to the application"},
	{pkg: "log", banned: importOnly, why: "a library takes a *slog.Logger from its Config"},
	{pkg: "os", banned: list("Exit"), why: "only a program's main ends the process"},
	{pkg: "os/signal", banned: importOnly, why: "signals belong to the application"},
	{pkg: "flag", banned: importOnly, why: "flags belong to the application"},
}

func (r rule) binds(p goPackage, file string) bool {
	if slices.Contains(r.except, file) {
		return false
	}
	if r.rooms == nil {
		return isLibrary(p)
	}
	return slices.Contains(r.rooms, p.room())
}

func (r rule) bans(name string) bool {
	if r.only != nil {
		return !slices.Contains(r.only, name)
	}
	return slices.Contains(r.banned, name)
}

// violations returns where s breaks r, as "file:line: uses pkg.Name". A package
// under another name is found; a dot import is reported itself, since what it
// brings in can't be told from the file's own names without type checking.
func violations(s source, r rule) []string {
	var found []string
	name := ""
	for _, im := range s.file.Imports {
		if p, _ := strconv.Unquote(im.Path.Value); p != r.pkg {
			continue
		}
		if slices.Equal(r.banned, importOnly) || im.Name != nil && im.Name.Name == "." {
			found = append(found, s.at(im)+": imports "+r.pkg)
			continue
		}
		if name = path.Base(strings.TrimSuffix(r.pkg, "/v2")); im.Name != nil {
			name = im.Name.Name
		}
	}
	if name == "" {
		return found
	}
	ast.Inspect(s.file, func(n ast.Node) bool {
		sel, ok := n.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		// Obj is nil for the name of a package, set for a variable of that name.
		id, ok := sel.X.(*ast.Ident)
		if ok && id.Name == name && id.Obj == nil && r.bans(sel.Sel.Name) {
			found = append(found, s.at(sel)+": uses "+r.pkg+"."+sel.Sel.Name)
		}
		return true
	})
	return found
}

func TestBannedCallsStayOut(t *testing.T) {
	for _, p := range packages(t) {
		for _, s := range parse(t, p, p.sources()) {
			for _, r := range rules {
				if !r.binds(p, s.name) {
					continue
				}
				for _, v := range violations(s, r) {
					t.Errorf("%s: %s", v, r.why)
				}
			}
		}
	}
}

// Init functions, go statements and print calls have no import to look for.
func TestLibrariesDoNothingUnasked(t *testing.T) {
	for _, p := range packages(t) {
		if !isLibrary(p) {
			continue
		}
		for _, s := range parse(t, p, p.sources()) {
			for _, v := range unasked(s, p.room() == "timers") {
				t.Error(v)
			}
		}
	}
}

func unasked(s source, noGoroutine bool) []string {
	var found []string
	ast.Inspect(s.file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl:
			if n.Recv == nil && n.Name.Name == "init" {
				found = append(found, s.at(n)+": func init: a library does nothing until it is called")
			}
		case *ast.GoStmt:
			if noGoroutine {
				found = append(found, s.at(n)+": go statement: the wheel starts no goroutine")
			}
		case *ast.CallExpr:
			if id, ok := n.Fun.(*ast.Ident); ok && id.Obj == nil && (id.Name == "print" || id.Name == "println") {
				found = append(found, s.at(n)+": "+id.Name+": a library does not write to stderr")
			}
		}
		return true
	})
	return found
}

// Package-level state makes two wheels or loops in one process depend on each
// other. Errors, interface checks and tables that nobody writes to are fine.
func TestCoreHasNoPackageState(t *testing.T) {
	for _, p := range packages(t) {
		if !slices.Contains(list("timers tick session"), p.room()) {
			continue
		}
		for _, s := range parse(t, p, p.sources()) {
			for _, v := range packageState(s) {
				t.Error(v)
			}
		}
	}
}

// packageState returns the package-level variables of s that could change:
// those without a value, and pointers, maps and the like made on the spot.
func packageState(s source) []string {
	var found []string
	for _, d := range s.file.Decls {
		g, ok := d.(*ast.GenDecl)
		if !ok || g.Tok != token.VAR {
			continue
		}
		for _, spec := range g.Specs {
			v := spec.(*ast.ValueSpec)
			for i, name := range v.Names {
				if name.Name == "_" {
					continue
				}
				if len(v.Values) == 0 || mutable(v.Values[min(i, len(v.Values)-1)]) {
					found = append(found, s.at(name)+": var "+name.Name+": package-level state")
				}
			}
		}
	}
	return found
}

func mutable(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.UnaryExpr:
		return e.Op == token.AND
	case *ast.CompositeLit:
		_, isMap := e.Type.(*ast.MapType)
		return isMap
	case *ast.CallExpr:
		id, ok := e.Fun.(*ast.Ident)
		return ok && (id.Name == "make" || id.Name == "new")
	}
	return false
}

// The checkers above must find what they look for, or they hold nothing.
func TestCheckersFindPlantedViolations(t *testing.T) {
	s := parseText(t, "tick/planted.go", `package tick
import (
	"os"
	clock "time"
	. "log"
	"math/rand/v2"
)
var count int
var table = [2]int{1, 2}
var seen = map[int]bool{}
func init() { println(count) }
func f() {
	_ = clock.Now()
	clock := struct{ Now func() int }{}
	_ = clock.Now()
	go os.Exit(rand.IntN(3))
	_ = rand.New(rand.NewPCG(1, 2))
	Println()
}
`)
	var got []string
	for _, r := range rules {
		if r.rooms == nil || slices.Contains(r.rooms, "tick") {
			got = append(got, violations(s, r)...)
		}
	}
	assert.ElementsMatch(t, []string{
		"tick/planted.go:13: uses time.Now",
		"tick/planted.go:16: uses math/rand/v2.IntN",
		"tick/planted.go:16: uses os.Exit",
		"tick/planted.go:5: imports log",
	}, got)
	assert.Len(t, unasked(s, true), 3, "init, println, go")
	assert.Len(t, unasked(s, false), 2, "init, println")
	assert.Len(t, packageState(s), 2, "count, seen")
}
