package ecs

import (
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
