package ecs_test

import (
	"fmt"

	"github.com/lanewise/lanewise/ecs"
)

// A job fills a staging world in the background. Later, between two frames, its finished entities are
// moved to the main world.
func ExampleBeginTransaction() {
	staging, world := ecs.NewWorld("staging"), ecs.NewWorld("world")
	filling, err := ecs.BeginTransaction(staging)
	filling.Schedule(ecs.TransactionFunc(func(w *ecs.World) error {
		for i := range 100 {
			w.Spawn(Place{X: float32(i)})
		}
		return nil
	}))
	// … meanwhile frames of world go on; staging belongs to the job …
	fmt.Println(err, filling.End(), staging.Len())
	fmt.Println(ecs.MoveEntities(world, staging, nil), world.Len())
	// Output:
	// <nil> <nil> 100
	// <nil> 100
}

// A program lends a world, and does other work until the jobs are done.
func ExampleTransaction_Done() {
	w := ecs.NewWorld("example")
	fmt.Println(w.InTransaction())
	t, err := ecs.BeginTransaction(w)
	fmt.Println(w.InTransaction(), err)
	done := t.Schedule(ecs.TransactionFunc(func(w *ecs.World) error { w.Spawn(Place{}); return nil }))
	done.Wait()
	fmt.Println(t.Done(), t.End(), w.InTransaction())
	// Output:
	// false
	// true <nil>
	// true <nil> false
}
