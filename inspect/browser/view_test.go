package browser

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/lanewise/lanewise/inspect"
)

// words lists the texts that each view must show.
var words = map[string][]string{
	"frame":      {"on 2 workers", "transform.TRSToLocalToWorld", "waits", "Translation", "nothing matches"},
	"order":      {"Critical path", "Dependencies", "Advice", "Sync points"},
	"archetypes": {"chunks of", "transform.Translation", "entities"},
	"entities":   {"entities match", "Speed", "next"},
	"picture":    {"Translation.X", "least", "mean"},
	"watches":    {"count QUERY"},
	"changes":    {"Playback", "browser.refill", "Create"},
	"memory":     {"heap", "Pauses of the collector", "Slow frames"},
	"worlds":     {"fountain", "Loop"},
}

// TestViews opens every view by its link and by its key, in both colour schemes and at two widths. It checks the
// rules of the design. The console must stay empty.
//
// Conformance: 478
func TestViews(t *testing.T) {
	p := open(t, fountain(t).address)
	p.waitDrawn("frame")
	p.setScheme("light")
	views := []string{"frame", "order", "archetypes", "entities", "picture", "watches", "changes", "memory", "worlds"}
	for k, view := range views {
		p.click("#nav a:nth-child(" + fmt.Sprint(k+1) + ")")
		p.waitDrawn(view)
		for _, w := range words[view] {
			p.waitTrue(view+" says "+w, fmt.Sprintf("document.querySelector('main').innerText.includes(%q)", w))
		}
		if view == "watches" {
			p.fill("main input[name=q]", "count Speed\r")
			p.waitTrue("it is drawn", "document.querySelector('canvas.line')?.getAttribute('aria-label').includes('now ')")
		}
		p.picture("wide-" + view)
		p.checkDesign(view + ", light")
		p.checkConsole()
	}
	p.setScheme("dark")
	p.key("t")
	p.waitTrue("light colours are chosen", "document.documentElement.dataset.theme === 'light'")
	p.key("t")
	p.waitTrue("the colours follow the system again", "document.documentElement.dataset.theme === 'dark'")
	for _, size := range []struct {
		scheme string
		width  int64
	}{{"dark", 1400}, {"dark", 390}, {"light", 390}} {
		p.setScheme(size.scheme)
		p.do(chromedp.EmulateViewport(size.width, 900))
		for k, view := range views {
			p.key(fmt.Sprint(k + 1))
			p.waitDrawn(view)
			if size.scheme == "light" {
				p.picture("narrow-" + view)
			}
			p.checkDesign(fmt.Sprintf("%s, %s, %d pixels", view, size.scheme, size.width))
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
	query("Parent")
	p.waitTrue("eight lamps", "document.querySelector('main').innerText.includes('8 entities match')")
	p.forget()                     // only now, because the browser itself logs each response with code 400
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
	p.waitTrue("colours as swatches and modes by name", `[...document.querySelectorAll("table.entities tbody tr")].every((r) => r.querySelector(".swatch") && r.innerText.includes("flashing"))`)
	if got := p.text(`getComputedStyle(document.querySelector("table.entities tbody .swatch")).getPropertyValue("--swatch")`); got != "rgb(90 90 200 / 1)" {
		t.Errorf("the swatch of the lamp with the colour 90 90 200 has the colour %s", got)
	}
	p.picture("wide-filter")
	p.checkDesign("the filtered list")
	p.click("table.entities tbody tr:nth-child(2) th a")
	p.waitTrue("the page of the lamp", "document.querySelector('h1')?.innerText.includes('back to the list')")
	p.click("h1 a:last-child")
	p.waitTrue("the list has the same condition", says("3 entities match")+` && document.querySelector("form.query input[name=when]").value.includes("red")`)

	p.fill("form.query input[name=when]", "Health.Points < 10 && Team.Color == 3\r")
	p.waitTrue("the place of the mistake", says("condition, character 23 (Team.Color == 3): browser.Team has no field Color"))
	p.fill("form.query input[name=when]", "Health.Points < 10\r")
	p.waitTrue("one lamp", says("1 entity matches"))
	p.forget() // only now, because each poll with the mistake adds a message
	p.fill("form.query input[name=when]", "Glow.Mode == \"steady\"\r")
	p.waitTrue("the lamps that do not flash", says("4 entities match"))
	p.click("#all")
	p.waitTrue("eight lamps", says("8 entities match"))

	// An index alone means the living entity with this index.
	p.fill("input[name=q]", "Speed\r")
	p.waitTrue("a spark with a used index", `window.spark = [...document.querySelectorAll("table.entities tbody th a")].map((a) => /id=(\d+)%3A([2-9]|\d\d)/.exec(a.href)).find((x) => x)`)
	p.click("#pause")
	p.fill("input[name=q]", p.text("window.spark[1]")+"\r")
	p.waitTrue("the spark", `new RegExp("id=" + window.spark[1] + "%3A([2-9]|\\d\\d)").test(location.hash) && document.querySelector("h1").innerText.startsWith("Entity " + window.spark[1] + ":")`)
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
	p.waitTrue("the number of workers is marked", "document.querySelector('.predicted .hot')?.innerText.includes('as now')")
	p.waitTrue("work and span are told", "document.querySelector('main .lead').innerText.includes('One worker needs')")
	p.waitTrue("a saving is shown, with its reason", "document.querySelector('.savings li .why')?.innerText.includes(' a frame')")

	// The waits of one system, in words.
	p.do(chromedp.Evaluate[chromedp.Void](`[...document.querySelectorAll(".graph .name")].find((e) => e.innerText === "browser.turn").click()`))
	p.waitTrue("it waits for others, and others wait for it", `[...document.querySelectorAll(".told li")].some((e) => e.innerText === "TRSToLocalToWorld waits for turn over Rotation (turn writes it)")`)
	p.waitTrue("chains of waits are told too", `[...document.querySelectorAll(".told li")].some((e) => / waits for turn through TRSToLocalToWorld/.test(e.innerText))`)
	p.waitTrue("their systems are not gray", `(() => { const far = [...document.querySelectorAll(".graph .far .name")].map((e) => e.innerText.replace(/^.*\./, "")); return far.length > 0 && [...document.querySelectorAll(".told li")].every((e) => !far.includes(e.innerText.split(" ")[0])); })()`)
	p.checkDesign("the waits of a system")
	p.checkConsole()
}

// TestQuantiles watches the quantiles of a number of many entities. The picture must have bands between them.
func TestQuantiles(t *testing.T) {
	p := open(t, fountain(t).address)
	p.waitDrawn("frame")
	p.key("6")
	p.waitDrawn("watches")
	p.do(chromedp.Evaluate[chromedp.Void]("document.querySelector('[data-query]').focus()"))
	p.key("quantiles Speed.Y\r")
	p.waitTrue("the median is told", `/now -?\d/.test(document.querySelector('canvas.line')?.getAttribute('aria-label'))`)
	p.waitTrue("the bands are drawn", `(() => {
		const c = document.querySelector('canvas.line'), d = c.getContext('2d').getImageData(0, 0, c.width, c.height).data;
		let n = 0;
		for (let i = 3; i < d.length; i += 4) n += d[i] > 20 && d[i] < 120;
		return n > 4 * c.width;
	})()`)
	p.picture("quantiles")

	// The world can be made to stop at a NaN.
	p.click("button.catch")
	p.waitTrue("the world will stop", "document.querySelector('button.catch').ariaPressed === 'true' && document.querySelector('main').innerText.includes('The world stops at the end')")
	p.click("button.catch")
	p.waitTrue("the world will not stop", "document.querySelector('button.catch').ariaPressed === 'false'")
	p.checkConsole()
}

// TestOrderStays scrolls the view Order to its middle. When the card above appears and disappears in the answers, the part that a person looks at must not move.
func TestOrderStays(t *testing.T) {
	p := open(t, fountain(t).address)
	p.waitDrawn("frame")
	p.do(chromedp.Evaluate[chromedp.Void](`{ const f = window.fetch; window.without = false; window.answers = 0; window.fetch = async (to, how) => {
		const r = await f(to, how);
		if (!/api.order/.test(to)) return r;
		const d = await r.json();
		d.advice = ["a.B names no group", "a.C names no group", "a.D is slow"];
		d.length *= 10;
		d.critical.push({system: "a.E", time: 0.001}, {system: "a.F", time: 0.001});
		if (window.without) d.predicted = d.savings = [];
		if (window.none) d.watched = true, d.savings = [], d.critical = [{system: "a.Hog", jobs: true, time: 10}];
		window.answers++;
		return new Response(JSON.stringify(d), {headers: {"Content-Type": "application/json"}});
	}; }`))
	p.key("2")
	p.waitDrawn("order")
	p.waitTrue("the card is there", "document.querySelector('.savings') && document.querySelector('.predicted')")
	p.waitTrue("similar advice is one line", `(() => { const l = [...document.querySelectorAll(".advice > li")].map((e) => e.innerText); return l.includes("2 systems: … names no group") && l.includes("a.D is slow"); })()`)
	p.waitTrue("a doubtful prediction says where it comes from", "/come from \\d+ recorded frames? of /.test(document.querySelector('.doubt')?.innerText)")
	p.waitTrue("short parts of the critical path are one line", "/\\d parts below 1 %/.test(document.querySelector('main .two').innerText)")
	p.do(chromedp.EmulateViewport(1400, 500))
	place := `Math.round([...document.querySelectorAll("h2")].find((e) => e.innerText.startsWith("Critical path")).getBoundingClientRect().top)`
	p.do(chromedp.Evaluate[chromedp.Void](`[...document.querySelectorAll("h2")].find((e) => e.innerText.startsWith("Critical path")).scrollIntoView(), 0`))
	drawn := func() { // the browser keeps the place of the card when it lays out the next frame
		p.do(chromedp.Evaluate[chromedp.Void](`window.drawn = false, requestAnimationFrame(() => requestAnimationFrame(() => (window.drawn = true))), 0`))
		p.waitTrue("two animation frames", "window.drawn")
	}
	drawn()
	before := p.text(place)
	for _, without := range []string{"true", "false"} {
		p.waitTrue("two more answers", "(window.without = "+without+", window.until ??= window.answers + 2, window.answers >= window.until && !(window.until = null))")
		p.waitTrue("the card has come or gone", "!document.querySelector('.savings') === "+without)
		drawn()
		if after := p.text(place); after != before {
			t.Errorf("the critical path is at %s, and was at %s; without the card: %s", after, before, without)
		}
	}
	p.do(chromedp.Evaluate[chromedp.Void]("window.none = true, 0"))
	p.waitTrue("without a saving, what the critical path is", "/no change of the order .* a.Hog's jobs take 100 % of the critical path/.test(document.querySelector('.savings')?.innerText)")
	p.waitTrue("that a tool has changed the times", "document.querySelector('main .lead').innerText.includes('made each system wait for its own jobs')")
	p.checkConsole()
}

// TestWaitTip moves the mouse over the waits of the timeline. The tip names the system that waits, the one for which it waits, and the component.
func TestWaitTip(t *testing.T) {
	p := open(t, fountain(t).address)
	p.waitDrawn("frame")
	p.waitTrue("a wait says why", `(() => {
		const c = document.querySelector("canvas.timeline"), b = c.getBoundingClientRect(), tip = document.getElementById("tip");
		for (let y = b.top + 24; y < b.top + Math.min(b.height, 160); y += 19)
			for (let x = b.left + 100; x < b.right; x += 3) {
				c.dispatchEvent(new MouseEvent("mousemove", {clientX: x, clientY: y}));
				if (!tip.hidden && / waits for \S+: /.test(tip.innerText) && /\n(over \S+: .* writes? it|for all its jobs)/.test(tip.innerText)) return true;
			}
	})()`)
	p.waitTrue("the columns say what they are", `[...document.querySelectorAll(".systems thead th")].map((e) => e.innerText.replace(/\s+/g, " ").trim()).join() .includes("own last,own median,own max,waited median,jobs median,jobs max")`)
	p.waitTrue("the strip has a name", "document.querySelector('#head').innerText.includes('last frames')")
	p.checkConsole()
}

// TestLocked opens the page of a program that allows only to look. Each button that changes the program is disabled, and says which permission it needs.
func TestLocked(t *testing.T) {
	p := open(t, fountain(t, inspect.ReadOnly()).address)
	p.waitDrawn("frame")
	says := func(selector, permission string) {
		p.waitTrue(selector+" is locked", fmt.Sprintf("((e) => e?.disabled && e.title === %q)(document.querySelector(%q))", "the program does not allow it: inspect.Allow(inspect."+permission+")", selector))
	}
	says("#pause", "Control")
	says("#step", "Control")
	says(".systems input", "Edit")
	p.key("6")
	p.waitDrawn("watches")
	says("button.catch", "Control")
	p.checkConsole()
}
