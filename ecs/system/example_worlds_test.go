package system_test

import (
	"errors"
	"fmt"
	"slices"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/system"
)

func ExampleNewWorld() {
	w, err := system.NewWorld("arena", system.WithKind[system.ServerWorld](), system.Only(system.Of[Lunch]()))
	fmt.Println(w.Name(), err, system.IsKind[system.ServerWorld](w), system.Find[Lunch](w) != nil)
	fmt.Println(slices.Contains(system.Worlds(), w), w.Close(), slices.Contains(system.Worlds(), w))
	// Output:
	// arena <nil> true true
	// true <nil> false
}

func ExampleAdopt() {
	near, far := world(), world()
	lunch := new(Lunch)
	fmt.Println(system.Adopt(far, lunch))
	fmt.Println(system.GetOrCreate[system.Simulation](near).Add(lunch)) // a system of another world
	runFrames(near, 1)
	// Output:
	// <nil>
	// <nil>
	// lunch
}

// meals returns a plugin: systems that belong together.
func meals() *system.Plugin {
	return &system.Plugin{
		Name:  "meals",
		Types: []*system.Type{system.Of[Breakfast](), system.Of[Lunch](), system.Of[Dinner]()},
		Advise: func(w *ecs.World) (texts []string) {
			if w.Len() == 0 {
				texts = append(texts, "nobody comes to the meals: spawn a guest")
			}
			return texts
		},
	}
}

func ExamplePlugin() {
	w, err := system.NewWorld("test", system.Only(system.Of[Alarm]()), system.WithPlugins(meals()))
	fmt.Println(system.Find[Alarm](w) != nil, system.Find[Dinner](w) != nil, err)
	fmt.Println(system.Warnings(w))
	// Output:
	// true true <nil>
	// [nobody comes to the meals: spawn a guest]
}

func ExamplePlugin_Register() {
	all := meals()
	all.Register() // registers each of its types
	for _, s := range system.Plugins() {
		fmt.Println(s.Name, len(s.Types))
	}
	system.Unregister[Breakfast]() // for tests
	fmt.Println(len(system.RegisteredTypes()))
	all.Unregister()
	fmt.Println(len(system.RegisteredTypes()), len(system.Plugins()))
	// Output:
	// meals 3
	// 2
	// 0 0
}

// Bakery and Oven are groups; the other systems are in them.
type (
	Bakery struct{ system.Group }
	Oven   struct {
		system.Group
		_ system.In[Bakery]
	}
	Bake struct {
		_ system.In[Oven]
	}
	Sell struct {
		_ system.In[Bakery]
		_ system.After[Bake]
	}
)

func (*Bake) Update(f *system.Frame) error { return say("bake at", f.Elapsed()) }
func (*Sell) Update(*system.Frame) error   { return say("sell") }

func ExampleAddSystems() {
	w := ecs.NewWorld("bakery") // without systems
	err := system.AddSystems(w, system.Of[Sell](), system.Of[Bake](), system.Of[Oven](), system.Of[Bakery]())
	fmt.Println(err)
	bakery := system.InstanceOf(w, system.GetOrCreate[Bakery](w))
	for range 2 { // your own loop
		system.ClockOf(w).Advance(0.5)
		if err := errors.Join(bakery.Update(), w.Sync()); err != nil {
			fmt.Println(err)
		}
	}
	// Output:
	// <nil>
	// bake at 0
	// sell
	// bake at 0.5
	// sell
}

func ExampleDestroy() {
	w := world(system.Of[Lunch]())
	lunch := system.GetOrCreate[Lunch](w)
	fmt.Println(system.Destroy(w, lunch))
	fmt.Println(errors.Is(system.Destroy(w, lunch), ecs.ErrArgument))
	// Output:
	// <nil>
	// true
}
