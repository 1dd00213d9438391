package tickwheel_test

import (
	"go/ast"
	"testing"

	"github.com/stretchr/testify/assert"
)

// Past about 400 lines a file, and past about 70 a function, holds a second idea
// that is easier to find under a name of its own. The limits leave some room, so
// that nobody splits in the wrong place for three lines.
const (
	maxFileLines     = 450
	maxFunctionLines = 80
	// Tests are long for other reasons: tables, scripts.
	maxTestFileLines = 600
)

func TestFilesAndFunctionsStayReadable(t *testing.T) {
	for _, p := range packages(t) {
		for _, s := range parse(t, p, p.sources()) {
			assert.LessOrEqual(t, s.lines(s.file), maxFileLines, "%s: lines", s.name)
			for _, d := range s.file.Decls {
				if f, ok := d.(*ast.FuncDecl); ok {
					assert.LessOrEqual(t, s.lines(f), maxFunctionLines, "%s: lines of %s", s.at(f), f.Name.Name)
				}
			}
		}
		for _, s := range parse(t, p, p.tests()) {
			assert.LessOrEqual(t, s.lines(s.file), maxTestFileLines, "%s: lines", s.name)
		}
	}
}

// lines is how many lines n covers.
func (s source) lines(n ast.Node) int {
	from, to := n.Pos(), n.End()
	if f, ok := n.(*ast.File); ok {
		from, to = f.FileStart, f.FileEnd
	}
	return s.fset.Position(to).Line - s.fset.Position(from).Line + 1
}
