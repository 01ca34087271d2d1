package exhibit

import (
	"math"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/system"
	"github.com/lanewise/lanewise/ecs/transform"
	"github.com/lanewise/lanewise/jobs"
	"github.com/lanewise/lanewise/kernels"
	"github.com/lanewise/lanewise/random"
)

var fountain = &Exhibit{
	Name: "fountain", Title: "Fountain",
	Text:   "A wheel turns in the world of an ECS. Its eight nozzles are children of the wheel in a transform hierarchy, and throw sparks: entities that are created and destroyed in every tick.",
	Source: "examples/gallery/exhibit/fountain.go",
	Params: []Param{
		{Name: "sparks", Label: "sparks a tick", Min: 0, Max: 1200, Step: 40, Default: 400, Live: true},
		{Name: "spin", Label: "turns a minute", Min: -40, Max: 40, Step: 2, Default: 14, Live: true},
		{Name: "gravity", Label: "gravity, m/s²", Min: 0, Max: 20, Step: 0.2, Default: 9.8, Live: true},
	},
	Checked: 1000, Golden: 0x23c70c7235f7d63e, PerFrame: 1, Look: Glow, World: true,
	start: startFountain,
}

// Velocity is in metres per second; Spin is in radians per second about each axis. Age holds the seconds since a spark
// was thrown, and the number of its nozzle.
type (
	Velocity struct{ X, Y, Z float32 }
	Spin     struct{ X, Y, Z float32 }
	Age      struct{ Seconds, Nozzle float32 }
)

// Column returns the view of a column: three lanes.
func (Velocity) Column() (c kernels.Vec3s[float32]) { return }

// Column returns the view of a column: three lanes.
func (Spin) Column() (c kernels.Vec3s[float32]) { return }

// Column returns the view of a column: two lanes.
func (Age) Column() (c struct{ Seconds, Nozzle []float32 }) { return }

const (
	second  = 1.0 / 60 // a tick, in seconds
	hub     = 4.2      // height of the wheel
	nozzles = 8
)

// Turn rotates the wheel.
type Turn struct {
	_     system.Before[transform.Group]
	wheel *ecs.Query
	dt    float32
}

// Create declares the components that the system reads and writes.
func (t *Turn) Create(s *system.Setup) error {
	t.wheel = s.Query(ecs.Write[transform.Rotation](), ecs.Read[Spin]())
	return nil
}

// Update schedules one job for all chunks.
func (t *Turn) Update(f *system.Frame) error {
	t.dt = float32(f.Delta())
	f.ParallelFor(t.wheel, t)
	return nil
}

// Chunk rotates the rows of one chunk.
func (t *Turn) Chunk(c *ecs.Chunk) {
	rot, spin := ecs.Column[transform.Rotation](c), ecs.Column[Spin](c)
	rot.Integrate(rot, spin, t.dt)
}

// Fly moves the sparks. A spark that falls slowly on the ground goes out.
type Fly struct {
	_           system.Before[transform.Group]
	sparks      *ecs.Query
	gone        ecs.ParallelCommands
	dt, gravity float32
}

// Create declares the components that the system reads and writes.
func (s *Fly) Create(u *system.Setup) error {
	s.sparks = u.Query(ecs.Write[transform.Translation](), ecs.Write[Velocity](), ecs.Write[Age]())
	return nil
}

// Update schedules one job. Its destroy commands run at the end of the simulation.
func (s *Fly) Update(f *system.Frame) error {
	s.dt, s.gone = float32(f.Delta()), system.Commands[system.EndSimulation](f).Parallel()
	f.ParallelFor(s.sparks, s)
	return nil
}

// Chunk moves the sparks of one chunk.
func (s *Fly) Chunk(c *ecs.Chunk) {
	pos, vel, age, gone := ecs.Column[transform.Translation](c), ecs.Column[Velocity](c), ecs.Column[Age](c), s.gone.For(c)
	n, fall := c.Len(), float32(s.gravity*s.dt)
	vx, vy, vz, seconds, sparks := vel.X[:n], vel.Y[:n], vel.Z[:n], age.Seconds[:n], c.Entities()[:n]
	for i := range n {
		vy[i] -= fall
		seconds[i] += s.dt
	}
	pos.AddScaled(pos, vel, s.dt)
	for i, y := range pos.Y[:n] {
		switch {
		case seconds[i] > 6 || y < 0 && vy[i] > -3:
			gone.Destroy(sparks[i])
		case y < 0 && vy[i] < 0:
			vx[i], vy[i], vz[i] = 0.6*vx[i], -0.3*vy[i], 0.6*vz[i]
		}
	}
}

// Throw creates sparks at the nozzles.
type Throw struct {
	_      system.After[transform.Group]
	nozzle [nozzles]ecs.Entity
	count  int
	tick   uint32
}

// Create does nothing: the system reads only the entities of the nozzles.
func (t *Throw) Create(*system.Setup) error { return nil }

// Update throws the sparks of a tick.
func (t *Throw) Update(f *system.Frame) error {
	w, key := f.World(), random.Key{Seed: 1, Tick: t.tick}
	var x, y [nozzles]float32
	for i, e := range t.nozzle {
		m, err := ecs.Get[transform.LocalToWorld](w, e)
		if err != nil {
			return err
		}
		x[i], y[i], _ = m.Position()
	}
	spark, made := w.Archetype(ecs.With[transform.Translation](), ecs.With[Velocity](), ecs.With[Age]()), 0
	for c := range w.Create(spark, t.count).Chunks() {
		pos, vel, age, n := ecs.Column[transform.Translation](c), ecs.Column[Velocity](c), ecs.Column[Age](c), c.Len()
		random.Directions3(vel, key.Rows(uint64(made)))
		px, py, vx, vy, vz, seconds, nozzle := pos.X[:n], pos.Y[:n], vel.X[:n], vel.Y[:n], vel.Z[:n], age.Seconds[:n], age.Nozzle[:n]
		for i := range n {
			k := (made + i) % nozzles
			out, along := x[k], y[k]-hub // from the hub to the nozzle
			// Each spark has already flown for a part of the tick, so that there is no gap between the
			// sparks of two ticks.
			early := float32(float32(made+i)/float32(t.count)) * second
			vx[i] = float32(0.35*vx[i]) + float32(2.4*out) - float32(1.7*along)
			vy[i] = float32(0.35*vy[i]) + float32(2.4*along) + float32(1.7*out) + 2
			vz[i] = float32(0.9 * vz[i])
			px[i], py[i] = x[k]+float32(early*vx[i]), y[k]+float32(early*vy[i])
			seconds[i], nozzle[i] = early, float32(k)
		}
		made += n
	}
	return nil
}

// sparks is the running fountain.
type sparks struct {
	world
	flying  *ecs.Query
	throw   *Throw
	wheel   ecs.Entity
	gravity *float32
	view    camera
}

func startFountain(pool *jobs.Pool, values []float64) (Simulation, error) {
	w, err := system.NewWorld("fountain", system.OnPool(pool), system.Only(system.Of[Turn](), system.Of[Fly](), system.Of[Throw]()), system.WithPlugins(transform.Systems()))
	if err != nil {
		return nil, err
	}
	s := &sparks{world: world{w}, flying: w.Query(ecs.Read[transform.Translation](), ecs.Read[Velocity](), ecs.Read[Age]())}
	s.throw, s.gravity = system.Find[Throw](w), &system.Find[Fly](w).gravity
	s.wheel = w.Spawn(transform.Translation{Y: hub}, transform.Identity, Spin{}, transform.LocalToWorld{})
	for i := range nozzles {
		turn := 2 * math.Pi * float32(i) / nozzles
		at := transform.Translation{X: 1.25 * kernels.CosOf(turn), Y: 1.25 * kernels.SinOf(turn)}
		s.throw.nozzle[i] = w.Spawn(at, transform.Parent{Entity: s.wheel}, transform.LocalToParent{}, transform.LocalToWorld{})
	}
	s.view = camera{at: [3]float32{0, 3.35, 0}, far: 16, zoom: 3.9, wide: 1.6}
	s.view.aim(0, 0.12)
	for i, v := range values {
		s.Set(i, v)
	}
	return s, nil
}

// Set changes a parameter.
func (s *sparks) Set(param int, value float64) {
	switch param {
	case 0:
		s.throw.count = int(value)
	case 1:
		_ = ecs.Set(s.w, s.wheel, Spin{Z: float32(value * 2 * math.Pi / 60)}) // the wheel exists, so no error is possible
	case 2:
		*s.gravity = float32(value)
	}
}

// Tick turns the wheel, moves the sparks, and throws more.
func (s *sparks) Tick(tick int) error {
	s.throw.tick = uint32(tick)
	system.ClockOf(s.w).Advance(second)
	return system.Update(s.w)
}

// Len returns the number of entities.
func (s *sparks) Len() int { return s.w.Len() }

// Note returns nothing.
func (s *sparks) Note() string { return "" }

// Draw draws the sparks, the nozzles and the ground.
func (s *sparks) Draw(c *Canvas, _ int) {
	white := [2]color{{150, 120, 70}, {70, 110, 150}}
	warm := [2]color{{150, 66, 14}, {24, 72, 140}}
	ember := [2]color{{58, 12, 4}, {14, 16, 60}}
	for k := range s.flying.Chunks() {
		pos, age, n := ecs.ReadColumn[transform.Translation](k), ecs.ReadColumn[Age](k), k.Len()
		x, y, z, seconds, nozzle := pos.X[:n], pos.Y[:n], pos.Z[:n], age.Seconds[:n], age.Nozzle[:n]
		for i := range n {
			px, py, size, _ := c.project(&s.view, x[i], max(0, y[i]), z[i])
			hue := int(nozzle[i]) % 2
			tone := mix(white[hue], warm[hue], seconds[i]*2.5)
			if seconds[i] > 0.4 {
				tone = mix(warm[hue], ember[hue], (seconds[i]-0.4)*0.55)
			}
			c.Point(px, py, 0.034*size, tone)
		}
	}
	for _, e := range s.throw.nozzle {
		m, err := ecs.Get[transform.LocalToWorld](s.w, e)
		if err != nil {
			continue
		}
		x, y, z := m.Position()
		px, py, size, _ := c.project(&s.view, x, y, z)
		c.Point(px, py, 0.2*size, color{120, 110, 90})
		for i := range 40 { // the spoke
			t := float32(i) / 40
			px, py, size, _ := c.project(&s.view, float32(t*x), hub+float32(t*(y-hub)), z)
			c.Point(px, py, 0.05*size, color{52, 58, 70})
		}
	}
	for i := range 120 { // the ground
		px, py, size, _ := c.project(&s.view, float32(i-60)/6, 0, 0)
		c.Point(px, py, 0.04*size, color{30, 33, 42})
	}
}
