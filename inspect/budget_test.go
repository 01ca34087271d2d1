package inspect

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/system"
	"github.com/lanewise/lanewise/ecs/transform"
	"github.com/lanewise/lanewise/jobs"
)

var (
	full     = flag.Bool("lanewise.full", false, "large worlds")
	requests = flag.Int("inspect.requests", 2000, "requests of TestFuzzEndpoints")
)

// bit is a generic tag, because each type argument makes another tag.
type bit[T any] struct{}

// few is a component that limits a chunk to ten rows, so that there are many chunks.
type few struct{ N int32 }

func (few) ChunkCapacity() int { return 10 }

// tags has enough types for 2¹⁴ archetypes.
var tags = []reflect.Type{
	reflect.TypeFor[bit[[0]byte]](), reflect.TypeFor[bit[[1]byte]](), reflect.TypeFor[bit[[2]byte]](), reflect.TypeFor[bit[[3]byte]](), reflect.TypeFor[bit[[4]byte]](),
	reflect.TypeFor[bit[[5]byte]](), reflect.TypeFor[bit[[6]byte]](), reflect.TypeFor[bit[[7]byte]](), reflect.TypeFor[bit[[8]byte]](), reflect.TypeFor[bit[[9]byte]](),
	reflect.TypeFor[bit[[10]byte]](), reflect.TypeFor[bit[[11]byte]](), reflect.TypeFor[bit[[12]byte]](), reflect.TypeFor[bit[[13]byte]](),
}

// crowd creates the given numbers of archetypes and of chunks of ten rows.
func crowd(w *ecs.World, archetypes, chunks int) {
	for k := range archetypes {
		terms := []ecs.Term{ecs.With[few](), ecs.With[transform.Translation]()}
		for b, t := range tags {
			if k>>b&1 != 0 {
				terms = append(terms, with.OfType(t))
			}
		}
		a := w.Archetype(terms...)
		n := chunks / archetypes
		if k < chunks%archetypes {
			n++
		}
		for c := range w.Create(a, 10*n).Chunks() {
			pos := ecs.Column[transform.Translation](c)
			for i := range pos.X {
				pos.X[i], pos.Y[i] = float32(k), float32(i)
			}
		}
	}
}

// Conformance: 471. With a minimal budget, the owner does only one slice of work after each frame.
// The answers must still be complete.
func TestLargeWorlds(t *testing.T) {
	archetypes, chunks := 500, 1500
	if jobs.Goroutine() == 0 {
		archetypes, chunks = 60, 180 // in builds without goroutine numbers a frame takes a hundred times as long
	}
	if *full {
		archetypes, chunks = 10_000, 100_000
	}
	s := newStage(t, 0, Budget(1))
	s.stop()
	crowd(s.w, archetypes, chunks)
	s.hz = 50_000
	s.run()
	a := get[Archetypes](s, "/api/archetypes", "limit", "3")
	if a.Count < archetypes || a.Chunks < chunks || a.Rows < 10*chunks || len(a.List) != 3 || a.Frames < 5 {
		t.Errorf("%d archetypes, %d chunks, %d rows over %d frames", a.Count, a.Chunks, a.Rows, a.Frames)
	}
	rows := 0
	for from := 0; ; from += 100 {
		page := get[Archetypes](s, "/api/archetypes", "limit", "100", "from", fmt.Sprint(from))
		for _, x := range page.List {
			sum := 0
			for _, n := range x.Fill {
				sum += n
			}
			if rows += x.Rows; sum != x.Rows || len(x.Fill)*x.Per < x.Chunks {
				t.Errorf("archetype %d: %d in %d chunks, %d rows", x.Index, sum, x.Chunks, x.Rows)
			}
		}
		if len(page.List) < 100 || *full && from > 300 {
			break
		}
	}
	if !*full && rows < 10*chunks {
		t.Errorf("%d rows in all pages, want %d", rows, 10*chunks)
	}
	e := get[Entities](s, "/api/entities", "q", "few")
	if e.Count != 10*chunks || len(e.Rows) != 60 || e.Frames < 10 {
		t.Errorf("%d entities, %d rows over %d frames", e.Count, len(e.Rows), e.Frames)
	}
	last := get[Entities](s, "/api/entities", "q", "few", "from", fmt.Sprint(10*chunks-3))
	if last.Count != 10*chunks || len(last.Rows) != 3 {
		t.Errorf("the last page: %d of %d", len(last.Rows), last.Count)
	}
	p := get[Picture](s, "/api/picture", "q", "few", "kind", "heat", "x", "transform.Translation.X", "y", "transform.Translation.Y")
	if step := (10*chunks + maxSampled - 1) / maxSampled; p.Count != 10*chunks || p.Seen < p.Count/step-1 || p.Seen > p.Count/step+1 {
		t.Errorf("%d seen of %d over %d frames", p.Seen, p.Count, p.Frames)
	}
	if m := get[Memory](s, "/api/memory"); m.Chunks < chunks || m.Archetypes < archetypes || m.Live < 1 || m.Live > m.Chunks*16<<10 || m.Bytes < m.Live || m.Wasted < m.Bytes-m.Live || m.Wasted >= m.Bytes || m.Frames < 2 {
		t.Errorf("%d chunks, %d archetypes, %d of %d bytes, %d wasted", m.Chunks, m.Archetypes, m.Live, m.Bytes, m.Wasted)
	}
	get[Watches](s, "/api/watches", "watch", "sum transform.Translation.X few")
	for begin := time.Now(); ; time.Sleep(time.Millisecond) {
		if w := get[Watches](s, "/api/watches", "watch", "sum transform.Translation.X few"); len(w.Watches[0].Values) > 0 {
			want := 0.0
			for k := range archetypes {
				n := chunks / archetypes
				if k < chunks%archetypes {
					n++
				}
				want += float64(10 * n * k)
			}
			if got := w.Watches[0].Values[0].(float64); got != want || w.Watches[0].Over < 10 {
				t.Errorf("the sum is %v over %d frames, want %v", got, w.Watches[0].Over, want)
			}
			break
		}
		if time.Since(begin) > generous {
			t.Fatal("the sum is never done")
		}
	}
	for _, c := range asking {
		if code, body, _ := s.do("GET", c[0], values(c[1:])); code != 200 {
			t.Errorf("%s: %d %s", c[0], code, body)
		}
	}
}

// TestManyWatches checks that all watches get samples on a minimal budget. Watches of a single
// entity must get a sample in every frame.
func TestManyWatches(t *testing.T) {
	s := newStage(t, 0, Budget(1))
	s.stop()
	chunks := 120
	if jobs.Goroutine() == 0 {
		chunks = 20 // in builds without goroutine numbers a frame takes a hundred times as long
	}
	crowd(s.w, chunks/2, chunks)
	s.hz = 50_000
	s.run()
	form := []string{"watch", "field " + s.hero.String() + " Health.Points"}
	for k := range maxWatches - 1 {
		form = append(form, "watch", []string{"count few", "sum few.N few", "sum transform.Translation.X few", "count few transform.Translation"}[k%4]+strings.Repeat(" ", k))
	}
	for begin := time.Now(); ; time.Sleep(time.Millisecond) {
		list := get[Watches](s, "/api/watches", form...).Watches
		if !slices.ContainsFunc(list, func(w Watch) bool { return len(w.Values) < 2 }) {
			first := list[0]
			for k := range first.Frames[1:] {
				if first.Frames[k+1] != first.Frames[k]+1 {
					t.Errorf("the field has frames %d and %d", first.Frames[k], first.Frames[k+1])
				}
			}
			for _, w := range list[1:] {
				if want := map[bool]float64{true: float64(10 * chunks)}[strings.HasPrefix(w.Spec, "count")]; want > 0 && w.Values[1] != want || w.Error != "" {
					t.Errorf("%s: %v %s", w.Spec, w.Values[1], w.Error)
				}
			}
			break
		}
		if time.Since(begin) > generous {
			t.Fatalf("some watches have no samples: %+v", list)
		}
	}
}

// TestFuzzEndpoints sends random requests to every endpoint. No request may panic, return a server
// error except 503, or change the world without permission.
func TestFuzzEndpoints(t *testing.T) {
	s := newStage(t, 500)
	s.awaitFrames(3)
	s.stop()
	s.breed.then = nil
	for _, in := range system.Instances(s.w) {
		if in.Name() != system.InstanceOf(s.w, system.GetOrCreate[system.Simulation](s.w)).Name() {
			in.SetEnabled(in.Group() != nil)
		}
	}
	before := s.w.Hash()
	s.run()
	r := rand.New(rand.NewPCG(1, 2))
	pick := func(list ...string) string { return list[r.IntN(len(list))] }
	paths := []string{"/", "/main.js", "/style.css", "/favicon.ico", "/nowhere", "/api", "/api/", "//api/frame", "/api/../api/frame", "/api/box/trace", "/api/box/timeline"}
	for _, c := range append(slices.Clone(asking), changing...) {
		paths = append(paths, c[0])
	}
	junk := func() string {
		b := make([]byte, r.IntN(20))
		for i := range b {
			b[i] = byte(r.IntN(256))
		}
		return string(b)
	}
	names := []string{"w", "q", "id", "since", "from", "limit", "index", "kind", "x", "y", "c", "watch", "do", "value", "name", "on", "component", "field", "when", "skip", "frame"}
	text := func() string {
		return pick(junk(), "", "1", "-1", "99999999999999999999", "1:1", "0:1", "0:99", "heat", "scatter", "histogram", "Translation.X", "transform.Translation.X", "Health", "Health.Points", "Speed.Y",
			"!Health", "~Asleep Speed", "#1 :all", "#"+junk(), "LocalToWorld.M.3", "count "+junk(), "count Speed", "sum Speed.X Speed", "field 0:1 Health", "pause", "step", "pace", "resume", "scale", "NaN", "1e308",
			"true", "inspect.mover", "mover", strings.Repeat("(", 300), "Wide.F", "Wide.F < 2 && Health > 3", "Speed.Y ==", "Grave", "Team", s.w.Name())
	}
	codes := map[int]int{}
	for n := range *requests {
		v := url.Values{}
		for range r.IntN(5) {
			v.Add(pick(names...), text())
		}
		method := pick("GET", "GET", "GET", "POST", "PUT", "DELETE", "HEAD", "OPTIONS")
		target := pick(paths...)
		var req *http.Request
		if method == "POST" {
			body := v.Encode()
			if r.IntN(4) == 0 {
				body = junk()
			}
			req = httptest.NewRequest(method, target, strings.NewReader(body))
			req.Header.Set("Content-Type", pick("application/x-www-form-urlencoded", "multipart/form-data", "multipart/form-data; boundary=x", "text/plain", junk()))
		} else {
			req = httptest.NewRequest(method, target, nil)
			req.URL.RawQuery = v.Encode()
			if r.IntN(8) == 0 {
				req.URL.RawQuery = junk()
			}
		}
		req.Host = "localhost"
		if r.IntN(16) > 0 {
			req.Header.Set(tokenHeader, "secret")
		}
		w := httptest.NewRecorder()
		s.in.ServeHTTP(w, req)
		if codes[w.Code]++; w.Code >= 500 && w.Code != 503 {
			t.Fatalf("request %d: %s %s %q: %d %s", n, method, target, req.URL.RawQuery, w.Code, w.Body)
		}
	}
	s.stop()
	if after := s.w.Hash(); after != before {
		t.Errorf("the hash is %x, was %x", after, before)
	}
	if codes[200] < *requests/20 || codes[400] == 0 || codes[403] == 0 || codes[404] == 0 || codes[405] == 0 {
		t.Errorf("codes %v", codes)
	}
	t.Logf("codes %v", codes)
	for _, in := range system.Instances(s.w) {
		if in.Group() == nil && in.Enabled() {
			t.Errorf("%s is switched on", in.Name())
		}
	}
}
