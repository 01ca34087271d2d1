package ecs_test

import (
	"fmt"

	"github.com/lanewise/lanewise/ecs"
)

// Wheel is a part with a reference to its car.
type Wheel struct{ Of ecs.Entity }

// A linked group is a prefab that consists of several entities. They are copied, destroyed and made
// inactive together, and the parts of a copy refer to each other.
func ExampleLinkedGroup() {
	w := ecs.NewWorld("example")
	car := w.Spawn(Place{X: 1}, ecs.Prefab{})
	left, right := w.Spawn(Wheel{Of: car}, ecs.Prefab{}), w.Spawn(Wheel{Of: car}, ecs.Prefab{})
	ecs.Add(w, car, ecs.BufferOf(ecs.Linked{car}, ecs.Linked{left}, ecs.Linked{right})) // the root comes first
	cars, err := w.Instantiate(car, 10)
	wheels := w.Query(ecs.With[Wheel]())
	fmt.Println(len(cars), wheels.Count(), err)
	group, _ := ecs.GetBuffer[ecs.Linked](w, cars[3])
	wheel, _ := ecs.Get[Wheel](w, group.Slice()[1].Entity)
	fmt.Println(wheel.Of == cars[3])

	w.SetActive(cars[0], false)
	fmt.Println(wheels.Count())
	fmt.Println(w.Destroy(cars[1]), wheels.Count())
	// Output:
	// 10 20 <nil>
	// true
	// 18
	// <nil> 16
}

func ExampleOmitGroup() {
	w := ecs.NewWorld("example")
	car, wheel := w.Spawn(Place{}, ecs.OmitGroup{}), w.Spawn(Wheel{})
	ecs.Add(w, car, ecs.BufferOf(ecs.Linked{car}, ecs.Linked{wheel}))
	cars, _ := w.Instantiate(car, 1)
	fmt.Println(ecs.Has[ecs.LinkedGroup](w, cars[0]), w.Query(ecs.With[Wheel]()).Count())
	// Output: false 2
}

func ExampleWorld_InstantiateAll() {
	w := ecs.NewWorld("example")
	car := w.Spawn(Place{X: 1})
	wheel := w.Spawn(Wheel{Of: car}, ecs.Prefab{})
	set := []ecs.Entity{car, wheel}
	made, _ := w.InstantiateAll(set) // ordinary entities
	kept, _ := w.CloneAll(set)       // the copy of a prefab is a prefab
	of, _ := ecs.Get[Wheel](w, made[1])
	fmt.Println(of.Of == made[0], ecs.Has[ecs.Prefab](w, made[1]), ecs.Has[ecs.Prefab](w, kept[1]))
	// Output: true false true
}
