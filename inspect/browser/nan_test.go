package browser

import (
	"fmt"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/lanewise/lanewise/inspect"
)

// TestCatchAgain looks for an infinity as a person does who sees one in the page of an entity: at the first frame with it, at its writers, and then at its write, by
// going back to the frame before and stopping there. Each view must tell that the world has stopped, and why.
func TestCatchAgain(t *testing.T) {
	p := open(t, fountain(t, inspect.History(1, 256<<20)).address)
	p.waitDrawn("frame")
	p.key("6")
	p.waitDrawn("watches")
	p.fill("main input[name=q]", "odd transform.Translation.X Health\r")
	p.waitTrue("all are finite", "document.querySelector('canvas.line')?.getAttribute('aria-label').endsWith('now 0')")

	// A lamp gets such a speed that its X is infinite after 68 frames.
	p.click("#nav a:nth-child(4)")
	p.waitDrawn("entities")
	p.click("#pause")
	p.waitTrue("it is paused", "document.getElementById('pause').innerText === 'resume'")
	p.fill("input[name=q]", "3:1\r")
	p.waitTrue("the lamp", "document.querySelector('h1')?.innerText.startsWith('Entity 3:1')")
	p.fill("form.add input", "browser.Speed\r")
	p.fill(`input[aria-label="browser.Speed Y"]`, "1000\r")
	p.fill(`input[aria-label="browser.Speed X"]`, "3e38\r")
	p.waitTrue("its speed", `document.querySelector("#undo").title.includes("browser.Speed.X of 3:1")`)
	p.waitTrue("its writers", `[...document.querySelectorAll(".components .card")].find((c) => c.innerText.startsWith("Translation")).querySelector(".writers").innerText === "written by browser.fly"`)
	p.click("#pause")
	const place = `[...document.querySelectorAll(".odd")].find((e) => e.innerText.startsWith("+Inf in transform.Translation.X, written by browser.fly. "))`
	p.waitTrue("its X is infinite, beside its writer", place)
	p.checkDesign("a NaN in an entity")
	p.picture("wide-nan")
	p.do(chromedp.Evaluate[chromedp.Void](place + ".querySelector('button').click()"))
	p.waitTrue("the first frame with it", "document.querySelector('.past.on') && "+place)
	p.waitTrue("the world is paused", "document.getElementById('pause').innerText === 'resume'")
	first := p.text(pastNumber)

	// Catch it.
	p.do(chromedp.Evaluate[chromedp.Void](place + ".querySelector('button.again').click()"))
	p.waitTrue("the write is caught", `/^browser.fly wrote \+Inf to transform.Translation.X of 3:1 in frame/.test(document.querySelector(".caught")?.innerText)`)
	p.waitTrue("in which frame it was", fmt.Sprintf(`document.querySelector(".caught").innerText.replace(/\s/g, "").includes("(frame%sagain)")`, first))
	p.waitTrue("the head says it too", fmt.Sprintf(`document.getElementById("repeats").innerText.replace(/\D/g, "") === %q`, first))
	p.checkDesign("a caught NaN")
	for k, view := range []string{"frame", "order", "archetypes", "entities", "picture", "watches", "changes", "memory", "worlds"} {
		p.key(fmt.Sprint(k + 1))
		p.waitTrue(view+" shows the NaN", fmt.Sprintf(`document.querySelector("main.view-%s .caught a[href*=entities]")`, view))
	}

	// The watch has the first one too, and keeps it after all are finite again.
	p.key("6")
	p.click("#pause")
	p.waitTrue("the world goes on", "document.getElementById('pause').innerText === 'pause' && !document.querySelector('.banner.caught')")
	p.waitTrue("the watch has it", `/^[+]Inf since frame .*first in 3:1.*written by browser.fly/.test(document.querySelector(".first")?.innerText)`)
	pause := func() { // so that the frame with the first one stays kept
		p.click("#pause")
		p.waitTrue("it is paused", "document.getElementById('pause').innerText === 'resume'")
	}
	pause()
	p.key("4")
	p.waitDrawn("entities")
	p.fill("input[name=q]", "3:1\r")
	p.click("#destroy")
	p.waitTrue("the list", "document.querySelector('#odd')")
	p.key("6")
	p.waitDrawn("watches")
	p.click("#pause")
	p.waitTrue("the watch keeps it", `/^[+]Inf from frame .*, until all were finite in frame .*first in 3:1/.test(document.querySelector(".first")?.innerText)`)
	pause()
	p.checkDesign("a watch of a NaN")
	p.click(".first a")
	p.waitTrue("the frame is kept", "document.querySelector('.past.on') && document.querySelector('h1').innerText.startsWith('Entity 3:1')")
	p.forget() // the browser logs the answers with code 404
}
