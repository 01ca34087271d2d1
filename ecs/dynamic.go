package ecs

import (
	"iter"
	"reflect"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/lanewise/lanewise/ecs/internal/sister"
	"github.com/lanewise/lanewise/ecs/internal/table"
	"github.com/lanewise/lanewise/soa"
)

// dynamic is what package ecs/tool is made of, where it has its comments: worlds as tools see them,
// which know types at run time only, and want to see how things lie in memory. Its methods are that
// package's functions and call nothing back. What they return of types of this file that package
// converts to types of the same fields.
type dynamic struct{}

// Dynamic returns what package ecs/tool is made of, and others of this module. It is for these alone: no other can name a key.
func Dynamic(sister.Key) (d dynamic) { return d }

// Plumbing returns what package ecs/plumbing is made of.
func (dynamic) Plumbing() (p plumbing) { return p }

// Images returns what packages are made of that keep, write and compare images.
func (dynamic) Images() (r imageRoom) { return r }

// Memory returns what package ecs/memory is made of.
func (dynamic) Memory() (m memoryRoom) { return m }

// Rows returns what package ecs/rows is made of.
func (dynamic) Rows() (r rowRoom) { return r }

// Transactions returns what package ecs/transaction is made of.
func (dynamic) Transactions() (t transactions) { return t }

// ComponentTypes is tool.ComponentTypes, of which each caller gets a copy.
func (dynamic) ComponentTypes() []componentType {
	own := components()
	known := sortedTypes.Load()
	if known == nil || known.of != len(own) {
		known = &typeList{of: len(own)}
		for _, c := range own {
			if !c.worldwide {
				known.list = append(known.list, c.public())
			}
		}
		slices.SortStableFunc(known.list, func(a, b componentType) int { return strings.Compare(a.Name, b.Name) })
		sortedTypes.Store(known)
	}
	return known.list
}

// sortedTypes is what ComponentTypes returned last, for whoever asks: types only come. Who makes it
// anew writes what others would.
var sortedTypes atomic.Pointer[typeList]

type typeList struct {
	of   int // components
	list []componentType
}

// FindComponent is tool.FindComponent.
func (dynamic) FindComponent(name string) (componentType, error) {
	c, err := componentNamed("tool.FindComponent", name)
	if err != nil {
		return componentType{}, err
	}
	return c.public(), nil
}

// TermOf is tool.TermOf.
func (dynamic) TermOf(t Term, typ reflect.Type) Term {
	if t.typ == nil || t.value != nil {
		panic(fault(ErrArgument, "tool.TermOf", "%v is not about one type: use With, Without, Read and the like", t))
	}
	t.typ = typ
	return t
}

// chunkInfo is tool.ChunkInfo.
type chunkInfo struct {
	Rows    int
	Bytes   int    // of its memory
	Version uint32 // of the newest write of a column
	Order   uint32 // of the world when rows last came or went
	Group   int    // chunks with the same shared values have the same number
}

// ChunkAt is a row of tool.AppendChunks; false if the archetype has no such chunk.
func (dynamic) ChunkAt(a Archetype, chunk int) (chunkInfo, bool) {
	chunks := a.available("tool.AppendChunks").chunks
	if chunk < 0 || chunk >= len(chunks) {
		return chunkInfo{}, false
	}
	r := chunks[chunk]
	c := chunkInfo{Rows: r.n, Bytes: r.Size(), Order: r.order, Group: r.group.number}
	for _, v := range r.versions {
		if int32(v-c.Version) > 0 || c.Version == 0 {
			c.Version = v
		}
	}
	return c, true
}

// SharedValues is tool.SharedValues.
func (dynamic) SharedValues(a Archetype, chunk int) []any {
	own := a.available("tool.SharedValues")
	if chunk < 0 || chunk >= len(own.chunks) {
		return nil
	}
	var values []any
	for i, s := range own.stores {
		values = append(values, s.values[own.chunks[chunk].group.values[i]])
	}
	return values
}

// laneInfo is tool.LaneInfo.
type laneInfo struct {
	Component reflect.Type
	Lane      soa.Lane
	At        int // of its first row in a full chunk that is alone, in bytes
	Size      int // of a row, in bytes
}

// Lanes is tool.Lanes.
func (dynamic) Lanes(a Archetype) (list []laneInfo) {
	own := a.of("tool.Lanes")
	for _, c := range own.columns {
		for i, l := range c.lanes {
			list = append(list, laneInfo{Component: c.comp.typ, Lane: c.comp.lanes[i], At: own.shape.Start(l.Index), Size: int(l.Size)})
		}
	}
	slices.SortStableFunc(list, func(a, b laneInfo) int { return a.At - b.At })
	return list
}

// FindLane is tool.FindLane.
func (dynamic) FindLane(a Archetype, t reflect.Type, offset uintptr) (laneInfo, bool) {
	own := a.of("tool.FindLane")
	if i := own.find(typeKey(t)); i >= 0 {
		for k, l := range own.columns[i].lanes {
			if lane := own.columns[i].comp.lanes[k]; lane.Offset == offset {
				return laneInfo{Component: t, Lane: lane, At: own.shape.Start(l.Index), Size: int(l.Size)}, true
			}
		}
	}
	return laneInfo{}, false
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

// AppendLane is tool.AppendLane.
func (dynamic) AppendLane(buf []byte, a Archetype, t reflect.Type, at, size, chunk, first, step int) []byte {
	const op = "tool.AppendLane"
	own := a.available(op)
	i := -1
	if t != nil {
		i = own.find(typeKey(t))
	}
	lane, ok := own.laneOf(i, at, size)
	if !ok || first < 0 || step < 1 {
		panic(own.world.fault(ErrArgument, op, "there is no lane %v of %d bytes at %d in %v, or rows from %d in steps of %d", t, size, at, a, first, step))
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

// AppendRow is tool.AppendRow.
func (dynamic) AppendRow(buf []byte, w *World, e Entity, t reflect.Type, at, size int) ([]byte, error) {
	const op = "tool.AppendRow"
	r, i, row, err := placeOf(op, w, e, t)
	if err != nil {
		return buf, err
	}
	lane, ok := r.arch.laneOf(i, at, size)
	if !ok {
		return buf, w.fault(ErrArgument, op, "there is no lane of %d bytes at %d in %v: ask its archetype for the lane", size, at, r.arch).of(e)
	}
	if err := w.await(op, r.arch.columns[i].comp, false); err != nil {
		return buf, err
	}
	return append(buf, r.Bytes(lane, row, 1)...), nil
}

// AppendEntities is tool.AppendEntities.
func (dynamic) AppendEntities(list []Entity, a Archetype, chunk, first, step int) []Entity {
	own := a.available("tool.AppendEntities")
	if chunk < 0 || chunk >= len(own.chunks) {
		return list
	}
	r := own.chunks[chunk]
	for row := max(first, 0); row < r.n; row += max(step, 1) {
		list = append(list, *r.idAt(row))
	}
	return list
}

// ArchetypeIndex is tool.ArchetypeIndex.
func (dynamic) ArchetypeIndex(a Archetype) int { return a.of("tool.ArchetypeIndex").index }

// ArchetypeAt is tool.ArchetypeAt.
func (dynamic) ArchetypeAt(w *World, index int) Archetype {
	w.given("tool.ArchetypeAt")
	w.refuseLent("tool.ArchetypeAt")
	if index < 0 || index >= len(w.archetypes) {
		return Archetype{}
	}
	return Archetype{w.archetypes[index]}
}

// Archetypes is tool.Archetypes.
func (dynamic) Archetypes(w *World) iter.Seq[Archetype] {
	w.given("tool.Archetypes")
	return func(yield func(Archetype) bool) {
		w.refuseLent("tool.Archetypes")
		for _, a := range w.archetypes {
			if !yield(Archetype{a}) {
				return
			}
		}
	}
}

// MetaOf is tool.MetaOf.
func (dynamic) MetaOf(w *World, e Entity) Entity {
	w.given("tool.MetaOf")
	if s := w.entities.find(e); s != nil {
		return w.records[s.record].meta
	}
	w.refuseLent("tool.MetaOf")
	return Entity{}
}

// OrderCountOf is tool.OrderCountOf.
func (dynamic) OrderCountOf(w *World, t reflect.Type) uint32 {
	w.given("tool.OrderCountOf")
	w.refuseLent("tool.OrderCountOf")
	n := w.hooks.passed()
	for _, a := range w.archetypes {
		if a.find(typeKey(t)) >= 0 {
			n += a.orders
		}
	}
	return n
}

// NeverHad is tool.NeverHad.
func (dynamic) NeverHad(q *Query) bool {
	if q == nil || q.world == nil {
		panic(noQuery("tool.NeverHad"))
	}
	q.world.refuseLent("tool.NeverHad")
	for _, m := range q.matches {
		if m.orders() != 0 {
			return false
		}
	}
	return true
}

// SlabBytes is tool.SlabBytes.
func (dynamic) SlabBytes(w *World) (bytes, live int) {
	w.given("tool.SlabBytes")
	w.refuseLent("tool.SlabBytes")
	if w.version == 0 {
		return 0, 0 // of the zero World
	}
	return w.memory.Reserved(), w.memory.Live()
}

// RowBytes is tool.RowBytes.
func (dynamic) RowBytes(a Archetype) int {
	own := a.available("tool.RowBytes")
	return own.rows * own.shape.RowBytes()
}
