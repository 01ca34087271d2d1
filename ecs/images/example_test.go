package images_test

import (
	"fmt"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/images"
)

// Place is where something is.
type Place struct{ X, Y float32 }

func (Place) Column() (c struct{ X, Y []float32 }) { return }

func ExampleParts() {
	w := ecs.NewWorld("example")
	w.Spawn(Place{X: 1})
	w.Spawn(Place{X: 2})
	image, _ := ecs.Capture(w, nil)
	for part := range images.Parts(image) {
		fmt.Println(part.Component, len(part.Entities), len(part.Lanes))
	}
	// Output: images_test.Place 2 2
}

// A builder makes an image of parts that come from elsewhere: here those of a world, as a file has them.
func ExampleBuilder() {
	w := ecs.NewWorld("example")
	w.Spawn(Place{X: 1})
	w.Spawn(Place{X: 2})
	image, _ := ecs.Capture(w, nil)

	b := images.NewBuilder()
	defer b.Close() // does nothing once the image is made
	b.State(images.StateOf(image))
	for _, s := range images.SharedOf(image) {
		b.Shared(s)
	}
	for i, a := range images.ArchetypesOf(image) {
		b.Archetype(a)
		for k := range a.Chunks {
			from := images.ChunkOf(image, i, k)
			to, _ := b.Chunk(from, len(from.Entities))
			fillChunk(to, from)
		}
	}
	again, err := b.Image()
	fmt.Println(again.Hash() == image.Hash(), err)
	// Output: true <nil>
}

func fillChunk(to, from images.Chunk) {
	copy(to.Entities, from.Entities)
	for i := range to.Parts {
		to.Parts[i].Version = from.Parts[i].Version
		for lane, bytes := range from.Parts[i].Lanes {
			copy(to.Parts[i].Lanes[lane], bytes)
		}
	}
	to.Filled()
}
