package diff_test

import (
	"fmt"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/diff"
)

// Place is where something is.
type Place struct{ X, Y float32 }

func ExampleImages() {
	w := ecs.NewWorld("game")
	e := w.Spawn(Place{X: 1})
	w.Spawn(Place{X: 2})
	before, _ := ecs.Capture(w, nil)
	_ = ecs.Set(w, e, Place{X: 1, Y: 0.1})
	w.Spawn(Place{})
	after, _ := ecs.Capture(w, before)

	fmt.Print(diff.Text(diff.Images(before, after), 10))
	// Output:
	// entity 2v1: only in the second (archetype 0, chunk 0, row 2)
	// entity 0v1: diff_test.Place.Y is 0 and 0.1 (archetype 0, chunk 0, row 0)
}

func ExampleFirst() {
	w := ecs.NewWorld("game")
	before, _ := ecs.Capture(w, nil)
	w.Spawn(Place{X: 1})
	after, _ := ecs.Capture(w, before)
	if d, differ := diff.First(diff.Images(before, after)); differ {
		fmt.Println(d.Kind, d.Entity)
	}
	// Output: only in the second 0v1
}
