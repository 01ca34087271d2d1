package transform_test

import (
	"fmt"
	"log"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/system"
	"github.com/lanewise/lanewise/ecs/transform"
	"github.com/lanewise/lanewise/kernels"
)

// Velocity is in units a second.
type Velocity struct{ X, Y, Z float32 }

// Column returns the type of a column of velocities: three slices, with the kernels of vectors.
func (Velocity) Column() (c kernels.Vec3s[float32]) { return }

// Life is the remaining time of an entity in seconds.
type Life struct{ Left float32 }

// Column returns the type of a column of lives: one slice.
func (Life) Column() (c []float32) { return }

// Fly moves entities, and destroys those whose time is over.
type Fly struct {
	_      system.In[system.Simulation]
	_      system.Before[transform.Group]
	flying *ecs.Query
	later  ecs.ParallelCommands
	dt     float32
}

// Create asks for the query, once.
func (s *Fly) Create(u *system.Setup) error {
	s.flying = u.Query(ecs.Write[transform.LocalTransform](), ecs.Write[Life](), ecs.Read[Velocity]())
	return nil
}

// Update schedules the job.
func (s *Fly) Update(f *system.Frame) error {
	s.dt = float32(f.Delta())
	s.later = system.Commands[system.EndSimulation](f).Parallel()
	f.ParallelFor(s.flying, s)
	return nil
}

// Chunk moves the entities of one chunk.
func (s *Fly) Chunk(c *ecs.Chunk) {
	pos := ecs.Column[transform.LocalTransform](c).Positions()
	pos.AddScaled(&pos, ecs.Column[Velocity](c), s.dt)
	life, later := *ecs.Column[Life](c), s.later.For(c)
	for i, e := range c.Entities() {
		if life[i] -= s.dt; life[i] <= 0 {
			later.Destroy(e)
		}
	}
}

func main() {
	w, err := system.NewWorld("first day", system.Only(system.Of[Fly]()), system.WithPlugins(transform.Systems()))
	if err != nil {
		log.Fatal(err)
	}
	defer w.Close()
	spark := w.Spawn(transform.At[float32](0, 10, 0), Velocity{X: 2}, Life{Left: 1}, transform.LocalToWorld{}, ecs.Prefab{})
	sparks, err := w.Instantiate(spark, 1000)
	if err != nil {
		log.Fatal(err)
	}
	q := w.Query(ecs.With[Life]())
	for range 4 {
		system.ClockOf(w).Advance(0.25)
		if err := system.Update(w); err != nil {
			log.Fatal(err)
		}
		l, _ := ecs.Get[transform.LocalToWorld](w, sparks[0])
		x, y, _ := l.Position()
		fmt.Println(q.Count(), "sparks, the first at", x, y)
	}
}

func Example_fromUnity() {
	main()
	// Output:
	// 1000 sparks, the first at 0.5 10
	// 1000 sparks, the first at 1 10
	// 1000 sparks, the first at 1.5 10
	// 0 sparks, the first at 0 0
}
