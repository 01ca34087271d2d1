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
	after, _ := ecs.Capture(w, before) // copies what was written

	other, _ := before.Fork("what if")
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

func ExampleFindComponent() {
	ecs.RegisterComponent[Place]()
	t, err := ecs.FindComponent("github.com/lanewise/lanewise/ecs_test.Place")
	fmt.Println(t.Type, len(t.Lanes), err)
	// Output: ecs_test.Place 2 <nil>
}

func ExampleArrival() {
	far := ecs.NewWorld("far away") // or an image out of a file
	lamp := far.Spawn(Place{X: 1})
	for i := range 2500 {
		far.Spawn(Place{X: float32(i)}, Follow{Whom: lamp})
	}
	image, err := ecs.Capture(far, nil)

	w := ecs.NewWorld("here")
	a, err2 := ecs.NewArrival(image) // as well on a worker
	err = errors.Join(err, err2, a.Begin(w))
	for a.Left() > 0 { // at each border of frames
		n, err := a.Admit(1000)
		fmt.Println(n, "come,", w.Len(), "are here", err)
	}
	follow, _ := ecs.Get[Follow](w, a.Entities()[7])
	fmt.Println(follow.Whom == a.Of(lamp), err)
	left, err := a.Withdraw(3000)
	fmt.Println(left, w.Len(), err)
	// Output:
	// 1000 come, 1000 are here <nil>
	// 1000 come, 2000 are here <nil>
	// 501 come, 2501 are here <nil>
	// true <nil>
	// 0 0 <nil>
}
