package ecs

import (
	"reflect"

	"github.com/lanewise/lanewise/ecs/blob"
)

// misuseBlobs creates an image with a value that refers to a missing blob.
func (c *collector) misuseBlobs() {
	ref := newTrack(1)
	own := blob.Of(ref)
	must(c.t, ref.Dispose())
	type refers struct{ To blob.Ref[circuit] }
	b := NewImageBuilder()
	must(c.t, b.AddArchetype(ImageArchetype{Components: []reflect.Type{reflect.TypeFor[refers]()}}))
	chunk, err := b.AddChunk(ImageChunk{}, 1)
	must(c.t, err)
	chunk.Entities[0] = Entity{0, 1}
	own.Put(chunk.Columns[0].Lanes[0])
	_, err = b.Image()
	c.err(err)
}
