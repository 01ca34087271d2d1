package browser

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

// TestGallery builds examples/gallery and examples/duel, and opens them in a browser.
func TestGallery(t *testing.T) {
	dir := t.TempDir()
	said, err := exec.Command("../../.ci/gallery", dir).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
	t.Logf("%s", said)
	for name, most := range map[string]int64{"gallery.wasm.gz": 3_400_000, "inspect.wasm.gz": 4_200_000, "duel/duel.wasm.gz": 2_000_000} {
		if info, err := os.Stat(filepath.Join(dir, name)); err != nil {
			t.Error(err)
		} else if info.Size() > most {
			t.Errorf("the compressed program %s has %d bytes, the limit is %d", name, info.Size(), most)
		}
	}
	s := httptest.NewServer(http.FileServer(http.Dir(dir)))
	defer s.Close()
	t.Run("exhibits", func(t *testing.T) { exhibits(open(t, s.URL)) })
	t.Run("plain", func(t *testing.T) {
		plain(open(t, s.URL+"#grayscott?tick=100", chromedp.Flag("disable-3d-apis", true)))
	})
	t.Run("files", func(t *testing.T) { files(open(t, s.URL)) })
	t.Run("use", func(t *testing.T) { use(open(t, s.URL+"#flock?birds=1000&noise=0.1,20:1.2&tick=40"), s.URL) })
	t.Run("inspector", func(t *testing.T) { inspector(open(t, s.URL+"#regatta?tick=40")) })
	t.Run("duel", func(t *testing.T) { duel(open(t, "about:blank"), s.URL+"/duel/") })
}

// shows returns the text of an element of the page.
func (p *page) shows(id string) string {
	p.Helper()
	return p.text(fmt.Sprintf("document.getElementById(%q).innerText", id))
}

// exhibits opens every exhibit by its tab, lets it run until its hash is compared, and looks at it in both color schemes and at
// two widths. The console must stay empty.
func exhibits(p *page) {
	p.do(chromedp.EmulateViewport(1400, 900))
	p.waitTrue("the first picture", "document.body.dataset.drawn")
	p.Logf("the first picture after %s ms", p.text("document.body.dataset.drawn"))
	names := strings.Fields(p.text("[...document.querySelectorAll('#tabs a')].map((a) => a.dataset.name).join(' ')"))
	if len(names) < 10 {
		p.Errorf("the exhibits are %v", names)
	}
	for k, name := range names {
		p.click("#tabs a[data-name=" + name + "]")
		p.waitTrue("the tab is current", fmt.Sprintf("document.querySelector('#tabs a[aria-current]').dataset.name === %q", name))
		p.waitTrue(name+" is checked", "document.getElementById('check').dataset.state !== 'waits'")
		if got := p.shows("check"); !strings.Contains(got, "The same bits in your browser") || !strings.Contains(got, " ticks, as on amd64") {
			p.Errorf("%s: %s", name, got)
		}
		p.waitTrue("a later tick", "Number(document.getElementById('tick').innerText.replace(',', '')) > 20")
		p.Logf("%-9s %7s %5s ms a tick, %s ms a frame, %s frames a second; %s; %s", name, p.shows("entities"), p.shows("cost"), p.shows("frame"), p.shows("rate"), p.shows("note"), p.shows("evidence"))
		if k%2 == 1 {
			p.key("t")
		}
		p.picture("gallery-" + name)
		p.do(chromedp.EmulateViewport(390, 844))
		p.waitTrue("the canvas is narrow", "document.getElementById('canvas').width <= 390 * devicePixelRatio")
		if wide := p.text("document.documentElement.scrollWidth"); wide != "390" {
			p.Errorf("%s is %s pixels wide", name, wide)
		}
		p.picture("gallery-narrow-" + name)
		p.do(chromedp.EmulateViewport(1400, 900))
		if k%2 == 1 {
			p.key("t")
		}
		p.checkConsole()
	}
}

// plain checks that the page draws its pictures without WebGL too.
func plain(p *page) {
	bright := `(() => { const c = document.getElementById("canvas"), copy = new OffscreenCanvas(c.width, c.height).getContext("2d", {willReadFrequently: true}); copy.drawImage(c, 0, 0); const d = copy.getImageData(0, 0, c.width, c.height).data; let n = 0; for (let i = 0; i < d.length; i += 4) n += d[i + 1] > 60; return n })()`
	p.waitTrue("the link is replayed", "document.getElementById('tick').innerText === '100'")
	if p.isTrue("document.getElementById('canvas').getContext('webgl2')") {
		p.Error("there is WebGL")
	}
	p.waitTrue("cells", bright+" > 2000")
	p.click("#tabs a[data-name=dam]")
	p.waitTrue("drops", "document.getElementById('title').innerText.includes('Dam') && Number(document.getElementById('tick').innerText) > 3 && "+bright+" > 2000")
	p.picture("gallery-plain")
	p.click("#tabs a[data-name=cloth]")
	p.waitTrue("triangles", "document.getElementById('title').innerText.includes('Cloth') && Number(document.getElementById('tick').innerText) > 3 && "+bright+" > 2000")
	p.picture("gallery-plain-cloth")
	p.checkConsole()
}

// keepFiles lets the page keep the bytes that it would download.
func (p *page) keepFiles() {
	p.Helper()
	p.do(chromedp.Evaluate[chromedp.Void](`URL.createObjectURL = (blob) => { window.saved = blob; return "#" }; HTMLAnchorElement.prototype.click = () => {}; 0`))
}

// loadFile gives these bytes to the page, as a visitor who chooses the file.
func (p *page) loadFile() {
	p.Helper()
	p.do(chromedp.Evaluate[chromedp.Void](`{ const all = new DataTransfer(); all.items.add(new File([window.saved], "a")); const f = document.getElementById("file"); f.files = all.files; f.dispatchEvent(new Event("change")) }`))
}

// files pauses every exhibit that can be saved, saves it, makes a step, and loads the file.
func files(p *page) {
	p.waitTrue("the first picture", "document.body.dataset.drawn")
	p.keepFiles()
	saved := 0
	for _, name := range strings.Fields(p.text("[...document.querySelectorAll('#tabs a')].map((a) => a.dataset.name).join(' ')")) {
		p.click("#tabs a[data-name=" + name + "]")
		p.waitTrue(name, fmt.Sprintf("document.querySelector('#tabs a[aria-current]').dataset.name === %q && document.getElementById('pause').innerText === 'Pause' && Number(document.getElementById('tick').innerText.replace(',', '')) > 5", name))
		if p.isTrue("document.getElementById('save').disabled") {
			continue
		}
		saved++
		p.click("#pause")
		p.waitTrue("the hash of "+name, "document.getElementById('said').innerText.startsWith('hash ')")
		hash := p.shows("said")
		p.do(chromedp.Evaluate[chromedp.Void]("window.saved = undefined; 0"))
		p.click("#save")
		p.waitTrue("a file of "+name, "window.saved && document.getElementById('said').innerText.includes('saved')")
		p.click("#step")
		p.waitTrue("a step of "+name, "document.getElementById('said').innerText.startsWith('hash ')")
		if p.shows("said") == hash {
			p.Errorf("%s: a step does not change the %s", name, hash)
		}
		p.loadFile()
		p.waitTrue("the file of "+name+" is loaded", fmt.Sprintf("document.getElementById('said').innerText === %q", hash))
	}
	if saved < 8 {
		p.Errorf("%d exhibits can be saved, want 8", saved)
	}
	p.checkConsole()
}

// use opens a link and checks that it shows the same state again. Then it works with the controls as
// a visitor does.
func use(p *page, url string) {
	p.waitTrue("the link is replayed", "document.getElementById('said').innerText.includes('at tick 40') && document.getElementById('tick').innerText === '40'")
	hash := p.shows("said")
	if p.shows("pause") != "Play" || p.shows("tick") != "40" || p.shows("entities") != "1,000" || !strings.Contains(p.shows("params"), "1.20") {
		p.Errorf("the page shows %s", p.shows("panel"))
	}
	p.click("#step")
	p.waitTrue("one tick", "document.getElementById('said').innerText.includes('at tick 41') && document.getElementById('tick').innerText === '41'")
	p.click("#share")
	p.waitTrue("the link is shared", "location.hash === '#flock?birds=1000&noise=0.1,20:1.2&tick=41'")
	p.click("#restart")
	p.waitTrue("another run", "document.getElementById('pause').innerText === 'Pause' && Number(document.getElementById('tick').innerText) > 2")
	p.do(chromedp.Navigate("about:blank"))
	p.do(chromedp.Navigate(url + "#flock?birds=1000&noise=0.1,20:1.2&tick=40"))
	p.waitTrue("the same hash", fmt.Sprintf("document.getElementById('said')?.innerText === %q", hash))

	// A run that is saved to a file must continue from the saved state.
	p.keepFiles()
	p.click("#save")
	p.waitTrue("a file", "window.saved && document.getElementById('said').innerText.includes('saved')")
	p.click("#tabs a[data-name=gas]")
	p.waitTrue("another exhibit", "document.getElementById('title').innerText.includes('gas') && document.getElementById('save').disabled")
	p.loadFile()
	p.waitTrue("the file is loaded", fmt.Sprintf("document.getElementById('said').innerText === %q", hash))

	// A live slider changes the current run; any other slider starts a new run.
	slide := func(k int, value string) {
		p.do(chromedp.Evaluate[chromedp.Void](fmt.Sprintf("{ const s = document.querySelectorAll('#params input')[%d]; s.value = %s; s.dispatchEvent(new Event('input')) }", k, value)))
	}
	slide(1, "0.6")
	p.waitTrue("the noise", "document.querySelectorAll('#params output')[1].innerText === '0.60'")
	time.Sleep(200 * time.Millisecond)
	p.click("#share")
	p.waitTrue("the change is in the link", "location.hash.endsWith('noise=0.1,20:1.2,40:0.6&tick=40')")
	slide(0, "500")
	p.waitTrue("another run", "document.getElementById('entities').innerText === '500' && document.getElementById('pause').innerText === 'Pause'")

	p.click("summary")
	p.waitTrue("the source", "document.querySelector('pre').innerText.includes('package model')")
	if bare := p.text(`[...document.querySelectorAll("a, button, input, summary, [role=img]")].filter((e) => !(e.getAttribute("aria-label") || e.innerText?.trim() || e.labels?.length)).map((e) => e.outerHTML.slice(0, 200)).join("\n")`); bare != "" {
		p.Errorf("without a name:\n%s", bare)
	}
	p.checkConsole()
	p.do(chromedp.Navigate(url + "#zoo"))
	p.waitTrue("the wrong link is refused", `document.getElementById("message").innerText.includes('no exhibit "zoo"')`)
	for _, id := range []string{"pause", "step", "restart", "share"} { // they have no run
		p.click("#" + id)
	}
	p.click("#tabs a[data-name=flock]")
	p.waitTrue("an exhibit", "document.getElementById('tick').innerText > 2 && document.getElementById('message').hidden")
	slide(0, "1500") // while it runs
	p.waitTrue("more birds", "document.getElementById('entities').innerText === '1,500'")
	p.do(chromedp.Evaluate[chromedp.Void]("location.hash = 'flock?birds=1000&tick=%'"))
	p.waitTrue("the wrong tick is refused", `document.getElementById("message").innerText.includes('tick=%')`)
	p.click("#pause")
	p.waitTrue("the last run is there", "document.getElementById('pause').innerText === 'Play' && document.getElementById('entities').innerText === '1,500'")

	// A replay continues after a wrong link.
	p.wrongLink("message", "Replaying", "location.hash = 'flock?birds=500&tick=2000'")
	p.waitTrue("the replay is complete", "document.getElementById('said').innerText.includes('at tick 2000') && document.getElementById('entities').innerText === '500'")
	p.waitTrue("the wrong link is refused", `document.getElementById("message").innerText.includes('no exhibit "zoo"')`)
	p.click("#step")
	p.waitTrue("a step after the replay", "document.getElementById('said').innerText.includes('at tick 2001')")
	p.checkConsole()
}

// holdInspector clicks the button of the inspector. The page loads the program with the inspector when the test calls load in the page, and counts in ended
// the workers that it ends.
func (p *page) holdInspector() {
	p.Helper()
	p.do(chromedp.Evaluate[chromedp.Void](`{
		const get = fetch, end = Worker.prototype.terminate;
		window.ended = 0;
		Worker.prototype.terminate = function () { window.ended++; end.call(this) };
		window.fetch = (file) => new Promise((next) => { window.load = () => { window.fetch = get; next(get(file)) } });
		0
	}`))
	p.click("#inspect")
	p.waitTrue("the program with the inspector is asked for", "window.load")
}

// wrongLink does an action, and opens a wrong link when an element shows a text that begins with these words.
func (p *page) wrongLink(id, words, action string) {
	p.Helper()
	p.do(chromedp.Evaluate[chromedp.Void](fmt.Sprintf(`{
		const e = document.getElementById(%q);
		new MutationObserver((_, o) => { if (e.textContent.startsWith(%q)) { o.disconnect(); location.hash = "zoo" } }).observe(e, { childList: true });
		%s; 0
	}`, id, words, action)))
	p.waitTrue("the wrong link is open", "location.hash === '#zoo'")
}

// inspector opens the inspector of a paused run, and looks for entities, values and systems there. The run continues with the same
// bits in the program with the inspector. Before, it leaves an exhibit while that program is loaded. Then it inspects a world without systems, and opens an exhibit without a world.
func inspector(p *page) {
	p.waitTrue("the link is replayed", "document.getElementById('said').innerText.includes('at tick 40') && document.getElementById('tick').innerText === '40'")
	hash := p.shows("said")
	p.holdInspector()
	p.click("#tabs a[data-name=gas]")
	p.waitTrue("an exhibit without a world", "document.getElementById('inspect').disabled")
	p.do(chromedp.Evaluate[chromedp.Void]("window.load(), 0"))
	p.waitTrue("the worker with the inspector ends", "window.ended === 1")
	p.do(chromedp.Evaluate[chromedp.Void]("location.hash = 'regatta?tick=40', 0"))
	p.waitTrue("the link is replayed again", fmt.Sprintf("document.getElementById('said').innerText === %q", hash))
	// The wrong link is open when the run begins to move to the program with the inspector.
	p.wrongLink("said", "\u00a0", "document.getElementById('inspect').click()")
	inside := func(expression string) string { // in the page of the inspector
		return "(() => { const document = window.document.querySelector('iframe')?.contentDocument; return document?.body && (" + expression + ") })()"
	}
	table := inside("document.querySelector('table.entities tbody')?.innerText")
	p.waitTrue("entities with values", inside("document.querySelectorAll('#view tbody td.v').length > 20"))
	if got := p.shows("said"); got != hash {
		p.Errorf("the program with the inspector has %q, want %q", got, hash)
	}
	if got, want := p.text(inside("document.querySelector('#view b').innerText.replace(/\\D/g, '')")), strings.ReplaceAll(p.shows("entities"), ",", ""); got != want {
		p.Errorf("the inspector counts %s entities, the page %s", got, want)
	}
	p.picture("gallery-inspector")
	before := p.text(table)
	p.click("#step")
	p.waitTrue("the frame of the step", inside("document.getElementById('number').innerText === '1'"))
	p.waitTrue("other values", table+fmt.Sprintf(" !== %q", before))
	p.do(chromedp.Evaluate[chromedp.Void](inside("document.querySelector('#view th a').click()") + ", 0"))
	p.waitTrue("an entity with a component and its value", inside("document.querySelector('h1')?.innerText.startsWith('Entity') && document.getElementById('view').innerText.includes('LocalToWorld') && document.getElementById('view').innerText.includes('0.9')"))
	p.do(chromedp.Evaluate[chromedp.Void](inside("document.querySelector('#nav a').click()") + ", 0"))
	p.waitTrue("the systems", inside("document.getElementById('view').innerText.includes('Systems in order') && document.getElementById('view').innerText.includes('regatta.')"))
	p.picture("gallery-inspector-frame")
	p.do(chromedp.EmulateViewport(390, 844))
	if wide := p.text("document.documentElement.scrollWidth"); wide != "390" {
		p.Errorf("the page is %s pixels wide", wide)
	}
	p.do(chromedp.EmulateViewport(1400, 900))
	// Other pictures are asked for before the last one is drawn.
	p.do(chromedp.Evaluate[chromedp.Void]("(() => { const end = performance.now() + 300; const again = () => { dispatchEvent(new Event('resize')); if (performance.now() < end) setTimeout(again) }; again() })(), 0"))

	p.click("#tabs a[data-name=flock]")
	p.waitTrue("birds", inside("document.querySelector('#view b')?.innerText.replace(/\\D/g, '') === '3000' && document.querySelector('#view td.v')"))
	before = p.text(table)
	p.waitTrue("they fly", table+fmt.Sprintf(" !== %q", before))
	p.click("#tabs a[data-name=gas]")
	p.waitTrue("no inspector for an exhibit without a world", "!document.querySelector('iframe') && document.getElementById('inspect').disabled")
	p.click("#tabs a[data-name=fountain]")
	p.waitTrue("the fountain", "document.getElementById('title').innerText === 'Fountain' && document.getElementById('pause').innerText === 'Pause'")
	p.click("#inspect")
	p.waitTrue("sparks", inside("document.querySelectorAll('#view tbody td.v').length > 20"))
	p.click("#inspect")
	p.waitTrue("the inspector is closed", "!document.querySelector('iframe')")
	p.checkConsole()
}
