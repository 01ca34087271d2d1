package ecs

import (
	"iter"
	"reflect"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/lanewise/lanewise/ecs/internal/table"
	"github.com/lanewise/lanewise/soa"
)

// Untyped reads and writes components of a world whose types a program knows at run time only, for inspectors, editors and
// files. A program that names its types in Go uses the functions of the same names, because the compiler checks their types: [ecs.Get] for
// [Untyped.Get], [ecs.Add] for [Untyped.Add]. The value of a buffer is a slice of its elements. An Untyped is for the owner of the world, and its
// methods first wait for the jobs that would conflict with them. A nil world is an error of category [ErrArgument].
type Untyped struct{ world *World }

// Untyped returns access to the components of w by their [reflect.Type].
func (w *World) Untyped() Untyped { return Untyped{w} }

// ComponentTypes returns the component types that any part of the process has named so far, in the order of their names.
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

// ComponentByName returns the component type that has a full name: the package path and the type's name, as in [ComponentType]. Files and
// messages refer to types by these names, because they are the same in every build of a program as long as nobody renames the types; the
// order and the numbers of registration are not.
//
// The error is of category [ErrArgument] if no type of the name was registered (see [RegisterComponent]), and then it
// names similar ones, or if two types inside of functions share the name.
func ComponentByName(name string) (ComponentType, error) {
	c, err := componentNamed("ComponentByName", name)
	if err != nil {
		return ComponentType{}, err
	}
	return c.public(), nil
}

// OfType returns the term for another type: With[any]().OfType(t) is With for a type that is known at run time only. It panics with an
// *Error if the term is not about a single type, or has a value, as WithShared has.
func (t Term) OfType(typ reflect.Type) Term {
	if t.typ == nil || t.value != nil {
		panic(fault(ErrArgument, "Term.OfType", "%v is not about one type: use With, Without, Read and the like", t))
	}
	t.typ = typ
	return t
}

// ChunkInfo has the numbers that a tool shows of one chunk.
type ChunkInfo struct {
	Rows    int
	Bytes   int    // of its memory
	Version uint32 // of the newest write of a column
	Order   uint32 // of the world when rows last came or went
	Group   int    // chunks with the same shared values have the same number
}

// AppendChunks appends to list the facts about up to n chunks of the archetype, from the chunk from on.
func (a Archetype) AppendChunks(list []ChunkInfo, from, n int) []ChunkInfo {
	chunks := a.available("Archetype.AppendChunks").chunks
	from = max(from, 0)
	for k := from; k < len(chunks) && k-from < n; k++ {
		r := chunks[k]
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

// SharedValues returns the values of the archetype's shared components in one of its chunks, in the order of Types. It returns none if the
// archetype has no shared components, or no such chunk.
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

// LaneInfo names a lane of a component in the chunks of an archetype, and the place of that lane. It stays the same as long as the archetype
// exists, in all of its chunks.
type LaneInfo struct {
	Component reflect.Type
	Lane      soa.Lane
	At        int // of its first row in a full chunk that is alone, in bytes
	Size      int // of a row, in bytes
}

// Lanes returns the lanes of the archetype in the order of their places in a chunk. The ids of the
// entities come before them, from place 0 on, with 8 bytes for each row.
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

// FindLane returns the lane of component t for the field that has an offset in the Go type; it returns
// false if the archetype has no such lane.
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

// laneOf returns the lane of column i that is at a place and has a size.
func (a *composition) laneOf(i, at, size int) (table.Lane, bool) {
	if i >= 0 {
		for _, own := range a.columns[i].lanes {
			if a.shape.Start(own.Index) == at && int(own.Size) == size {
				return own, true
			}
		}
	}
	return table.Lane{}, false
}

// AppendLane appends to buf rows of one lane of a chunk, as bytes in the order of this machine: the row first, and every step-th row after
// it. It appends nothing if there is no such chunk. It first waits for jobs that write the component. It panics with an *Error if [Archetype.Lanes] and
// [Archetype.FindLane] of this archetype have no such lane, if first is negative, or if step is less than one.
func (a Archetype) AppendLane(buf []byte, l LaneInfo, chunk, first, step int) []byte {
	const op = "Archetype.AppendLane"
	own := a.available(op)
	i := -1
	if l.Component != nil {
		i = own.find(typeKey(l.Component))
	}
	lane, ok := own.laneOf(i, l.At, l.Size)
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
		return append(buf, r.Bytes(lane, first, r.n-first)...)
	}
	for row := first; row < r.n; row += step {
		buf = append(buf, r.Bytes(lane, row, 1)...)
	}
	return buf
}

// AppendRow appends to buf the row of an entity in a lane of its archetype, as [Archetype.AppendLane] does for a chunk.
// The error is of category [ErrArgument] if e does not exist, or has no such lane.
func (u Untyped) AppendRow(buf []byte, e Entity, l LaneInfo) ([]byte, error) {
	w := u.world
	const op = "Untyped.AppendRow"
	r, i, row, err := placeOf(op, w, e, l.Component)
	if err != nil {
		return buf, err
	}
	lane, ok := r.arch.laneOf(i, l.At, l.Size)
	if !ok {
		return buf, w.fault(ErrArgument, op, "there is no lane of %d bytes at %d in %v: ask its archetype for the lane", l.Size, l.At, r.arch).of(e)
	}
	if err := w.await(op, r.arch.columns[i].comp, false); err != nil {
		return buf, err
	}
	return append(buf, r.Bytes(lane, row, 1)...), nil
}

// AppendEntities appends to list the ids of rows of a chunk of the archetype: the row first, and every step-th row after it; a step below
// one is one. It appends nothing if there is no such chunk.
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

// Index returns the place of the archetype among those of its world, in the order in which they were made.
func (a Archetype) Index() int { return a.of("Archetype.Index").index }

// ArchetypeAt returns the archetype of w that has a place, see [Archetype.Index]; the zero Archetype if there is none.
func (w *World) ArchetypeAt(index int) Archetype {
	w.given("World.ArchetypeAt")
	w.refuseLent("World.ArchetypeAt")
	if index < 0 || index >= len(w.archetypes) {
		return Archetype{}
	}
	return Archetype{w.archetypes[index]}
}

// Archetypes yields the archetypes of w in the order in which they were made.
func (w *World) Archetypes() iter.Seq[Archetype] {
	w.given("World.Archetypes")
	return func(yield func(Archetype) bool) {
		w.refuseLent("World.Archetypes")
		for _, a := range w.archetypes {
			if !yield(Archetype{a}) {
				return
			}
		}
	}
}

// MetaOf returns the meta entity of e's chunk, which has the chunk components of that chunk; the null entity if e does not
// exist or its chunk has no chunk components.
func (w *World) MetaOf(e Entity) Entity {
	w.given("World.MetaOf")
	if s := w.entities.find(e); s != nil {
		return w.records[s.record].meta
	}
	w.refuseLent("World.MetaOf")
	return Entity{}
}

// NeverMatched reports whether no entity has ever matched q, filters of versions ignored. It is q.OrderCount() == 0, but stops at the first
// archetype that had an entity.
func (q *Query) NeverMatched() bool {
	if q == nil || q.world == nil {
		panic(noQuery("Query.NeverMatched"))
	}
	q.world.refuseLent("Query.NeverMatched")
	for _, m := range q.matches {
		if m.orders() != 0 {
			return false
		}
	}
	return true
}

// SlabBytes returns how many bytes all slabs of w have, and how many of them chunks use: the
// Bytes and Live of [Stats], without a look at every archetype.
func (w *World) SlabBytes() (bytes, live int) {
	w.given("World.SlabBytes")
	w.refuseLent("World.SlabBytes")
	if w.version == 0 {
		return 0, 0 // of the zero World
	}
	return w.memory.Reserved(), w.memory.Live()
}

// RowBytes returns how many bytes of its chunks the rows of the archetype take. Scratch rows do not count. The sum over all archetypes,
// subtracted from Bytes of [Stats], is the waste.
func (a Archetype) RowBytes() int {
	own := a.available("Archetype.RowBytes")
	return own.rows * own.shape.RowBytes()
}
