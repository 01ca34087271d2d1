package system_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/system"
)

func ExampleNewWorld() {
	w, err := system.NewWorld("arena", system.WithFlags(system.FlagServer), system.Only(system.Of[Lunch]()))
	fmt.Println(w.Name(), err, system.FlagsOf(w) == system.FlagServer, system.Find[Lunch](w) != nil)
	fmt.Println(slices.Contains(system.Worlds(), w), w.Close(), slices.Contains(system.Worlds(), w))
	// Output:
	// arena <nil> true true
	// true <nil> false
}

func ExampleAdopt() {
	near, far := world(), world()
	lunch := new(Lunch)
	fmt.Println(system.Adopt(far, lunch))
	fmt.Println(system.Get[system.Simulation](near).Add(lunch)) // a system of another world
	frames(near, 1)
	// Output:
	// <nil>
	// <nil>
	// lunch
}

func ExamplePlay() {
	w, err := system.Play("game", system.Only(system.Of[Lunch]()))
	fmt.Println(w == system.Default(), system.CurrentLoop().Has(w), err)
	fmt.Println(system.RunCurrent(context.Background(), system.Frames(2), system.Step(1)))
	fmt.Println(system.Stop(), system.Default())
	// Output:
	// true true <nil>
	// lunch
	// lunch
	// <nil>
	// <nil> <nil>
}

// Vegan is a bootstrap: it takes a system out of the default world.
type Vegan struct{}

func (Vegan) Initialize(types []*system.Type) ([]*system.Type, error) {
	return slices.DeleteFunc(types, func(t *system.Type) bool { return t == system.Of[Breakfast]() }), nil
}

func ExampleSetBootstrap() {
	fmt.Println(system.SetBootstrap(Vegan{}))
	w, err := system.Play("game", system.Only(system.Of[Breakfast](), system.Of[Lunch]()))
	fmt.Println(system.Find[Breakfast](w) != nil, system.Find[Lunch](w) != nil, err)
	fmt.Println(system.Shutdown(), system.SetBootstrap(nil))
	// Output:
	// <nil>
	// false true <nil>
	// <nil> <nil>
}

func ExampleEditorWorld() {
	w, err := system.EditorWorld()
	fmt.Println(w.Name(), system.FlagsOf(w) == system.FlagEditor, err)
	fmt.Println(system.Shutdown())
	// Output:
	// Editor World true <nil>
	// <nil>
}

func ExampleRun() {
	w := world(system.Of[Lunch]())
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	err := system.Run(ctx, w,
		system.Frames(2),    // or until something ends it
		system.Step(1.0/60), // or real time
		system.Pace(1000),   // at most so many frames a second
		system.Signals(),    // an interrupt ends it too
		system.OnError(func(frame int, err error) error { return err }))
	fmt.Println(err)
	// Output:
	// lunch
	// lunch
	// <nil>
}

func ExampleBudget() {
	w := world()
	now := time.Duration(0)
	tick := func() time.Duration { // a clock on which every look takes 10 ms
		now += 10 * time.Millisecond
		return now
	}
	err := system.Run(context.Background(), w, system.Frames(2), system.Step(0.5), system.RealTime(tick),
		system.Budget(5*time.Millisecond, func(frame int, took time.Duration) {
			fmt.Println("frame", frame, "took", took)
		}))
	fmt.Println(err)
	// Output:
	// frame 0 took 10ms
	// frame 1 took 10ms
	// <nil>
}

func ExampleSetCurrentLoop() {
	l := system.CurrentLoop() // a copy
	l.Phase(system.PhaseEarlyUpdate).Call(func() error { return say("read the input") })
	system.SetCurrentLoop(l)
	fmt.Println(system.RunCurrent(context.Background(), system.Frames(1), system.Step(1)))
	system.SetCurrentLoop(nil)
	// Output:
	// read the input
	// <nil>
}

func ExampleDestroy() {
	w := world(system.Of[Lunch]())
	lunch := system.Get[Lunch](w)
	fmt.Println(system.Destroy(w, lunch))
	fmt.Println(errors.Is(system.Destroy(w, lunch), ecs.ErrArgument))
	// Output:
	// <nil>
	// true
}
