package ecs_test

import (
	"fmt"

	"github.com/lanewise/lanewise/ecs"
)

func ExampleImage_Columns() {
	w := ecs.NewWorld("example")
	w.Spawn(Place{X: 1})
	w.Spawn(Place{X: 2})
	image, _ := ecs.Capture(w, nil)
	for part := range image.Columns() {
		fmt.Println(part.Component, len(part.Entities), len(part.Lanes))
	}
	// Output: ecs_test.Place 2 2
}

// A builder creates an image from parts that are not in a world. The parts in this example come from
// another image. They could be read from a file instead.
func ExampleImageBuilder() {
	w := ecs.NewWorld("example")
	w.Spawn(Place{X: 1})
	w.Spawn(Place{X: 2})
	image, _ := ecs.Capture(w, nil)

	b := ecs.NewImageBuilder()
	defer b.Close() // does nothing after the image is made
	b.AddState(image.State())
	for _, s := range image.Shared() {
		b.AddShared(s)
	}
	for i, a := range image.Archetypes() {
		b.AddArchetype(a)
		for k := range a.Chunks {
			from := image.Chunk(i, k)
			to, _ := b.AddChunk(from, len(from.Entities))
			fillChunk(to, from)
		}
	}
	again, err := b.Image()
	fmt.Println(again.Hash() == image.Hash(), err)
	// Output: true <nil>
}

func fillChunk(to, from ecs.ImageChunk) {
	copy(to.Entities, from.Entities)
	for i := range to.Columns {
		to.Columns[i].Version = from.Columns[i].Version
		for lane, bytes := range from.Columns[i].Lanes {
			copy(to.Columns[i].Lanes[lane], bytes)
		}
	}
	to.Filled()
}
