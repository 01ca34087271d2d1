package browser

import (
	"context"
	"image/color"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/app"
	"github.com/lanewise/lanewise/ecs/system"
	"github.com/lanewise/lanewise/ecs/transform"
	"github.com/lanewise/lanewise/inspect"
	"github.com/lanewise/lanewise/jobs"
	"github.com/lanewise/lanewise/kernels"
)

// Speed is in metres per second; Spin is in radians per second about each axis.
type (
	Speed  struct{ X, Y, Z float32 }
	Spin   struct{ X, Y, Z float32 }
	Frozen struct{}
)

// Health and Team are components of the lamps, whose values a person filters by.
type (
	Health struct{ Points int32 }
	Team   struct {
		ecs.Shared
		Label string
	}
)

func (Health) Column() (c []int32) { return }

// Mode is how a lamp shines. Glow is a component with a colour and a mode.
type (
	Mode uint8
	Glow struct {
		Color color.NRGBA
		Mode  Mode
	}
)

// String returns the name of a mode.
func (m Mode) String() string { return [...]string{"steady", "flashing"}[m] }

func (Speed) Column() (c kernels.Vec3s[float32]) { return }
func (Spin) Column() (c kernels.Vec3s[float32])  { return }

// turn rotates the entities that have a Spin.
type turn struct {
	_  system.Before[transform.Group]
	q  *ecs.Query
	dt float32
}

func (s *turn) Create(u *system.Setup) error {
	s.q = u.Query(ecs.Write[transform.Rotation](), ecs.Read[Spin]())
	return nil
}

func (s *turn) Update(f *system.Frame) error {
	s.dt = float32(f.Delta())
	f.ParallelFor(s.q, s)
	return nil
}

func (s *turn) Chunk(c *ecs.Chunk) {
	rot, spin := ecs.Column[transform.Rotation](c), ecs.Column[Spin](c)
	rot.Integrate(rot, spin, s.dt)
}

// fly moves the sparks. Sparks below the ground start again.
type fly struct {
	_      system.Before[transform.Group]
	sparks *ecs.Query
	gone   ecs.ParallelCommands
	dt     float32
}

func (s *fly) Create(u *system.Setup) error {
	s.sparks = u.Query(ecs.Write[transform.Translation](), ecs.Write[Speed]())
	return nil
}

func (s *fly) Update(f *system.Frame) error {
	s.dt, s.gone = float32(f.Delta()), system.Commands[system.EndSimulation](f).Parallel()
	f.ParallelFor(s.sparks, s)
	return nil
}

func (s *fly) Chunk(c *ecs.Chunk) {
	pos, vel, gone := ecs.Column[transform.Translation](c), ecs.Column[Speed](c), s.gone.For(c)
	fall := float32(9.81 * s.dt)
	for i := range vel.Y {
		vel.Y[i] -= fall
	}
	pos.AddScaled(pos, vel, s.dt)
	for i, spark := range c.Entities() {
		if pos.Y[i] < 0 {
			gone.Destroy(spark)
		}
	}
}

// refill creates one spark for each spark that has gone out.
type refill struct {
	_ system.In[system.Initialization]
	q *ecs.Query
}

func (s *refill) Create(u *system.Setup) error {
	s.q = u.Query(ecs.With[Speed]())
	return nil
}

func (s *refill) Update(f *system.Frame) error {
	if n := s.q.Count(); n < sparks {
		light(f.World(), sparks-n)
	}
	return nil
}

// audit queries for entities that no system creates.
type audit struct{ q *ecs.Query }

func (s *audit) Create(u *system.Setup) error {
	s.q = u.Query(ecs.With[Frozen]())
	u.Require(s.q)
	return nil
}

func (*audit) Update(*system.Frame) error { return nil }

const sparks = 5000

// light creates sparks at the hub of the wheel.
func light(w *ecs.World, n int) {
	spark := w.Archetype(ecs.With[transform.Translation](), ecs.With[transform.Rotation](), ecs.With[transform.LocalToWorld](), ecs.With[Speed](), ecs.With[Spin]())
	for c := range w.Create(spark, n).Chunks() {
		kernels.Fill(ecs.Column[transform.Translation](c).Y, 5)
		kernels.Fill(ecs.Column[transform.Rotation](c).W, 1)
		vel := ecs.Column[Speed](c)
		for i, e := range c.Entities() {
			vel.X[i] = float32(e.Index) * 2.4
			vel.Y[i] = float32(e.Index%997) * 0.03
		}
		kernels.Sincos(vel.X, vel.Z, vel.X)
		kernels.Fill(ecs.Column[Spin](c).Y, 2)
	}
}

// running is a world with an inspector.
type running struct {
	address  string
	server   *httptest.Server
	requests atomic.Int64 // number so far
	height   atomic.Int64 // height of the wheel, in tenths
}

// waitUntil waits until a condition is met.
func (*running) waitUntil(t *testing.T, what string, met func() bool) {
	t.Helper()
	for end := time.Now().Add(generous); !met(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%s: not after %v", what, generous)
		}
	}
}

// fountain runs a world with an inspector until the test ends. The first entity is a named wheel with
// eight lamps. Their health is 0, 10, … 70, and every other lamp is in the team red and flashes. A prefab is a spare lamp.
func fountain(t *testing.T, opts ...inspect.Option) *running {
	t.Helper()
	system.Register[turn]()
	system.Register[fly]()
	system.Register[refill]()
	system.Register[audit]()
	pool := jobs.New(jobs.Workers(2))
	w, err := app.Play("fountain", system.OnPool(pool))
	if err != nil {
		t.Fatal(err)
	}
	wheel := w.Spawn(transform.Translation{Y: 5}, transform.Identity, Spin{Z: 1}, transform.LocalToWorld{})
	if err := w.SetEntityName(wheel, "the wheel"); err != nil {
		t.Fatal(err)
	}
	for i := range 8 {
		w.Spawn(transform.Translation{X: float32(i)}, transform.Parent{Entity: wheel}, transform.LocalToParent{}, transform.LocalToWorld{}, Health{int32(10 * i)}, Team{Label: []string{"blue", "red"}[i%2]}, Glow{color.NRGBA{uint8(30 * i), 90, 200, 255}, Mode(i % 2)})
	}
	light(w, sparks)
	spare := w.Spawn(ecs.Prefab{}, transform.Translation{Y: 1}, Health{50}, Team{Label: "green"})
	if err := w.SetEntityName(spare, "the spare lamp"); err != nil {
		t.Fatal(err)
	}

	in := inspect.New(append([]inspect.Option{inspect.Token(secret), inspect.Allow(inspect.Control | inspect.Edit), inspect.SlowFrames(time.Hour)}, opts...)...)
	r := &running{}
	r.server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		r.requests.Add(1)
		in.ServeHTTP(w, q)
	}))
	r.address = in.URL(r.server.Listener.Addr().String())
	look := system.OnEveryFrameEnd(func(b *system.FrameEnd) {
		if at, err := ecs.Get[transform.Translation](b.World, wheel); err == nil {
			r.height.Store(int64(at.Y * 10))
		}
	})
	ctx, cancel := context.WithCancel(t.Context())
	over := make(chan error)
	go func() { over <- app.Run(ctx, w, app.Step(1.0/60), app.Pace(50)) }()
	t.Cleanup(func() {
		_ = in.Close()
		cancel()
		<-over
		look()
		r.server.Close()
		_ = w.Close()
		_ = pool.Close()
	})
	return r
}

// secret is the token. It contains characters that must be escaped in a URL.
const secret = "a/b c"
