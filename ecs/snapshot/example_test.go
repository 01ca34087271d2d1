package snapshot_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/snapshot"
)

type Place struct{ X, Y float32 }

func Example() {
	dir, err := os.MkdirTemp("", "snapshot")
	defer os.RemoveAll(dir)
	w := ecs.NewWorld("game")
	e := w.Spawn(Place{X: 1, Y: 2})
	image, _ := ecs.Capture(w, nil)
	path := filepath.Join(dir, "autosave")
	fmt.Println(err, snapshot.Save(path, image))

	image, err = snapshot.Open(path)
	other, _ := ecs.Fork(image, "loaded")
	place, _ := ecs.Get[Place](other, e)
	fmt.Println(err, place, other.Hash() == w.Hash())
	// Output:
	// <nil> <nil>
	// <nil> {1 2} true
}

func ExampleDelta() {
	w := ecs.NewWorld("game")
	list := make([]ecs.Entity, 10_000)
	_ = w.CreateInto(w.Archetype(ecs.With[Place]()), list)
	before, _ := ecs.Capture(w, nil)
	ecs.Set(w, list[17], Place{X: 1, Y: 2})
	after, _ := ecs.Capture(w, before)

	var whole, delta bytes.Buffer
	snapshot.Write(&whole, after)
	snapshot.Delta(&delta, before, after) // the data written between the two
	fmt.Println(whole.Len() > 100_000, delta.Len() < 1000)

	again, err := snapshot.Apply(&delta, before)
	fmt.Println(again.Hash() == w.Hash(), err)
	// Output:
	// true true
	// true <nil>
}
