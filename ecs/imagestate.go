package ecs

import (
	"reflect"
	"slices"
	"strings"
)

// What is in this file shows an image as plain values, and a builder makes an image of the
// same. The types are those of package images, under words of this one: an alias of a struct without a name is
// the same type there and here. Their comments, and those of the functions, are there.

// imageState is images.State.
type imageState = struct {
	Version uint32
	Free    []Entity
	Retired []int32
	Names   []imageName
	Sums    []imageSum
	For     *World
}

// imageSum is images.Sum.
type imageSum = struct {
	Name string
	Sum  uint64
}

// imageValues is images.Shared.
type imageValues = struct {
	Component reflect.Type
	Values    []any
	Free      []int32
}

// imageSet is images.Archetype.
type imageSet = struct {
	Components []reflect.Type
	Orders     uint32
	Order      uint32
	Crossings  uint32
	Newest     []uint32
	Groups     []imageChunks
	Chunks     int
	Rows       int
	Capacity   int
}

// imageChunks is images.Group.
type imageChunks = struct {
	Values []int32
	Orders uint32
	Room   []int32
	List   []int32
}

// imageRows is images.Chunk.
type imageRows = struct {
	Group     int
	Order     uint32
	Meta      Entity
	Entities  []Entity
	Parts     []imagePart
	Overwrite bool
	Filled    func()
}

// StateOf is images.StateOf.
func (imageRoom) StateOf(m *Image) imageState {
	m.mustBe("images.StateOf")
	s := imageState{Version: m.version, Free: slices.Clone(m.free), Names: m.named()}
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
		s.Sums = append(s.Sums, imageSum{own.name, own.sum})
	}
	return s
}

// named returns the names of those that exist.
func (m *Image) named() (list []imageName) {
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
			list = append(list, imageName{e, name})
		}
	})
	return list
}

// NameOf is images.NameOf.
func (imageRoom) NameOf(m *Image, e Entity) string {
	m.mustBe("images.NameOf")
	return nameIn(m.names, e)
}

// rowsAll counts the rows, those of meta entities included.
func (m *Image) rowsAll() int { return m.rows + m.metas }

// SharedOf is images.SharedOf.
func (imageRoom) SharedOf(m *Image) []imageValues {
	m.mustBe("images.SharedOf")
	var list []imageValues
	for i := range m.stores {
		s := &m.stores[i]
		if len(s.values) == 1 {
			continue
		}
		own := imageValues{s.comp.typ, slices.Clone(s.values), slices.Clone(s.free)}
		held := m.held(s)
		for k := 1; k < len(held); k++ {
			if own.Values[k] != nil && !held[k] {
				own.Values[k] = nil
				own.Free = append(own.Free, int32(k)) // as store.sweep does
			}
		}
		list = append(list, own)
	}
	slices.SortStableFunc(list, func(a, b imageValues) int { return strings.Compare(fullName(a.Component), fullName(b.Component)) })
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

// ArchetypesOf is images.ArchetypesOf.
func (imageRoom) ArchetypesOf(m *Image) []imageSet {
	m.mustBe("images.ArchetypesOf")
	list := make([]imageSet, len(m.archetypes))
	for i := range m.archetypes {
		a := &m.archetypes[i]
		own := imageSet{
			Orders: a.orders, Order: a.order, Crossings: a.crossings, Newest: slices.Clone(a.newest),
			Chunks: len(a.chunks), Rows: a.rows, Capacity: a.capacity,
		}
		for _, c := range a.set {
			own.Components = append(own.Components, c.typ)
		}
		for _, g := range a.groups {
			own.Groups = append(own.Groups, imageChunks{slices.Clone(g.values), g.orders, slices.Clone(g.room), slices.Clone(g.list)})
		}
		list[i] = own
	}
	return list
}

// ChunkOf is images.ChunkOf.
func (imageRoom) ChunkOf(m *Image, archetype, chunk int) imageRows {
	const op = "images.ChunkOf"
	m.mustBe(op)
	if uint(archetype) >= uint(len(m.archetypes)) || uint(chunk) >= uint(len(m.archetypes[archetype].chunks)) {
		panic(fault(ErrRange, op, "there is no chunk %d of archetype %d: see images.ArchetypesOf", chunk, archetype))
	}
	a := &m.archetypes[archetype]
	c := a.chunks[chunk]
	own := imageRows{Group: int(c.group), Order: c.order, Meta: c.meta, Entities: c.ids[:c.n:c.n], Parts: make([]imagePart, len(a.set))}
	for k := range a.set {
		own.Parts[k] = partAt(m, archetype, chunk, k)
	}
	return own
}
