package tool

import (
	"iter"
	"reflect"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/soa"
)

// ArchetypeIndex is the place of an archetype among those of its world, in the order in which
// they were made.
func ArchetypeIndex(a ecs.Archetype) int { return dynamic.ArchetypeIndex(a) }

// ArchetypeAt returns the archetype of the given place among those of w; the zero
// Archetype if there are not so many.
func ArchetypeAt(w *ecs.World, index int) ecs.Archetype { return dynamic.ArchetypeAt(w, index) }

// Archetypes yields the archetypes of w in the order in which they were made.
func Archetypes(w *ecs.World) iter.Seq[ecs.Archetype] { return dynamic.Archetypes(w) }

// MetaOf returns the meta entity of e's chunk, which has its chunk components; the null entity if e does not
// exist or its chunk has none.
func MetaOf(w *ecs.World, e ecs.Entity) ecs.Entity { return dynamic.MetaOf(w, e) }

// OrderCountOf returns how often rows of w that have a component of type t came or went, or their chunks
// were relabelled, counted in batches: creating and destroying count once,
// adding and removing a component twice, for leaving and for entering.
func OrderCountOf(w *ecs.World, t reflect.Type) uint32 { return dynamic.OrderCountOf(w, t) }

// ChunkInfo is what a tool shows of one chunk.
type ChunkInfo struct {
	Rows    int
	Bytes   int    // of its memory
	Version uint32 // of the newest write of a column
	Order   uint32 // of the world when rows last came or went
	Group   int    // chunks with the same shared values have the same number
}

// AppendChunks appends what there is to know of the chunks of an archetype from the given one
// on, n at most, to list.
func AppendChunks(list []ChunkInfo, a ecs.Archetype, from, n int) []ChunkInfo {
	from = max(from, 0)
	for k := range n {
		c, ok := dynamic.ChunkAt(a, from+k)
		if !ok {
			break
		}
		list = append(list, ChunkInfo(c))
	}
	return list
}

// SharedValues returns the values of the shared components of an archetype in one of its
// chunks, in the order of Types; none if it has no shared components, or no such chunk.
func SharedValues(a ecs.Archetype, chunk int) []any { return dynamic.SharedValues(a, chunk) }

// AppendEntities appends the ids of rows of a chunk of an archetype to list: the first
// row, and every step-th after it, which is one at least. There are none in a chunk that does
// not exist.
func AppendEntities(list []ecs.Entity, a ecs.Archetype, chunk, first, step int) []ecs.Entity {
	return dynamic.AppendEntities(list, a, chunk, first, step)
}

// LaneInfo is the place of a lane in the chunks of an archetype.
type LaneInfo struct {
	Component reflect.Type
	Lane      soa.Lane
	At        int // of its first row in a full chunk that is alone, in bytes
	Size      int // of a row, in bytes
}

// Lanes lists the lanes of an archetype in the order of their places. The ids of the
// entities come before them: 8 bytes a row from place 0 on.
func Lanes(a ecs.Archetype) []LaneInfo {
	known := dynamic.Lanes(a)
	list := make([]LaneInfo, len(known))
	for i, l := range known {
		list[i] = LaneInfo(l)
	}
	return list
}

// FindLane returns the lane of the component t that begins at an offset of its Go value;
// false if the archetype has none.
func FindLane(a ecs.Archetype, t reflect.Type, offset uintptr) (LaneInfo, bool) {
	l, ok := dynamic.FindLane(a, t, offset)
	return LaneInfo(l), ok
}

// AppendLane appends rows of a lane of a chunk of an archetype to buf, as bytes in the
// order of this machine: the first row, and every step-th after it. There are none in a
// chunk that does not exist. It panics with an *ecs.Error if the lane is not one that [Lanes] or
// [FindLane] of this archetype has returned, first is negative, or step is less than one.
func AppendLane(buf []byte, a ecs.Archetype, l LaneInfo, chunk, first, step int) []byte {
	return dynamic.AppendLane(buf, a, l.Component, l.At, l.Size, chunk, first, step)
}

// AppendRow appends the row of an entity in a lane of its archetype to buf, as AppendLane does.
// The error is of category ErrArgument if e does not exist, or has no such lane.
func AppendRow(buf []byte, w *ecs.World, e ecs.Entity, l LaneInfo) ([]byte, error) {
	return dynamic.AppendRow(buf, w, e, l.Component, l.At, l.Size)
}

// SlabBytes returns how many bytes all slabs of w have, and how many of them chunks have: the
// Bytes and Live of [ecs.Stats] without a look at every archetype.
func SlabBytes(w *ecs.World) (bytes, live int) { return dynamic.SlabBytes(w) }

// RowBytes returns how many bytes of the chunks the rows of an archetype take, scratch rows
// not counted: what Bytes of [ecs.Stats] has beside those of all archetypes is wasted.
func RowBytes(a ecs.Archetype) int { return dynamic.RowBytes(a) }
