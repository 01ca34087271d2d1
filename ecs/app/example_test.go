package app_test

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/app"
	"github.com/lanewise/lanewise/ecs/system"
)

// These systems belong to a day; each of them prints its action.
type (
	Breakfast struct {
		_ system.Before[Lunch]
	}
	Lunch struct{}
)

func (*Breakfast) Update(*system.Frame) error { return say("breakfast") }
func (*Lunch) Update(*system.Frame) error     { return say("lunch") }

// say prints words. The systems of the example call it in their updates.
func say(words ...any) error {
	fmt.Println(words...)
	return nil
}

// world creates a world that has only systems of the given types.
func world(types ...*system.Type) *ecs.World {
	w, err := system.NewWorld("example", system.Only(types...))
	if err != nil {
		panic(err)
	}
	return w
}

func ExamplePlay() {
	w, err := app.Play("game", system.Only(system.Of[Lunch]()))
	fmt.Println(w == app.Default(), app.CurrentLoop().Has(w), err)
	fmt.Println(app.RunCurrent(context.Background(), app.Frames(2), app.Step(1)))
	fmt.Println(app.Stop(), app.Default())
	// Output:
	// true true <nil>
	// lunch
	// lunch
	// <nil>
	// <nil> <nil>
}

// Vegan is a bootstrap: it removes a system from the default world.
type Vegan struct{}

func (Vegan) Initialize(types []*system.Type) ([]*system.Type, error) {
	return slices.DeleteFunc(types, func(t *system.Type) bool { return t == system.Of[Breakfast]() }), nil
}

func ExampleSetBootstrap() {
	fmt.Println(app.SetBootstrap(Vegan{}))
	w, err := app.Play("game", system.Only(system.Of[Breakfast](), system.Of[Lunch]()))
	fmt.Println(system.Find[Breakfast](w) != nil, system.Find[Lunch](w) != nil, err)
	fmt.Println(app.Shutdown(), app.SetBootstrap(nil))
	// Output:
	// <nil>
	// false true <nil>
	// <nil> <nil>
}

func ExampleEditorWorld() {
	w, err := app.EditorWorld()
	fmt.Println(w.Name(), system.IsKind[system.EditorWorld](w), err)
	fmt.Println(app.Shutdown())
	// Output:
	// Editor World true <nil>
	// <nil>
}

func ExampleRun() {
	w := world(system.Of[Lunch]())
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	err := app.Run(ctx, w,
		app.Frames(2),    // or until a signal
		app.Step(1.0/60), // or real time
		app.Pace(1000),   // at most this number of frames a second
		app.Signals(),    // an interrupt ends it too
		app.OnError(func(frame int, err error) error { return err }))
	fmt.Println(err)
	// Output:
	// lunch
	// lunch
	// <nil>
}

func ExampleSleep() {
	w := world(system.Of[Lunch]())
	ctx := context.Background()
	for range 2 {
		if err := system.Update(w); err != nil {
			fmt.Println(err)
		}
		app.Sleep(ctx, time.Millisecond, w) // tools may read w in this time
	}
	// Output:
	// lunch
	// lunch
}

func ExampleBudget() {
	w := world()
	now := time.Duration(0)
	tick := func() time.Duration { // a clock that advances 10 ms at each call
		now += 10 * time.Millisecond
		return now
	}
	err := app.Run(context.Background(), w, app.Frames(2), app.Step(0.5), app.RealTime(tick),
		app.Budget(5*time.Millisecond, func(frame int, took time.Duration) {
			fmt.Println("frame", frame, "took", took)
		}))
	fmt.Println(err)
	// Output:
	// frame 0 took 10ms
	// frame 1 took 10ms
	// <nil>
}

func ExampleSetCurrentLoop() {
	l := app.CurrentLoop() // a copy
	l.Phase(app.PhaseEarlyUpdate).Call(func() error { return say("read the input") })
	app.SetCurrentLoop(l)
	fmt.Println(app.RunCurrent(context.Background(), app.Frames(1), app.Step(1)))
	app.SetCurrentLoop(nil)
	// Output:
	// read the input
	// <nil>
}

func ExampleLoop() {
	w := world(system.Of[Lunch]())
	l := app.NewLoop()
	if err := l.Append(w); err != nil {
		fmt.Println(err)
	}
	l.Phase(app.PhaseEarlyUpdate).Call(func() error { return say("look at the clock") })
	l.Phase(app.PhasePostLateUpdate).Call(func() error { return say("pay") })
	if err := l.Tick(1); err != nil {
		fmt.Println(err)
	}
	l.Remove(w)
	fmt.Println(l.Has(w))
	// Output:
	// look at the clock
	// lunch
	// pay
	// false
}

func ExampleOnInitialized() {
	app.OnInitialized(func(w *ecs.World) {
		if w.Name() == "aquarium" {
			fmt.Println("there is a world:", w.Name())
		}
	})
	w, err := app.Play("aquarium", system.Only())
	fmt.Println(w == app.Default(), err)
	fmt.Println(app.Shutdown(), app.Default())
	// Output:
	// there is a world: aquarium
	// true <nil>
	// <nil> <nil>
}
