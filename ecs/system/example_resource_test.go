package system_test

import (
	"fmt"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/system"
	"github.com/lanewise/lanewise/jobs"
	"github.com/lanewise/lanewise/jobs/access"
)

// Heat is a grid that the world has once; no entity owns it.
type Heat struct{ Cells [8]float32 }

// Stove warms each cell by a different amount, on all cores.
type Stove struct {
	_      system.In[system.Simulation]
	_      system.Before[Flee]
	heat   *system.Resource[Heat]
	writes *access.Access
}

func (s *Stove) Create(u *system.Setup) error {
	s.heat = system.ResourceOf[Heat](u.World())
	s.writes = u.Access(ecs.Write[system.Resource[Heat]]())
	return nil
}

func (s *Stove) Update(f *system.Frame) error {
	f.ParallelRange(s, len(Heat{}.Cells), 0, s.writes)
	return nil
}

// RunRange is the job.
func (s *Stove) RunRange(_ *jobs.Task, lo, hi int) {
	cells := &s.heat.WriteBy(s.writes).Cells
	for i := lo; i < hi; i++ {
		cells[i] += float32(i)
	}
}

// Flee moves every position by the heat of its cell. Its job waits for that of Stove,
// because it reads the grid.
type Flee struct {
	_       system.In[system.Simulation]
	heat    *system.Resource[Heat]
	fleeing *ecs.Query
}

func (s *Flee) Create(u *system.Setup) error {
	s.heat = system.ResourceOf[Heat](u.World())
	s.fleeing = u.Query(ecs.Write[Position](), ecs.Read[system.Resource[Heat]]())
	return nil
}

func (s *Flee) Update(f *system.Frame) error {
	f.ParallelFor(s.fleeing, s)
	return nil
}

func (s *Flee) Chunk(c *ecs.Chunk) {
	cells, pos := &s.heat.ReadIn(c).Cells, *ecs.Column[Position](c)
	for i, x := range pos {
		pos[i] += cells[int(x)%len(cells)]
	}
}

func ExampleResource() {
	w := world(system.Of[Stove](), system.Of[Flee]())
	goat := w.Spawn(Position{X: 1})
	for range 3 {
		runFrames(w, 1)
		fmt.Println(ecs.Get[Position](w, goat))
	}
	fmt.Println(system.ResourceOf[Heat](w).Read().Cells)
	// Output:
	// {2} <nil>
	// {6} <nil>
	// {24} <nil>
	// [0 3 6 9 12 15 18 21]
}
