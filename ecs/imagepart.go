package ecs

import (
	"iter"
	"math"
	"reflect"
	"slices"

	"github.com/lanewise/lanewise/ecs/internal/sister"
)

// imagePart is images.Part. Of holds the *imageColumn, or the *component of a column that has nothing of its own;
// the *openColumn of a column of buffers that a Builder makes.
type imagePart = struct {
	Archetype int
	Chunk     int
	Entities  []Entity
	Component reflect.Type
	Lanes     [][]byte
	On        []uint64
	Value     any
	Version   uint32
	Through   uint32
	Of        sister.Hidden
}

// heldBy returns what a part is of; no component if it is of no image.
func heldBy(p *imagePart) (comp *component, own *imageColumn) {
	if p == nil {
		return nil, nil
	}
	switch of := sister.Show(p.Of).(type) {
	case *imageColumn:
		return of.comp, of
	case *openColumn:
		return of.own.comp, of.own
	case *component:
		return of, nil
	}
	return nil, nil
}

// Parts is images.Parts.
func (imageRoom) Parts(m *Image) iter.Seq[imagePart] {
	m.mustBe("images.Parts")
	return func(yield func(imagePart) bool) {
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
func partAt(m *Image, archetype, chunk, column int) imagePart {
	a := &m.archetypes[archetype]
	c, comp, own := a.chunks[chunk], a.set[column], a.chunks[chunk].columns[column]
	p := imagePart{Archetype: archetype, Chunk: chunk, Entities: c.ids[:c.n:c.n], Component: comp.typ, Version: c.versions[column]}
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
		p.Of = sister.Hide(comp)
	} else {
		p.Of = sister.Hide(own)
		p.Lanes, p.On = own.lanes(comp, c.n), own.on
		if own.items.list != nil {
			p.Value = own.items.list
		}
	}
	return p
}

// SharesChunk is images.SharesChunk.
func (imageRoom) SharesChunk(m, with *Image, archetype, chunk int) bool {
	const op = "images.SharesChunk"
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
func sameGroup(m, with *Image, a, b *imageArchetype, group int) bool {
	shared := a.groups[group].values
	return len(shared) == 0 || m.pool == with.pool && slices.Equal(shared, b.groups[group].values)
}

// HashOf is images.HashOf.
func (imageRoom) HashOf(p *imagePart) uint64 {
	comp, own := heldBy(p)
	if comp == nil {
		panic(fault(ErrArgument, "images.HashOf", "the part is of no image"))
	}
	d := newDigest()
	if comp.kind.has(isShared) {
		d.value(p.Value)
		return d.sum()
	}
	return d.kept(own, comp, len(p.Entities))
}

// BufferOf is images.BufferOf.
func (imageRoom) BufferOf(p *imagePart, row int) (elements []byte, capacity int) {
	comp, own := bufferOf("images.BufferOf", p, row)
	return own.elements(comp, own.lanes(comp, len(p.Entities)), row), comp.buffer.inline + int(headOf(own.heads(), row)[1])
}

// bufferOf returns what a column of buffers is of, and panics if the part is no such, or has not the row.
func bufferOf(op string, p *imagePart, row int) (*component, *imageColumn) {
	comp, own := heldBy(p)
	switch {
	case p == nil:
		panic(fault(ErrArgument, op, "the part is nil: give one of images.Parts, ChunkOf or Builder.Chunk"))
	case comp == nil || !comp.kind.has(isBuffer):
		panic(fault(ErrArgument, op, "%v is no buffer", p.Component))
	case uint(row) >= uint(len(p.Entities)):
		panic(fault(ErrRange, op, "row %d of %d", row, len(p.Entities)))
	}
	return comp, own
}

// SetBuffer is images.SetBuffer.
func (imageRoom) SetBuffer(p *imagePart, row int, elements []byte, capacity int) error {
	const op = "images.SetBuffer"
	comp, own := bufferOf(op, p, row)
	switch of, ok := sister.Show(p.Of).(*openColumn); {
	case !ok || *of.in.over:
		panic(fault(ErrState, op, "the part is of an image that is made, or of a builder that is closed: images do not change").on(comp))
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
