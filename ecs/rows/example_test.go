package rows_test

import (
	"errors"
	"fmt"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/rows"
)

// Place is where something is.
type Place struct{ X, Y, Z float32 }

// Follow refers to another entity.
type Follow struct{ Target ecs.Entity }

func ExampleArrival() {
	far := ecs.NewWorld("far away") // or an image out of a file
	lamp := far.Spawn(Place{X: 1})
	for i := range 2500 {
		far.Spawn(Place{X: float32(i)}, Follow{Target: lamp})
	}
	image, err := ecs.Capture(far, nil)

	w := ecs.NewWorld("here")
	a, err2 := rows.NewArrival(image) // as well on a worker
	err = errors.Join(err, err2, a.Begin(w))
	for a.Left() > 0 { // at each border of frames
		n, err := a.Admit(1000)
		fmt.Println(n, "come,", w.Len(), "are here", err)
	}
	follow, _ := ecs.Get[Follow](w, a.Entities()[7])
	fmt.Println(follow.Target == a.Of(lamp), err)
	left, err := a.Withdraw(3000)
	fmt.Println(left, w.Len(), err)
	// Output:
	// 1000 come, 1000 are here <nil>
	// 1000 come, 2000 are here <nil>
	// 501 come, 2501 are here <nil>
	// true <nil>
	// 0 0 <nil>
}

func ExampleMoveFrom() {
	staging, world := ecs.NewWorld("staging"), ecs.NewWorld("world")
	car := staging.Spawn(Place{X: 1})
	staging.Spawn(Follow{Target: car})
	var moved rows.Moved
	fmt.Println(rows.MoveFrom(world, staging, &moved), staging.Len(), world.Len(), len(moved.Entities))
	place, _ := ecs.Get[Place](world, moved.Of(car))
	fmt.Println(place, world.Query(ecs.With[Follow]()).Count())

	staging.Spawn(Place{X: 2})
	staging.Spawn(Follow{})
	fmt.Println(rows.MoveMatchingFrom(world, staging.Query(ecs.With[Place]()), nil), staging.Len(), world.Len())
	// Output:
	// <nil> 0 2 2
	// {1 0 0} 1
	// <nil> 1 3
}

func ExampleCopyFrom() {
	models, world := ecs.NewWorld("models"), ecs.NewWorld("world")
	car := models.Spawn(Place{X: 1})
	trailer := models.Spawn(Follow{Target: car})
	made, err := rows.CopyFrom(world, models, []ecs.Entity{car, trailer})
	of, _ := ecs.Get[Follow](world, made[1])
	fmt.Println(of.Target == made[0], models.Len(), world.Len(), err)
	// Output: true 2 2 <nil>
}
