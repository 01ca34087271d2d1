package browser

import (
	"bytes"
	"cmp"
	"context"
	"flag"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
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
	return newPage(t, ctx, address)
}

// tab opens an address in another tab of the browser of p.
func (p *page) tab(address string) *page {
	p.Helper()
	ctx, end := chromedp.NewContext(p.ctx)
	p.Cleanup(end)
	return newPage(p.T, ctx, address)
}

// newPage opens an address in the tab of a context.
func newPage(t *testing.T, ctx context.Context, address string) *page {
	t.Helper()
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
	ctx, end := context.WithTimeout(ctx, 10*time.Minute)
	t.Cleanup(end)
	p.ctx = ctx
	p.do(chromedp.EmulateViewport(1400, 900))
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

// generous is how long a test waits for what happens at once on an idle machine.
const generous = 2 * time.Minute

// waitTrue waits until an expression is true. While the page draws a view, an element may be missing that the
// expression reads, so a TypeError counts as false.
func (p *page) waitTrue(what, expression string) {
	p.Helper()
	script := fmt.Sprintf("(() => { try { return String(Boolean(%s)) } catch (e) { if (e instanceof TypeError) return e.message; throw e } })()", expression)
	for end := time.Now().Add(generous); ; time.Sleep(50 * time.Millisecond) {
		got := p.text(script)
		if got == "true" {
			return
		}
		if time.Now().After(end) {
			p.Fatalf("%s: not after %v (%s is %s); the page says:\n%s", what, generous, expression, got, clip(p.text("document.body.innerText")))
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
	p.do(chromedp.Evaluate[chromedp.Void]("document.activeElement.blur(), 0"))
	shot, err := chromedp.Run(p.ctx, chromedp.CaptureScreenshot())
	if err != nil {
		p.Fatal(err)
	}
	full, err := png.Decode(bytes.NewReader(shot))
	if err != nil {
		p.Fatal(err)
	}
	colours := 16
	if p.isTrue("document.querySelector('.plot, .arch')") {
		colours = 64 // scales of colours
	}
	var small bytes.Buffer
	if err := (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&small, paletted(full, colours)); err != nil {
		p.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(*pictures, name+".png"), small.Bytes(), 0o644); err != nil {
		p.Fatal(err)
	}
}

// paletted returns a picture with some colours of another one, because such a file is small. It prefers colours that are frequent and not similar to the others
// that it has chosen. Each other colour becomes the most similar of them.
func paletted(full image.Image, colours int) *image.Paletted {
	count, b := map[color.RGBA]int{}, full.Bounds()
	at := func(x, y int) color.RGBA { return color.RGBAModel.Convert(full.At(x, y)).(color.RGBA) }
	for y := b.Min.Y; y < b.Max.Y; y++ {
		for x := b.Min.X; x < b.Max.X; x++ {
			count[at(x, y)]++
		}
	}
	list := slices.SortedFunc(maps.Keys(count), func(p, q color.RGBA) int {
		return cmp.Or(cmp.Compare(count[q], count[p]), cmp.Compare(p.R, q.R), cmp.Compare(p.G, q.G), cmp.Compare(p.B, q.B))
	})
	some, far := color.Palette{}, make([]float64, len(list)) // far is the squared distance of a colour to the chosen ones
	for k := range far {
		far[k] = 1
	}
	for range min(len(list), colours) {
		best := 0
		for k, c := range list {
			if float64(count[c])*far[k] > float64(count[list[best]])*far[best] {
				best = k
			}
		}
		some = append(some, list[best])
		for k, c := range list {
			dr, dg, db := float64(c.R)-float64(list[best].R), float64(c.G)-float64(list[best].G), float64(c.B)-float64(list[best].B)
			if d := float64(dr*dr) + float64(dg*dg) + float64(db*db); len(some) == 1 || d < far[k] {
				far[k] = d
			}
		}
	}
	index := map[color.RGBA]uint8{}
	for _, c := range list {
		index[c] = uint8(some.Index(c))
	}
	small := image.NewPaletted(b, some)
	for y := b.Min.Y; y < b.Max.Y; y++ {
		for x := b.Min.X; x < b.Max.X; x++ {
			small.SetColorIndex(x, y, index[at(x, y)])
		}
	}
	return small
}

// checkNames fails if an element that can be clicked or typed into has no accessible name.
func (p *page) checkNames(where string) {
	p.Helper()
	if bare := p.text(`[...document.querySelectorAll("a, button, input, select, canvas, [role=img]")].filter((e) => !(e.getAttribute("aria-label") || e.innerText?.trim() || e.labels?.length)).map((e) => e.outerHTML.slice(0, 200)).join("\n")`); bare != "" {
		p.Errorf("without a name in %s:\n%s", where, bare)
	}
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
