package transform_test

import (
	"fmt"
	"log"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/system"
	"github.com/lanewise/lanewise/ecs/transform"
	"github.com/lanewise/lanewise/jobs"
)

// Turning is a speed in radians a second. An entity whose Turning is off stands still.
type Turning struct {
	ecs.Enableable
	Speed float32
}

// Column returns the type of a column: the marker Enableable is not a field.
func (Turning) Column() (c []float32) { return }

// Turn turns entities around the Y axis.
type Turn struct {
	_       system.In[system.Simulation]
	_       system.Before[transform.Group]
	turning *ecs.Query
	dt      float32
}

// Create asks for the query, once.
func (s *Turn) Create(u *system.Setup) error {
	s.turning = u.Query(ecs.Write[transform.LocalTransform](), ecs.Read[Turning]())
	return nil
}

// Update schedules the job.
func (s *Turn) Update(f *system.Frame) error {
	s.dt = float32(f.Delta())
	f.ParallelFor(s.turning, s)
	return nil
}

// Chunk turns the rows whose Turning is on.
func (s *Turn) Chunk(c *ecs.Chunk) {
	at, speed := ecs.Column[transform.LocalTransform](c), *ecs.Column[Turning](c)
	for lo, hi := range c.Runs() {
		part := at.Slice(lo, hi)
		rot := part.Rotations()
		rot.Spin(&rot, 0, 1, 0, speed[lo:hi], s.dt)
	}
}

// Spawner asks for copies of a prefab.
type Spawner struct {
	Prefab ecs.Entity
	Count  int32
}

// Spawn makes the copies, and destroys the spawners.
type Spawn struct {
	_        system.In[system.Simulation]
	spawners *ecs.Query
}

// Create asks for the query. Require skips updates without spawners.
func (s *Spawn) Create(u *system.Setup) error {
	s.spawners = u.Query(ecs.Read[Spawner]())
	u.Require(s.spawners)
	return nil
}

// Update records the copies in a buffer, which is played back at the beginning of the next frame.
func (s *Spawn) Update(f *system.Frame) error {
	later := system.Commands[system.BeginSimulation](f)
	spawners, err := ecs.AppendValues[Spawner](s.spawners, nil)
	if err != nil {
		return err
	}
	for _, spawner := range spawners {
		for i := range spawner.Count {
			cube, err := later.Instantiate(spawner.Prefab)
			if err != nil {
				return err
			}
			if err := ecs.Set(later, cube, transform.At(float32(i), 0, 0)); err != nil {
				return err
			}
		}
	}
	return ecs.DestroyAll(later, ecs.Matching(s.spawners))
}

func Example_spawner() {
	pool := jobs.New(jobs.Workers(2))
	defer pool.Close()
	w, err := system.NewWorld("spawner", system.OnPool(pool), system.Only(system.Of[Spawn](), system.Of[Turn]()), system.WithPlugins(transform.Systems()))
	if err != nil {
		log.Fatal(err)
	}
	defer w.Close()
	cube := w.Spawn(transform.At[float32](0, 0, 0), Turning{Speed: 2}, transform.LocalToWorld{}, ecs.Prefab{})
	w.Spawn(Spawner{Prefab: cube, Count: 3})
	q := w.Query(ecs.Present[Turning](), ecs.With[transform.LocalTransform]())
	for range 3 {
		system.ClockOf(w).Advance(0.25)
		if err := system.Update(w); err != nil {
			log.Fatal(err)
		}
		fmt.Println("cubes:", q.Count())
	}
	cubes := q.AppendEntities(nil)
	if err := ecs.SetEnabled[Turning](w, cubes[0], false); err != nil {
		log.Fatal(err)
	}
	system.ClockOf(w).Advance(0.25)
	if err := system.Update(w); err != nil {
		log.Fatal(err)
	}
	for _, cube := range cubes {
		at, err := ecs.Get[transform.LocalTransform](w, cube)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("cube at %v: the sine of half its angle is %.2f\n", at.X, at.QY) // less for the first cube
	}
	// Output:
	// cubes: 0
	// cubes: 3
	// cubes: 3
	// cube at 0: the sine of half its angle is 0.48
	// cube at 1: the sine of half its angle is 0.68
	// cube at 2: the sine of half its angle is 0.68
}
