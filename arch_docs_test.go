package tickwheel_test

import (
	"go/ast"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// coreHeadings stand in the documentation of every core package, in this order.
// Others may stand between them.
var coreHeadings = list("Guarantees", "Units", "Concurrency") // and "Not provided", two words

// packageDoc returns the comment in front of a package clause of p, the longest
// if several files have one, and in how many files there is one.
func packageDoc(sources []source) (doc string, files int) {
	for _, s := range sources {
		if s.file.Doc == nil {
			continue
		}
		// Directives such as //go:build are not part of the text.
		if text := s.file.Doc.Text(); strings.TrimSpace(text) != "" {
			files++
			if len(text) > len(doc) {
				doc = text
			}
		}
	}
	return doc, files
}

func TestEveryPackageSaysWhatItIs(t *testing.T) {
	for _, p := range packages(t) {
		if len(p.sources()) == 0 {
			continue // tests only
		}
		doc, files := packageDoc(parse(t, p, p.sources()))
		if !assert.Equal(t, 1, files, "%s: the package comment belongs in one file", p.room()) {
			continue
		}
		assert.Regexp(t, docStart(p), doc, "%s: the package comment starts the wrong way", p.room())
		first, _, _ := strings.Cut(doc, "\n\n")
		assert.Contains(t, strings.TrimSpace(first)+" ", ". ", "%s: the package comment's first paragraph is no sentence", p.room())
	}
}

// docStart is how the comment of p must begin: "Package timers …" or, for a
// program, "Simulate …" or "Command simulate …".
func docStart(p goPackage) *regexp.Regexp {
	if p.Name != "main" {
		return regexp.MustCompile(`^Package ` + p.Name + ` `)
	}
	base := p.room()[strings.LastIndex(p.room(), "/")+1:]
	return regexp.MustCompile(`^(Command ` + base + `|` + strings.ToUpper(base[:1]) + base[1:] + `) `)
}

func TestCorePackagesHaveTheHeadings(t *testing.T) {
	want := append(slices.Clone(coreHeadings), "Not provided")
	for _, p := range packages(t) {
		if !slices.Contains(list("timers tick session"), p.room()) {
			continue
		}
		doc, _ := packageDoc(parse(t, p, p.sources()))
		var got []string
		for line := range strings.Lines(doc) {
			if h, ok := strings.CutPrefix(strings.TrimSpace(line), "# "); ok && slices.Contains(want, h) {
				got = append(got, h)
			}
		}
		assert.Equal(t, want, got, "%s: headings of the package comment", p.room())
	}
}

// Exported names of the core carry a comment; for functions and types it begins
// with the name, so that it reads well wherever go doc shows it.
func TestCoreDocumentsWhatItExports(t *testing.T) {
	for _, p := range packages(t) {
		if !slices.Contains(list("timers tick session"), p.room()) {
			continue
		}
		for _, s := range parse(t, p, p.sources()) {
			for _, v := range undocumented(s) {
				t.Error(v)
			}
		}
	}
}

// undocumented returns the exported declarations of s without a proper comment.
func undocumented(s source) []string {
	var found []string
	check := func(n ast.Node, name string, doc string, named bool) {
		switch {
		case !ast.IsExported(name):
		case strings.TrimSpace(doc) == "":
			found = append(found, s.at(n)+": "+name+" has no comment")
		case named && !regexp.MustCompile(`^(An? |The )?`+name+`\b`).MatchString(doc):
			found = append(found, s.at(n)+": the comment of "+name+" does not begin with its name")
		}
	}
	for _, d := range s.file.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Recv == nil || ast.IsExported(receiver(d)) {
				check(d, d.Name.Name, d.Doc.Text(), true)
			}
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				switch spec := spec.(type) {
				case *ast.TypeSpec:
					check(spec, spec.Name.Name, d.Doc.Text()+spec.Doc.Text(), len(d.Specs) == 1)
				case *ast.ValueSpec: // one comment may serve a group
					doc := d.Doc.Text() + spec.Doc.Text() + spec.Comment.Text()
					check(spec, spec.Names[0].Name, doc, false)
				}
			}
		}
	}
	return found
}

// receiver is the name of d's receiver type, without pointer and parameters.
func receiver(d *ast.FuncDecl) string {
	e := d.Recv.List[0].Type
	for {
		switch x := e.(type) {
		case *ast.StarExpr:
			e = x.X
		case *ast.IndexExpr:
			e = x.X
		case *ast.IndexListExpr:
			e = x.X
		case *ast.Ident:
			return x.Name
		default:
			return ""
		}
	}
}

func TestDocCheckerFindsPlantedGaps(t *testing.T) {
	s := parseText(t, "tick/planted.go", `package tick

type A struct{}

// B is fine.
type B[T any] struct{}

// Something else.
func (b *B[T]) C() {}

func (b B[T]) D() {}

func (hidden) E() {}

// Errors of this package.
var F, G = 1, 2

// H does h.
func H() {}
`)
	assert.Equal(t, []string{
		"tick/planted.go:3: A has no comment",
		"tick/planted.go:9: the comment of C does not begin with its name",
		"tick/planted.go:11: D has no comment",
	}, undocumented(s))
}
