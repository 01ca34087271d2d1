package browser

import (
	"fmt"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/lanewise/lanewise/inspect"
)

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
	p.fill("input[name=q]", "Spin !Speed\r")
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
	p.picture("wide-time")
	p.checkDesign("a kept frame")
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

	// Who destroyed a spark, and where is a NaN?
	const halted = `[...document.querySelectorAll(".banner")].some((e) => e.innerText.startsWith("This page has paused the world"))`
	p.fill(`input[aria-label="transform.Translation X"]`, "NaN\r")
	p.waitTrue("its matrix has the NaN too", `[...document.querySelectorAll(".components .card")].find((c) => c.innerText.startsWith("LocalToWorld"))?.innerText.includes("NaN")`) // no system computes the matrix of an inactive entity
	p.click("#active")
	p.waitTrue("it is inactive", "document.getElementById('active').innerText === 'activate'")
	p.key("4")
	p.waitTrue("the list", "document.querySelector('#odd')")
	p.do(chromedp.Evaluate[chromedp.Void]("{ const f = window.fetch; window.fetch = (to, how) => ((window.second ||= /archetypes.*from=1&/.test(to)), f(String(to).replace(/(archetypes.*limit=)100/, '$11'), how)); }")) // so that a few archetypes need several requests
	p.click("#odd")
	p.waitTrue("the wheel in the first frame with the NaN", `document.querySelector("h1")?.innerText.startsWith("the wheel") && document.querySelector(".past.on") && window.second && [...document.querySelectorAll(".odd")].some((e) => e.innerText.startsWith("NaN in transform.Translation.X, which no system that matches the entity "))`)
	p.waitTrue("which component had it first, and which one followed", `/^NaN in transform.Translation.X of the wheel is there first in frame .*In the same frame, transform.LocalToWorld.*written by transform.TRSToLocalToWorld, which uses transform.Translation/.test(document.querySelector("p.found")?.innerText)`)
	p.waitTrue("the page says that it has paused the world", halted)
	p.click("h1 a:last-child")
	p.waitTrue("the list has it", `document.querySelector("form.query input[name=q]")?.value === ":all" && document.querySelector("form.query input[name=when]")?.value === "transform.Translation.X == NaN" && document.querySelector("main").innerText.includes("1 entity matches") && document.querySelector("table.entities tbody th").innerText.startsWith("the wheel 0:1")`)
	p.click("#now")
	p.click("#pause")
	p.waitTrue("the world goes on", "!"+halted)
	// The index 9 is that of a spark. It hits the ground within 63 frames of its start, and the next spark gets the index.
	p.fill("input[name=q]", "9\r")
	p.waitTrue("the spark with the index 9", `/^Entity 9:\d+/.test(document.querySelector("h1")?.innerText)`)
	spark := p.text(`/9:\d+/.exec(document.querySelector("h1").innerText)[0]`)
	p.waitTrue("the system that destroyed it", fmt.Sprintf(`document.querySelector("h1").innerText.startsWith("Entity %s does not exist any more") && document.querySelector(".enders li")?.innerText.startsWith("browser.fly by Destroy: ")`, spark))
	p.click("main .card p a")
	p.waitTrue("its last frame", fmt.Sprintf(`/^Entity %s\b/.test(document.querySelector("h1").innerText) && document.querySelector(".past.on")`, spark))
	p.waitTrue("the world is paused, so that the frame stays", "document.getElementById('pause').innerText === 'resume'")
	p.waitTrue("who writes it, in a kept frame too", `[...document.querySelectorAll(".components .card")].find((c) => c.innerText.startsWith("Translation"))?.querySelector(".writers")?.innerText === "written by browser.fly" && [...document.querySelectorAll(".matching li")].some((e) => e.innerText.startsWith("✓browser.fly writes ") && e.innerText.includes("Translation"))`)
	p.checkDesign("an entity of a kept frame")

	// The page of an index lists the entities that had it before.
	p.click("#now")
	p.waitTrue("the running world", "document.querySelector('h1')?.innerText.includes('does not exist any more')")
	p.checkDesign("a destroyed entity")
	p.click("h1 a:last-child")
	p.fill("input[name=q]", "9\r")
	// The index may be free now, or have another spark.
	p.waitTrue("the spark that had the index before", fmt.Sprintf(`document.querySelector("main").innerText.includes("%s was there ") && [...document.querySelectorAll("main .enders li")].some((e) => e.innerText.startsWith("browser.fly by Destroy: "))`, spark))
	p.checkDesign("earlier entities with an index")
	p.forget() // the browser logs the answers with code 404
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
	p.checkDesign("the page of an instance")
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
	p.fill("input[name=q]", " ")
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
	const team = "green team, whose name is so long that the list of entities has to cut"
	p.fill(label, team+"\r")
	p.waitTrue("its new team", value(label, team))

	// An integer with names.
	const mode = `input[aria-label="browser.Glow Mode"]`
	p.waitTrue("it flashes", value(mode, "1")+" && "+says("flashing"))
	p.fill(mode, "steady\r")
	p.waitTrue("it does not flash", value(mode, "0")+" && "+says("steady"))

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
	p.checkNames("the page of an entity")
	p.checkDesign("the page of an entity")
	p.picture("wide-entity")
	p.do(chromedp.EmulateViewport(390, 900))
	p.picture("narrow-entity")
	p.checkDesign("the page of an entity, 390 pixels")
	p.do(chromedp.EmulateViewport(1400, 900))
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
	p.waitTrue("its team is cut with a sign", `[...document.querySelectorAll("td.v")].some((e) => e.scrollWidth > e.clientWidth && e.title.endsWith("has to cut"))`)
	p.checkDesign("a list with a long text")
	p.checkConsole()
}

// TestTree shows the roots as a tree, opens the wheel, follows a change of a parent, and closes it.
func TestTree(t *testing.T) {
	p := open(t, fountain(t).address)
	p.waitDrawn("frame")
	p.key("4")
	p.waitDrawn("entities")
	p.fill("input[name=q]", "LocalToWorld !Speed\r")
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
	p.picture("wide-tree")
	p.checkDesign("the tree")
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
