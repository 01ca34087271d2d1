package main

import (
	"math"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/transform"
	"github.com/lanewise/lanewise/kernels"
	"github.com/lanewise/lanewise/kernels/forces"
	"github.com/lanewise/lanewise/random"
)

// Velocity is the velocity of a star.
type Velocity struct{ X, Y, Z float32 }

// Column returns the view of a column: three lanes.
func (Velocity) Column() (c kernels.Vec3s[float32]) { return }

// Blue marks the stars of one of the galaxies.
type Blue struct{}

const (
	dt   = 0.01
	soft = 0.03 * 0.03
	core = 0.15 // inside this radius a galaxy rotates more slowly
)

// stars simulates two galaxies, each of mass 1 and radius 1.
type stars struct {
	all    *ecs.Query
	at     kernels.Vec3s[float32] // positions of all stars at the start of a step
	mass   []float32              // of each star, times the duration of a step
	starts []int                  // where each chunk starts in at
	pull   pulling
}

// light creates two disks of stars that pass each other. All rings of equal width around the
// middle of a disk have the same number of stars, because the stars have the same speed at every
// distance.
func light(w *ecs.World, n int) *stars {
	far, way := random.Key{Seed: 1}, random.Key{Seed: 1, Stream: 1}
	for side := range 2 {
		half := (n + side) / 2
		sign := float32(1 - 2*side)
		a := w.Archetype(ecs.With[transform.Translation](), ecs.With[Velocity]())
		if side == 1 {
			a = w.Archetype(ecs.With[transform.Translation](), ecs.With[Velocity](), ecs.With[Blue]())
		}
		row := uint64(side) << 32
		for c := range w.Create(a, half).Chunks() {
			pos, vel, n := ecs.Column[transform.Translation](c), ecs.Column[Velocity](c), c.Len()
			px, py, pz := pos.X[:n], pos.Y[:n], pos.Z[:n]
			vx, vy, vz := vel.X[:n], vel.Y[:n], vel.Z[:n]
			for i := range n {
				row++
				r := random.UniformOf[float32](far.Row(row))
				x, y := random.Direction2Of[float32](way.Row(row))
				v := float32(math.Sqrt(float64(r / (r + core))))
				px[i] = float32(r*x) + float32(sign*1.4)
				py[i] = float32(r*y) + float32(sign*0.5)
				pz[i] = float32(0.05 * x * y)
				vx[i] = -float32(v*y) - float32(sign*0.45)
				vy[i] = float32(v * x)
				vz[i] = 0
			}
		}
	}
	lane := func() []float32 { return make([]float32, n) }
	s := &stars{all: w.Query(ecs.Write[transform.Translation](), ecs.Write[Velocity]()), at: kernels.Vec3s[float32]{X: lane(), Y: lane(), Z: lane()}, mass: lane()}
	kernels.Fill(s.mass, 2*dt/float32(n))
	s.pull = pulling{s}
	return s
}

// step does one step: all stars attract each other and move.
func (s *stars) step() error {
	s.starts = s.all.AppendOffsets(s.starts[:0])
	for c := range s.all.Chunks() {
		pos, first := ecs.ReadColumn[transform.Translation](c), s.starts[c.Index()]
		copy(s.at.X[first:], pos.X)
		copy(s.at.Y[first:], pos.Y)
		copy(s.at.Z[first:], pos.Z)
	}
	return s.all.ParallelFor(&s.pull).Wait()
}

// pulling is the job of a step.
type pulling struct{ *stars }

// Chunk moves the stars of one chunk. It reads the positions of all stars at the start of the step.
func (p *pulling) Chunk(c *ecs.Chunk) {
	pos, vel := ecs.Column[transform.Translation](c), ecs.Column[Velocity](c)
	forces.Gravity(vel, pos, &p.at, p.mass, soft)
	pos.AddScaled(pos, vel, dt)
}
