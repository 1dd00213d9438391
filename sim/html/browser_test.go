package html

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tickwheel/tickwheel/sim/report"
)

// browser starts a headless Chromium for the test.
func browser(t *testing.T) context.Context {
	t.Helper()
	path := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "chrome"} {
		if p, err := exec.LookPath(name); err == nil {
			path = p
			break
		}
	}
	if path == "" {
		t.Skip("no Chromium on this machine: install the package chromium to test the page")
	}
	opts := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.UserDataDir(t.TempDir()))
	if os.Geteuid() == 0 {
		opts = append(opts, chromedp.NoSandbox) // it refuses to sandbox for root, which CI often is
	}
	ctx, cancel := chromedp.NewExecAllocator(context.Background(), opts...)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewContext(ctx)
	t.Cleanup(cancel)
	require.NoError(t, chromedp.Do(ctx))
	return ctx
}

// visit is a page in a tab of its own, with all that it complained about.
type visit struct {
	ctx context.Context
	mu  sync.Mutex
	bad []string
}

type screen struct {
	width, height int64
	scheme        string
}

// open shows s on a screen of the given size.
func open(t *testing.T, parent context.Context, s *report.Set, sc screen) *visit {
	t.Helper()
	path := filepath.Join(t.TempDir(), File)
	require.NoError(t, os.WriteFile(path, []byte(written(t, s)), 0o644))
	ctx, cancel := chromedp.NewContext(parent)
	t.Cleanup(cancel)
	v := &visit{ctx: ctx}
	require.NoError(t, chromedp.Listen(ctx, func(ev any) {
		switch ev := ev.(type) {
		case *runtime.EventConsoleAPICalled:
			v.complain("console." + string(ev.Type))
		case *runtime.EventExceptionThrown:
			v.complain(fmt.Sprintf("exception: %+v", ev.ExceptionDetails))
		case *log.EventEntryAdded:
			v.complain("log: " + ev.Entry.Text)
		case *network.EventRequestWillBeSent:
			if u := ev.Request.URL; !strings.HasPrefix(u, "file:") && !strings.HasPrefix(u, "data:") {
				v.complain("it loads " + u)
			}
		}
	}))
	v.do(t, call(log.Enable, cdp.Empty{}), call(network.Enable, network.EnableParams{}),
		call(emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{
			Width: sc.width, Height: sc.height, DeviceScaleFactor: 2, Mobile: sc.width < 700,
		}),
		call(emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
			Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: sc.scheme}},
		}),
		chromedp.Navigate("file://"+filepath.ToSlash(path)))
	return v
}

// call makes an action of a command.
func call[P, R any](cmd cdp.Command[P, R], params P) chromedp.Action[chromedp.Void] {
	return chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := cdp.Call(ctx, t, cmd, params)
		return err
	})
}

func (v *visit) complain(what string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.bad = append(v.bad, what)
}

func (v *visit) do(t *testing.T, actions ...chromedp.Action[chromedp.Void]) {
	t.Helper()
	require.NoError(t, chromedp.Do(v.ctx, actions...))
}

// eval returns what an expression is on the page.
func eval[T any](t *testing.T, v *visit, expression string) T {
	t.Helper()
	got, err := chromedp.Run(v.ctx, chromedp.Evaluate[T](expression))
	require.NoError(t, err, expression)
	return got
}

// run runs a statement on the page.
func (v *visit) run(t *testing.T, statement string) {
	t.Helper()
	eval[bool](t, v, "("+statement+", true)")
}

// mouse moves, presses or releases the left button.
func mouse(what input.DispatchMouseEventType, x, y float64) chromedp.Action[chromedp.Void] {
	if what == input.DispatchMouseEventTypeMouseMoved {
		return chromedp.MouseEvent(what, x, y)
	}
	return chromedp.MouseEvent(what, x, y, chromedp.ClickCount(1), func(p *input.DispatchMouseEventParams) {
		p.Button = input.MouseButtonLeft
	})
}

func (v *visit) isClean(t *testing.T) {
	t.Helper()
	v.mu.Lock()
	defer v.mu.Unlock()
	assert.Empty(t, v.bad)
}

// drawn is how many canvases there are, and how many of them show less than a
// thousandth of their pixels in any colour.
const drawn = `(() => { const cs = [...document.querySelectorAll("canvas")]; return [cs.length, cs.filter((c) => {
  const k = Object.assign(document.createElement("canvas"), { width: c.width, height: c.height }), g = k.getContext("2d", { willReadFrequently: true });
  g.drawImage(c, 0, 0);
  const d = g.getImageData(0, 0, c.width, c.height).data; let n = 0;
  for (let i = 3; i < d.length; i += 4) if (d[i]) n++;
  return n < c.width * c.height / 1000; }).length]; })()`

// unreadable lists texts with too little contrast or too small, by WCAG's formula:
// 4.5 to 1, 12 pixels.
const unreadable = `(() => {
  const rgb = (s) => { const m = s.match(/[\d.]+/g).map(Number); return m.length > 3 && m[3] === 0 ? null : m; };
  const lum = (c) => { const f = c.slice(0, 3).map((v) => (v /= 255) <= 0.03928 ? v / 12.92 : Math.pow((v + 0.055) / 1.055, 2.4)); return 0.2126 * f[0] + 0.7152 * f[1] + 0.0722 * f[2]; };
  const back = (e) => { for (; e; e = e.parentElement) { const c = rgb(getComputedStyle(e).backgroundColor); if (c) return c; } return [255, 255, 255]; };
  const bad = [];
  for (const e of document.querySelectorAll("main *")) {
    if (![...e.childNodes].some((n) => n.nodeType === 3 && n.data.trim()) || !e.offsetParent) continue;
    const s = getComputedStyle(e), a = lum(rgb(s.color)), b = lum(back(e)), ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (ratio < 4.5 || parseFloat(s.fontSize) < 12) bad.push(e.textContent.trim().slice(0, 40) + " " + ratio.toFixed(2) + " " + s.fontSize);
  }
  return bad; })()`

// wide lists what reaches over the edge of the screen and cannot be scrolled there.
const wide = `[...document.querySelectorAll("main *")].filter((e) => e.getBoundingClientRect().right > document.documentElement.clientWidth + 1 && !e.closest(".scroll, pre, .uplot")).map((e) => e.tagName + " " + e.className)`

func TestThePageIsDrawnOnEveryScreen(t *testing.T) {
	ctx := browser(t)
	s := results(t, nil, "nothing", "cap", "jitter+cap+workers")
	for _, sc := range []screen{{1280, 900, "light"}, {1280, 900, "dark"}, {390, 844, "light"}, {390, 844, "dark"}} {
		t.Run(fmt.Sprintf("%d_%s", sc.width, sc.scheme), func(t *testing.T) {
			v := open(t, ctx, s, sc)
			counts := eval[[]int](t, v, drawn)
			// A timeline a run, percentiles, backlog and lateness of the cap.
			assert.Equal(t, []int{6, 0}, counts, "canvases, and empty ones")
			assert.Empty(t, eval[[]string](t, v, unreadable))
			assert.Empty(t, eval[[]string](t, v, wide))
			assert.LessOrEqual(t, eval[int](t, v, "document.documentElement.scrollWidth"), int(sc.width))
			assert.Equal(t, sc.scheme == "dark", eval[bool](t, v, `getComputedStyle(document.body).backgroundColor !== "rgb(255, 255, 255)"`))
			assert.Equal(t, 10, eval[int](t, v, `document.querySelectorAll("#slow tbody tr").length`))
			// Every policy can be looked at, and the one with workers shows them.
			for i := range s.Runs {
				v.run(t, fmt.Sprintf(`document.querySelectorAll("#details .pick button")[%d].click()`, i))
				assert.Zero(t, eval[[]int](t, v, drawn)[1])
			}
			assert.Equal(t, 2, eval[int](t, v, `document.querySelectorAll("#jobs canvas, #busy canvas").length`))
			v.run(t, `document.querySelectorAll("#percentiles button")[1].click()`)
			assert.Zero(t, eval[[]int](t, v, drawn)[1])
			assert.Empty(t, eval[[]string](t, v, unreadable))
			v.isClean(t)
		})
	}
}

const (
	move    = input.DispatchMouseEventTypeMouseMoved
	press   = input.DispatchMouseEventTypeMousePressed
	release = input.DispatchMouseEventTypeMouseReleased
)

func TestZoomAndHover(t *testing.T) {
	v := open(t, browser(t), results(t, nil, "nothing", "cap"), screen{1280, 900, "light"})
	span := func() []float64 { return eval[[]float64](t, v, "simulate.range()") }
	whole := span()
	require.Equal(t, 0.0, whole[0])
	require.InDelta(t, 40, whole[1], 1)

	// A mark.
	v.run(t, `document.querySelectorAll("#timeline .zoom button")[2].click()`)
	assert.Less(t, span()[1]-span()[0], 10.0)
	assert.Less(t, span()[0], 24.0, "the storm is in it")
	assert.Greater(t, span()[1], 24.0)
	assert.Equal(t, []bool{true, true}, eval[[]bool](t, v,
		`simulate.charts().filter((u) => u.root.closest("#timeline, #backlog")).map((u) => Math.abs(u.scales.x.min - simulate.range()[0]) < 1e-9).slice(0, 2)`), "all charts show the same")

	// Dragging, and back by a double click.
	box := eval[[]float64](t, v, `(() => { document.querySelector("#timeline").scrollIntoView(); const b = document.querySelector("#timeline .u-over").getBoundingClientRect(); return [b.left, b.top, b.width, b.height]; })()`)
	x, y := func(part float64) float64 { return box[0] + part*box[2] }, box[1]+box[3]/2
	before := span()
	v.do(t, mouse(move, x(0.2), y), mouse(move, x(0.25), y), mouse(press, x(0.25), y), mouse(move, x(0.4), y), mouse(move, x(0.5), y), mouse(release, x(0.5), y))
	assert.InDelta(t, (before[1]-before[0])/4, span()[1]-span()[0], 0.1, "a quarter of what was shown")
	v.run(t, `document.querySelector("#timeline .u-over").dispatchEvent(new MouseEvent("dblclick", {bubbles: true}))`)
	assert.Equal(t, whole, span())

	// Hovering over the storm says what made that tick long.
	at := eval[float64](t, v, `simulate.charts()[0].valToPos(24.05, "x")`)
	v.do(t, mouse(move, box[0]+at, y))
	read := eval[string](t, v, `document.querySelector("#timeline .panel .head span").textContent`)
	assert.Contains(t, read, "tick 480")
	assert.Regexp(t, `timers 40\d · most`, read)
	assert.Contains(t, read, "most: respawn · 40,0")

	// A row of the table goes there.
	v.run(t, `document.querySelector("#slow tbody tr").click()`)
	assert.Less(t, span()[1]-span()[0], 4.0)
	v.isClean(t)
}

// Results with nothing in them are a page that says so.
func TestOddResultsAreAPage(t *testing.T) {
	ctx := browser(t)
	many := results(t, nil, "nothing")
	for range 11 {
		many.Runs = append(many.Runs, many.Runs[0])
	}
	evil := results(t, nil, "nothing", "cap")
	evil.Runs[1].Label = strings.Repeat("a_very_long_name_without_spaces", 12) + "<img src=x onerror=alert(1)>"
	for name, s := range map[string]*report.Set{"interrupted": interrupted(t), "many": many, "evil": evil} {
		t.Run(name, func(t *testing.T) {
			v := open(t, ctx, s, screen{390, 844, "light"})
			assert.LessOrEqual(t, eval[int](t, v, "document.documentElement.scrollWidth"), 390)
			assert.Empty(t, eval[[]string](t, v, wide))
			assert.Zero(t, eval[[]int](t, v, drawn)[1])
			assert.Zero(t, eval[int](t, v, `document.querySelectorAll("img").length`))
			v.isClean(t)
		})
	}
}
