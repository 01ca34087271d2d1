package ecs

import (
	"encoding/binary"
	"iter"
	"math"
	"reflect"
	"slices"
	"strings"
)

// The types in this file describe the contents of an image as plain Go values. An ImageBuilder
// builds an image from the same values.

// ImageState holds the parts of an image that belong neither to an archetype nor to a shared
// component.
type ImageState struct {
	// Version is the change version of the world at the capture. Every other version in the image is
	// equal to Version or older. Only differences between versions have a meaning. So a file can
	// store versions as ages relative to Version.
	Version uint32

	Free    []Entity    // the free ids, with the version that they will have; the last one is used next
	Retired []int32     // slots that have had every version, ascending: the world never uses them again
	Names   []ImageName // ascending by id
	Sums    []NamedHash // numbers that packages have added to the hash, in the order in which they are hashed

	For *World // only for ImageBuilder.AddState: the world that the image is made for, or nil; see there
}

// NamedHash is a number that a package has added to the hash of a world with [Hooks.OnHash].
type NamedHash struct {
	Name string
	Sum  uint64
}

// ImageShared holds the values of one shared component. An [ImageGroup] refers to a value by its index
// in Values. The next new value gets the last index in Free.
type ImageShared struct {
	Component reflect.Type
	Values    []any   // the zero value, which is the default, first; nil at free indices
	Free      []int32 // the free indices in Values; the last one is used next
}

// ImageArchetype is an archetype of an image: a set of components, and the groups of chunks of the
// archetype. Empty archetypes are included, because queries visit archetypes in this order.
type ImageArchetype struct {
	Components     []reflect.Type
	OrderCount     uint32   // counter that Query.OrderCount adds up
	OrderVersion   uint32   // version of the world when a row last came or went; 0: never
	MoveCount      uint32   // counter that Query.MoveCount adds up
	NewestVersions []uint32 // for each component, the version of the last write in any chunk
	Groups         []ImageGroup
	Chunks         int // number of chunks
	Rows           int // number of rows in all chunks
	Capacity       int // most rows that a chunk can have
}

// ImageGroup holds the chunks of an archetype that have the same shared values. An archetype without
// shared components has exactly one group. The elements of PartialChunks and Chunks are indices of
// chunks in the archetype.
type ImageGroup struct {
	Values        []int32 // indices in ImageShared.Values, one for each shared component
	OrderCount    uint32  // counter that Query.OrderCount adds up
	PartialChunks []int32 // chunks with free rows: a new row goes to the first one
	Chunks        []int32 // all chunks in the order of the world; only for archetypes with shared components
}

// ImageChunk is one chunk of an archetype of an image.
type ImageChunk struct {
	Group        int           // index in the groups of the archetype
	OrderVersion uint32        // version of the world when a row last came or went
	MetaEntity   Entity        // the entity with the chunk components; the null entity if there are none
	Entities     []Entity      // the ids of the rows
	Columns      []ImageColumn // the columns, in the order of components

	Overwrite bool // only for ImageBuilder.AddChunk: the caller promises to write every byte of Entities and Lanes, so that the builder need not clear them

	// Filled is not nil in a chunk that ImageBuilder.AddChunk has returned. The goroutine that fills the
	// chunk may call it once it has written all values of Entities, Lanes, On and Value. The call is
	// optional. It does a part of the work of ImageBuilder.Image and Image.Hash while the rows are still
	// in the CPU's caches. After ImageBuilder.Image or ImageBuilder.Close, Filled does nothing.
	Filled func()
}

// State returns the parts of m that belong neither to an archetype nor to a shared component. The lists
// are new, so the caller may keep them. It panics with an *Error of category [ErrArgument] if the image
// is released.
func (m *Image) State() ImageState {
	m.mustNotBeReleased("Image.State")
	s := ImageState{Version: m.changeVersion, Free: slices.Clone(m.freeIDs), Names: m.entityNames()}
	if known := m.allRowCount() + len(m.freeIDs); known < m.slotCount {
		used := make([]bool, m.slotCount)
		for _, e := range m.freeIDs {
			used[e.Index] = true
		}
		for i := range m.archetypes {
			for _, c := range m.archetypes[i].chunks {
				for _, e := range c.ids {
					used[e.Index] = true
				}
			}
		}
		for i, is := range used {
			if !is {
				s.Retired = append(s.Retired, int32(i))
			}
		}
	}
	for _, own := range m.namedHashes {
		s.Sums = append(s.Sums, NamedHash{own.name, own.hash})
	}
	return s
}

// entityNames returns the names of the entities that exist, because the pages also have the names
// of destroyed entities.
func (m *Image) entityNames() (list []ImageName) {
	if len(m.namePages) == 0 {
		return nil
	}
	versions := make([]int32, m.slotCount)
	for i := range m.archetypes {
		for _, c := range m.archetypes[i].chunks {
			for _, e := range c.ids[:c.count] {
				versions[e.Index] = e.Version
			}
		}
	}
	eachName(m.namePages, func(e Entity, name string) {
		if int(e.Index) < len(versions) && versions[e.Index] == e.Version {
			list = append(list, ImageName{e, name})
		}
	})
	return list
}

// EntityName returns the name of e in m, or "" if e has none. EntityName panics if the image is
// released.
func (m *Image) EntityName(e Entity) string {
	m.mustNotBeReleased("Image.EntityName")
	return nameInPages(m.namePages, e)
}

// allRowCount returns the number of rows, including the rows of meta entities.
func (m *Image) allRowCount() int { return m.rowCount + m.metaCount }

// Shared returns the values of the shared components of m, sorted by the components' names. Values that
// only queries of the world use are left out, because a fork of the image has no queries. It panics if
// the image is released.
func (m *Image) Shared() []ImageShared {
	m.mustNotBeReleased("Image.Shared")
	var list []ImageShared
	for i := range m.stores {
		s := &m.stores[i]
		if len(s.values) == 1 {
			continue
		}
		own := ImageShared{s.comp.typ, slices.Clone(s.values), slices.Clone(s.freeIndices)}
		held := m.referencedValues(s)
		for k := 1; k < len(held); k++ {
			if own.Values[k] != nil && !held[k] {
				own.Values[k] = nil
				own.Free = append(own.Free, int32(k)) // as store.dropUnreferenced does
			}
		}
		list = append(list, own)
	}
	slices.SortStableFunc(list, func(a, b ImageShared) int { return strings.Compare(fullName(a.Component), fullName(b.Component)) })
	return list
}

// referencedValues reports, for each value of a shared component, whether at least one chunk group
// has it.
func (m *Image) referencedValues(s *imageStore) []bool {
	held := make([]bool, len(s.values))
	for i := range m.archetypes {
		a := &m.archetypes[i]
		at := 0
		for _, c := range a.components {
			if c == s.comp {
				for _, g := range a.groups {
					held[g.valueIndices[at]] = true
				}
			}
			if c.kind.has(isShared) {
				at++
			}
		}
	}
	return held
}

// Archetypes returns the archetypes of m in the order in which the world created them. Archetypes
// panics if the image is released.
func (m *Image) Archetypes() []ImageArchetype {
	m.mustNotBeReleased("Image.Archetypes")
	list := make([]ImageArchetype, len(m.archetypes))
	for i := range m.archetypes {
		a := &m.archetypes[i]
		own := ImageArchetype{
			OrderCount: a.orderCount, OrderVersion: a.orderVersion, MoveCount: a.worldMoveCount, NewestVersions: slices.Clone(a.newestVersions),
			Chunks: len(a.chunks), Rows: a.rowCount, Capacity: a.capacity,
		}
		for _, c := range a.components {
			own.Components = append(own.Components, c.typ)
		}
		for _, g := range a.groups {
			own.Groups = append(own.Groups, ImageGroup{slices.Clone(g.valueIndices), g.orderCount, slices.Clone(g.withRoom), slices.Clone(g.allChunks)})
		}
		list[i] = own
	}
	return list
}

// Chunk returns one chunk by the index of its archetype and its own index in that archetype. The result
// refers to memory of the image. The result is valid until the image is released, and the caller must
// not write to it. Chunk panics with an *Error of category [ErrRange] if there is no such chunk, and of
// category [ErrArgument] if the image is released.
func (m *Image) Chunk(archetype int, chunk int) ImageChunk {
	const op = "Image.Chunk"
	m.mustNotBeReleased(op)
	if uint(archetype) >= uint(len(m.archetypes)) || uint(chunk) >= uint(len(m.archetypes[archetype].chunks)) {
		panic(fault(ErrRange, op, "there is no chunk %d of archetype %d: see Image.Archetypes", chunk, archetype))
	}
	a := &m.archetypes[archetype]
	c := a.chunks[chunk]
	own := ImageChunk{Group: int(c.groupIndex), OrderVersion: c.orderVersion, MetaEntity: c.meta, Entities: c.ids[:c.count:c.count], Columns: make([]ImageColumn, len(a.components))}
	for k := range a.components {
		own.Columns[k] = columnAt(m, archetype, chunk, k)
	}
	return own
}

// ImageColumn is one column of one chunk of an image. It refers to memory of the image and is valid until
// the image is released. Only a column of a chunk from [ImageBuilder.AddChunk] may be written.
type ImageColumn struct {
	Archetype      int          // index of the archetype
	Chunk          int          // index of the chunk in the archetype
	Entities       []Entity     // the ids of the rows
	Component      reflect.Type // the type of the column
	Lanes          [][]byte     // the rows of each lane, as bytes in memory order; none for tags, shared and managed components
	On             []uint64     // for an enableable component: bit i mod 64 of word i / 64 is set if row i is on
	Value          any          // for a shared component the value of all rows; for a managed component a []T with an element for each row
	Version        uint32       // version of the world at the last write of the column
	ThroughVersion uint32       // for a column of meta entities: version of the last write through a chunk

	source any // the data for Hash, Buffer and SetBuffer: a *columnImage; a *component if the column has no bytes; or an *openColumn for a buffer that a builder fills
}

// columnDataOf returns the component and the data of a column. The component is nil if the column belongs to no
// image.
func columnDataOf(p *ImageColumn) (comp *component, own *columnImage) {
	if p == nil {
		return nil, nil
	}
	switch of := p.source.(type) {
	case *columnImage:
		return of.comp, of
	case *openColumn:
		return of.image.comp, of.image
	case *component:
		return of, nil
	}
	return nil, nil
}

// Columns yields the columns of all chunks of m, in the order of archetypes, chunks and components. It
// yields nothing for archetypes without components. It panics if the image is released.
func (m *Image) Columns() iter.Seq[ImageColumn] {
	m.mustNotBeReleased("Image.Columns")
	return func(yield func(ImageColumn) bool) {
		for i := range m.archetypes {
			a := &m.archetypes[i]
			for j := range a.chunks {
				for k := range a.components {
					if !yield(columnAt(m, i, j, k)) {
						return
					}
				}
			}
		}
	}
}

// columnAt returns one column of one chunk.
func columnAt(m *Image, archetype, chunk, column int) ImageColumn {
	a := &m.archetypes[archetype]
	c, comp, own := a.chunks[chunk], a.components[column], a.chunks[chunk].columns[column]
	p := ImageColumn{Archetype: archetype, Chunk: chunk, Entities: c.ids[:c.count:c.count], Component: comp.typ, Version: c.versions[column]}
	if len(c.throughVersions) > 0 {
		p.ThroughVersion = c.throughVersions[column]
	}
	if comp.kind.has(isShared) {
		shared := 0
		for _, before := range a.components[:column] {
			if before.kind.has(isShared) {
				shared++
			}
		}
		p.Value = m.sharedValuesOf(comp)[a.groups[c.groupIndex].valueIndices[shared]]
	}
	if own == nil {
		p.source = comp
	} else {
		p.source = own
		p.Lanes, p.On = own.laneBytes(comp, c.count), own.enabledBits
		if own.managedValues.slice != nil {
			p.Value = own.managedValues.slice
		}
	}
	return p
}

// SharesChunk reports whether the images m and with use the same memory for a chunk, because nothing
// wrote to the chunk between the two captures. A comparison of the two images can skip such a chunk.
// Archetype and chunk are the indices of [Image.Chunk]; the result is false if an image has no such
// chunk. SharesChunk panics if one of the images is released.
func (m *Image) SharesChunk(with *Image, archetype int, chunk int) bool {
	const op = "Image.SharesChunk"
	m.mustNotBeReleased(op)
	with.mustNotBeReleased(op)
	for _, own := range []*Image{m, with} {
		if uint(archetype) >= uint(len(own.archetypes)) || uint(chunk) >= uint(len(own.archetypes[archetype].chunks)) {
			return false
		}
	}
	a, b := &m.archetypes[archetype], &with.archetypes[archetype]
	return a.chunks[chunk] == b.chunks[chunk] && sameGroup(m, with, a, b, int(a.chunks[chunk].groupIndex))
}

// sameGroup reports whether a group has the same shared values in two images. The group has the
// same index in both.
func sameGroup(m, with *Image, a, b *archetypeImage, group int) bool {
	shared := a.groups[group].valueIndices
	return len(shared) == 0 || m.pool == with.pool && slices.Equal(shared, b.groups[group].valueIndices)
}

// Hash returns the hash of the column, which is a part of the hash that [World.Hash] computes. It is
// computed from the values in the chunk, or from the shared value. Managed values are not hashed. It
// panics with an *Error if the column does not come from an image.
func (p *ImageColumn) Hash() uint64 {
	comp, own := columnDataOf(p)
	if comp == nil {
		panic(fault(ErrArgument, "ImageColumn.Hash", "the column belongs to no image"))
	}
	d := newDigest()
	if comp.kind.has(isShared) {
		d.addSharedValue(p.Value)
		return d.sum()
	}
	return d.storedColumnHash(own, comp, len(p.Entities))
}

// Buffer returns the elements of the buffer in a row and the buffer's capacity in elements. The bytes are
// memory of the image, not a copy. It panics with an *Error if the column is not a column of buffers or
// has no such row.
func (p *ImageColumn) Buffer(row int) (elements []byte, capacity int) {
	comp, own := bufferColumnOf("ImageColumn.Buffer", p, row)
	return own.elements(comp, own.laneBytes(comp, len(p.Entities)), row), comp.buffer.inlineCount + int(readHead(own.headLane(), row)[1])
}

// bufferColumnOf returns the component and the data of a column of buffers. bufferColumnOf panics if the
// column is not a column of buffers, or if the row does not exist.
func bufferColumnOf(op string, p *ImageColumn, row int) (*component, *columnImage) {
	comp, own := columnDataOf(p)
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

// SetBuffer sets the elements and the capacity of the buffer in a row of a chunk that an [ImageBuilder]
// has added. elements contains the bytes of the elements, as in memory. capacity is a number of
// elements. A row for which SetBuffer is not called has an empty buffer. The error is of category
// [ErrArgument] if the bytes are not a whole number of elements, if they exceed the capacity, or if the
// capacity is too large.
//
// SetBuffer panics in the same cases as [ImageColumn.Buffer]. SetBuffer also panics, with an *Error of
// category [ErrState], if the image is already built, the builder is closed, or Filled was called for
// the chunk. If the column was copied, the copies panic in the same cases.
func (p *ImageColumn) SetBuffer(row int, elements []byte, capacity int) error {
	const op = "ImageColumn.SetBuffer"
	comp, own := bufferColumnOf(op, p, row)
	switch of, ok := p.source.(*openColumn); {
	case !ok || *of.chunk.ended:
		panic(fault(ErrState, op, "the column is of an image that is made, or of a builder that is closed: images do not change").forComponent(comp))
	case of.chunk.filled:
		panic(fault(ErrState, op, "the chunk is filled, as its Filled was told: call that when nobody writes to it any more").forComponent(comp))
	}
	t := &comp.buffer
	n, most := len(elements)/t.elemSize, min(maxBufferElements, (math.MaxInt-7)/t.elemSize)
	switch {
	case len(elements)%t.elemSize != 0:
		return fault(ErrArgument, op, "%d bytes are no whole number of elements of %d", len(elements), t.elemSize).forComponent(comp)
	case capacity < n:
		return fault(ErrArgument, op, "a capacity of %d, for %d elements", capacity, n).forComponent(comp)
	case capacity > most:
		return fault(ErrArgument, op, "a capacity of %d; the limit is %d", capacity, most).forComponent(comp)
	}
	writeHead(own.headLane(), row, bufferHead{int32(n), int32(capacity - t.inlineCount)})
	if capacity > t.inlineCount {
		if own.bufferBlocks == nil {
			own.bufferBlocks = make([][]uint64, len(p.Entities))
		}
		block := make([]uint64, (capacity*t.elemSize+7)/8)
		copy(wordBytes(block), elements)
		own.bufferBlocks[row] = block
		return nil
	}
	if own.bufferBlocks != nil {
		own.bufferBlocks[row] = nil
	}
	if t.inlineCount > 0 {
		size := int(comp.lanes[1].Type.Size())
		room := own.laneBytes(comp, len(p.Entities))[1][row*size:][:size]
		clear(room[copy(room, elements):])
	}
	return nil
}

// laneBytes returns the lanes of a column with n rows.
func (c *columnImage) laneBytes(comp *component, n int) [][]byte {
	if c.placedLanes != nil {
		return c.placedLanes
	}
	list := make([][]byte, len(comp.lanes))
	b := c.laneData
	for i, l := range comp.lanes {
		size := n * int(l.Type.Size())
		list[i], b = b[:size:size], b[size:]
	}
	return list
}

// sharedValuesOf returns the list of values of a shared component.
func (m *Image) sharedValuesOf(c *component) []any {
	for i := range m.stores {
		if m.stores[i].comp == c {
			return m.stores[i].values
		}
	}
	return nil
}

// storeFor returns the values of a shared component, or nil if the image has only its default.
func (m *Image) storeFor(c *component) *imageStore {
	for i := range m.stores {
		if m.stores[i].comp == c {
			return &m.stores[i]
		}
	}
	return nil
}

// elements returns the elements of the buffer in a row, as memory of the image.
func (c *columnImage) elements(comp *component, lanes [][]byte, row int) []byte {
	head := readHead(lanes[0], row)
	n := int(head[0]) * comp.buffer.elemSize
	switch {
	case head[1] > 0:
		return wordBytes(c.bufferBlocks[row])[:n]
	case n == 0:
		return nil
	}
	size := int(comp.lanes[1].Type.Size())
	return lanes[1][row*size:][:n]
}

// headLane returns the first lane of a column of buffers, which holds the heads of the buffers.
func (c *columnImage) headLane() []byte {
	if c.placedLanes != nil {
		return c.placedLanes[0]
	}
	return c.laneData
}

// readHead returns the head of the buffer in a row.
func readHead(lane []byte, row int) bufferHead {
	return bufferHead{int32(binary.NativeEndian.Uint32(lane[8*row:])), int32(binary.NativeEndian.Uint32(lane[8*row+4:]))}
}

// writeHead sets the head of the buffer in a row.
func writeHead(lane []byte, row int, h bufferHead) {
	binary.NativeEndian.PutUint32(lane[8*row:], uint32(h[0]))
	binary.NativeEndian.PutUint32(lane[8*row+4:], uint32(h[1]))
}

// mustNotBeReleased panics if the image is released.
func (m *Image) mustNotBeReleased(op string) {
	if m == nil || m.pool == nil {
		panic(fault(ErrArgument, op, "the image is released, or is the zero Image"))
	}
}
