package system_test

import (
	"errors"
	"fmt"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/system"
)

// Lighthouse has all optional methods of a system.
type Lighthouse struct {
	ships *ecs.Query
}

// Create is called once, when the system is added to its world.
func (l *Lighthouse) Create(s *system.Setup) error {
	l.ships = s.Query(ecs.Read[Position]())
	s.Require(l.ships) // no update without ships
	return say("built")
}

// StartRunning is called before the first update, and after each stop.
func (l *Lighthouse) StartRunning(*system.Frame) error { return say("light on") }

// Update is called in every frame.
func (l *Lighthouse) Update(*system.Frame) error { return say("ships:", l.ships.Count()) }

// StopRunning is called when the updates stop.
func (l *Lighthouse) StopRunning(*system.Frame) error { return say("light off") }

// Destroy is called once, when the system is removed from its world.
func (l *Lighthouse) Destroy(*system.Setup) error { return say("torn down") }

var _ interface {
	system.Creator
	system.Starter
	system.Stopper
	system.Destroyer
} = (*Lighthouse)(nil)

func ExampleCreator() {
	w := world()
	_, err := system.Create[Lighthouse](w)
	fmt.Println(err)
	// Output:
	// built
	// <nil>
}

func ExampleStarter() {
	w := world(system.Of[Lighthouse]())
	runFrames(w, 1) // no ship, no update
	w.Spawn(Position{})
	runFrames(w, 2)
	// Output:
	// built
	// light on
	// ships: 1
	// ships: 1
}

func ExampleStopper() {
	w := world(system.Of[Lighthouse]())
	ship := w.Spawn(Position{})
	runFrames(w, 1)
	if err := w.Destroy(ship); err != nil {
		fmt.Println(err)
	}
	runFrames(w, 2)
	// Output:
	// built
	// light on
	// ships: 1
	// light off
}

func ExampleDestroyer() {
	w := world(system.Of[Lighthouse]())
	w.Spawn(Position{})
	runFrames(w, 1)
	fmt.Println(w.Close())
	// Output:
	// built
	// light on
	// ships: 1
	// light off
	// torn down
	// <nil>
}

// Steady succeeds, Shaky fails.
type (
	Shaky  struct{}
	Steady struct{}
)

var errShaken = errors.New("shaken")

func (*Shaky) Update(*system.Frame) error  { return errShaken }
func (*Steady) Update(*system.Frame) error { return say("steady") }

func ExampleUpdate() {
	w := world(system.Of[Shaky](), system.Of[Steady]())
	err := system.Update(w)
	fmt.Println(errors.Is(err, errShaken))
	fmt.Println(err)
	// Output:
	// steady
	// true
	// system: github.com/lanewise/lanewise/ecs/system_test.Shaky: Update: shaken
}

func ExampleSetup_Require() {
	w := world(system.Of[Lighthouse]())
	fmt.Println(system.InstanceOf(w, system.GetOrCreate[Lighthouse](w)).Running())
	w.Spawn(Position{})
	runFrames(w, 1)
	fmt.Println(system.InstanceOf(w, system.GetOrCreate[Lighthouse](w)).Running())
	// Output:
	// built
	// false
	// light on
	// ships: 1
	// true
}

// Namer is implemented by systems with a name.
type Namer interface{ SystemName() string }

func (*Steady) SystemName() string { return "Steady" }

func ExampleFindAs() {
	w := world(system.Of[Shaky](), system.Of[Steady]())
	n, ok := system.FindAs[Namer](w)
	fmt.Println(n.SystemName(), ok, system.Find[Shaky](w) != nil, system.Find[Lunch](w) != nil)
	// Output: Steady true true false
}

func ExampleExplain_notCreated() {
	system.Register[Steady]()
	system.Register[Debug]()                                     // is Manual
	w, err := system.NewWorld("missing", system.WithLogger(nil)) // otherwise Register would log a warning
	system.Register[Lunch]()
	for _, m := range system.Explain(w).NotCreated {
		fmt.Println(m)
	}
	fmt.Println(system.Find[Steady](w) != nil, err)
	system.Unregister[Steady]() // for tests
	system.Unregister[Debug]()
	system.Unregister[Lunch]()
	// Output:
	// system_test.Debug: Manual: make it by system.Create, or name it in system.Only
	// system_test.Lunch: registered after the world was made: register it in func init, or give it to the world by system.AddSystems
	// true <nil>
}
