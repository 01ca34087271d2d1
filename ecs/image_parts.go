package ecs

import (
	"encoding/binary"
	"iter"
	"math"
	"reflect"
	"slices"
	"strings"
)

// The types of this file show an image as plain values, and an ImageBuilder makes an image of the same values.

// ImageState has the parts of an image that are neither archetypes nor shared values.
type ImageState struct {
	// Version is that of the world. All versions of an image are this one or older, by
	// difference, and only differences mean something: a file stores them as ages.
	Version uint32

	Free    []Entity    // ids that are used next, the last one first, with the version that they will have
	Retired []int32     // slots that have had every version, in order: no entity gets them
	Names   []ImageName // in the order of ids
	Sums    []NamedHash // what packages have added to the hash, in the order in which it is hashed

	For *World // for ImageBuilder.AddState only: the world that the image is made for, if there is one; see there
}

// NamedHash is a number that a package has added to the hash of a world by [Hooks.OnHash].
type NamedHash struct {
	Name string
	Sum  uint64
}

// ImageShared has the values of one shared component. Groups of chunks refer to them by their
// places in Values, and a new value gets the last place of Free.
type ImageShared struct {
	Component reflect.Type
	Values    []any   // the default, which is the zero value, first; nil where nothing is
	Free      []int32 // the places where nothing is, the next to be used last
}

// ImageArchetype is an archetype of an image: a set of components, and its groups of chunks. Empty archetypes are included, because the order of
// archetypes is the order of loops.
type ImageArchetype struct {
	Components []reflect.Type
	Orders     uint32 // what Query.OrderCount counts
	Order      uint32 // version of the world when rows came or went last; 0: never
	Crossings  uint32 // what Query.MoveCount counts
	Newest     []uint32
	Groups     []ImageGroup
	Chunks     int // how many
	Rows       int // in all of them
	Capacity   int // of a chunk
}

// ImageGroup has the chunks of an archetype with the same shared values. An archetype without
// shared components always has one group. Chunks are named by their places in the archetype.
type ImageGroup struct {
	Values []int32 // places in ImageShared.Values, one for each shared component
	Orders uint32  // what Query.OrderCount counts
	Room   []int32 // chunks that have room: new rows go to the first one
	List   []int32 // all chunks, in the order in which the world keeps them; only with shared components
}

// ImageChunk is one chunk of an archetype of an image.
type ImageChunk struct {
	Group    int           // of the archetype
	Order    uint32        // version of the world when rows came or went last
	Meta     Entity        // holds the chunk components; the null entity without any
	Entities []Entity      // of the rows
	Parts    []ImageColumn // the columns, in the order of components

	Overwrite bool // for ImageBuilder.AddChunk only: Entities and Lanes may have any contents, because the caller writes every byte of them

	// Filled, of a chunk that ImageBuilder.AddChunk has returned, tells the builder that nothing will write to the Entities, Lanes, On and
	// Value of the chunk any more. The call is optional, and for the goroutine that has filled the chunk: it does work of ImageBuilder.Image and
	// Image.Hash now, because the rows are still in the caches. When the image is made, or the builder closed, it does nothing.
	Filled func()
}

// State returns the parts of m that are neither archetypes nor shared values. It panics with an *Error of category [ErrArgument] if the image
// is released.
func (m *Image) State() ImageState {
	m.mustBe("Image.State")
	s := ImageState{Version: m.version, Free: slices.Clone(m.free), Names: m.named()}
	if known := m.rowsAll() + len(m.free); known < m.slots {
		used := make([]bool, m.slots)
		for _, e := range m.free {
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
	for _, own := range m.sums {
		s.Sums = append(s.Sums, NamedHash{own.name, own.sum})
	}
	return s
}

// named returns the names of those that exist.
func (m *Image) named() (list []ImageName) {
	if len(m.names) == 0 {
		return nil
	}
	versions := make([]int32, m.slots)
	for i := range m.archetypes {
		for _, c := range m.archetypes[i].chunks {
			for _, e := range c.ids[:c.n] {
				versions[e.Index] = e.Version
			}
		}
	}
	eachName(m.names, func(e Entity, name string) {
		if int(e.Index) < len(versions) && versions[e.Index] == e.Version {
			list = append(list, ImageName{e, name})
		}
	})
	return list
}

// EntityName returns the name that an entity of m has; "" if it has none. It panics if the image is released.
func (m *Image) EntityName(e Entity) string {
	m.mustBe("Image.EntityName")
	return nameIn(m.names, e)
}

// rowsAll counts the rows, those of meta entities included.
func (m *Image) rowsAll() int { return m.rows + m.metas }

// Shared returns the values of the shared components of m, in the order of the components' names.
// Values that only queries of the world hold are left out, because a fork has none of them. It panics if the image is released.
func (m *Image) Shared() []ImageShared {
	m.mustBe("Image.Shared")
	var list []ImageShared
	for i := range m.stores {
		s := &m.stores[i]
		if len(s.values) == 1 {
			continue
		}
		own := ImageShared{s.comp.typ, slices.Clone(s.values), slices.Clone(s.free)}
		held := m.held(s)
		for k := 1; k < len(held); k++ {
			if own.Values[k] != nil && !held[k] {
				own.Values[k] = nil
				own.Free = append(own.Free, int32(k)) // as store.sweep does
			}
		}
		list = append(list, own)
	}
	slices.SortStableFunc(list, func(a, b ImageShared) int { return strings.Compare(fullName(a.Component), fullName(b.Component)) })
	return list
}

// held says which values of a store groups of chunks have.
func (m *Image) held(s *imageStore) []bool {
	held := make([]bool, len(s.values))
	for i := range m.archetypes {
		a := &m.archetypes[i]
		at := 0
		for _, c := range a.set {
			if c == s.comp {
				for _, g := range a.groups {
					held[g.values[at]] = true
				}
			}
			if c.kind.has(isShared) {
				at++
			}
		}
	}
	return held
}

// Archetypes returns the archetypes of m, in the order in which they were made. It panics if the image is released.
func (m *Image) Archetypes() []ImageArchetype {
	m.mustBe("Image.Archetypes")
	list := make([]ImageArchetype, len(m.archetypes))
	for i := range m.archetypes {
		a := &m.archetypes[i]
		own := ImageArchetype{
			Orders: a.orders, Order: a.order, Crossings: a.crossings, Newest: slices.Clone(a.newest),
			Chunks: len(a.chunks), Rows: a.rows, Capacity: a.capacity,
		}
		for _, c := range a.set {
			own.Components = append(own.Components, c.typ)
		}
		for _, g := range a.groups {
			own.Groups = append(own.Groups, ImageGroup{slices.Clone(g.values), g.orders, slices.Clone(g.room), slices.Clone(g.list)})
		}
		list[i] = own
	}
	return list
}

// Chunk returns one chunk of an archetype of m, both by their places. The chunk shows memory of the image: it must not be written, and is valid
// until the image is released. It panics with an *Error of category [ErrRange] if there is
// no such chunk, and of category [ErrArgument] if the image is released.
func (m *Image) Chunk(archetype int, chunk int) ImageChunk {
	const op = "Image.Chunk"
	m.mustBe(op)
	if uint(archetype) >= uint(len(m.archetypes)) || uint(chunk) >= uint(len(m.archetypes[archetype].chunks)) {
		panic(fault(ErrRange, op, "there is no chunk %d of archetype %d: see Image.Archetypes", chunk, archetype))
	}
	a := &m.archetypes[archetype]
	c := a.chunks[chunk]
	own := ImageChunk{Group: int(c.group), Order: c.order, Meta: c.meta, Entities: c.ids[:c.n:c.n], Parts: make([]ImageColumn, len(a.set))}
	for k := range a.set {
		own.Parts[k] = partAt(m, archetype, chunk, k)
	}
	return own
}

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

// lanes shows the lanes of a column with n rows.
func (c *columnImage) lanes(comp *component, n int) [][]byte {
	if c.placed != nil {
		return c.placed
	}
	list := make([][]byte, len(comp.lanes))
	b := c.bytes
	for i, l := range comp.lanes {
		size := n * int(l.Type.Size())
		list[i], b = b[:size:size], b[size:]
	}
	return list
}

// valuesOf returns the values of a shared component, by their indices.
func (m *Image) valuesOf(c *component) []any {
	for i := range m.stores {
		if m.stores[i].comp == c {
			return m.stores[i].values
		}
	}
	return nil
}

// storeFor returns what the image has of a store; nil if that has its default only.
func (m *Image) storeFor(c *component) *imageStore {
	for i := range m.stores {
		if m.stores[i].comp == c {
			return &m.stores[i]
		}
	}
	return nil
}

// Hash returns what [World.Hash] returned, or would have, when the image was taken. Workers
// of the world's pool help, while that is open. It panics with an *Error if the image
// is released.
func (m *Image) Hash() uint64 {
	m.mustBe("Image.Hash")
	return m.hash.of(m.makeHash)
}

// makeHash hashes the image: of what it shares with one that was hashed the hashes are known.
func (m *Image) makeHash() uint64 {
	var chunks []*chunkImage
	var groups []*groupImage // of each
	values := sharedSums{}
	for i := range m.archetypes {
		a := &m.archetypes[i]
		for _, c := range a.chunks {
			g := &a.groups[c.group]
			chunks, groups = append(chunks, c), append(groups, g)
			m.takeShared(values, a.set, g)
		}
	}
	sums := hashEach(m.pool.jobs, len(chunks), func(d *digest, i int) uint64 { return d.chunk(chunks[i], groups[i], values) })
	free := hashFree(m.pool.jobs, len(m.free), func(i int) Entity { return m.free[i] })
	d := newDigest()
	d.counts(HashVersion, uint64(m.slots), uint64(len(m.free)))
	d.counts(free...)
	for i := range m.archetypes {
		a := &m.archetypes[i]
		if a.rows > 0 {
			d.archetype(len(a.set), sums[:len(a.chunks)], func(i int) *component { return a.set[i] })
		}
		sums = sums[len(a.chunks):]
	}
	for _, s := range m.sums {
		d.named(s.name, s.sum)
	}
	return d.sum()
}

// takeShared takes the shared values of a group.
func (m *Image) takeShared(values sharedSums, set []*component, g *groupImage) {
	shared := 0
	for _, comp := range set {
		if comp.kind.has(isShared) {
			values.take(comp, g.values[shared], m.valuesOf(comp))
			shared++
		}
	}
}

// chunk returns the hash of a chunk, as record does.
func (d *digest) chunk(c *chunkImage, g *groupImage, values sharedSums) uint64 {
	sums := make([]uint64, 2, 16)
	sums[0], sums[1] = uint64(c.n), d.idsOf(c)
	shared := 0
	for k, comp := range c.set {
		if comp.kind.has(isShared) {
			sums = append(sums, values.of(comp, g.values[shared]))
			shared++
		} else {
			sums = append(sums, d.columnOf(c, k))
		}
	}
	return d.list(sums)
}

// known makes the hashes of what a chunk has of its own, once.
func (d *digest) known(c *chunkImage) {
	d.idsOf(c)
	for k := range c.columns {
		if c.columns[k] != nil {
			d.columnOf(c, k)
		}
	}
}

// idsOf returns the hash of the ids of a chunk.
func (d *digest) idsOf(c *chunkImage) uint64 {
	return c.owner.hash.of(func() uint64 { return d.ids(c.ids) })
}

// columnOf returns the hash of a column of a chunk.
func (d *digest) columnOf(c *chunkImage, k int) uint64 {
	own := c.columns[k]
	if own == nil {
		return d.kept(nil, c.set[k], c.n)
	}
	return own.hash.of(func() uint64 { return d.kept(own, c.set[k], c.n) })
}

// kept returns the hash of a column with n rows, as column does.
func (d *digest) kept(c *columnImage, comp *component, n int) uint64 {
	d.reset()
	if c == nil {
		return d.sum()
	}
	if comp.kind.has(isBuffer) {
		lanes := c.lanes(comp, n)
		d.int32s(n, func(i int) int32 { return headOf(lanes[0], i)[0] })
		for i := range n {
			d.rows(c.elements(comp, lanes, i), comp.buffer.parts)
		}
	} else if c.placed != nil {
		for i, lane := range c.placed {
			d.rows(lane, comp.parts[i])
		}
	} else {
		b := c.bytes
		for i, l := range comp.lanes {
			size := n * int(l.Type.Size())
			d.rows(b[:size], comp.parts[i])
			b = b[size:]
		}
	}
	if c.on != nil {
		d.counts(c.on...)
	}
	return d.sum()
}

// elements shows the elements of a buffer.
func (c *columnImage) elements(comp *component, lanes [][]byte, row int) []byte {
	head := headOf(lanes[0], row)
	n := int(head[0]) * comp.buffer.size
	switch {
	case head[1] > 0:
		return wordBytes(c.spills[row])[:n]
	case n == 0:
		return nil
	}
	size := int(comp.lanes[1].Type.Size())
	return lanes[1][row*size:][:n]
}

// heads returns the lane of the heads of buffers, the first one.
func (c *columnImage) heads() []byte {
	if c.placed != nil {
		return c.placed[0]
	}
	return c.bytes
}

// headOf returns the head of a buffer in a lane of them.
func headOf(lane []byte, row int) bufferHead {
	return bufferHead{int32(binary.NativeEndian.Uint32(lane[8*row:])), int32(binary.NativeEndian.Uint32(lane[8*row+4:]))}
}

// putHead sets the head of a buffer in a lane of them.
func putHead(lane []byte, row int, h bufferHead) {
	binary.NativeEndian.PutUint32(lane[8*row:], uint32(h[0]))
	binary.NativeEndian.PutUint32(lane[8*row+4:], uint32(h[1]))
}

// mustBe panics if the image is released.
func (m *Image) mustBe(op string) {
	if m == nil || m.pool == nil {
		panic(fault(ErrArgument, op, "the image is released, or is the zero Image"))
	}
}
