package browser

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

var pictures = flag.String("lanewise.pictures", "", "write a picture of each view to this directory")

// page is a tab that shows the inspector.
type page struct {
	*testing.T
	ctx context.Context

	mu         sync.Mutex
	complaints []string // messages of the console
}

// open starts a browser with the given flags, and opens the page at an address. If no browser is installed, open
// skips the test. CI has a browser.
func open(t *testing.T, address string, flags ...chromedp.ExecAllocatorOption) *page {
	t.Helper()
	bin := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if found, err := exec.LookPath(name); err == nil && bin == "" {
			bin = found
		}
	}
	if bin == "" {
		t.Skip("no browser: install chromium")
	}
	opts := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(bin), chromedp.NoSandbox, chromedp.UserDataDir(t.TempDir()),
		chromedp.Flag("enable-unsafe-swiftshader", true)) // WebGL without a graphics card
	ctx, end := chromedp.NewExecAllocator(context.Background(), append(opts, flags...)...)
	t.Cleanup(end)
	ctx, end = chromedp.NewContext(ctx)
	t.Cleanup(end)
	p := &page{T: t, ctx: ctx}
	if _, err := chromedp.Run(ctx, chromedp.Evaluate[int]("1")); err != nil { // starts the browser, so it must not run under a timeout
		t.Fatal(err)
	}
	messages := chromedp.Console(ctx)
	go func() {
		for m, err := range messages {
			if err != nil {
				return // the test has ended
			}
			if strings.Contains(m.String(), "GL Driver Message (OpenGL, Performance") {
				continue // a screenshot waits for the picture of WebGL
			}
			p.mu.Lock()
			p.complaints = append(p.complaints, m.String())
			p.mu.Unlock()
		}
	}()
	p.ctx, end = context.WithTimeout(ctx, 3*time.Minute)
	t.Cleanup(end)
	p.do(chromedp.EmulateViewport(1280, 900))
	p.do(chromedp.Navigate(address))
	return p
}

// checkConsole fails if the console has any messages.
func (p *page) checkConsole() {
	p.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, c := range p.complaints {
		p.Error(c)
	}
	p.complaints = nil
}

func (p *page) do(a chromedp.Action[chromedp.Void]) {
	p.Helper()
	if _, err := chromedp.Run(p.ctx, a); err != nil {
		p.Fatal(err)
	}
}

// isTrue evaluates a boolean expression.
func (p *page) isTrue(expression string) bool {
	p.Helper()
	got, err := chromedp.Run(p.ctx, chromedp.Evaluate[bool]("Boolean("+expression+")"))
	if err != nil {
		p.Fatalf("%s: %v", expression, err)
	}
	return got
}

// text evaluates an expression whose value is a string.
func (p *page) text(expression string) string {
	p.Helper()
	got, err := chromedp.Run(p.ctx, chromedp.Evaluate[string]("String("+expression+")"))
	if err != nil {
		p.Fatalf("%s: %v", expression, err)
	}
	return got
}

// waitTrue waits until an expression is true.
func (p *page) waitTrue(what, expression string) {
	p.Helper()
	for end := time.Now().Add(20 * time.Second); !p.isTrue(expression); time.Sleep(50 * time.Millisecond) {
		if time.Now().After(end) {
			p.Fatalf("%s: not after 20 s; the page says:\n%s", what, clip(p.text("document.body.innerText")))
		}
	}
}

func clip(s string) string { return s[:min(len(s), 2000)] }

// click clicks the first element that a selector finds. It waits until the element is visible,
// because a user could not click it before.
func (p *page) click(selector string) {
	p.Helper()
	p.waitTrue(selector+" is there", fmt.Sprintf("document.querySelector(%q)", selector))
	p.do(chromedp.Click(chromedp.CSS(selector)))
}

// key presses a key.
func (p *page) key(keys string) {
	p.Helper()
	p.do(chromedp.KeyEvent(keys))
}

// waitDrawn waits until a view has drawn its contents.
func (p *page) waitDrawn(view string) {
	p.Helper()
	p.waitTrue(view+" is shown", fmt.Sprintf("document.querySelector('main.view-%s .body')?.innerText.length > 40 && !document.querySelector('main.stale')", view))
}

// picture saves a screenshot of the page if screenshots are wanted.
func (p *page) picture(name string) {
	p.Helper()
	if *pictures == "" {
		return
	}
	png, err := chromedp.Run(p.ctx, chromedp.CaptureScreenshot())
	if err != nil {
		p.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(*pictures, name+".png"), png, 0o644); err != nil {
		p.Fatal(err)
	}
}

// words lists the texts that each view must show.
var words = map[string][]string{
	"frame":      {"on 2 workers", "transform.TRSToLocalToWorld", "waits", "Translation", "nothing matches"},
	"order":      {"Critical path", "Dependencies", "Advice", "Sync points"},
	"archetypes": {"chunks of", "transform.Translation", "entities"},
	"entities":   {"entities match", "Velocity", "next"},
	"picture":    {"Translation.X", "least", "mean"},
	"watches":    {"count QUERY"},
	"changes":    {"Playback", "browser.refill", "Create"},
	"memory":     {"heap", "Pauses of the collector", "Slow frames"},
	"worlds":     {"fountain", "Loop"},
}

// TestViews opens every view by its link and by its key, in both colour schemes and at two widths. The
// console must stay empty.
//
// Conformance: 478
func TestViews(t *testing.T) {
	p := open(t, fountain(t).address)
	p.waitDrawn("frame")
	views := []string{"frame", "order", "archetypes", "entities", "picture", "watches", "changes", "memory", "worlds"}
	for k, view := range views {
		p.click("#nav a:nth-child(" + fmt.Sprint(k+1) + ")")
		p.waitDrawn(view)
		for _, w := range words[view] {
			p.waitTrue(view+" says "+w, fmt.Sprintf("document.querySelector('main').innerText.includes(%q)", w))
		}
		p.picture("light-" + view)
		p.checkConsole()
	}
	before := p.text("document.documentElement.dataset.theme")
	p.key("t")
	p.waitTrue("the colours change", fmt.Sprintf("document.documentElement.dataset.theme !== %q", before))
	for k, view := range views {
		p.key(fmt.Sprint(k + 1))
		p.waitDrawn(view)
		p.picture("dark-" + view)
	}
	p.do(chromedp.EmulateViewport(400, 800))
	for k, view := range views {
		p.key(fmt.Sprint(k + 1))
		p.waitDrawn(view)
		if p.isTrue("document.documentElement.scrollWidth > innerWidth + 1") {
			t.Errorf("%s is wider than 400 pixels: %s", view, p.text("document.documentElement.scrollWidth"))
		}
		p.picture("narrow-" + view)
	}
	p.checkConsole()
}

// TestEverythingHasAName checks that every element that takes clicks or text has an accessible name.
// Screen readers depend on it.
func TestEverythingHasAName(t *testing.T) {
	p := open(t, fountain(t).address)
	for k := range 9 {
		p.waitTrue("the page is there", "document.querySelector('main .body')")
		p.key(fmt.Sprint(k + 1))
		time.Sleep(300 * time.Millisecond)
		if bare := p.text(`[...document.querySelectorAll("a, button, input, select, canvas, [role=img]")].filter((e) => !(e.getAttribute("aria-label") || e.innerText?.trim() || e.labels?.length)).map((e) => e.outerHTML.slice(0, 200)).join("\n")`); bare != "" {
			t.Errorf("without a name in view %d:\n%s", k+1, bare)
		}
	}
	p.checkConsole()
}

// TestUse uses the page as a person does. It looks for entities, follows a reference, edits a value
// and watches it. Then it pauses the world, steps, continues, and switches a system off.
func TestUse(t *testing.T) {
	world := fountain(t)
	p := open(t, world.address)
	p.waitDrawn("frame")
	frame := "+document.getElementById('number').innerText.replace(/\\D/g, '')"
	first := p.text(frame)
	p.waitTrue("frames are counted", frame+" > "+first)

	// Enter a query, first with a wrong name.
	p.key("/")
	p.waitDrawn("entities")
	p.waitTrue("the query has the focus or can have it", "document.querySelector('[data-query]')")
	query := func(text string) {
		p.do(chromedp.Evaluate[chromedp.Void]("document.querySelector('[data-query]').focus(), document.querySelector('[data-query]').select()"))
		p.key(text + "\r")
	}
	query("Tranlation")
	p.waitTrue("the wrong name is told", "document.querySelector('.wrong')?.innerText.includes('Tranlation')")
	p.mu.Lock()
	p.complaints = nil // the browser itself logs a response with code 400
	p.mu.Unlock()
	query("Parent")
	p.waitTrue("eight lamps", "document.querySelector('main').innerText.includes('8 entities match')")
	p.click("table.entities td a") // the wheel, the value of Parent
	p.waitTrue("the wheel's own page", "document.querySelector('h1')?.innerText.includes('the wheel')")
	p.waitTrue("its family", "document.querySelectorAll('.tree li').length === 9")
	p.waitTrue("which systems match", "document.querySelector('.matching').innerText.includes('browser.turn')")

	// An edit reaches the world.
	edit := `input[aria-label="transform.Translation Y"]`
	p.click(edit)
	p.do(chromedp.Evaluate[chromedp.Void](fmt.Sprintf("document.querySelector(%q).select()", edit)))
	p.key("7.5\r")
	p.waitTrue("the value has changed", fmt.Sprintf("document.querySelector(%q)?.value === '7.5'", edit))
	world.waitUntil(t, "the wheel is higher", func() bool { return world.height.Load() == 75 })

	// Watch it.
	p.click(`a[aria-label="watch browser.Spin Z"]`)
	p.waitDrawn("watches")
	p.waitTrue("it is drawn", "document.querySelector('canvas.line')?.getAttribute('aria-label').includes('now 1')")

	// Pause, step, continue. Requests are answered while the world is paused.
	p.key("1")
	p.waitDrawn("frame")
	p.click("#pause")
	p.waitTrue("it is paused", "document.getElementById('pause').innerText === 'resume'")
	time.Sleep(500 * time.Millisecond)
	at := p.text(frame)
	time.Sleep(700 * time.Millisecond)
	if now := p.text(frame); now != at {
		t.Errorf("frames %s to %s in a pause", at, now)
	}
	p.click("#step")
	p.waitTrue("one frame more", fmt.Sprintf("%s === %s + 1", frame, at))
	p.key("4")
	p.waitDrawn("entities")
	p.click("#pause")
	p.waitTrue("it goes on", fmt.Sprintf("%s > %s + 3", frame, at))

	// Switch a system off; the page must show this.
	p.key("1")
	p.waitDrawn("frame")
	p.click(`input[aria-label="browser.turn is on"]`)
	p.waitTrue("it is off", `!document.querySelector('input[aria-label="browser.turn is on"]').checked && [...document.querySelectorAll('.systems tr')].some((r) => r.innerText.includes('browser.turn') && r.innerText.includes('off'))`)
	p.checkConsole()
}

// TestHiddenAsksNothing checks that a hidden tab sends no request and continues when it is visible
// again. Otherwise forgotten tabs would slow down the program.
//
// Conformance: 475
func TestHiddenAsksNothing(t *testing.T) {
	world := fountain(t)
	p := open(t, world.address)
	p.waitDrawn("frame")
	p.do(chromedp.Evaluate[chromedp.Void](`Object.defineProperty(document, "hidden", {get: () => window.unseen, configurable: true}); window.unseen = true; document.dispatchEvent(new Event("visibilitychange"))`))
	time.Sleep(time.Second) // lets pending requests end
	before := world.requests.Load()
	time.Sleep(2 * time.Second)
	if n := world.requests.Load() - before; n != 0 {
		t.Errorf("%d requests while it was hidden", n)
	}
	p.do(chromedp.Evaluate[chromedp.Void](`window.unseen = false; document.dispatchEvent(new Event("visibilitychange"))`))
	world.waitUntil(t, "it asks again", func() bool { return world.requests.Load() > before+3 })
	p.checkConsole()
}

// TestTroubleIsTold checks that the page shows an error if its address lacks the token, and if the
// program has ended. The last data must stay visible.
func TestTroubleIsTold(t *testing.T) {
	world := fountain(t)
	p := open(t, strings.Replace(world.address, "#", "#not", 1))
	p.waitTrue("the token is missed", "document.querySelector('[role=alert]')?.innerText.includes('token')")
	p = open(t, world.address)
	p.waitDrawn("frame")
	world.server.CloseClientConnections()
	world.server.Close()
	p.waitTrue("the program is gone", "document.querySelector('[role=alert]')?.innerText.includes('does not answer')")
	if !p.isTrue("document.querySelector('.systems')") {
		t.Error("what was known is gone too")
	}
}

// TestSavings looks for the change that would make a frame shorter, as a user does who wants to know
// why a frame is slow. The view Order must show the slow system, the system that it waits for, and
// the time.
func TestSavings(t *testing.T) {
	p := open(t, fountain(t).address)
	p.waitDrawn("frame")
	p.click("#nav a:nth-child(2)")
	p.waitDrawn("order")
	p.waitTrue("the prediction is shown", "document.querySelector('.predicted')?.innerText.includes('any number')")
	p.waitTrue("the number of workers is marked", "document.querySelector('.predicted .hot')?.innerText.includes('as now; measured')")
	p.waitTrue("work and span are told", "document.querySelector('main .lead').innerText.includes('One worker needs')")
	p.waitTrue("a saving is shown, with its reason", "document.querySelector('.savings li .why')?.innerText.includes(' a frame')")
	p.checkConsole()
}
