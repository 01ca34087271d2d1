package ecs_test

import (
	"errors"
	"fmt"

	"github.com/lanewise/lanewise/ecs"
)

// Spot is a position.
type Spot struct{ X, Y, Z float32 }

func ExampleImageStream() {
	far := ecs.NewWorld("far away") // or an image from a file
	lamp := far.Spawn(Spot{X: 1})
	for i := range 2500 {
		far.Spawn(Spot{X: float32(i)}, Follow{Target: lamp})
	}
	image, err := ecs.Capture(far, nil)

	w := ecs.NewWorld("here")
	a, err2 := ecs.NewImageStream(image) // on any goroutine
	err = errors.Join(err, err2, a.Begin(w))
	for a.Left() > 0 { // between two frames
		n, err := a.Load(1000)
		fmt.Println(n, "come,", w.Len(), "are here", err)
	}
	follow, _ := ecs.Get[Follow](w, a.Entities()[7])
	fmt.Println(follow.Target == a.NewID(lamp), err)
	left, err := a.Unload(3000)
	fmt.Println(left, w.Len(), err)
	// Output:
	// 1000 come, 1000 are here <nil>
	// 1000 come, 2000 are here <nil>
	// 501 come, 2501 are here <nil>
	// true <nil>
	// 0 0 <nil>
}

func ExampleMoveEntities() {
	staging, world := ecs.NewWorld("staging"), ecs.NewWorld("world")
	car := staging.Spawn(Spot{X: 1})
	staging.Spawn(Follow{Target: car})
	var moved ecs.EntityMap
	fmt.Println(ecs.MoveEntities(world, staging, &moved), staging.Len(), world.Len(), len(moved.Entities))
	place, _ := ecs.Get[Spot](world, moved.NewID(car))
	fmt.Println(place, world.Query(ecs.With[Follow]()).Count())

	staging.Spawn(Spot{X: 2})
	staging.Spawn(Follow{})
	fmt.Println(ecs.MoveMatching(world, staging.Query(ecs.With[Spot]()), nil), staging.Len(), world.Len())
	// Output:
	// <nil> 0 2 2
	// {1 0 0} 1
	// <nil> 1 3
}

func ExampleCopyEntities() {
	models, world := ecs.NewWorld("models"), ecs.NewWorld("world")
	car := models.Spawn(Spot{X: 1})
	trailer := models.Spawn(Follow{Target: car})
	made, err := ecs.CopyEntities(world, models, []ecs.Entity{car, trailer})
	of, _ := ecs.Get[Follow](world, made[1])
	fmt.Println(of.Target == made[0], models.Len(), world.Len(), err)
	// Output: true 2 2 <nil>
}
