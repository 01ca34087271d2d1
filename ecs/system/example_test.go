package system_test

import (
	"context"
	"fmt"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/app"
	"github.com/lanewise/lanewise/ecs/system"
)

// The components of the examples.
type (
	Position struct{ X float32 }
	Velocity struct{ X float32 }
	Target   struct{ X float32 }
)

func (Position) Column() (c []float32) { return }
func (Velocity) Column() (c []float32) { return }

// world makes a world with systems of the given types and no others.
func world(types ...*system.Type) *ecs.World {
	w, err := system.NewWorld("example", system.Only(types...))
	if err != nil {
		panic(err)
	}
	return w
}

// runFrames runs n frames of half a second each.
func runFrames(w *ecs.World, n int) {
	if err := app.Run(context.Background(), w, app.Frames(n), app.Step(0.5)); err != nil {
		panic(err)
	}
}

// say is the update of systems that only print.
func say(words ...any) error {
	fmt.Println(words...)
	return nil
}

// Move advances every position by its velocity, in parallel.
type Move struct {
	moving *ecs.Query
	dt     float32
}

func (m *Move) Create(s *system.Setup) error {
	m.moving = s.Query(ecs.Write[Position](), ecs.Read[Velocity]())
	return nil
}

func (m *Move) Update(f *system.Frame) error {
	m.dt = float32(f.Delta())
	f.ParallelFor(m.moving, m)
	return nil
}

func (m *Move) Chunk(c *ecs.Chunk) {
	pos, vel := *ecs.Column[Position](c), *ecs.Column[Velocity](c)
	for i := range pos {
		pos[i] += float32(vel[i] * m.dt)
	}
}

func Example() {
	w := world(system.Of[Move]())
	e := w.Spawn(Position{X: 1}, Velocity{X: 2})
	if err := app.Run(context.Background(), w, app.Frames(4), app.Step(0.5)); err != nil {
		fmt.Println(err)
	}
	p, err := ecs.Get[Position](w, e)
	fmt.Println(p.X, err)
	// Output: 5 <nil>
}

type (
	Breakfast struct {
		_ system.Before[Lunch]
	}
	Lunch  struct{}
	Dinner struct {
		_ system.After[Lunch]
	}
)

func (*Breakfast) Update(*system.Frame) error { return say("breakfast") }
func (*Lunch) Update(*system.Frame) error     { return say("lunch") }
func (*Dinner) Update(*system.Frame) error    { return say("dinner") }

func ExampleBefore() {
	runFrames(world(system.Of[Lunch](), system.Of[Breakfast]()), 1)
	// Output:
	// breakfast
	// lunch
}

func ExampleAfter() {
	runFrames(world(system.Of[Dinner](), system.Of[Lunch]()), 1)
	// Output:
	// lunch
	// dinner
}

// Day is a group. Wake is the first member of the group, and Sleep is the last.
type (
	Day  struct{ system.Group }
	Wake struct {
		_ system.First[Day]
	}
	Work struct {
		_ system.In[Day]
	}
	Sleep struct {
		_ system.Last[Day]
	}
)

func (*Wake) Update(*system.Frame) error  { return say("wake") }
func (*Work) Update(*system.Frame) error  { return say("work") }
func (*Sleep) Update(*system.Frame) error { return say("sleep") }

func ExampleIn() {
	runFrames(world(system.Of[Day](), system.Of[Work]()), 2)
	// Output:
	// work
	// work
}

func ExampleFirst() {
	runFrames(world(system.Of[Day](), system.Of[Work](), system.Of[Wake]()), 1)
	// Output:
	// wake
	// work
}

func ExampleLast() {
	runFrames(world(system.Of[Day](), system.Of[Sleep](), system.Of[Work]()), 1)
	// Output:
	// work
	// sleep
}

type (
	Cook struct {
		_ system.CreateBefore[Guest]
	}
	Guest  struct{}
	Washer struct {
		_ system.CreateAfter[Guest]
	}
)

func (*Cook) Create(*system.Setup) error   { return say("create the cook") }
func (*Guest) Create(*system.Setup) error  { return say("create the guest") }
func (*Washer) Create(*system.Setup) error { return say("create the washer") }
func (*Cook) Update(*system.Frame) error   { return nil }
func (*Guest) Update(*system.Frame) error  { return nil }
func (*Washer) Update(*system.Frame) error { return nil }

func ExampleCreateBefore() {
	world(system.Of[Guest](), system.Of[Cook]())
	// Output:
	// create the cook
	// create the guest
}

func ExampleCreateAfter() {
	world(system.Of[Washer](), system.Of[Guest]())
	// Output:
	// create the guest
	// create the washer
}

// Debug is created by hand, where it is needed.
type Debug struct {
	_ system.Manual
}

func (*Debug) Update(f *system.Frame) error { return say("debug", f.World().Name()) }

func ExampleManual() {
	w := world()
	debug, err := system.Create[Debug](w)
	if err != nil {
		fmt.Println(err)
	}
	if err := system.GetOrCreate[system.Presentation](w).Add(debug); err != nil {
		fmt.Println(err)
	}
	runFrames(w, 1)
	// Output: debug example
}

// Hunt runs only while there is prey.
type Hunt struct {
	_ system.MatchingOnly
}

func (*Hunt) Create(s *system.Setup) error {
	s.Query(ecs.Read[Target]())
	return nil
}

func (*Hunt) StartRunning(*system.Frame) error { return say("begin to hunt") }
func (*Hunt) Update(*system.Frame) error       { return say("hunt") }
func (*Hunt) StopRunning(*system.Frame) error  { return say("nothing left") }
func (*Hunt) Destroy(*system.Setup) error      { return say("gone") }

func ExampleMatchingOnly() {
	w := world(system.Of[Hunt]())
	runFrames(w, 1)
	e := w.Spawn(Target{})
	runFrames(w, 2)
	if err := w.Destroy(e); err != nil {
		fmt.Println(err)
	}
	runFrames(w, 1)
	// Output:
	// begin to hunt
	// hunt
	// hunt
	// nothing left
}

func ExampleSystem() {
	w := world(system.Of[Hunt]())
	hunt := system.GetOrCreate[Hunt](w)
	w.Spawn(Target{})
	runFrames(w, 1)
	system.InstanceOf(w, hunt).SetEnabled(false)
	runFrames(w, 1)
	if err := system.Destroy(w, hunt); err != nil {
		fmt.Println(err)
	}
	// Output:
	// begin to hunt
	// hunt
	// nothing left
	// gone
}

// Gizmos is only in editor worlds.
type Gizmos struct {
	_ system.For[system.EditorWorld]
}

func (*Gizmos) Update(f *system.Frame) error { return nil }

func ExampleFor() {
	system.Register[Gizmos]()
	defer system.Unregister[Gizmos]()
	for _, as := range []system.Option{system.WithKind[system.SimulationWorld](), system.WithKind[system.EditorWorld]()} {
		w, err := system.NewWorld("", as)
		fmt.Println(system.Find[Gizmos](w) != nil, err)
	}
	// Output:
	// false <nil>
	// true <nil>
}

// Physics runs four times a second of world time, whatever the frame rate.
type (
	Physics struct{ system.Group }
	Collide struct {
		_ system.In[Physics]
	}
)

func (p *Physics) Create(*system.Setup) error {
	p.SetRate(system.CatchUpRate(1.0 / 4))
	return nil
}

func (*Collide) Update(f *system.Frame) error { return say(f.Elapsed(), f.Delta()) }

func ExampleGroup_SetRate_fixed() {
	w := world(system.Of[Physics](), system.Of[Collide]())
	system.ClockOf(w).MaximumDelta = 1 // let it catch up half a second in one frame
	runFrames(w, 2)
	// Output:
	// 0 0.25
	// 0.25 0.25
	// 0.5 0.25
}

// Spawner makes one entity in each frame, at the end of the simulation.
type Spawner struct{}

func (*Spawner) Update(f *system.Frame) error {
	fmt.Println("entities:", f.World().Len())
	_, err := system.Commands[system.EndSimulation](f).Spawn(Target{})
	return err
}

func ExampleCommands() {
	runFrames(world(system.Of[Spawner]()), 3)
	// Output:
	// entities: 0
	// entities: 1
	// entities: 2
}

// Marker adds a Target to each entity with a Position. The change is made right after
// the update.
type Marker struct{ fresh *ecs.Query }

func (m *Marker) Create(s *system.Setup) error {
	m.fresh = s.Query(ecs.Read[Position](), ecs.Without[Target]())
	return nil
}

func (m *Marker) Update(f *system.Frame) error {
	for c := range m.fresh.Chunks() {
		for _, e := range c.Entities() {
			if err := ecs.Add(f.Commands(), e, Target{X: 7}); err != nil {
				return err
			}
		}
	}
	return nil
}

func ExampleFrame_Commands() {
	w := world(system.Of[Marker]())
	e := w.Spawn(Position{})
	runFrames(w, 1)
	fmt.Println(ecs.Get[Target](w, e))
	// Output: {7} <nil>
}
