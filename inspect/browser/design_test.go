package browser

import (
	"context"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

var axe = flag.String("lanewise.axe", "", "check each view with this file of axe-core, which npm has: axe.min.js")

// rules are expressions that list the elements of a page that break a rule of its design. Each lists texts.
var rules = map[string]string{
	"the head of a column is aligned like its values": `[...document.querySelectorAll("table")].flatMap((t) => [...t.tHead?.rows[0]?.cells || []].flatMap((head, k) =>
		[...t.tBodies].flatMap((b) => [...b.rows]).filter((r) => r.cells.length === t.tHead.rows[0].cells.length && r.cells[k].innerText).filter((r) => getComputedStyle(r.cells[k]).textAlign.replace("start", "left") !== getComputedStyle(head).textAlign.replace("start", "left")).slice(0, 1).map((r) => head.innerText + ": " + r.cells[k].innerText)))`,
	"a table that is wider than the page has a sign":    `[...document.querySelectorAll("main *")].filter((e) => /auto|scroll/.test(getComputedStyle(e).overflowX) && e.tagName !== "TEXTAREA" && !getComputedStyle(e).backgroundAttachment.includes("local")).map((e) => e.outerHTML.slice(0, 100))`,
	"a cell that is cut has a sign and the whole text":  `[...document.querySelectorAll("td.v")].filter((e) => e.scrollWidth > e.clientWidth && (getComputedStyle(e).textOverflow !== "ellipsis" || e.title.length < 20)).map((e) => e.outerHTML.slice(0, 200))`,
	"a type has one name":                               `document.body.innerText.match(/\S*Of\[float32\]\S*/g) || []`,
	"no text is where curves are":                       `[...document.querySelectorAll(".graph svg")].flatMap((svg) => [...svg.querySelectorAll("text"), ...[...document.querySelectorAll(".graph li *")].filter((e) => e.getBoundingClientRect().right > svg.getBoundingClientRect().left)].map((e) => e.outerHTML.slice(0, 200)))`,
	"a curve is inside its drawing":                     `[...document.querySelectorAll(".arc path")].filter((p) => p.getBBox().x + p.getBBox().width > p.ownerSVGElement.width.baseVal.value).map((p) => p.getAttribute("d"))`,
	"an empty card says what to do next":                `[...document.querySelectorAll(".empty")].map((e) => e.innerText).filter((t) => !/[.:] .*\S[.]$/s.test(t) && !/…$/.test(t))`,
	"the chosen tab is in view":                         `[...document.querySelectorAll("#nav [aria-current]")].map((e) => e.getBoundingClientRect()).filter((b) => b.left < 0 || b.right > innerWidth).map((b) => b.left + " to " + b.right)`,
	"the head names the world":                          `document.querySelector("#head").innerText.includes("fountain") ? [] : [document.querySelector("#head").innerText]`,
	"the checkbox of a system is left of its name":      `[...document.querySelectorAll(".systems .switch")].filter((e) => { const box = e.querySelector("input").getBoundingClientRect(), name = e.querySelector(".name").getBoundingClientRect(); return box.right > name.left || box.top < name.top - 4 || box.top > name.top + 12; }).map((e) => e.innerText)`,
	"the name of a system breaks only before a capital": `[...document.querySelectorAll(".systems .name")].filter((e) => getComputedStyle(e).overflowWrap !== "normal" || getComputedStyle(e).wordBreak !== "normal" || (/[a-z][A-Z]/.test(e.textContent) && !e.querySelector("wbr"))).map((e) => e.outerHTML.slice(0, 200))`,
	"the page is not wider than the screen":             `document.documentElement.scrollWidth > innerWidth + 1 ? ["" + document.documentElement.scrollWidth] : []`,
}

// checkDesign checks the rules of the design on the page as it is, and its accessibility with axe-core if the flag is set.
func (p *page) checkDesign(where string) {
	p.Helper()
	for rule, expression := range rules { //lanewise:inexact each is a check of its own
		if broken := p.text("(" + expression + ").slice(0, 5).join('\\n')"); broken != "" {
			p.Errorf("%s: %s, but:\n%s", where, rule, broken)
		}
	}
	if *axe == "" {
		return
	}
	if !p.isTrue("window.axe") {
		source, err := os.ReadFile(*axe)
		if err != nil {
			p.Fatal(err)
		}
		p.do(chromedp.Evaluate[chromedp.Void](string(source) + ";0"))
	}
	p.do(chromedp.Evaluate[chromedp.Void](`window.found = null; axe.run({resultTypes: ["violations"]}).then((r) => (window.found = r.violations.filter((v) => /serious|critical/.test(v.impact)).map((v) => v.id + ": " + v.help + "\n" + v.nodes.slice(0, 4).map((n) => n.html.slice(0, 160) + " " + (n.any[0]?.message || "")).join("\n")).join("\n")), (e) => (window.found = String(e))), 0`))
	p.waitTrue("axe-core has looked", "window.found !== null")
	if found := p.text("window.found"); found != "" {
		p.Errorf("%s: axe-core finds\n%s", where, found)
	}
}

// TestPictures checks that docs/inspect has small pictures of each view at both widths.
func TestPictures(t *testing.T) {
	const dir, most = "../../docs/inspect/", 600_000
	shown, err := os.ReadFile("../../docs/inspect-views.md")
	if err != nil {
		t.Fatal(err)
	}
	for view := range words { //lanewise:inexact each is a check of its own
		for _, width := range []string{"wide", "narrow"} {
			if name := width + "-" + view + ".png"; !strings.Contains(string(shown), "(inspect/"+name+")") {
				t.Errorf("docs/inspect-views.md does not show %s", name)
			}
		}
	}
	list, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	size := int64(0)
	for _, f := range list {
		info, err := f.Info()
		if err != nil {
			t.Fatal(err)
		}
		if size += info.Size(); !strings.Contains(string(shown), "(inspect/"+f.Name()+")") {
			t.Errorf("docs/inspect-views.md does not show %s, which make inspect-pictures draws", f.Name())
		}
	}
	if size > most {
		t.Errorf("the pictures are %d bytes, the limit is %d", size, most)
	}
}

// setScheme sets the system's setting for colours: light or dark.
func (p *page) setScheme(scheme string) {
	p.Helper()
	p.do(func(ctx context.Context, t *chromedp.Target) (chromedp.Void, error) {
		_, err := cdp.Call(ctx, t, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}})
		return chromedp.Void{}, err
	})
	p.waitTrue(scheme+" colours", fmt.Sprintf("document.documentElement.dataset.theme === %q", scheme))
}

// TestKeys uses the page without a mouse. The keys that the page lists must work, and each element that takes keys must have a name and show that
// it has the focus.
func TestKeys(t *testing.T) {
	p := open(t, fountain(t).address)
	for k := range 9 {
		p.waitTrue("the page is there", "document.querySelector('main .body')")
		p.key(fmt.Sprint(k + 1))
		p.waitTrue("the view is there", fmt.Sprintf("document.querySelector('#nav a:nth-child(%d)').ariaCurrent === 'page' && document.querySelector('main .body')", k+1))
		p.checkNames(fmt.Sprint("view ", k+1))
	}

	// The list of keys.
	p.key("?")
	p.waitTrue("the list of keys", "document.getElementById('help').open && document.getElementById('help').innerText.includes('move the pointer')")
	p.checkDesign("the list of keys")
	p.key(kb.Escape)
	p.waitTrue("it is closed", "!document.getElementById('help').open")

	// Each element that Tab reaches shows that it has the focus.
	p.key("1")
	p.waitDrawn("frame")
	p.do(chromedp.Evaluate[chromedp.Void]("document.activeElement.blur()"))
	for reached := 0; reached < 40; reached++ {
		p.key(kb.Tab)
		if bad := p.text("(() => { const e = document.activeElement, s = getComputedStyle(e); return e === document.body || (s.outlineStyle !== 'none' && parseFloat(s.outlineWidth) >= 1) ? '' : e.outerHTML.slice(0, 200); })()"); bad != "" {
			t.Errorf("no sign of the focus on %s", bad)
		}
		if p.isTrue("document.activeElement.classList.contains('timeline')") {
			break
		}
	}

	// The timeline: move the pointer to a system, look closer, choose the system.
	p.waitTrue("the timeline has the focus", "document.activeElement.classList.contains('timeline')")
	p.key("h")
	p.key(kb.ArrowRight)
	for range 60 {
		if p.isTrue("document.getElementById('tip').innerText.includes('update: ')") {
			break
		}
		p.key(kb.ArrowRight)
		p.key(kb.ArrowUp)
	}
	p.waitTrue("a system is below the pointer, and a screen reader reads it", "document.getElementById('tip').innerText.includes('update: ') && document.getElementById('tip').ariaLive === 'polite'")
	p.key(kb.Enter)
	p.waitTrue("it is chosen", "document.querySelector('.systems tr.sel') && location.hash.includes('system=')")
	p.key("+")
	p.waitTrue("a part of the frame", "[...document.querySelectorAll('button')].some((b) => b.innerText === 'whole frame')")
	p.key("-")
	p.waitTrue("the whole frame", "![...document.querySelectorAll('button')].some((b) => b.innerText === 'whole frame')")
	p.key("h")

	// A point of a picture.
	p.key("5")
	p.waitDrawn("picture")
	p.click(".segments button:nth-child(2)")
	p.waitTrue("points", "document.querySelector('canvas.scatter')")
	p.do(chromedp.Evaluate[chromedp.Void]("document.querySelector('canvas.scatter').focus()"))
	for range 200 {
		p.key(kb.ArrowRight)
		if p.isTrue("document.getElementById('tip').innerText.includes('press Enter')") {
			break
		}
		p.key(kb.ArrowDown)
	}
	p.key(kb.Enter)
	p.waitTrue("the page of an entity", "location.hash.includes('/entities?') && document.querySelector('h1')?.innerText.startsWith('Entity ')")
	p.checkConsole()
}
