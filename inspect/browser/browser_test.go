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
	"github.com/chromedp/chromedp/kb"
	"github.com/lanewise/lanewise/inspect"
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
		p.checkNames(fmt.Sprint("view ", k+1))
	}
	p.checkConsole()
}

// checkNames fails if an element that can be clicked or typed into has no accessible name.
func (p *page) checkNames(where string) {
	p.Helper()
	if bare := p.text(`[...document.querySelectorAll("a, button, input, select, canvas, [role=img]")].filter((e) => !(e.getAttribute("aria-label") || e.innerText?.trim() || e.labels?.length)).map((e) => e.outerHTML.slice(0, 200)).join("\n")`); bare != "" {
		p.Errorf("without a name in %s:\n%s", where, bare)
	}
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

// fill replaces the text of an input by typing, as a user does.
func (p *page) fill(selector, text string) {
	p.Helper()
	p.click(selector)
	p.do(chromedp.Evaluate[chromedp.Void](fmt.Sprintf("document.querySelector(%q).select()", selector)))
	p.key(text)
}

// pressSlowly clicks an element, and holds the mouse button down for longer than the page needs for two polls.
func (p *page) pressSlowly(selector string) {
	p.Helper()
	x, y := 0.0, 0.0
	at := p.text(fmt.Sprintf("(() => { const b = document.querySelector(%q).getBoundingClientRect(); return (b.left + b.width / 2) + ' ' + (b.top + b.height / 2); })()", selector))
	if _, err := fmt.Sscan(at, &x, &y); err != nil {
		p.Fatal(err)
	}
	p.do(chromedp.MouseEvent("mousePressed", x, y, chromedp.ButtonLeft, chromedp.ClickCount(1)))
	time.Sleep(1200 * time.Millisecond)
	p.do(chromedp.MouseEvent("mouseReleased", x, y, chromedp.ButtonLeft, chromedp.ClickCount(1)))
}

// forget removes the messages of the console about answers with an error code, which the browser itself writes.
func (p *page) forget() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.complaints = nil
}

// TestFilter filters the list of entities by a condition on their values, opens one of them, and returns to the list.
func TestFilter(t *testing.T) {
	p := open(t, fountain(t).address)
	p.waitDrawn("frame")
	p.key("4")
	p.waitDrawn("entities")
	says := func(what string) string {
		return fmt.Sprintf("document.querySelector('main').innerText.includes(%q)", what)
	}
	p.fill("input[name=q]", "Health")
	p.fill("form.query input[name=when]", "Team.La")
	p.waitTrue("the name is completed", `[...document.querySelectorAll("#numbers option")].some((o) => o.value === "browser.Team.Label")`)
	time.Sleep(1200 * time.Millisecond)
	if !p.isTrue(`document.querySelector("#numbers option")`) {
		t.Error("a draw removes the names that complete the condition")
	}
	p.fill("form.query input[name=when]", `Health.Points >= 30 && Team.Label == "red"`)
	p.pressSlowly("form.query button")
	p.waitTrue("three lamps", says("3 entities match"))
	if got := p.text(`[...document.querySelectorAll("table.entities tbody tr")].map((r) => /Points (\d+)/.exec(r.innerText)?.[1]).join(" ")`); got != "30 50 70" {
		t.Errorf("the list has the lamps with %s, want 30 50 70", got)
	}
	p.picture("filter")
	p.click("table.entities tbody tr:nth-child(2) th a")
	p.waitTrue("the page of the lamp", "document.querySelector('h1')?.innerText.includes('back to the list')")
	p.click("h1 a:last-child")
	p.waitTrue("the list has the same condition", says("3 entities match")+` && document.querySelector("form.query input[name=when]").value.includes("red")`)

	p.fill("form.query input[name=when]", "Health.Points < 10 && Team.Color == 3\r")
	p.waitTrue("the place of the mistake", says("condition, character 23 (Team.Color == 3): browser.Team has no field Color"))
	p.forget()
	p.fill("form.query input[name=when]", "Health.Points < 10\r")
	p.waitTrue("one lamp", says("1 entity matches"))
	p.click("#all")
	p.waitTrue("eight lamps", says("8 entities match"))
	p.checkConsole()
}

// frameNumber is the number of the current frame, as the page shows it; pastNumber is that of the kept frame that it shows.
const (
	frameNumber = "+document.getElementById('number').innerText.replace(/\\D/g, '')"
	pastNumber  = "+document.getElementById('past').innerText.replace(/\\D/g, '')"
)

// TestTimeBar changes a value, goes back to the frames before, finds the first frame with the new value, continues from the frame before
// it, and undoes that.
func TestTimeBar(t *testing.T) {
	world := fountain(t, inspect.History(1, 256<<20))
	p := open(t, world.address)
	p.waitDrawn("frame")
	p.key("4")
	p.waitDrawn("entities")
	p.fill("input[name=q]", "Spin !Velocity\r")
	p.waitTrue("the wheel", "document.querySelector('main').innerText.includes('1 entity matches')")
	p.click("table.entities th a")
	p.waitTrue("the wheel's own page", "document.querySelector('h1')?.innerText.includes('the wheel')")
	p.click("#pause")
	p.waitTrue("it is paused", "document.getElementById('pause').innerText === 'resume'")
	p.waitTrue("the last frame is shown", frameNumber+" === +document.querySelector('.past input[type=range]').max")
	const edit = `input[aria-label="transform.Translation Y"]`
	height := func(y string) string { // in the running world it is an input, in a kept frame it is a text
		return fmt.Sprintf(`(document.querySelector(%[1]q)?.value ?? [...[...document.querySelectorAll(".components .card")].find((c) => c.innerText.startsWith("Translation")).querySelectorAll("tr")].find((r) => r.innerText.startsWith("Y"))?.querySelector("td").innerText.trim()) === %[2]q`, edit, y)
	}
	first := p.text(frameNumber)
	p.waitTrue("the height is 5", height("5"))
	p.fill(edit, "7.5\r")
	p.waitTrue("the height is 7.5", height("7.5"))
	for k := range 3 {
		p.click("#step")
		p.waitTrue("one frame more", fmt.Sprintf("%s === %s + %d", frameNumber, first, k+1))
	}

	// Back, by the button and by the key, and forward.
	at := func(frames int) string { return fmt.Sprintf("%s === %s + %d", pastNumber, first, frames) }
	p.click("#back")
	p.waitTrue("the second step", at(2)+" && "+height("7.5"))
	if p.isTrue(fmt.Sprintf("document.querySelector(%q)", edit)) {
		t.Error("a kept frame can be edited")
	}
	p.key(kb.ArrowLeft)
	p.waitTrue("the first step", at(1)+" && "+height("7.5"))
	p.click("#back")
	p.waitTrue("before the edit", at(0)+" && "+height("5"))
	p.picture("time")
	p.click("#forward")
	p.waitTrue("the first step again", at(1)+" && "+height("7.5"))
	p.click(".past input[type=range]") // in its middle
	p.waitTrue("the middle of the kept frames", pastNumber+" < "+first+" && "+height("5"))
	p.click("#now")
	p.waitTrue("the running world", "document.getElementById('past').innerText === 'now' && "+height("7.5"))

	// The first frame in which a condition holds; first with a mistake.
	const when = ".past input[name=when]"
	p.fill(when, "Translation.Y > 7 && Spim.Z == 1\r")
	p.waitTrue("the mistake is told", "document.querySelector('.said.bad')?.innerText.includes('condition, character 22 (Spim.Z == 1)')")
	p.forget()
	p.fill(when, "Translation.Y > 70 && Spin.Z == 1\r")
	p.waitTrue("there is none", "document.querySelector('.said')?.innerText.includes('no entity meets this in ')")
	p.fill(when, "Translation.Y > 7 && Spin.Z == 1")
	p.pressSlowly(".past .find button")
	p.waitTrue("the frame after the edit", at(1)+" && "+height("7.5")+" && document.querySelector('h1').innerText.includes('the wheel')")

	// Continue from the frame before it, and undo that.
	p.click("#back")
	p.waitTrue("before the edit", at(0)+" && "+height("5"))
	p.click("#restore")
	p.waitTrue("the running world is as before the edit", "document.getElementById('past').innerText === 'now' && "+height("5"))
	p.waitTrue("how to undo it", fmt.Sprintf("document.querySelector('.said')?.innerText.replace(/\\s/g, '').includes('backtoframe' + (%s + 3))", first))
	p.click("#undo")
	p.waitTrue("the edit is back", "document.getElementById('past').innerText === 'now' && "+height("7.5"))
	p.click("#redo")
	p.waitTrue("before the edit again", height("5"))
	p.click("#back")
	p.waitTrue("a kept frame", at(2))
	p.click("#forward")
	p.waitTrue("the frame before", at(3)+" && "+height("7.5"))
	p.click("#restore")
	p.waitTrue("the edit is back again", "document.getElementById('past').innerText === 'now' && "+height("7.5"))
	p.click("#pause")
	p.waitTrue("it goes on", fmt.Sprintf("%s > %s + 6", frameNumber, first))
	world.waitUntil(t, "with the edit", func() bool { return world.height.Load() == 75 })
	p.checkConsole()
}

// TestUndo spawns an instance of a prefab, edits it, undoes both, and makes both again, with the buttons and with the keys.
func TestUndo(t *testing.T) {
	p := open(t, fountain(t).address)
	p.waitDrawn("frame")
	p.key("4")
	p.waitDrawn("entities")
	says := func(what string) string {
		return fmt.Sprintf("document.querySelector('main').innerText.includes(%q)", what)
	}
	if !p.isTrue("document.getElementById('undo').disabled && document.getElementById('redo').disabled") {
		t.Error("there is an edit to undo before the first one")
	}
	p.fill("input[name=q]", "Prefab")
	p.fill("form.query input[name=when]", "Health == 50 && Team == \"green\"\r")
	p.waitTrue("the prefab", says("1 entity matches")+" && "+says("the spare lamp"))
	p.click("table.entities tbody th a")
	p.waitTrue("its page", "document.querySelector('h1')?.innerText.includes('the spare lamp')")
	p.click("#spawn")
	p.waitTrue("the page of the instance", "document.querySelector('h1')?.innerText.startsWith('Entity ')")
	const edit = `input[aria-label="browser.Health Points"]`
	points := func(n string) string { return fmt.Sprintf("document.querySelector(%q)?.value === %q", edit, n) }
	p.waitTrue("its health", points("50"))
	p.fill(edit, "9\r")
	p.waitTrue("the new health", points("9"))
	p.waitTrue("what would be undone", "/^undo browser.Health.Points of \\d+:\\d+: 50 → 9: Ctrl/.test(document.getElementById('undo').title)")
	p.picture("undo")
	p.click("#undo")
	p.waitTrue("the old health", points("50")+" && document.querySelector('.said')?.innerText.startsWith('undone: browser.Health.Points')")
	p.click("#redo")
	p.waitTrue("the new health again", points("9"))
	p.click("h1") // so that no input has the focus
	ctrl := func(key string, mods ...chromedp.Modifier) {
		p.do(chromedp.KeyEvent(key, chromedp.KeyModifiers(append(mods, chromedp.ModifierCtrl)...)))
	}
	ctrl("z")
	p.waitTrue("the old health by the key", points("50"))
	ctrl("z")
	p.waitTrue("the instance is gone", says("does not exist any more"))
	p.waitTrue("there is no more to undo", "document.getElementById('undo').disabled && !document.getElementById('redo').disabled")
	p.forget() // the browser itself logs a response with code 404
	ctrl("z", chromedp.ModifierShift)
	ctrl("z", chromedp.ModifierShift)
	p.waitTrue("all is made again", "document.getElementById('redo').disabled && !document.getElementById('undo').disabled")
	p.click("main > .body > a:last-child, h1 a:last-child") // back to the list
	p.fill("input[name=q]", "")
	p.fill("form.query input[name=when]", "Health == 9 && Team == \"green\"\r")
	p.waitTrue("the new instance", says("1 entity matches"))
	p.forget()
	p.key(kb.Tab)
	p.click("#nav a:nth-child(7)")
	p.waitDrawn("changes")
	p.waitTrue("the journal", says("again: browser.Health.Points of ")+" && "+says("undo: ")+" && "+says("from the spare lamp"))
	p.checkConsole()
}

// TestHands changes a lamp in every way that its page offers, destroys it, and undoes that.
func TestHands(t *testing.T) {
	p := open(t, fountain(t).address)
	p.waitDrawn("frame")
	p.key("4")
	p.waitDrawn("entities")
	says := func(what string) string {
		return fmt.Sprintf("document.querySelector('main').innerText.includes(%q)", what)
	}
	p.fill("input[name=q]", "Parent")
	p.fill("form.query input[name=when]", "Health == 70\r")
	p.waitTrue("the last lamp", says("1 entity matches"))
	p.click("table.entities tbody th a")
	p.waitTrue("its page", "document.querySelector('h1')?.innerText.startsWith('Entity 8:1')")

	// The value of its team, which is shared.
	const label, parent = `input[aria-label="browser.Team Label"]`, "form.parent input"
	value := func(selector, text string) string {
		return fmt.Sprintf("document.querySelector(%q)?.value === %q", selector, text)
	}
	p.waitTrue("its team", value(label, "red"))
	p.fill(label, "green team\r")
	p.waitTrue("its new team", value(label, "green team"))

	// Its parent.
	p.waitTrue("its parent", value(parent, "0:1")+" && document.querySelectorAll('.tree li').length === 2")
	p.fill(parent, " ")
	p.pressSlowly("form.parent button")
	p.waitTrue("no parent", value(parent, "")+" && !document.querySelector('.tree')")
	p.fill(parent, "0:1\r")
	p.waitTrue("its parent again", "document.querySelectorAll('.tree li').length === 2")
	p.fill(`input[aria-label="transform.Parent Entity"]`, "1:1\r") // a reference
	p.waitTrue("another parent", value(parent, "1:1")+" && document.querySelectorAll('.tree li').length === 3")

	// Its components.
	card := func(name string) string {
		return fmt.Sprintf("[...document.querySelectorAll('.components h2')].some((h) => h.innerText.startsWith(%q))", name)
	}
	p.fill("form.add input", "Froz")
	p.waitTrue("the name is completed", `[...document.querySelectorAll("#types option")].some((o) => o.value === "browser.Frozen")`)
	p.fill("form.add input", "Frozen")
	p.pressSlowly("form.add button")
	p.waitTrue("it is frozen", card("Frozen")+" && "+value("form.add input", ""))
	p.picture("hands")
	p.checkNames("the page of an entity")
	p.do(chromedp.EmulateViewport(400, 800))
	p.waitTrue("it fits into 400 pixels", "document.documentElement.scrollWidth <= innerWidth + 1")
	p.picture("narrow-hands")
	p.do(chromedp.EmulateViewport(1280, 900))
	p.click(`button[aria-label="remove browser.Frozen"]`)
	p.waitTrue("it is not frozen", "!"+card("Frozen"))
	p.click("#active")
	p.waitTrue("it is inactive", card("Inactive")+" && document.getElementById('active').innerText === 'activate'")
	p.click("#undo")
	p.waitTrue("it is active", "!"+card("Inactive")+" && document.getElementById('active').innerText === 'deactivate'")

	// Its end.
	p.click("#destroy")
	p.waitTrue("it is gone", says("None of them."))
	p.waitTrue("what can be undone", "document.getElementById('undo').title.startsWith('undo 8:1')")
	p.click("#undo")
	p.waitTrue("a copy of it", says("1 entity matches")+` && `+says(`green team`))
	p.checkConsole()
}

// TestTree shows the roots as a tree, opens the wheel, follows a change of a parent, and closes it.
func TestTree(t *testing.T) {
	p := open(t, fountain(t).address)
	p.waitDrawn("frame")
	p.key("4")
	p.waitDrawn("entities")
	p.fill("input[name=q]", "LocalToWorld !Velocity\r")
	rows := "[...document.querySelectorAll('table.entities tbody tr')]"
	p.waitTrue("the wheel and its lamps in a list", rows+".length === 9 && document.querySelector('main').innerText.includes('9 entities match')")
	p.click("#tree")
	p.waitTrue("the wheel", rows+".length === 1")
	const wheel = `button[aria-label="8 children of the wheel"]`
	p.click(wheel)
	p.waitTrue("its lamps below it", rows+".length === 9 && "+rows+".slice(1).every((r) => r.querySelector('th').style.paddingLeft === '20px')")
	if !p.isTrue(fmt.Sprintf("document.querySelector(%q).getAttribute('aria-expanded') === 'true'", wheel)) {
		t.Error("it is not marked as open")
	}
	p.picture("tree")
	p.checkNames("the tree")
	p.click("table.entities tbody tr:nth-child(3) th a") // the lamp 2:1
	p.waitTrue("the page of a lamp", "document.querySelector('h1')?.innerText.startsWith('Entity 2:1')")
	p.fill("form.parent input", "1:1\r")
	p.waitTrue("its parent is another lamp", "document.querySelectorAll('.tree li').length === 3")
	p.click("h1 a:last-child")
	p.click(`button[aria-label="1 child of 1:1"]`)
	p.waitTrue("it is two levels below the wheel", rows+".length === 9 && "+rows+".some((r) => r.innerText.startsWith('2:1') && r.querySelector('th').style.paddingLeft === '40px')")
	p.click(`button[aria-label="7 children of the wheel"]`)
	p.waitTrue("it is closed", rows+".length === 1")
	p.click("#tree")
	p.waitTrue("the list", rows+".length === 9")
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

// TestEscapeEdit types a number and presses Escape after some polls. The world keeps its value, although it has changed in between.
func TestEscapeEdit(t *testing.T) {
	p := open(t, fountain(t).address)
	p.waitDrawn("frame")
	p.isTrue("(location.hash = location.hash.split('/')[0] + '/entities?id=0%3A1', true)")
	p.waitTrue("the fields are there", "document.querySelectorAll('input.edit').length > 3")
	for _, field := range []string{"X", "Y", "Z", "W"} {
		p.do(chromedp.Focus(chromedp.CSS(`input[aria-label="transform.Rotation ` + field + `"]`)))
		p.key("5")
		time.Sleep(1200 * time.Millisecond)
		p.key(kb.Escape)
		time.Sleep(700 * time.Millisecond)
	}
	if !p.isTrue("document.getElementById('undo').disabled") {
		p.Errorf("an edit was made: %s", p.text("document.getElementById('undo').title"))
	}
	p.checkConsole()
}
