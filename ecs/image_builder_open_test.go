package ecs

import (
	"reflect"
	"testing"
)

// A caller may keep a chunk of a builder too long. The chunk must then give no access to its memory,
// which may belong to another image.
func TestBuilderOver(t *testing.T) {
	begin := func() (*ImageBuilder, ImageChunk) {
		b := NewImageBuilder()
		must(t, b.AddArchetype(ImageArchetype{Components: []reflect.Type{reflect.TypeFor[Buf]()}}))
		c, err := b.AddChunk(ImageChunk{}, 1)
		must(t, err)
		c.Entities[0] = Entity{0, 1}
		return b, c
	}
	refused := func(what string, p ImageColumn) {
		t.Helper()
		defer func() {
			t.Helper()
			if recover() == nil {
				t.Errorf("%s: the buffer is set", what)
			}
		}()
		must(t, p.SetBuffer(0, nil, 7))
	}
	b, c := begin()
	p := c.Columns[0]
	must(t, p.SetBuffer(0, nil, 7))
	c.Filled()
	refused("a chunk that is filled", p)
	must(t, func() error { _, err := b.Image(); return err }())

	b, c = begin()
	p = c.Columns[0]
	b.Close()
	refused("a builder that is closed", p)

	b, c = begin()
	p = c.Columns[0]
	_, err := b.AddChunk(ImageChunk{}, -1)
	wantCategory(t, ErrArgument, err)
	b.Close()
	refused("a builder that has failed and is closed", p)

	b, c = begin()
	p, filled := c.Columns[0], c.Filled
	m, err := b.Image()
	must(t, err)
	must(t, m.Release())
	next, own := begin() // with the memory of m, unless another test has taken it
	refused("an image that is released", p)
	filled()
	if next.image.archetypes[0].chunks[0].isValid {
		t.Error("a chunk of another image is filled")
	}
	if _, capacity := own.Columns[0].Buffer(0); capacity == 7 {
		t.Error("a part of another image has set a buffer")
	}
}
