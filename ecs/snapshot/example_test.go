package snapshot_test

import (
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
	other, _ := image.Fork("loaded")
	place, _ := ecs.Get[Place](other, e)
	fmt.Println(err, place, other.Hash() == w.Hash())
	// Output:
	// <nil> <nil>
	// <nil> {1 2} true
}
