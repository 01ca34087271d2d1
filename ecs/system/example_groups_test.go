package system_test

import (
	"errors"
	"fmt"

	"github.com/lanewise/lanewise/ecs/system"
)

// Kitchen is a group in Simulation. Waiter runs after a system inside Kitchen.
type (
	Kitchen struct {
		system.Group
		_ system.In[system.Simulation]
	}
	Fry struct {
		_ system.In[Kitchen]
	}
	Season struct {
		_ system.In[Kitchen]
		_ system.After[Fry]
	}
	Waiter struct {
		_ system.After[Season]
	}
	Apprentice struct{} // its name comes before Kitchen's, and no attribute decides
)

func (*Fry) Update(*system.Frame) error        { return say("fry") }
func (*Season) Update(*system.Frame) error     { return say("season") }
func (*Waiter) Update(*system.Frame) error     { return say("serve") }
func (*Apprentice) Update(*system.Frame) error { return say("sweep") }

func ExampleGroup() {
	w := world(system.Of[Waiter](), system.Of[Season](), system.Of[Kitchen](), system.Of[Fry](), system.Of[Apprentice]())
	runFrames(w, 1)
	// Output:
	// sweep
	// fry
	// season
	// serve
}

func ExampleGroup_Add() {
	w := world(system.Of[Kitchen]())
	kitchen := system.GetOrCreate[Kitchen](w)
	season, err := system.Create[Season](w)
	fmt.Println(err, kitchen.Add(season))
	runFrames(w, 1)
	kitchen.Remove(season)
	runFrames(w, 1) // no system is left
	// Output:
	// <nil> <nil>
	// season
}

func ExampleGroup_SetSorting() {
	w := world(system.Of[Kitchen]())
	kitchen := system.GetOrCreate[Kitchen](w)
	kitchen.SetSorting(false)
	if err := kitchen.Add(system.GetOrCreate[Season](w), system.GetOrCreate[Fry](w)); err != nil {
		fmt.Println(err)
	}
	runFrames(w, 1)
	kitchen.SetSorting(true)
	runFrames(w, 1)
	// Output:
	// season
	// fry
	// fry
	// season
}

// Hen and Egg each run after the other, which is a cycle.
type (
	Hen struct {
		_ system.After[Egg]
	}
	Egg struct {
		_ system.After[Hen]
	}
)

func (*Hen) Update(*system.Frame) error { return nil }
func (*Egg) Update(*system.Frame) error { return nil }

func ExampleCycleError() {
	_, err := system.NewWorld("", system.Only(system.Of[Hen](), system.Of[Egg]()))
	var cycle *system.CycleError
	fmt.Println(errors.As(err, &cycle))
	fmt.Println(err)
	// Output:
	// true
	// system: order of github.com/lanewise/lanewise/ecs/system.Simulation: these systems are each to come before the next, in a circle:
	// - github.com/lanewise/lanewise/ecs/system_test.Egg
	// - github.com/lanewise/lanewise/ecs/system_test.Hen
}

func ExampleWarnings() {
	w := world(system.Of[Dinner]()) // After[Lunch], but the world has no Lunch
	for _, text := range system.Warnings(w) {
		fmt.Println(text)
	}
	// Output:
	// system: order of github.com/lanewise/lanewise/ecs/system.Simulation: github.com/lanewise/lanewise/ecs/system_test.Dinner after github.com/lanewise/lanewise/ecs/system_test.Lunch, but the world has no system_test.Lunch: create it, or remove the attribute
}

func ExampleFrame_Quit() {
	w := world(system.Of[Alarm](), system.Of[Lunch]())
	runFrames(w, 10)
	// Output: fire
}

// Alarm ends the run before lunch.
type Alarm struct {
	_ system.Before[Lunch]
}

func (*Alarm) Update(f *system.Frame) error {
	f.Quit()
	return say("fire")
}

// Double runs its members twice in every update.
type Double struct{ system.Group }

func (d *Double) Create(*system.Setup) error {
	d.SetRate(new(twice))
	return nil
}

// twice is a custom rate.
type twice struct{ passes int }

func (t *twice) Next(*system.Clock) bool {
	t.passes++
	return t.passes%3 != 0
}

type Blink struct {
	_ system.In[Double]
}

func (*Blink) Update(*system.Frame) error { return say("blink") }

func ExampleRate() {
	runFrames(world(system.Of[Double](), system.Of[Blink]()), 1)
	// Output:
	// blink
	// blink
}

// Checkout plays back commands that were recorded before it, and Cashier records them.
type (
	Checkout struct {
		system.CommandBuffers
		_ system.In[system.Simulation]
		_ system.After[Cashier]
	}
	Cashier struct {
		_ system.In[system.Simulation]
	}
	Guard struct {
		_ system.In[system.Simulation]
		_ system.After[Checkout]
	}
)

func (*Cashier) Update(f *system.Frame) error {
	_, err := system.Commands[Checkout](f).Spawn(Target{})
	return err
}

func (*Guard) Update(f *system.Frame) error { return say("customers:", f.World().Len()) }

func ExampleCommandBuffers() {
	runFrames(world(system.Of[Cashier](), system.Of[Checkout](), system.Of[Guard]()), 2)
	// Output:
	// customers: 1
	// customers: 2
}
