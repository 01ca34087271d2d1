package ecs_test

import (
	"errors"
	"fmt"

	"github.com/lanewise/lanewise/ecs"
)

func ExampleCapture() {
	w := ecs.NewWorld("example")
	car := w.Spawn(Place{X: 1})
	before, err := ecs.Capture(w, nil)
	ecs.Set(w, car, Place{X: 2})
	after, _ := ecs.Capture(w, before) // copies only the data written since

	other, _ := ecs.Fork(before, "what if")
	place, _ := ecs.Get[Place](other, car)
	fmt.Println(place.X, other.Hash() == before.Hash(), before.Hash() == after.Hash(), err)
	fmt.Println(before.Release(), after.Len())
	// Output:
	// 1 true false <nil>
	// <nil> 1
}

func ExampleRestore() {
	w := ecs.NewWorld("example")
	car := w.Spawn(Place{X: 1})
	before, err := ecs.Capture(w, nil)
	ecs.Set(w, car, Place{X: 2})
	w.Spawn(Place{X: 3})
	err = errors.Join(err, ecs.Restore(w, before))
	place, _ := ecs.Get[Place](w, car)
	fmt.Println(place.X, w.Len(), w.Hash() == before.Hash(), err)
	// Output:
	// 1 1 true <nil>
}
