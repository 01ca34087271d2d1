package exhibit

import (
	"fmt"
	"math"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/transform"
	"github.com/lanewise/lanewise/jobs"
	"github.com/lanewise/lanewise/kernels"
	"github.com/lanewise/lanewise/kernels/forces"
	"github.com/lanewise/lanewise/random"
)

var galaxy = &Exhibit{
	Name: "galaxy", Title: "Two galaxies",
	Text:   "Two disks of stars pass each other. Every star attracts every other star, in every tick, and the tides draw out long arms.",
	Source: "examples/gallery/exhibit/galaxy.go",
	Params: []Param{
		{Name: "stars", Label: "stars", Min: 400, Max: 4000, Step: 200, Default: 1600},
		{Name: "gravity", Label: "gravity", Min: 0, Max: 2, Step: 0.05, Default: 1, Live: true},
	},
	Checked: 150, Golden: 0xe67b19077551e86d, PerFrame: 1, Look: Glow, World: true,
	start: startGalaxy,
}

// Blue marks the stars of one of the galaxies.
type Blue struct{}

const (
	moment = 0.01        // a tick
	soft   = 0.08 * 0.08 // stars that are nearer than the square root of this attract each other less
	core   = 0.15        // inside this radius a galaxy rotates more slowly
)

// stars is the running pair of galaxies.
type stars struct {
	world
	all    *ecs.Query
	disks  [2]*ecs.Query          // the yellow and the blue stars, for the picture
	at     kernels.Vec3s[float32] // positions of all stars at the start of a tick
	mass   []float32              // of each star, times the duration of a tick
	starts []int                  // where each chunk starts in at
	pull   pulling
	view   camera
}

// startGalaxy creates two disks of stars. All rings of equal width have the same number of stars, because
// the stars have the same speed at every distance.
func startGalaxy(pool *jobs.Pool, values []float64) (Simulation, error) {
	w, n := ecs.NewWorld("galaxy", ecs.OnPool(pool)), int(values[0])
	far, way := random.Key{Seed: 1}, random.Key{Seed: 1, Stream: 1}
	disks := [2]ecs.Archetype{
		w.Archetype(ecs.With[transform.Translation](), ecs.With[Velocity]()),
		w.Archetype(ecs.With[transform.Translation](), ecs.With[Velocity](), ecs.With[Blue]()),
	}
	for side, disk := range disks {
		sign, row := float32(1-2*side), uint64(side)<<32
		for c := range w.Create(disk, (n+side)/2).Chunks() {
			pos, vel, n := ecs.Column[transform.Translation](c), ecs.Column[Velocity](c), c.Len()
			px, py, pz, vx, vy := pos.X[:n], pos.Y[:n], pos.Z[:n], vel.X[:n], vel.Y[:n]
			for i := range n {
				row++
				r := random.UniformOf[float32](far.Row(row))
				x, y := random.Direction2Of[float32](way.Row(row))
				v := float32(math.Sqrt(float64(r / (r + core))))
				px[i] = float32(r*x) + float32(sign*1.4)
				py[i] = float32(r*y) + float32(sign*0.5)
				pz[i] = 0.05 * x * y
				vx[i] = -float32(v*y) - float32(sign*0.45)
				vy[i] = float32(v * x)
			}
		}
	}
	lane := func() []float32 { return make([]float32, n) }
	s := &stars{world: world{w}, at: kernels.Vec3s[float32]{X: lane(), Y: lane(), Z: lane()}, mass: lane()}
	s.all = w.Query(ecs.Write[transform.Translation](), ecs.Write[Velocity]())
	s.disks = [2]*ecs.Query{
		w.Query(ecs.Read[transform.Translation](), ecs.Without[Blue]()),
		w.Query(ecs.Read[transform.Translation](), ecs.With[Blue]()),
	}
	s.pull = pulling{s}
	s.view = camera{far: 6, zoom: 3.6, wide: 1.2}
	s.Set(1, values[1])
	return s, nil
}

// Set changes a parameter.
func (s *stars) Set(param int, value float64) {
	if param == 1 {
		kernels.Fill(s.mass, 2*moment*float32(value)/float32(len(s.mass)))
	}
}

// Tick lets all stars attract each other, and moves them.
func (s *stars) Tick(int) error {
	if n := s.w.Len(); n != len(s.mass) {
		return fmt.Errorf("the world has %d stars, and the parameter says %d", n, len(s.mass)) // a file was edited
	}
	s.starts = s.all.AppendOffsets(s.starts[:0])
	for c := range s.all.Chunks() {
		pos, first := ecs.ReadColumn[transform.Translation](c), s.starts[c.Index()]
		copy(s.at.X[first:], pos.X)
		copy(s.at.Y[first:], pos.Y)
		copy(s.at.Z[first:], pos.Z)
	}
	return s.all.ParallelFor(&s.pull).Wait()
}

// pulling is the job of a tick.
type pulling struct{ *stars }

// Chunk moves the stars of one chunk. It reads the positions of all stars at the start of the tick.
func (p *pulling) Chunk(c *ecs.Chunk) {
	pos, vel := ecs.Column[transform.Translation](c), ecs.Column[Velocity](c)
	forces.Gravity(vel, pos, &p.at, p.mass, soft)
	pos.AddScaled(pos, vel, moment)
}

// Len returns the number of stars.
func (s *stars) Len() int { return s.w.Len() }

// Note returns nothing.
func (s *stars) Note() string { return "" }

// Draw draws the stars from a camera that slowly turns around them.
func (s *stars) Draw(c *Canvas, tick int) {
	s.view.aim(float64(0.002*float64(tick))-0.4, 0.9)
	tones := [2]color{{150, 104, 52}, {56, 98, 164}}
	for side, disk := range s.disks {
		tone := tones[side]
		for k := range disk.Chunks() {
			pos, n := ecs.ReadColumn[transform.Translation](k), k.Len()
			x, y, z := pos.X[:n], pos.Y[:n], pos.Z[:n]
			for i := range n {
				px, py, size, _ := c.project(&s.view, x[i], z[i], -y[i]) // the disks lie flat
				c.Point(px, py, 0.08*size, tone.dim(0.2))
				c.Point(px, py, 0.022*size, tone)
			}
		}
	}
}
