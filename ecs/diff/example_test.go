package diff_test

import (
	"bytes"
	"fmt"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/diff"
	"github.com/lanewise/lanewise/ecs/snapshot"
	"github.com/lanewise/lanewise/ecs/snapshot/untyped"
)

// Place is the place of an entity.
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
	// entity 2:1: only in the second (archetype 0, chunk 0, row 2)
	// entity 0:1: diff_test.Place.Y is 0 and 0.1 (archetype 0, chunk 0, row 0)
}

func ExampleFirst() {
	w := ecs.NewWorld("game")
	before, _ := ecs.Capture(w, nil)
	w.Spawn(Place{X: 1})
	after, _ := ecs.Capture(w, before)
	var first diff.Difference
	first, differ := diff.First(diff.Images(after, before))
	fmt.Println(differ, first.Kind == diff.OnlyA, first.Kind, first.Entity)
	// Output: true true only in the first 0:1
}

// Two files, compared by a program that does not know their types.
func ExampleFiles() {
	file := func(x float32) *untyped.File {
		w := ecs.NewWorld("game")
		w.Spawn(Place{X: x})
		m, _ := ecs.Capture(w, nil)
		var b bytes.Buffer
		if _, err := snapshot.Write(&b, m); err != nil {
			fmt.Println(err)
		}
		f, err := untyped.Read(&b)
		if err != nil {
			fmt.Println(err)
		}
		return f
	}
	fmt.Print(diff.Text(diff.Files(file(1), file(2)), 10))
	// Output:
	// entity 0:1: diff_test.Place.X is 1 and 2 (archetype 0, chunk 0, row 0)
}
