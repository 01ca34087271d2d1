package browser

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

// gallery builds examples/gallery and serves it.
func gallery(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	build := exec.Command("../../.ci/gallery", dir)
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	} else {
		t.Logf("%s", out)
	}
	s := httptest.NewServer(http.FileServer(http.Dir(dir)))
	t.Cleanup(s.Close)
	return s.URL
}

// TestGallery opens every exhibit of the gallery by its tab, lets it run, waits for the check of its bits, and looks at it at
// two widths. The console must stay empty.
func TestGallery(t *testing.T) {
	p := open(t, gallery(t))
	p.do(chromedp.EmulateViewport(1400, 900))
	p.soon("the tabs are there", "document.querySelectorAll('#tabs a').length >= 4")
	n := len(p.text("'x'.repeat(document.querySelectorAll('#tabs a').length)"))
	for k := range n {
		p.click(fmt.Sprintf("#tabs li:nth-child(%d) a", k+1))
		p.soon("the tab is current", fmt.Sprintf("document.querySelector('#tabs li:nth-child(%d) a').ariaCurrent === 'page'", k+1))
		name := p.text("document.querySelector('#tabs a[aria-current]').dataset.name")
		begin := time.Now()
		p.soon(name+" has the same bits", "document.getElementById('check').dataset.state !== 'waits'")
		t.Logf("%s: checked after %v; %s ms a tick, %s frames a second, note %s; %s; tick %s", name, time.Since(begin), p.text("document.getElementById('cost').innerText"), p.text("document.getElementById('rate').innerText"), p.text("document.getElementById('note').innerText"), p.text("document.getElementById('evidence').innerText"), p.text("document.getElementById('tick').innerText"))
		if state := p.text("document.getElementById('check').dataset.state"); state != "same" {
			t.Errorf("%s: %s", name, p.text("document.getElementById('check').innerText"))
		}
		p.picture("gallery-" + name)
		p.do(chromedp.EmulateViewport(390, 844))
		time.Sleep(300 * time.Millisecond)
		if p.is("document.documentElement.scrollWidth > innerWidth") {
			t.Errorf("%s is wider than 390 pixels: %s", name, p.text("document.documentElement.scrollWidth"))
		}
		p.picture("gallery-narrow-" + name)
		p.do(chromedp.EmulateViewport(1400, 900))
		p.quiet()
	}
}
