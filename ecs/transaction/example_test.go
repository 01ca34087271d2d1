package transaction_test

import (
	"fmt"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/rows"
	"github.com/lanewise/lanewise/ecs/transaction"
)

// Place is a component of the examples.
type Place struct{ X, Y, Z float32 }

// A staging world is filled in the background, and what is ready is moved between
// two frames.
func ExampleBegin() {
	staging, world := ecs.NewWorld("staging"), ecs.NewWorld("world")
	filling, err := transaction.Begin(staging)
	filling.Schedule(transaction.Func(func(w *ecs.World) error {
		for i := range 100 {
			w.Spawn(Place{X: float32(i)})
		}
		return nil
	}))
	// … frames of world go on meanwhile; staging is the job's …
	fmt.Println(err, filling.End(), staging.Len())
	fmt.Println(rows.MoveFrom(world, staging, nil), world.Len())
	// Output:
	// <nil> <nil> 100
	// <nil> 100
}

// A program that wants to lend a world asks first, and does something else until its jobs are done.
func ExampleTransaction_Done() {
	w := ecs.NewWorld("example")
	fmt.Println(transaction.CanBegin(w), transaction.Lent(w))
	t, err := transaction.Begin(w)
	fmt.Println(transaction.CanBegin(w), transaction.Lent(w), err)
	done := t.Schedule(transaction.Func(func(w *ecs.World) error { w.Spawn(Place{}); return nil }))
	done.Wait()
	fmt.Println(t.Done(), t.End(), transaction.Lent(w))
	// Output:
	// true false
	// false true <nil>
	// true <nil> false
}
