package ecs

import (
	"reflect"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/lanewise/lanewise/ecs/internal/table"
	"github.com/lanewise/lanewise/soa"
)

// What is in this file is for tools: inspectors, editors, files. They know types at run
// time only, and want to see how things lie in memory. It is for the owner of a world, and
// waits for the jobs that write what is read.

// ComponentType is what the process knows of a component type.
type ComponentType struct {
	Type       reflect.Type
	Name       string // the package path and the type's name
	Lanes      []soa.Lane
	Shared     bool // kinds, as the markers say: see Shared
	Cleanup    bool
	Enableable bool
	Managed    bool
	Buffer     bool
	PerChunk   bool // one value a chunk
	Tag        bool // no data
	Own        bool // of this package: what the library itself gives to entities
}

// ComponentTypes returns the component types that were named by now anywhere in the
// process, in the order of their names.
func ComponentTypes() []ComponentType {
	own := components()
	known := sortedTypes.Load()
	if known == nil || known.of != len(own) {
		known = &typeList{of: len(own)}
		for _, c := range own {
			if !c.worldwide {
				known.list = append(known.list, c.public())
			}
		}
		slices.SortStableFunc(known.list, func(a, b ComponentType) int { return strings.Compare(a.Name, b.Name) })
		sortedTypes.Store(known)
	}
	return slices.Clone(known.list)
}

// sortedTypes is what ComponentTypes returned last, for whoever asks: types only come. Who makes it
// anew writes what others would.
var sortedTypes atomic.Pointer[typeList]

type typeList struct {
	of   int // components
	list []ComponentType
}

// public is what tools may know of c.
func (c *component) public() ComponentType {
	return ComponentType{
		Type: c.typ, Name: c.name, Lanes: c.lanes,
		Shared: c.kind.has(isShared), Cleanup: c.kind.has(isCleanup), Enableable: c.kind.has(isEnableable), Managed: c.kind.has(isManaged),
		Buffer: c.kind.has(isBuffer), PerChunk: c.kind.has(isPerChunk), Tag: c.kind.has(isTag),
		Own: c.typ.PkgPath() == reflect.TypeFor[Entity]().PkgPath() && c.kind&(isBuffer|isPerChunk) == 0,
	}
}

// Of returns the term that says the same of another type: ecs.With[struct{}]().Of(t) is
// With of a type that is known at run time only. It panics with an *Error if the term is of
// no single type, or has a value, as Only has.
func (t Term) Of(typ reflect.Type) Term {
	if t.typ == nil || t.value != nil {
		panic(fault(ErrArgument, "Term.Of", "%v is not about one type: use With, Without, Read and the like", t))
	}
	t.typ = typ
	return t
}

// ChunkInfo is what a tool shows of one chunk.
type ChunkInfo struct {
	Rows    int
	Bytes   int    // of its memory
	Version uint32 // of the newest write of a column
	Order   uint32 // of the world when rows last came or went
	Group   int    // chunks with the same shared values have the same number
}

// AppendChunks appends what there is to know of the archetype's chunks from the given one
// on, n at most, to list.
func (a Archetype) AppendChunks(list []ChunkInfo, from, n int) []ChunkInfo {
	chunks := a.available("Archetype.AppendChunks").chunks
	from = min(max(from, 0), len(chunks))
	chunks = chunks[from:min(len(chunks), from+max(n, 0))]
	for _, r := range chunks {
		c := ChunkInfo{Rows: r.n, Bytes: r.Size(), Order: r.order, Group: r.group.number}
		for _, v := range r.versions {
			if int32(v-c.Version) > 0 || c.Version == 0 {
				c.Version = v
			}
		}
		list = append(list, c)
	}
	return list
}

// SharedValues returns the values of the archetype's shared components in one of its
// chunks, in the order of Types; none if it has no shared components, or no such chunk.
func (a Archetype) SharedValues(chunk int) []any {
	own := a.available("Archetype.SharedValues")
	if chunk < 0 || chunk >= len(own.chunks) {
		return nil
	}
	var values []any
	for i, s := range own.stores {
		values = append(values, s.values[own.chunks[chunk].group.values[i]])
	}
	return values
}

// LaneInfo is the place of a lane in the chunks of an archetype.
type LaneInfo struct {
	Component reflect.Type
	Lane      soa.Lane
	At        int // of its first row in a full chunk that is alone, in bytes
	Size      int // of a row, in bytes
}

// Lanes lists the lanes of the archetype in the order of their places. The ids of the
// entities come before them: 8 bytes a row from place 0 on.
func (a Archetype) Lanes() (list []LaneInfo) {
	own := a.of("Archetype.Lanes")
	for _, c := range own.columns {
		for i, l := range c.lanes {
			list = append(list, LaneInfo{Component: c.comp.typ, Lane: c.comp.lanes[i], At: own.shape.Start(l.Index), Size: int(l.Size)})
		}
	}
	slices.SortStableFunc(list, func(a, b LaneInfo) int { return a.At - b.At })
	return list
}

// FindLane returns the lane of the component t that begins at an offset of its Go value;
// false if the archetype has none.
func (a Archetype) FindLane(t reflect.Type, offset uintptr) (LaneInfo, bool) {
	own := a.of("Archetype.FindLane")
	if i := own.find(typeKey(t)); i >= 0 {
		for k, l := range own.columns[i].lanes {
			if lane := own.columns[i].comp.lanes[k]; lane.Offset == offset {
				return LaneInfo{Component: t, Lane: lane, At: own.shape.Start(l.Index), Size: int(l.Size)}, true
			}
		}
	}
	return LaneInfo{}, false
}

// laneOf returns the lane of column i that is the one of the information.
func (a *composition) laneOf(i int, l LaneInfo) (table.Lane, bool) {
	if i >= 0 {
		for _, own := range a.columns[i].lanes {
			if a.shape.Start(own.Index) == l.At && int(own.Size) == l.Size {
				return own, true
			}
		}
	}
	return table.Lane{}, false
}

// AppendLane appends rows of a lane of a chunk of the archetype to buf, as bytes in the
// order of this machine: the first row, and every step-th after it. There are none in a
// chunk that does not exist. It panics with an *Error if the lane is not one that Lanes or
// FindLane of this archetype has returned, first is negative, or step is less than one.
func (a Archetype) AppendLane(buf []byte, l LaneInfo, chunk, first, step int) []byte {
	const op = "Archetype.AppendLane"
	own := a.available(op)
	i := -1
	if l.Component != nil {
		i = own.find(typeKey(l.Component))
	}
	at, ok := own.laneOf(i, l)
	if !ok || first < 0 || step < 1 {
		panic(own.world.fault(ErrArgument, op, "there is no lane %v of %d bytes at %d in %v, or rows from %d in steps of %d", l.Component, l.Size, l.At, a, first, step))
	}
	if own.world.jobs.pending {
		if err := own.world.await(op, own.columns[i].comp, false); err != nil {
			panic(err)
		}
	}
	if chunk < 0 || chunk >= len(own.chunks) {
		return buf
	}
	r := own.chunks[chunk]
	if step == 1 && first < r.n {
		return append(buf, r.Bytes(at, first, r.n-first)...)
	}
	for row := first; row < r.n; row += step {
		buf = append(buf, r.Bytes(at, row, 1)...)
	}
	return buf
}

// AppendRow appends the row of an entity in a lane of its archetype to buf, as AppendLane does.
// The error is of category ErrArgument if e does not exist, or has no such lane.
func AppendRow(buf []byte, w *World, e Entity, l LaneInfo) ([]byte, error) {
	const op = "AppendRow"
	r, i, row, err := placeOf(op, w, e, l.Component)
	if err != nil {
		return buf, err
	}
	at, ok := r.arch.laneOf(i, l)
	if !ok {
		return buf, w.fault(ErrArgument, op, "there is no lane of %d bytes at %d in %v: ask its archetype for the lane", l.Size, l.At, r.arch).of(e)
	}
	if err := w.await(op, r.arch.columns[i].comp, false); err != nil {
		return buf, err
	}
	return append(buf, r.Bytes(at, row, 1)...), nil
}

// AppendEntities appends the ids of rows of a chunk of the archetype to list: the first
// row, and every step-th after it, which is one at least. There are none in a chunk that does
// not exist.
func (a Archetype) AppendEntities(list []Entity, chunk, first, step int) []Entity {
	own := a.available("Archetype.AppendEntities")
	if chunk < 0 || chunk >= len(own.chunks) {
		return list
	}
	r := own.chunks[chunk]
	for row := max(first, 0); row < r.n; row += max(step, 1) {
		list = append(list, *r.idAt(row))
	}
	return list
}

// Index is the place of the archetype among those of its world, in the order in which
// they were made.
func (a Archetype) Index() int { return a.of("Archetype.Index").index }

// ArchetypeAt returns the archetype of the given place among those of w; the zero
// Archetype if there are not so many.
func ArchetypeAt(w *World, index int) Archetype {
	w.refuseLent("ArchetypeAt")
	if index < 0 || index >= len(w.archetypes) {
		return Archetype{}
	}
	return Archetype{w.archetypes[index]}
}

// NeverHad reports whether no entity has ever matched q, filters of versions ignored: it is
// q.OrderCount() == 0, and looks no further than to the first archetype that had one.
func NeverHad(q *Query) bool {
	q.world.refuseLent("NeverHad")
	for _, m := range q.matches {
		if m.orders() != 0 {
			return false
		}
	}
	return true
}

// SlabBytes returns how many bytes all slabs of w have, and how many of them chunks have: the
// Bytes and Live of Stats without a look at every archetype.
func SlabBytes(w *World) (bytes, live int) {
	w.refuseLent("SlabBytes")
	return w.memory.Reserved(), w.memory.Live()
}

// RowBytes returns how many bytes of the chunks the rows of an archetype take, scratch rows
// not counted: what Bytes of Stats has beside those of all archetypes is wasted.
func RowBytes(a Archetype) int {
	own := a.available("RowBytes")
	return own.rows * own.shape.RowBytes()
}
