package browser

import (
	"fmt"
	"strings"

	"github.com/chromedp/chromedp"

	"github.com/lanewise/lanewise/examples/duel/match"
)

// duel opens the two players of examples/duel in two tabs, lets robots play, and compares their hashes with that of
// a native world. Then it steers a ship, and loads one of the pages again.
func duel(p *page, url string) {
	other := p.tab(url + "player.html?room=test&player=1")
	p.do(chromedp.Navigate(url + "player.html?room=test&player=0"))
	for _, tab := range []*page{p, other} {
		tab.waitTrue("equal hashes", "document.body.dataset.agreed > 300")
		var tick, hash uint64
		if _, err := fmt.Sscanf(tab.text("document.body.dataset.agreed + ' ' + document.body.dataset.hash"), "%d %x", &tick, &hash); err != nil {
			p.Fatal(err)
		}
		if want, err := match.Straight(tick); err != nil || hash != want {
			p.Errorf("the hash before tick %d is %x, and %x on this machine when all inputs are known in time (error: %v)", tick, hash, want, err)
		}
	}
	if got := p.shows("hash"); !strings.HasPrefix(got, "✓ equal before tick ") {
		p.Errorf("the page shows %q", got)
	}
	p.Logf("%s; went back %s times, %s ticks at most; %s packets lost", p.shows("hash"), p.shows("rollbacks"), p.shows("deepest"), p.shows("lost"))
	if p.shows("rollbacks") == "0" && other.shows("rollbacks") == "0" {
		p.Error("no page went back")
	}
	p.picture("duel-player")
	p.do(chromedp.Evaluate[chromedp.Void](`for (const code of ["KeyW", "ArrowRight", "Space"]) dispatchEvent(new KeyboardEvent("keydown", { code }))`))
	tick, agreed, steered := p.text("document.body.dataset.tick"), uint64(0), uint64(0)
	for _, tab := range []*page{p, other} {
		tab.waitTrue("equal hashes with a steered ship", fmt.Sprintf("Number(document.body.dataset.agreed) > %s + 60", tick))
	}
	if _, err := fmt.Sscanf(p.text("document.body.dataset.agreed + ' ' + document.body.dataset.hash"), "%d %x", &agreed, &steered); err != nil {
		p.Fatal(err)
	}
	if robots, err := match.Straight(agreed); err != nil || steered == robots {
		p.Errorf("the keys have no effect: before tick %d the hash is %x, as with robots (error: %v)", agreed, steered, err)
	}
	other.do(chromedp.Reload())
	for _, tab := range []*page{p, other} {
		tab.waitTrue("a new game", "document.body.dataset.tick < 300 && document.body.dataset.agreed > 50")
	}

	// One page has both players.
	p.do(chromedp.Navigate(url))
	ready := "[...document.querySelectorAll('iframe')].filter((f) => f.contentDocument?.body?.dataset.agreed > 100).length === 2"
	p.waitTrue("both halves", ready)
	p.picture("duel")
	p.do(chromedp.EmulateViewport(390, 844))
	if wide := p.text("document.documentElement.scrollWidth"); wide != "390" {
		p.Errorf("the page is %s pixels wide", wide)
	}
	p.picture("duel-narrow")
	for _, tab := range []*page{p, other} {
		tab.checkConsole()
	}
}
