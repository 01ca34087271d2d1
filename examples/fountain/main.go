// Fountain turns a wheel with eight lamps on it, and lets a million sparks fly
// until they touch the ground. At the end it prints a hash of the world, which is
// the same on every machine.
package main

import (
	"context"
	"flag"
	"fmt"
	"log"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/app"
	"github.com/lanewise/lanewise/ecs/system"
	"github.com/lanewise/lanewise/ecs/transform"
	"github.com/lanewise/lanewise/kernels"
)

// Velocity is in metres per second; Spin is in radians per second about each axis.
type (
	Velocity struct{ X, Y, Z float32 }
	Spin     struct{ X, Y, Z float32 }
)

func (Velocity) Column() (c kernels.Vec3s[float32]) { return } // a column of them is three lanes
func (Spin) Column() (c kernels.Vec3s[float32])     { return }

// Turn rotates all entities with a Spin: the wheel and every spark.
type Turn struct {
	_       system.Before[transform.Group]
	turning *ecs.Query
	dt      float32
}

// Create declares once which components the system reads and writes.
func (t *Turn) Create(s *system.Setup) error {
	t.turning = s.Query(ecs.Write[transform.Rotation](), ecs.Read[Spin]())
	return nil
}

// Update schedules one job for all chunks that have a rotation and a spin.
func (t *Turn) Update(f *system.Frame) error {
	t.dt = float32(f.Delta())
	f.ParallelFor(t.turning, t)
	return nil
}

// Chunk turns the rows of one chunk with one loop of AVX2 or NEON.
func (t *Turn) Chunk(c *ecs.Chunk) {
	rot, spin := ecs.Column[transform.Rotation](c), ecs.Column[Spin](c)
	rot.Integrate(rot, spin, t.dt)
}

// Fly moves the sparks and destroys those below the ground.
type Fly struct {
	_      system.Before[transform.Group]
	sparks *ecs.Query
	gone   ecs.ParallelCommands
	dt     float32
}

// Create declares once which components the system reads and writes.
func (s *Fly) Create(u *system.Setup) error {
	s.sparks = u.Query(ecs.Write[transform.Translation](), ecs.Write[Velocity]())
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
	pos, vel, gone := ecs.Column[transform.Translation](c), ecs.Column[Velocity](c), s.gone.For(c)
	fall := float32(9.81 * s.dt) // the conversion prevents the compiler from fusing the product with the subtraction
	up, sparks := vel.Y, c.Entities()
	for i := range up {
		up[i] -= fall
	}
	pos.AddScaled(pos, vel, s.dt)
	for i, y := range pos.Y {
		if y < 0 {
			gone.Destroy(sparks[i]) // when the simulation ends, in the order of the chunks
		}
	}
}

// light creates the wheel with its lamps, and the sparks at its hub.
func light(w *ecs.World, sparks int) {
	wheel := w.Spawn(transform.Translation{Y: 5}, transform.Identity, Spin{Z: 1}, transform.LocalToWorld{})
	for i := range 8 {
		w.Spawn(transform.Translation{X: float32(i)}, transform.Parent{Entity: wheel}, transform.LocalToParent{}, transform.LocalToWorld{})
	}
	throw(w, sparks)
}

// throw creates sparks at the hub of the wheel.
func throw(w *ecs.World, sparks int) {
	spark := w.Archetype(ecs.With[transform.Translation](), ecs.With[transform.Rotation](), ecs.With[transform.LocalToWorld](), ecs.With[Velocity](), ecs.With[Spin]())
	for c := range w.Create(spark, sparks).Chunks() { // the new rows, chunk by chunk
		kernels.Fill(ecs.Column[transform.Translation](c).Y, 5)
		kernels.Fill(ecs.Column[transform.Rotation](c).W, 1)
		vel := ecs.Column[Velocity](c)
		angle, up := vel.X[:c.Len()], vel.Y[:c.Len()]
		for i, e := range c.Entities()[:c.Len()] {
			angle[i] = float32(e.Index) * 2.4 // no two sparks leave in the same direction
			up[i] = float32(e.Index%997) * 0.03
		}
		kernels.Sincos(vel.X, vel.Z, vel.X)
		kernels.Fill(ecs.Column[Spin](c).Y, 2)
	}
}

// run steps a world with the given number of sparks and returns its hash.
func run(sparks, frames int, options ...system.Option) (uint64, error) {
	system.Register[Turn]()
	system.Register[Fly]()
	w, err := app.Play("fountain", options...) // the default world: its groups, and every registered system in its place
	if err != nil {
		return 0, err
	}
	defer w.Close()
	light(w, sparks)
	if err := app.Run(context.Background(), w, app.Frames(frames), app.Step(1.0/60)); err != nil {
		return 0, err
	}
	return w.Hash(), nil
}

// inspected reports whether the command line asks for the inspector. If so, it first plays with the inspector
// until Ctrl-C. File show.go sets it. A program without that file has no inspector and is 6 MB smaller.
var inspected = func() (bool, error) { return false, nil }

func main() {
	save := flag.String("save", "", "write the world to this `file` at the end")
	load := flag.String("load", "", "go on with the world in this `file` of -save")
	frames := flag.Int("frames", 300, "play so `many`")
	flag.Parse()
	if done, err := inspected(); err != nil {
		log.Fatal(err)
	} else if done {
		return
	}
	hash, err := keep(1_000_000, *frames, *load, *save)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%016x\n", hash)
}
