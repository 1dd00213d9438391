package tickwheel_test

import (
	"go/ast"
	"regexp"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
)

// imports reports whether s imports path.
func (s source) imports(path string) bool {
	return slices.ContainsFunc(s.file.Imports, func(im *ast.ImportSpec) bool {
		p, _ := strconv.Unquote(im.Path.Value)
		return p == path
	})
}

// A test that sleeps is slow when it is right and flaky when the machine is
// busy. In a synctest bubble time.Sleep takes no time, so there it is fine.
func TestTestsDoNotSleep(t *testing.T) {
	sleep := rule{pkg: "time", banned: list("Sleep")}
	for _, p := range packages(t) {
		for _, s := range parse(t, p, p.tests()) {
			if s.imports("testing/synctest") {
				continue
			}
			for _, v := range violations(s, sleep) {
				t.Errorf("%s: wait for what must happen: Step, a channel, synctest", v)
			}
		}
	}
}

// Whoever starts goroutines shows that its tests leave none behind.
func TestPackagesWithGoroutinesLookForLeaks(t *testing.T) {
	for _, p := range packages(t) {
		starts := slices.ContainsFunc(parse(t, p, p.sources()), func(s source) bool {
			found := false
			ast.Inspect(s.file, func(n ast.Node) bool {
				_, isGo := n.(*ast.GoStmt)
				found = found || isGo
				return !found
			})
			return found
		})
		if !starts {
			continue
		}
		assert.True(t, slices.ContainsFunc(parse(t, p, p.tests()), func(s source) bool {
			return s.imports("go.uber.org/goleak")
		}), "%s starts goroutines: its TestMain calls goleak.VerifyTestMain", p.room())
	}
}

var unfinished = regexp.MustCompile(`\b(TODO|FIXME|XXX|HACK)\b`)

// What is left to do stands in an issue, where it is seen, not in a comment.
func TestCommentsPromiseNothing(t *testing.T) {
	for _, p := range packages(t) {
		for _, s := range parse(t, p, concat(p.sources(), p.tests())) {
			for _, c := range s.file.Comments {
				assert.False(t, unfinished.MatchString(c.Text()), "%s: unfinished: %s", s.at(c), c.Text())
			}
		}
	}
}
