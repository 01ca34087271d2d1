package inspect

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/app"
	"github.com/lanewise/lanewise/ecs/system"
	"github.com/lanewise/lanewise/ecs/transform"
	"github.com/lanewise/lanewise/jobs"
)

// These are the components of the test worlds.
type (
	Health struct{ Points int32 }
	Speed  struct{ X, Y, Z float32 }
	Wide   struct {
		F float64
		N int64
		B bool
		U uint8
	}
	Team struct {
		ecs.Shared
		Number int32
		Label  string
	}
	Asleep struct {
		ecs.Enableable
		Since int32
	}
	Grave struct {
		ecs.Cleanup
		At int32
	}
	Note struct {
		ecs.Managed
		Text string
		List []int
	}
	Mark struct{}
	Item struct {
		N    int32
		From ecs.Entity
	}
	Items = ecs.Buffer[Item]
)

func (Health) Column() (c []int32) { return }
func (Speed) Column() (c struct{ X, Y, Z []float32 }) {
	return
}

// mover moves the entities that have a speed.
type mover struct {
	q  *ecs.Query
	dt float32
}

func (s *mover) Create(u *system.Setup) error {
	s.q = u.Query(ecs.Write[transform.Translation](), ecs.Read[Speed]())
	return nil
}

func (s *mover) Update(f *system.Frame) error {
	s.dt = float32(f.Delta())
	f.ParallelFor(s.q, s)
	return nil
}

func (s *mover) Chunk(c *ecs.Chunk) {
	pos, speed := ecs.Column[transform.Translation](c), ecs.Column[Speed](c)
	for i := range pos.X {
		pos.X[i] += float32(speed.X[i] * s.dt)
		pos.Y[i] += float32(speed.Y[i] * s.dt)
	}
}

// breeder creates one entity and destroys another in every frame.
type breeder struct {
	_    system.After[mover]
	last ecs.Entity
	fail error
	then func(*system.Frame)
}

func (s *breeder) Update(f *system.Frame) error {
	if s.then != nil {
		s.then(f)
	}
	_ = f.World().Destroy(s.last)
	s.last = f.World().Spawn(Health{1}, Mark{})
	return s.fail
}

// waiter does nothing.
type waiter struct{}

func (s *waiter) Create(u *system.Setup) error {
	u.Require(u.Query(ecs.With[Asleep](), ecs.With[Mark]()))
	return nil
}
func (s *waiter) Update(*system.Frame) error { return nil }

// stage holds a world that runs on a separate goroutine, and the inspector of
// this world.
type stage struct {
	*testing.T
	w      *ecs.World
	in     *Inspector
	server *httptest.Server
	hero   ecs.Entity
	breed  *breeder
	hz     float64
	stop   func() // ends the run
	ran    chan error
}

// generous is the time limit for operations that are quick unless the machine
// is busy.
const generous = 30 * time.Second

// populate creates the entities of a stage.
func populate(w *ecs.World, n int) (hero ecs.Entity) {
	hero = w.Spawn(Health{100}, transform.Translation{X: 1, Y: 2, Z: 3}, Wide{F: 1.5, N: 1 << 60, B: true, U: 7}, Team{Number: 1, Label: "red"}, Asleep{}, Grave{At: 5}, Note{Text: "hi", List: []int{1, 2}}, Mark{}, transform.LocalToWorld{}, ecs.BufferOf(Item{1, ecs.Entity{}}, Item{N: 2}))
	_ = w.SetEntityName(hero, "hero")
	for range 3 {
		w.Spawn(transform.Translation{}, transform.Parent{Entity: hero}, transform.LocalToParent{}, transform.LocalToWorld{})
	}
	for i := range n {
		e := w.Spawn(transform.Translation{X: float32(i % 100), Y: float32(i / 100)}, Speed{X: 1, Y: float32(i % 7)}, Asleep{}, Team{Number: int32(i % 3)})
		if i%4 == 0 {
			_ = ecs.SetEnabled[Asleep](w, e, false)
		}
	}
	return hero
}

// newStage creates a world with n movers and runs it until the end of the test.
func newStage(t *testing.T, n int, opts ...Option) *stage {
	t.Helper()
	s := &stage{T: t, hz: 500}
	pool := jobs.New(jobs.Workers(2))
	w, err := system.NewWorld(strings.ReplaceAll(t.Name(), "/", "_"), system.OnPool(pool), system.Only(system.Of[mover](), system.Of[breeder](), system.Of[waiter]()))
	if err != nil {
		t.Fatal(err)
	}
	if err := transformSystems(w); err != nil {
		t.Fatal(err)
	}
	s.w, s.breed = w, system.Find[breeder](w)
	s.hero = populate(w, n)
	s.in = New(append([]Option{Token("secret"), Only(w)}, opts...)...)
	s.server = httptest.NewServer(s.in)
	t.Cleanup(func() {
		s.server.Close()
		_ = s.in.Close()
		s.end()
		if err := pool.Close(); err != nil {
			t.Error(err)
		}
	})
	s.run()
	return s
}

func transformSystems(w *ecs.World) error { return system.AddSystems(w, transform.Systems().Types...) }

// run steps the world until end.
func (s *stage) run() {
	ctx, cancel := context.WithCancel(context.Background())
	s.ran = make(chan error, 1)
	go func() {
		s.ran <- app.Run(ctx, s.w, app.Step(1.0/60), app.Pace(s.hz), app.OnError(func(int, error) error { return nil }))
	}()
	s.stop = sync.OnceFunc(func() {
		cancel()
		<-s.ran
	})
}

// end ends the run and closes the world.
func (s *stage) end() {
	s.stop()
	_ = s.w.Close() // closing twice is harmless
}

// do sends a request and returns the code and the body.
func (s *stage) do(method, path string, form url.Values, edit ...func(*http.Request)) (int, string, http.Header) {
	s.Helper()
	var body io.Reader
	if method == "POST" {
		body = strings.NewReader(form.Encode())
	} else if form != nil {
		path += "?" + form.Encode()
	}
	r, err := http.NewRequest(method, s.server.URL+path, body)
	if err != nil {
		s.Fatal(err)
	}
	if method == "POST" {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	r.Header.Set(tokenHeader, "secret")
	for _, e := range edit {
		e(r)
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		s.Error(err)
		return 0, "", nil
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		s.Error(err)
	}
	return resp.StatusCode, string(text), resp.Header
}

// get requests data and decodes it.
func get[T any](s *stage, path string, form ...string) *T {
	s.Helper()
	return read[T](s, "GET", path, form)
}

// post sends a change and decodes the answer.
func post[T any](s *stage, path string, form ...string) *T {
	s.Helper()
	return read[T](s, "POST", path, form)
}

func read[T any](s *stage, method, path string, form []string) *T {
	s.Helper()
	out := new(T)
	code, body, _ := s.do(method, path, values(form))
	if code != 200 {
		s.Fatalf("%s %s %v: %d %s", method, path, form, code, body)
	}
	d := json.NewDecoder(strings.NewReader(body))
	d.DisallowUnknownFields()
	if err := d.Decode(out); err != nil {
		s.Fatalf("%s: %v in %s", path, err, body)
	}
	return out
}

func values(form []string) url.Values {
	v := url.Values{}
	for k := 0; k+1 < len(form); k += 2 {
		v.Add(form[k], form[k+1])
	}
	return v
}

// wantError fails unless the answer has the given code and text.
func (s *stage) wantError(code int, text, method, path string, form ...string) {
	s.Helper()
	got, body, _ := s.do(method, path, values(form))
	if got != code || !strings.Contains(body, text) {
		s.Errorf("%s %s %v: %d %s, want %d and %q", method, path, form, got, strings.TrimSpace(body), code, text)
	}
}

// awaitFrames waits until the world has completed n more frames.
func (s *stage) awaitFrames(n uint64) {
	s.Helper()
	first := get[Journal](s, "/api/journal").Frame
	for begin := time.Now(); get[Journal](s, "/api/journal").Frame < first+n; time.Sleep(time.Millisecond) {
		if time.Since(begin) > generous {
			s.Fatal("no frames come")
		}
	}
}

// httptestServer serves an inspector.
func httptestServer(i *Inspector) *httptest.Server { return httptest.NewServer(i) }
