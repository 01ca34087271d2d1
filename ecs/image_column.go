package ecs

import (
	"iter"
	"math"
	"reflect"
	"slices"
)

// ImageColumn is one column of one chunk of an image. It must not be written, except for a chunk of [ImageBuilder.AddChunk], and is valid until the
// image is released.
type ImageColumn struct {
	Archetype int          // in the order of creation
	Chunk     int          // of the archetype
	Entities  []Entity     // of the rows
	Component reflect.Type // of the column
	Lanes     [][]byte     // what the rows have of each lane of the component, in memory's order; none of tags, shared and managed ones
	On        []uint64     // of an enableable component: the bits of rows that are on, row i in bit i mod 64
	Value     any          // of a shared component: what the rows have together; of a managed one: a []T with an element for each row
	Version   uint32       // of the world when the column was written last
	Through   uint32       // the same, of columns of meta entities: by way of their chunks

	of any // what Hash, Buffer and SetBuffer look at: the *columnImage, the *component of a column that has nothing of its own, or the *openColumn of a buffer that a builder fills
}

// heldBy returns what a part is of; no component if it is of no image.
func heldBy(p *ImageColumn) (comp *component, own *columnImage) {
	if p == nil {
		return nil, nil
	}
	switch of := p.of.(type) {
	case *columnImage:
		return of.comp, of
	case *openColumn:
		return of.own.comp, of.own
	case *component:
		return of, nil
	}
	return nil, nil
}

// Columns yields the columns of all chunks of m, in the order of archetypes, chunks and components.
// Chunks of archetypes without components have none. It panics if the image is released.
func (m *Image) Columns() iter.Seq[ImageColumn] {
	m.mustBe("Image.Columns")
	return func(yield func(ImageColumn) bool) {
		for i := range m.archetypes {
			a := &m.archetypes[i]
			for j := range a.chunks {
				for k := range a.set {
					if !yield(partAt(m, i, j, k)) {
						return
					}
				}
			}
		}
	}
}

// partAt shows one column of one chunk.
func partAt(m *Image, archetype, chunk, column int) ImageColumn {
	a := &m.archetypes[archetype]
	c, comp, own := a.chunks[chunk], a.set[column], a.chunks[chunk].columns[column]
	p := ImageColumn{Archetype: archetype, Chunk: chunk, Entities: c.ids[:c.n:c.n], Component: comp.typ, Version: c.versions[column]}
	if len(c.through) > 0 {
		p.Through = c.through[column]
	}
	if comp.kind.has(isShared) {
		shared := 0
		for _, before := range a.set[:column] {
			if before.kind.has(isShared) {
				shared++
			}
		}
		p.Value = m.valuesOf(comp)[a.groups[c.group].values[shared]]
	}
	if own == nil {
		p.of = comp
	} else {
		p.of = own
		p.Lanes, p.On = own.lanes(comp, c.n), own.on
		if own.items.list != nil {
			p.Value = own.items.list
		}
	}
	return p
}

// SharesChunk reports whether m and with use the same memory for the chunk at a place, because nothing was
// written to the chunk between them. A comparison can leave such a chunk out. It panics if one of the images is released.
func (m *Image) SharesChunk(with *Image, archetype int, chunk int) bool {
	const op = "Image.SharesChunk"
	m.mustBe(op)
	with.mustBe(op)
	for _, own := range []*Image{m, with} {
		if uint(archetype) >= uint(len(own.archetypes)) || uint(chunk) >= uint(len(own.archetypes[archetype].chunks)) {
			return false
		}
	}
	a, b := &m.archetypes[archetype], &with.archetypes[archetype]
	return a.chunks[chunk] == b.chunks[chunk] && sameGroup(m, with, a, b, int(a.chunks[chunk].group))
}

// sameGroup reports whether groups at one place have the same shared values.
func sameGroup(m, with *Image, a, b *archetypeImage, group int) bool {
	shared := a.groups[group].values
	return len(shared) == 0 || m.pool == with.pool && slices.Equal(shared, b.groups[group].values)
}

// Hash returns the hash of the column, as it is part of [World.Hash]: that of the values in the chunk, or of
// the shared value. Managed values are not hashed. It panics with an *Error if the column does not come from an image.
func (p *ImageColumn) Hash() uint64 {
	comp, own := heldBy(p)
	if comp == nil {
		panic(fault(ErrArgument, "ImageColumn.Hash", "the column is of no image"))
	}
	d := newDigest()
	if comp.kind.has(isShared) {
		d.value(p.Value)
		return d.sum()
	}
	return d.kept(own, comp, len(p.Entities))
}

// Buffer returns the elements of the buffer in a row, in place, and the capacity of the buffer. It
// panics with an *Error if the column is not one of buffers, or has no such row.
func (p *ImageColumn) Buffer(row int) (elements []byte, capacity int) {
	comp, own := bufferOf("ImageColumn.Buffer", p, row)
	return own.elements(comp, own.lanes(comp, len(p.Entities)), row), comp.buffer.inline + int(headOf(own.heads(), row)[1])
}

// bufferOf returns what a column of buffers is of, and panics if the part is no such, or has not the row.
func bufferOf(op string, p *ImageColumn, row int) (*component, *columnImage) {
	comp, own := heldBy(p)
	switch {
	case p == nil:
		panic(fault(ErrArgument, op, "the column is nil: give one of Image.Columns, Image.Chunk or ImageBuilder.AddChunk"))
	case comp == nil || !comp.kind.has(isBuffer):
		panic(fault(ErrArgument, op, "%v is no buffer", p.Component))
	case uint(row) >= uint(len(p.Entities)):
		panic(fault(ErrRange, op, "row %d of %d", row, len(p.Entities)))
	}
	return comp, own
}

// SetBuffer sets the elements of the buffer in a row of a chunk that an [ImageBuilder] has added, and its capacity. The elements
// are bytes as in memory. A row without a call has an empty buffer. The error is of category
// [ErrArgument] if the bytes are no whole number of elements, or more than the capacity, or the capacity is too large. It panics as
// [ImageColumn.Buffer] does, and with an *Error of category [ErrState], for a copy of the column too, if the image is made already, the builder
// is closed, or Filled of the chunk was called.
func (p *ImageColumn) SetBuffer(row int, elements []byte, capacity int) error {
	const op = "ImageColumn.SetBuffer"
	comp, own := bufferOf(op, p, row)
	switch of, ok := p.of.(*openColumn); {
	case !ok || *of.in.over:
		panic(fault(ErrState, op, "the column is of an image that is made, or of a builder that is closed: images do not change").on(comp))
	case of.in.filled:
		panic(fault(ErrState, op, "the chunk is filled, as its Filled was told: call that when nobody writes to it any more").on(comp))
	}
	t := &comp.buffer
	n, most := len(elements)/t.size, min(maxElements, (math.MaxInt-7)/t.size)
	switch {
	case len(elements)%t.size != 0:
		return fault(ErrArgument, op, "%d bytes are no whole number of elements of %d", len(elements), t.size).on(comp)
	case capacity < n:
		return fault(ErrArgument, op, "a capacity of %d, for %d elements", capacity, n).on(comp)
	case capacity > most:
		return fault(ErrArgument, op, "a capacity of %d; the limit is %d", capacity, most).on(comp)
	}
	putHead(own.heads(), row, bufferHead{int32(n), int32(capacity - t.inline)})
	if capacity > t.inline {
		if own.spills == nil {
			own.spills = make([][]uint64, len(p.Entities))
		}
		block := make([]uint64, (capacity*t.size+7)/8)
		copy(wordBytes(block), elements)
		own.spills[row] = block
		return nil
	}
	if own.spills != nil {
		own.spills[row] = nil
	}
	if t.inline > 0 {
		size := int(comp.lanes[1].Type.Size())
		room := own.lanes(comp, len(p.Entities))[1][row*size:][:size]
		clear(room[copy(room, elements):])
	}
	return nil
}
