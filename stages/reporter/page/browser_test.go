package page

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/restest/restest/stages/reporter"
)

// browser is a Chromium of the tests' own, which opens each page in a tab.
type browser struct {
	t   testing.TB
	ctx context.Context
}

func newBrowser(t testing.TB) *browser {
	t.Helper()
	var path string
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if found, err := exec.LookPath(name); err == nil {
			path = found
			break
		}
	}
	if path == "" {
		t.Skip("none of chromium, chromium-browser and google-chrome is installed")
	}
	options := []chromedp.ExecAllocatorOption{
		chromedp.ExecPath(path), chromedp.WSURLReadTimeout(2 * time.Minute), chromedp.UserDataDir(t.TempDir()), chromedp.Headless, chromedp.DisableGPU,
		chromedp.NoFirstRun, chromedp.Flag("disable-background-networking", true), chromedp.Flag("disable-component-update", true),
		chromedp.Flag("disable-sync", true), chromedp.Flag("disable-dev-shm-usage", true),
	}
	if os.Getuid() == 0 {
		options = append(options, chromedp.NoSandbox)
	}
	ctx, stop := chromedp.NewExecAllocator(context.Background(), options...)
	t.Cleanup(stop)
	ctx, end := chromedp.NewContext(ctx)
	t.Cleanup(end)
	if err := chromedp.Do(ctx); err != nil {
		t.Fatal("the browser does not start: ", err)
	}
	return &browser{t, ctx}
}

// step is something done in a tab that gives nothing.
type step = chromedp.Action[chromedp.Void]

// patient waits for what comes of a step on the busiest of machines.
var patient = chromedp.WithPollingTimeout(2 * time.Minute)

// do runs a script in the page.
func do(script string) step { return chromedp.Evaluate[chromedp.Void](script) }

// call is a command of the DevTools protocol.
func call[P any](command cdp.Command[P, cdp.Empty], params P) step {
	return func(ctx context.Context, tab *chromedp.Target) (chromedp.Void, error) {
		_, err := cdp.Call(ctx, tab, command, params)
		return chromedp.Void{}, err
	}
}

// tab is a page in the browser, and what went wrong in it.
type tab struct {
	t   testing.TB
	ctx context.Context

	mu    sync.Mutex
	wrong []string
}

// open opens the page of a report from a file, as a person would.
func (b *browser) open(t testing.TB, told *reporter.Report, first ...step) *tab {
	t.Helper()
	file := filepath.Join(t.TempDir(), "report.html")
	if err := os.WriteFile(file, []byte(written(t, told)), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, end := chromedp.NewContext(b.ctx)
	t.Cleanup(end)
	p := &tab{t: t, ctx: ctx}
	err := chromedp.Listen(ctx, func(event any) {
		p.mu.Lock()
		defer p.mu.Unlock()
		switch e := event.(type) {
		case *runtime.EventExceptionThrown:
			p.wrong = append(p.wrong, fmt.Sprintf("exception: %s %+v", e.ExceptionDetails.Text, e.ExceptionDetails.Exception))
		case *runtime.EventConsoleAPICalled:
			p.wrong = append(p.wrong, fmt.Sprintf("console: %s %v", e.Type, e.Args))
		case *log.EventEntryAdded:
			p.wrong = append(p.wrong, "log: "+e.Entry.Text)
		case *network.EventRequestWillBeSent:
			if !strings.HasPrefix(e.Request.URL, "file:") {
				p.wrong = append(p.wrong, "it asked for "+e.Request.URL)
			}
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	p.run(call(network.Enable, network.EnableParams{}), call(log.Enable, cdp.Empty{}), chromedp.EmulateViewport(1280, 900))
	p.run(first...)
	p.run(chromedp.Navigate("file://" + file))
	if !eval[bool](p, `document.documentElement.dataset.ready === "true"`) {
		p.fine()
		t.Fatal("the page's script did not come to its end")
	}
	return p
}

func (p *tab) run(steps ...step) {
	p.t.Helper()
	if err := chromedp.Do(p.ctx, steps...); err != nil {
		p.t.Fatal(err)
	}
}

// eval is what a script in the page gives.
func eval[V any](p *tab, script string) V {
	p.t.Helper()
	v, err := chromedp.Run(p.ctx, chromedp.Evaluate[V](script, chromedp.EvalAwaitPromise))
	if err != nil {
		p.t.Fatalf("%s: %v", script, err)
	}
	return v
}

func (p *tab) is(script string, want any) {
	p.t.Helper()
	if got := eval[any](p, script); fmt.Sprint(got) != fmt.Sprint(want) {
		p.t.Errorf("%s is %v, and should be %v", script, got, want)
	}
}

// fine fails the test if anything went wrong in the page.
func (p *tab) fine() {
	p.t.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, w := range p.wrong {
		p.t.Error(w)
	}
}

const (
	rows    = `document.querySelectorAll("#list > .finding").length`
	openAll = `document.querySelectorAll("#list > .finding h3 > button[aria-expanded=false]").forEach((b) => b.click())`
)

func TestThePageInABrowser(t *testing.T) {
	if testing.Short() {
		t.Skip("long, and all in one goroutine")
	}
	b := newBrowser(t)
	t.Run("opens without an error, whatever the run was", func(t *testing.T) {
		for name, told := range map[string]*reporter.Report{
			"a shop": shop(), "nothing": listed(&reporter.Report{}), "all values alike": filled("x"), "an API that is hostile": filled(hostile), "an odd number": filled("PT1S"),
		} {
			t.Run(name, func(t *testing.T) {
				p := b.open(t, told)
				p.run(do(openAll), do(`dispatchEvent(new Event("beforeprint")); dispatchEvent(new Event("afterprint"))`))
				p.is(`document.querySelectorAll("script").length`, 2)
				p.is(`document.querySelectorAll("img, iframe, object, embed, link").length`, 0)
				p.is(`typeof pwned`, "undefined")
				p.fine()
			})
		}
	})
	t.Run("filters the findings", func(t *testing.T) {
		p := b.open(t, shop())
		p.is(rows, 4)
		p.run(chromedp.Click(chromedp.CSS(`.segments button[value="warning"]`)))
		p.is(rows, 1)
		p.is(`document.querySelector(".count [role=status]").textContent`, "1 finding of 4")
		p.run(chromedp.Click(chromedp.CSS(`.segments button[value=""]`)))
		for _, row := range []struct {
			facet, value string
			rows         int
		}{{"code", "F200", 1}, {"operation", "addBook", 3}, {"status", "200", 2}, {"recheck", "flaky", 1}, {"known", "known", 1}} {
			p.run(do(fmt.Sprintf(`{ const s = document.querySelector("select[name=%s]"); s.value = %q; s.dispatchEvent(new Event("change")); }`, row.facet, row.value)))
			p.is(rows, row.rows)
			p.run(chromedp.Click(chromedp.CSS(`.count button`))) // clear
			p.is(rows, 4)
		}
		p.is(`document.querySelectorAll("select[name=certainty]").length`, 0) // all are certain: nothing to choose
		p.run(do(openAll))
		for i, want := range []string{
			"Sent again" + "confirmed: 2 answers showed it again", "Sent again" + "flaky: 1 of 3 answers showed it again",
			"Known" + "the cover service, until 2027-06-01" + "Shared" + "3 other operations show the same",
			"Breaks" + "query.q: maxLength" + "Sent again" + "gone: none of 2 answers showed it again",
		} {
			if got := eval[string](p, fmt.Sprintf(`document.querySelectorAll("#list > .finding")[%d].querySelector(".facts").textContent`, i)); !strings.Contains(got, want) {
				t.Errorf("finding %d tells %q, without %q", i, got, want)
			}
		}
		p.run(chromedp.SendKeys(chromedp.CSS(`#search`), "teapot"), chromedp.Poll[chromedp.Void](rows+` === 1`, patient))
		p.is(`document.querySelector("#list .title").textContent`, "F920The status code is not declared")
		p.run(chromedp.SendKeys(chromedp.CSS(`#search`), kb.Escape))
		p.is(rows, 4)
		p.run(do(`document.querySelector(".operations .link").click()`))
		p.is(rows, 3)
		p.fine()
	})
	t.Run("tells what is new against a baseline", func(t *testing.T) {
		earlier := shop()
		earlier.Format, earlier.Findings = "restest-report/1", slices.Concat(earlier.Findings[:1], earlier.Findings[2:], many(2, 10).Findings)
		file := filepath.Join(t.TempDir(), "report.json")
		var content bytes.Buffer
		if err := earlier.Write(&content); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, content.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
		p := b.open(t, shop())
		compared := `document.querySelector(".baseline [role=status]").textContent`
		p.run(chromedp.SetUploadFiles(chromedp.CSS("#baseline"), []string{file}), chromedp.Poll[chromedp.Void](compared+` !== ""`, patient))
		p.is(compared, "1 new, 3 still there, 2 of the earlier report not seen")
		p.run(do(`{ const s = document.querySelector("select[name=baseline]"); s.value = "new"; s.dispatchEvent(new Event("change")); }`))
		p.is(rows, 1)
		p.is(`document.querySelector("#list > .finding").id`, "f-aaaaaaaaaaa2")
		file += "2"
		if err := os.WriteFile(file, []byte(`{"format":"another"}`), 0o600); err != nil {
			t.Fatal(err)
		}
		p.run(chromedp.SetUploadFiles(chromedp.CSS("#baseline"), []string{file}), chromedp.Poll[chromedp.Void](compared+`.startsWith("That is no report")`, patient))
		p.fine()
	})
	t.Run("copies a finding", func(t *testing.T) {
		p := b.open(t, shop(), func(ctx context.Context, tab *chromedp.Target) (chromedp.Void, error) {
			_, err := cdp.Call(ctx, tab, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{
				Source: `Object.defineProperty(navigator, "clipboard", { value: { writeText: async (t) => { window.copied = t; } } })`,
			})
			return chromedp.Void{}, err
		})
		p.run(do(openAll))
		copied := func(what string) string {
			return eval[string](p, fmt.Sprintf(`document.querySelectorAll("#list > .finding")[1].querySelector("[data-copy=%s]").click(), new Promise((r) => setTimeout(() => r(copied), 0))`, what))
		}
		if got := copied("curl"); got != shop().Findings[1].Curl {
			t.Errorf("the command is %s", got)
		}
		if got, want := copied("http"), "POST /v1/books?q=1 HTTP/1.1\nHost: 127.0.0.1:8080\nAccept: application/json\nContent-Length: 11\n\n{\"pages\":1}"; got != want {
			t.Errorf("the request is %q", got)
		}
		issue := copied("issue")
		for _, part := range []string{"## F200: The body does not fit its schema\n", "- Operation: `POST /books`\n", "- At: `/books/1/pa~1ges`\n", "```sh\ncurl -X POST", "```http\nHTTP/1.1 200 OK\nContent-Type: application/json\n"} {
			if !strings.Contains(issue, part) {
				t.Errorf("the issue does not hold %q:\n%s", part, issue)
			}
		}
		p.is(`document.getElementById("said").textContent`, "The text of an issue was copied")
		p.fine()
	})
	t.Run("marks what is wrong", func(t *testing.T) {
		p := b.open(t, shop())
		p.run(do(openAll))
		marks := eval[[]string](p, `[...document.querySelectorAll("#list > .finding")].map((f) => [...f.querySelectorAll("mark")].map((m) => m.textContent).join("|"))`)
		if want := []string{"HTTP/1.1 500 OK", `"pa/ges": null`, "Content-Type: application/json", "HTTP/1.1 418 OK"}; !slices.Equal(marks, want) {
			t.Errorf("marked are %q, not %q", marks, want)
		}
		if text := eval[string](p, `document.querySelectorAll("#list > .finding")[1].querySelector(".pane + .pane pre").textContent`); !strings.Contains(text, `"id": 12345678901234567890`) {
			t.Errorf("a number is not shown as it came:\n%s", text)
		}
		p.fine()
	})
	t.Run("is worked by the keyboard", func(t *testing.T) {
		p := b.open(t, many(200, 10))
		focused := `[...document.querySelectorAll("#list > .finding")].indexOf(document.activeElement.closest(".finding"))`
		p.run(chromedp.KeyEvent("j"))
		p.is(focused, 0)
		p.run(chromedp.KeyEvent("jjk"))
		p.is(focused, 1)
		p.run(chromedp.KeyEvent(kb.Enter))
		p.is(`document.activeElement.getAttribute("aria-expanded")`, "true")
		p.run(chromedp.KeyEvent(strings.Repeat("j", 100)))
		p.is(focused, 101) // beyond those that were there at first
		p.run(chromedp.KeyEvent("/"))
		p.is(`document.activeElement.id`, "search")
		p.run(chromedp.KeyEvent("jk"))
		p.is(`document.activeElement.value`, "jk")
		p.fine()
	})
	t.Run("fits a phone", func(t *testing.T) {
		for name, told := range map[string]*reporter.Report{"a shop": shop(), "long words": filled(strings.Repeat("long", 100))} {
			p := b.open(t, told, chromedp.EmulateViewport(360, 800, chromedp.EmulateMobile))
			p.run(do(openAll))
			if wide := eval[int](p, `document.documentElement.scrollWidth`); wide > 360 {
				t.Errorf("%s: it is %d pixels wide, because of %s", name, wide, eval[string](p, `[...document.querySelectorAll("body *")].filter((e) => e.getBoundingClientRect().right > 361 && !e.closest(".scroll, pre, nav")).map((e) => e.tagName + "." + e.className).slice(0, 5).join(", ")`))
			}
			p.fine()
		}
	})
	t.Run("is read in light and in dark", func(t *testing.T) {
		for _, scheme := range []string{"light", "dark"} {
			p := b.open(t, shop(), call(emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}}))
			p.run(do(openAll))
			for _, faint := range eval[[]string](p, contrasts) {
				t.Errorf("in %s: %s", scheme, faint)
			}
			p.fine()
		}
	})
	t.Run("prints the first findings in full", func(t *testing.T) {
		p := b.open(t, many(200, 10))
		p.run(do(`dispatchEvent(new Event("beforeprint"))`))
		p.is(`document.querySelectorAll("#list > .finding .detail:not([hidden])").length`, 50)
		p.run(do(`dispatchEvent(new Event("afterprint"))`))
		p.is(`document.querySelectorAll("#list > .finding .detail:not([hidden])").length`, 0)
		p.fine()
	})
	t.Run("finds one of 5,000 findings", func(t *testing.T) {
		p := b.open(t, many(5000, 100))
		p.is(rows, 60)
		p.run(chromedp.SendKeys(chromedp.CSS(`#search`), "4999"), chromedp.Poll[chromedp.Void](rows+` === 1`, patient))
		p.fine()
	})
}

// Decision 0021: "It opens in less than two seconds with 5,000 findings".
func BenchmarkOpensInABrowser(b *testing.B) {
	chromium, told := newBrowser(b), many(5000, 100)
	took := 0.0
	for b.Loop() {
		p := chromium.open(b, told)
		took += eval[float64](p, `performance.getEntriesByType("navigation")[0].domContentLoadedEventEnd`)
		p.fine()
	}
	b.ReportMetric(took/float64(b.N), "ms/page")
}

// contrasts lists the texts whose contrast is less than 4.5 to 1 (WCAG 2.2, 1.4.3).
const contrasts = `(() => {
	const rgb = (c) => { const m = c.match(/[\d.]+/g).map(Number); return { c: m.slice(0, 3), a: m[3] ?? 1 }; };
	const light = (c) => { const [r, g, b] = c.map((v) => { v /= 255; return v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4; }); return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
	const ground = (e) => { for (; e; e = e.parentElement) { const b = rgb(getComputedStyle(e).backgroundColor); if (b.a === 1) return b.c; } return [255, 255, 255]; };
	const faint = new Set();
	for (const e of document.querySelectorAll("body *")) {
		if (!e.checkVisibility() || e.closest("[hidden], option, script, .skip") || ![...e.childNodes].some((n) => n.nodeType === 3 && n.textContent.trim())) continue;
		const [a, b] = [light(rgb(getComputedStyle(e).color).c), light(ground(e))].sort((x, y) => y - x);
		const contrast = (a + 0.05) / (b + 0.05);
		if (contrast < 4.5) faint.add(contrast.toFixed(2) + " to 1 in " + e.tagName + "." + e.className + ": " + e.textContent.trim().slice(0, 30));
	}
	return [...faint];
})()`
