package system_test

import (
	"fmt"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/system"
	"github.com/lanewise/lanewise/jobs"
	"github.com/lanewise/lanewise/jobs/access"
)

// Steer sets velocities, on all cores.
type Steer struct {
	_        system.In[system.Simulation]
	_        system.Before[Drive]
	steering *ecs.Query
}

func (s *Steer) Create(u *system.Setup) error {
	s.steering = u.Query(ecs.Write[Velocity]())
	return nil
}

func (s *Steer) Update(f *system.Frame) error {
	f.ParallelFor(s.steering, s)
	return nil
}

func (s *Steer) Chunk(c *ecs.Chunk) {
	for i, v := 0, *ecs.Column[Velocity](c); i < len(v); i++ {
		v[i] = 2
	}
}

// Drive moves the positions. Its job waits for that of Steer, because it reads
// velocities.
type Drive struct {
	_       system.In[system.Simulation]
	driving *ecs.Query
}

func (d *Drive) Create(u *system.Setup) error {
	d.driving = u.Query(ecs.Write[Position](), ecs.Read[Velocity]())
	return nil
}

func (d *Drive) Update(f *system.Frame) error {
	f.ParallelFor(d.driving, d)
	return nil
}

func (d *Drive) Chunk(c *ecs.Chunk) {
	pos, vel := *ecs.Column[Position](c), *ecs.Column[Velocity](c)
	for i := range pos {
		pos[i] += vel[i]
	}
}

func ExampleFrame_ParallelFor() {
	w := world(system.Of[Steer](), system.Of[Drive]())
	car := w.Spawn(Position{X: 1}, Velocity{})
	runFrames(w, 3)
	fmt.Println(ecs.Get[Position](w, car))
	// Output: {7} <nil>
}

// Tally counts the positions in a job that is not over a query.
type Tally struct {
	_         system.In[system.Presentation]
	positions *ecs.Query
	reads     *access.Access
	n         int
}

func (t *Tally) Create(u *system.Setup) error {
	t.positions = u.Query(ecs.With[Position]())
	t.reads = u.Access(ecs.Read[Position]())
	return nil
}

func (t *Tally) Update(f *system.Frame) error {
	t.n = t.positions.Count()
	f.Schedule(t, t.reads) // after jobs that write Position
	return nil
}

// Run is the job.
func (t *Tally) Run(*jobs.Task) { fmt.Println("positions:", t.n) }

func ExampleFrame_Schedule() {
	w := world(system.Of[Drive](), system.Of[Tally]())
	w.Spawn(Position{})
	runFrames(w, 1)
	// Output: positions: 1
}

func ExampleExplain() {
	w := world(system.Of[Steer](), system.Of[Drive](), system.Of[Lunch](), system.Of[Tally]())
	e := system.Explain(w)
	for _, wait := range e.Waits {
		fmt.Println(wait)
	}
	fmt.Println("---")
	for _, advice := range e.Advice {
		fmt.Println(advice)
	}
	// Output:
	// system_test.Drive for system_test.Steer: it reads system_test.Velocity, which that writes
	// system_test.Tally for system_test.Drive: it reads system_test.Position, which that writes
	// ---
	// system_test.Lunch names no group and stands in Simulation by default: say where it belongs, with In
}

func ExampleExplain_text() {
	w := world(system.Of[Steer](), system.Of[Drive]())
	fmt.Println(system.Explain(w))
	// Output:
	// world "example"
	//
	// order
	//   system.Initialization
	//     system.BeginInitialization
	//     system.EndInitialization
	//   system.Simulation
	//     system.BeginSimulation
	//     system.FixedStep
	//       system.BeginFixedStep
	//       system.EndFixedStep
	//     system.VariableRate
	//       system.BeginVariableRate
	//       system.EndVariableRate
	//     system_test.Steer
	//     system_test.Drive
	//     system.LateSimulation
	//     system.EndSimulation
	//   system.Presentation
	//     system.BeginPresentation
	//     system.EndPresentation
	//
	// waits
	//   system_test.Drive for system_test.Steer: it reads system_test.Velocity, which that writes
}

func ExampleMeasure() {
	w := world(system.Of[Steer](), system.Of[Drive]())
	w.Spawn(Position{}, Velocity{})
	system.Measure(w, true)
	runFrames(w, 60)
	e := system.Explain(w)
	fmt.Println(e.Frames, "frames,", len(e.Critical) > 0, e.Frame > 0)
	system.Measure(w, false)
	// Output: 60 frames, true true
}
