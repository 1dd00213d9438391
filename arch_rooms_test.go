package tickwheel_test

import (
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// room is a row of the import table: a package, or with a trailing "/..." a
// package and all below it.
type room struct {
	path string
	// ours are the rooms it may import, third the modules. The standard library
	// is open to all but the rooms that arch_calls_test.go restricts.
	ours, third []string
	// tests are the rooms and modules that its tests may import besides these.
	tests []string
}

// Modules by the name the table and the document use.
const (
	gnet    = "github.com/panjf2000/gnet/v2"
	cobra   = "github.com/spf13/cobra"
	profile = "github.com/pkg/profile"
	bbolt   = "go.etcd.io/bbolt"
	gonum   = "gonum.org/v1/plot"
	yaml    = "go.yaml.in/yaml/v3"
	image   = "golang.org/x/image"
	pgx     = "github.com/jackc/pgx/v5"
	goRedis = "github.com/redis/go-redis/v9"
	hdr     = "github.com/HdrHistogram/hdrhistogram-go"
	// chromedp drives a browser in tests.
	chromedp = "github.com/chromedp"
)

// rooms is the import table, from the bottom up: a row names only rows above it,
// so the arrows can form no circle. docs/architecture.md shows the same table.
// Rows may stand here before their package exists; never the other way round.
var rooms = []room{
	{path: "internal/..."},
	{path: "timers"},
	{path: "tick", ours: list("timers")},
	{path: "tick/ticktest", ours: list("timers tick")},
	{path: "session", ours: list("timers tick")},
	{path: ".", tests: list("timers tick session")},

	{path: "durable", ours: list("timers tick")},
	{path: "durable/storetest", ours: list("durable timers tick")},
	{path: "durable/memstore", ours: list("durable timers tick")},
	{path: "durable/boltstore", ours: list("durable timers tick"), third: list(bbolt)},
	{path: "durable/pgstore", ours: list("durable timers tick"), third: list(pgx)},
	{path: "durable/redisstore", ours: list("durable timers tick"), third: list(goRedis)},

	{path: "sim/plot", third: list(gonum, image)},
	{path: "sim/schemes", ours: list("timers")},
	{path: "sim/oracle", ours: list("timers")},
	{path: "sim/check", ours: list("timers tick session sim/oracle")},
	{path: "sim", third: list(yaml), ours: list("timers tick session durable durable/memstore sim/schemes sim/oracle internal/...")},
	{path: "sim/report", third: list(hdr), ours: list("timers tick session sim sim/plot internal/...")},
	{path: "sim/html", ours: list("timers tick session sim sim/report internal/..."), tests: list(chromedp)},

	{path: "cmd/simulate/...", third: list(cobra, profile),
		ours: list("timers tick session durable sim sim/plot sim/schemes sim/oracle sim/check sim/report sim/html internal/...")},
	{path: "cmd/gameserver/protocol"},
	{path: "cmd/simulate/clients", ours: list("cmd/gameserver/protocol"), third: list(hdr), tests: list("tick cmd/gameserver/...")},
	{path: "cmd/gameserver/store", third: list(bbolt), tests: list("cmd/gameserver/...")},
	{path: "cmd/gameserver/world", tests: list("cmd/gameserver/..."),
		ours: list("timers tick session durable internal/... cmd/gameserver/protocol cmd/gameserver/store")},
	{path: "cmd/gameserver/ops", tests: list("cmd/gameserver/..."),
		ours: list("timers tick session internal/... cmd/gameserver/world")},
	{path: "cmd/gameserver/server", third: list(gnet), tests: list("cmd/gameserver/..."),
		ours: list("timers tick session internal/... cmd/gameserver/protocol cmd/gameserver/store cmd/gameserver/world cmd/gameserver/ops")},
	{path: "cmd/gameserver/client", ours: list("internal/... cmd/gameserver/protocol"), tests: list("cmd/gameserver/...")},
	{path: "cmd/gameserver", third: list(cobra, profile), tests: list("cmd/gameserver/..."),
		ours: list("timers tick session durable internal/... cmd/gameserver/protocol cmd/gameserver/store cmd/gameserver/world cmd/gameserver/ops cmd/gameserver/server cmd/gameserver/client")},
}

var (
	testModules = list("github.com/stretchr/testify", "go.uber.org/goleak", "pgregory.net/rapid")
	testRooms   = list("tick/ticktest durable/storetest internal/...")
)

func list(words ...string) []string { return strings.Fields(strings.Join(words, " ")) }

// covers reports whether pattern, a row's path or a module, covers an import.
func covers(pattern, path string) bool {
	if base, ok := strings.CutSuffix(pattern, "/..."); ok {
		return path == base || strings.HasPrefix(path, base+"/")
	}
	return path == pattern
}

func coveredByAny(patterns []string, path string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool { return covers(p, path) })
}

// roomOf returns the row of a package: the exact one before a "/..." one.
func roomOf(path string) (room, bool) {
	if i := slices.IndexFunc(rooms, func(r room) bool { return r.path == path }); i >= 0 {
		return rooms[i], true
	}
	i := slices.IndexFunc(rooms, func(r room) bool { return covers(r.path, path) })
	if i < 0 {
		return room{}, false
	}
	return rooms[i], true
}

// refuses returns why r must not import path, or "".
func (r room) refuses(path string, inTest bool) string {
	ours, modules := r.ours, r.third
	if inTest {
		ours = concat(ours, r.tests, testRooms, []string{r.path})
		modules = concat(modules, r.tests, testModules)
	}
	switch below, own := strings.CutPrefix(path, modulePath+"/"); {
	case path == modulePath:
		return "the root package has nothing to import"
	case own && covers(r.path, below), own && coveredByAny(ours, below):
		return ""
	case own:
		return "the table has no arrow from " + r.path + " to " + below
	case !strings.Contains(strings.Split(path, "/")[0], "."):
		return "" // standard library
	case slices.ContainsFunc(modules, func(m string) bool { return covers(m+"/...", path) }):
		return ""
	default:
		return "the table does not give " + r.path + " that module"
	}
}

func TestImportsFollowTheTable(t *testing.T) {
	for _, p := range packages(t) {
		r, ok := roomOf(p.room())
		if !ok {
			t.Errorf("package %s is not in the import table: add a row to rooms (arch_rooms_test.go) and to docs/architecture.md, below all it imports", p.room())
			continue
		}
		check := func(files []string, inTest bool) {
			for _, s := range parse(t, p, files) {
				for _, im := range s.file.Imports {
					path, err := strconv.Unquote(im.Path.Value)
					require.NoError(t, err)
					if why := r.refuses(path, inTest); why != "" {
						t.Errorf("%s: imports %s: %s", s.at(im), path, why)
					}
				}
			}
		}
		check(p.sources(), false)
		check(p.tests(), true)
	}
}

func TestTableHasNoCircle(t *testing.T) {
	for i, r := range rooms {
		for _, to := range r.ours {
			at := slices.IndexFunc(rooms, func(r room) bool { return r.path == to })
			require.GreaterOrEqual(t, at, 0, "%s may import %s, which is no row", r.path, to)
			assert.Less(t, at, i, "%s may import %s, which stands below it", r.path, to)
		}
	}
}

func TestTableRefusesWhatItShould(t *testing.T) {
	for _, c := range []struct {
		from, imports string
		inTest        bool
		want          bool
	}{
		{"timers", "errors", false, true},
		{"timers", modulePath + "/tick", false, false},
		{"timers", modulePath + "/tick", true, false},
		{"timers", "github.com/stretchr/testify/require", false, false},
		{"timers", "github.com/stretchr/testify/require", true, true},
		{"tick", modulePath + "/timers", false, true},
		{"tick", modulePath + "/tick/ticktest", false, false},
		{"tick", modulePath + "/tick/ticktest", true, true},
		{"session", "github.com/panjf2000/gnet/v2", false, false},
		{"sim/plot", "gonum.org/v1/plot/vg", false, true},
		{"sim/plot", "gonum.org/v1/plotter", false, false},
		{"sim", modulePath + "/cmd/simulate", false, false},
		{"cmd/simulate", modulePath + "/cmd/simulate/flags", false, true},
		{"cmd/gameserver/server", gnet + "/pkg/logging", false, true},
		{"cmd/gameserver/world", gnet, false, false},
	} {
		r, ok := roomOf(c.from)
		require.True(t, ok, c.from)
		why := r.refuses(c.imports, c.inTest)
		assert.Equal(t, c.want, why == "", "%s imports %s (test: %v): %s", c.from, c.imports, c.inTest, why)
	}
}

// The document shows the table to readers, so it must be the one that is held.
func TestArchitectureShowsTheTable(t *testing.T) {
	text, err := os.ReadFile("docs/architecture.md")
	require.NoError(t, err)
	_, after, ok := strings.Cut(string(text), "<!-- import table -->")
	require.True(t, ok, "docs/architecture.md: no <!-- import table --> mark")
	var got, want []string
	for line := range strings.Lines(after) {
		line = strings.TrimSpace(line)
		if line == "" && len(got) > 0 {
			break
		}
		if cells := strings.Split(line, "|"); len(cells) == 6 && strings.HasPrefix(strings.TrimSpace(cells[1]), "`") {
			got = append(got, tableRow(cells[1], cells[3], cells[4]))
		}
	}
	for _, r := range rooms {
		want = append(want, tableRow(r.path, strings.Join(r.ours, " "), strings.Join(r.third, " ")))
	}
	assert.Equal(t, want, got, "docs/architecture.md and the table in arch_rooms_test.go differ")
}

// tableRow brings a row of the document and one of the table into one shape.
func tableRow(path, ours, third string) string {
	clean := func(s string) string {
		words := strings.FieldsFunc(s, func(r rune) bool { return strings.ContainsRune("` ,–", r) })
		return strings.Join(words, " ")
	}
	return clean(path) + " → " + clean(ours) + " + " + clean(third)
}
