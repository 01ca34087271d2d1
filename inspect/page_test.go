package inspect

import (
	"compress/gzip"
	"io"
	"io/fs"
	"math"
	"net/http"
	"net/http/httptest"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// mostSent is the largest number of bytes that a browser may load to open the page. mostPlain is the largest number of bytes of the files
// before compression.
const (
	mostSent  = 60_000
	mostPlain = 150_000
)

// fileOf requests a file of the page.
func fileOf(t *testing.T, h http.Handler, name, accept string) *http.Response {
	t.Helper()
	r := httptest.NewRequest(http.MethodGet, "http://localhost/"+name, nil)
	r.Header.Set("Accept-Encoding", accept)
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w.Result()
}

// TestPageIsSentPacked checks that every file has its content type, and is compressed only for
// clients that accept compressed files. The compressed files together must be small.
func TestPageIsSentPacked(t *testing.T) {
	in := New()
	defer in.Close()
	list, err := fs.ReadDir(embedded, "page")
	if err != nil || len(list) < 10 {
		t.Fatalf("%d files, %v", len(list), err)
	}
	sent, all := 0, 0
	for _, f := range list {
		want, _ := embedded.ReadFile("page/" + f.Name())
		name := strings.TrimSuffix(f.Name(), "index.html")
		plain, small := fileOf(t, in, name, ""), fileOf(t, in, name, "br, gzip")
		if got, _ := io.ReadAll(plain.Body); string(got) != string(want) || plain.StatusCode != http.StatusOK || plain.Header.Get("Content-Encoding") != "" {
			t.Errorf("%s plain: %s, %d bytes of %d", f.Name(), plain.Status, len(got), len(want))
		}
		counted := &counter{r: small.Body}
		z, err := gzip.NewReader(counted)
		if err != nil {
			t.Fatalf("%s packed: %v", f.Name(), err)
		}
		if got, err := io.ReadAll(z); string(got) != string(want) || err != nil || small.Header.Get("Content-Encoding") != "gzip" {
			t.Errorf("%s packed: %d bytes of %d, %v", f.Name(), len(got), len(want), err)
		}
		if kind := small.Header.Get("Content-Type"); kind == "" || kind != kinds[path.Ext(f.Name())] {
			t.Errorf("%s has the type %q", f.Name(), kind)
		}
		sent, all = sent+counted.n, all+len(want)
	}
	if all > mostPlain {
		t.Errorf("the files of the page are %d bytes, the limit is %d", all, mostPlain)
	}
	if sent > mostSent || sent < mostSent/10 {
		t.Errorf("the page is %d bytes as it is sent, the limit is %d", sent, mostSent)
	}
	if r := fileOf(t, in, "nothing.js", ""); r.StatusCode != http.StatusNotFound {
		t.Errorf("a file that there is not: %s", r.Status)
	}
}

// counter counts the bytes that are read.
type counter struct {
	r io.Reader
	n int
}

func (c *counter) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += n
	return n, err
}

// TestPageObeysItsPolicy checks that the page works under its content security policy, builds no
// markup from data, and loads nothing from other hosts.
func TestPageObeysItsPolicy(t *testing.T) {
	forbidden := map[string][]string{
		".html": {`<script>`, `<style`, ` style="`, ` onclick`, `http://`, `https://`},
		".js":   {"innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "new Function", "https://", `setAttribute("style"`},
		".css":  {"@import", "url(", "https://"},
	}
	imports := regexp.MustCompile(`from "\./([^"]+)"`)
	_ = fs.WalkDir(embedded, "page", func(name string, d fs.DirEntry, _ error) error {
		if d.IsDir() {
			return nil
		}
		data, _ := embedded.ReadFile(name)
		for _, bad := range forbidden[path.Ext(name)] {
			if strings.Contains(string(data), bad) {
				t.Errorf("%s has %s", name, bad)
			}
		}
		for _, m := range imports.FindAllStringSubmatch(string(data), -1) {
			if _, err := embedded.ReadFile("page/" + m[1]); err != nil {
				t.Errorf("%s imports %s, which there is not", name, m[1])
			}
		}
		return nil
	})
}

// luminance returns the relative luminance of a colour like #dfe3ea or #fff, as WCAG 2 defines it.
func luminance(t *testing.T, hex string) float64 {
	t.Helper()
	if len(hex) == 4 {
		hex = "#" + strings.Repeat(hex[1:2], 2) + strings.Repeat(hex[2:3], 2) + strings.Repeat(hex[3:4], 2)
	}
	rgb, err := strconv.ParseUint(strings.TrimPrefix(hex, "#"), 16, 24)
	if err != nil || len(hex) != 7 {
		t.Fatalf("%q is no colour", hex)
	}
	sum := 0.0
	for k, share := range []float64{0.2126, 0.7152, 0.0722} {
		c := float64(rgb>>(16-8*k)&255) / 255
		if c <= 0.04045 {
			c /= 12.92
		} else {
			c = math.Pow((c+0.055)/1.055, 2.4)
		}
		sum += float64(share * c)
	}
	return sum
}

// TestPageHasContrast checks that texts have the contrast that WCAG 2 requires for AA, 4.5, in both colour schemes.
func TestPageHasContrast(t *testing.T) {
	css, err := embedded.ReadFile("page/style.css")
	if err != nil {
		t.Fatal(err)
	}
	const least = 4.5
	schemes := regexp.MustCompile(`(?s):root[^{]*\{(.*?)\}`).FindAllStringSubmatch(string(css), -1)
	if len(schemes) != 2 {
		t.Fatalf("%d colour schemes, want 2", len(schemes))
	}
	for k, scheme := range schemes {
		colour := map[string]string{}
		for _, m := range regexp.MustCompile(`--([a-z-]+): (#[0-9a-f]+);`).FindAllStringSubmatch(scheme[1], -1) {
			colour[m[1]] = m[2]
		}
		for ground, texts := range map[string]string{
			"ground": "ink dim accent good hot bad", "panel": "ink dim accent good hot bad", "groove": "ink dim accent", "accent-soft": "ink dim accent good hot bad",
			"w-soft": "w", "waits": "ink", "group": "ink", "ink": "ground", "bad": "ground", // the last two are of messages
		} {
			for _, text := range strings.Fields(texts) {
				a, b := luminance(t, colour[text]), luminance(t, colour[ground])
				if ratio := (max(a, b) + 0.05) / (min(a, b) + 0.05); ratio < least {
					t.Errorf("scheme %d: the contrast of --%s %s on --%s %s is %.2f, want at least %.1f", k+1, text, colour[text], ground, colour[ground], ratio, least)
				}
			}
		}
	}
}

// TestPageImportsFormNoCircle checks that the imports between modules form no circle. In a cycle of
// imports, a module can run before the modules that it imports. A name may then still be undefined
// when it is read.
func TestPageImportsFormNoCircle(t *testing.T) {
	imports := regexp.MustCompile(`(?m)^(?:import|export)\b[^;]*?"\./([^"]+)"`)
	of := map[string][]string{}
	list, err := fs.Glob(embedded, "page/*.js")
	if err != nil || len(list) == 0 {
		t.Fatalf("%d modules, %v", len(list), err)
	}
	lines := 0
	for _, name := range list {
		data, _ := embedded.ReadFile(name)
		for _, m := range imports.FindAllStringSubmatch(string(data), -1) {
			of[path.Base(name)] = append(of[path.Base(name)], m[1])
			lines++
		}
	}
	if lines < len(list) || len(of["main.js"]) < 3 {
		t.Fatalf("%d modules have %d imports, main.js has %q: the test does not read all of them", len(list), lines, of["main.js"])
	}
	const open, done = 1, 2
	state := map[string]int{}
	var walk func(name string, way []string)
	walk = func(name string, way []string) {
		way = append(way, name)
		switch state[name] {
		case open:
			t.Errorf("the imports form a circle: %s", strings.Join(way[slices.Index(way, name):], " → "))
			return
		case done:
			return
		}
		state[name] = open
		for _, next := range of[name] {
			walk(next, way)
		}
		state[name] = done
	}
	for _, name := range list {
		walk(path.Base(name), nil)
	}
}
