package ecs

import (
	"iter"
	"math"
	"reflect"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/lanewise/lanewise/ecs/internal/table"
	"github.com/lanewise/lanewise/soa"
)

// Untyped reads and writes components whose types a program knows only at run time. Inspectors, editors
// and files need it. If a program names its types in Go, it should use the functions of the same names,
// for example [ecs.Get] instead of [Untyped.Get] and [ecs.Add] instead of [Untyped.Add]. The compiler
// checks the types of these functions. The value of a buffer is a slice of its elements. Only the owner
// of the world may use an Untyped. Its methods first wait for the jobs that conflict with them. A nil
// world is an error of category [ErrArgument].
type Untyped struct{ world *World }

// Untyped returns access to the components of w by their [reflect.Type]. Untyped allocates nothing.
func (w *World) Untyped() Untyped { return Untyped{w} }

// ComponentTypes returns the component types that the process has registered so far, sorted by name.
// The list is a copy. Any goroutine may call it.
func ComponentTypes() []ComponentType {
	own := allComponents()
	known := sortedTypes.Load()
	if known == nil || known.typeCount != len(own) {
		known = &typeList{typeCount: len(own)}
		for _, c := range own {
			if !c.worldwide {
				known.list = append(known.list, c.publicType())
			}
		}
		slices.SortStableFunc(known.list, func(a, b ComponentType) int { return strings.Compare(a.Name, b.Name) })
		sortedTypes.Store(known)
	}
	return slices.Clone(known.list)
}

// sortedTypes caches the last result of ComponentTypes. It stays correct until a type is registered,
// because types are never removed. Goroutines that renew it at the same time store equal lists.
var sortedTypes atomic.Pointer[typeList]

type typeList struct {
	typeCount int // number of components
	list      []ComponentType
}

// ComponentByName returns the component type with a full name: the package path and the type's name, as in
// [ComponentType]. Files and messages refer to types by these names, because the names are the same in
// every build of a program as long as the types keep them. The numbers that the registration gives to
// types are not the same in every build.
//
// The error is of category [ErrArgument] if no type with the name was registered (see
// [RegisterComponent]); then the error suggests similar names. It is of the same category if two types
// inside of functions share the name.
func ComponentByName(name string) (ComponentType, error) {
	c, err := componentNamed("ComponentByName", name)
	if err != nil {
		return ComponentType{}, err
	}
	return c.publicType(), nil
}

// OfType returns the same term for another type. For example, With[any]().OfType(t) is With for a type
// that is known only at run time. It panics with an *Error if the term is for more than one type, or has
// a value, as WithShared has.
func (t Term) OfType(typ reflect.Type) Term {
	if t.typ == nil || t.value != nil {
		panic(fault(ErrArgument, "Term.OfType", "%v is not about one type: use With, Without, Read and the like", t))
	}
	t.typ = typ
	return t
}

// ChunkInfo holds the size and the change versions of one chunk, for tools.
type ChunkInfo struct {
	Rows         int
	Bytes        int    // size of its memory
	Version      uint32 // version of the world at the last write of any column
	OrderVersion uint32 // version of the world when rows last came or went
	Group        int    // number of its group: chunks with the same shared values have the same number
}

// AppendChunks appends data about up to n chunks of the archetype to list, beginning with the chunk at
// index from.
func (a Archetype) AppendChunks(list []ChunkInfo, from, n int) []ChunkInfo {
	chunks := a.derefAvailable("Archetype.AppendChunks").chunks
	from = max(from, 0)
	for k := from; k < len(chunks) && k-from < n; k++ {
		r := chunks[k]
		c := ChunkInfo{Rows: r.count, Bytes: r.Size(), OrderVersion: r.orderVersion, Group: r.group.serial}
		for _, v := range r.versions {
			if int32(v-c.Version) > 0 || c.Version == 0 {
				c.Version = v
			}
		}
		list = append(list, c)
	}
	return list
}

// SharedValues returns the values of the archetype's shared components in one of its chunks, in the order
// of Types. SharedValues returns nil if the archetype has no shared components, or no such chunk.
func (a Archetype) SharedValues(chunk int) []any {
	own := a.derefAvailable("Archetype.SharedValues")
	if chunk < 0 || chunk >= len(own.chunks) {
		return nil
	}
	var values []any
	for i, s := range own.sharedStores {
		values = append(values, s.values[own.chunks[chunk].group.valueIndices[i]])
	}
	return values
}

// LaneInfo describes a lane of a component in the chunks of an archetype. The description stays the same
// as long as the archetype exists, in all of its chunks.
type LaneInfo struct {
	Component reflect.Type
	Lane      soa.Lane
	At        int // offset in bytes of its first row, in a full chunk that is not part of a larger region
	Size      int // bytes of a row
}

// Lanes returns the lanes of the archetype in the order of their offsets in a chunk. The ids of the
// entities come before them, at offset 0, with 8 bytes for each row.
func (a Archetype) Lanes() (list []LaneInfo) {
	own := a.deref("Archetype.Lanes")
	for _, c := range own.columns {
		for i, l := range c.lanes {
			list = append(list, LaneInfo{Component: c.comp.typ, Lane: c.comp.lanes[i], At: own.shape.LaneOffset(l.Index), Size: int(l.Size)})
		}
	}
	slices.SortStableFunc(list, func(a, b LaneInfo) int { return a.At - b.At })
	return list
}

// FindLane returns the lane of component t for the field with the given offset in the Go type. FindLane
// returns false if the archetype has no such lane.
func (a Archetype) FindLane(t reflect.Type, offset uintptr) (LaneInfo, bool) {
	own := a.deref("Archetype.FindLane")
	if i := own.findColumn(typeKey(t)); i >= 0 {
		for k, l := range own.columns[i].lanes {
			if lane := own.columns[i].comp.lanes[k]; lane.Offset == offset {
				return LaneInfo{Component: t, Lane: lane, At: own.shape.LaneOffset(l.Index), Size: int(l.Size)}, true
			}
		}
	}
	return LaneInfo{}, false
}

// laneOf returns the lane of column i with the given offset and size.
func (a *archetypeLayout) laneOf(i, at, size int) (table.Lane, bool) {
	if i >= 0 {
		for _, own := range a.columns[i].lanes {
			if a.shape.LaneOffset(own.Index) == at && int(own.Size) == size {
				return own, true
			}
		}
	}
	return table.Lane{}, false
}

// AppendLane appends rows of one lane of a chunk to buf, as bytes in the byte order of this machine. It
// appends row first and every step-th row after it. It appends nothing if there is no such chunk. It first
// waits for jobs that write the component. It panics with an *Error if the archetype has no such lane (see
// [Archetype.Lanes] and [Archetype.FindLane]), if first is negative, or if step is less than one.
func (a Archetype) AppendLane(buf []byte, l LaneInfo, chunk, first, step int) []byte {
	const op = "Archetype.AppendLane"
	own := a.derefAvailable(op)
	i := -1
	if l.Component != nil {
		i = own.findColumn(typeKey(l.Component))
	}
	lane, ok := own.laneOf(i, l.At, l.Size)
	if !ok || first < 0 || step < 1 {
		panic(own.world.gate.fault(ErrArgument, op, "there is no lane %v of %d bytes at %d in %v, or rows from %d in steps of %d", l.Component, l.Size, l.At, a, first, step))
	}
	if own.world.gate.jobs.jobsPending {
		if err := own.world.awaitComponent(op, own.columns[i].comp, false); err != nil {
			panic(err)
		}
	}
	if chunk < 0 || chunk >= len(own.chunks) {
		return buf
	}
	r := own.chunks[chunk]
	if step == 1 && first < r.count {
		return append(buf, r.Bytes(lane, first, r.count-first)...)
	}
	for row := first; row < r.count; row += step {
		buf = append(buf, r.Bytes(lane, row, 1)...)
	}
	return buf
}

// AppendRow appends the row of an entity in a lane of its archetype to buf, as [Archetype.AppendLane] does
// for a chunk. The error is of category [ErrArgument] if e does not exist, or has no such lane.
func (u Untyped) AppendRow(buf []byte, e Entity, l LaneInfo) ([]byte, error) {
	w := u.world
	const op = "Untyped.AppendRow"
	r, i, row, err := findComponentRow(op, w, e, l.Component)
	if err != nil {
		return buf, err
	}
	lane, ok := r.arch.laneOf(i, l.At, l.Size)
	if !ok {
		return buf, w.gate.fault(ErrArgument, op, "there is no lane of %d bytes at %d in %v: ask its archetype for the lane", l.Size, l.At, r.arch).forEntity(e)
	}
	if err := w.awaitComponent(op, r.arch.columns[i].comp, false); err != nil {
		return buf, err
	}
	return append(buf, r.Bytes(lane, row, 1)...), nil
}

// AppendEntities appends the ids of rows of a chunk of the archetype to list. It appends row first and
// every step-th row after it; a step below one counts as one. It appends nothing if there is no such
// chunk.
func (a Archetype) AppendEntities(list []Entity, chunk, first, step int) []Entity {
	own := a.derefAvailable("Archetype.AppendEntities")
	if chunk < 0 || chunk >= len(own.chunks) {
		return list
	}
	r := own.chunks[chunk]
	for row := max(first, 0); row < r.count; row += max(step, 1) {
		list = append(list, *r.idAt(row))
	}
	return list
}

// Index returns the index of the archetype among the archetypes of its world, in the order in which
// they were created.
func (a Archetype) Index() int { return a.deref("Archetype.Index").index }

// ArchetypeAt returns the archetype of w with the given index (see [Archetype.Index]), or the zero
// Archetype if there is none.
func (w *World) ArchetypeAt(index int) Archetype {
	w.mustNotBeNil("World.ArchetypeAt")
	w.gate.mustNotBeLent("World.ArchetypeAt")
	if index < 0 || index >= len(w.tables.archetypes) {
		return Archetype{}
	}
	return Archetype{w.tables.archetypes[index]}
}

// Archetypes yields the archetypes of w in the order in which they were created, including those that
// have no entities. Archetypes panics with an *Error while w is lent to a transaction.
func (w *World) Archetypes() iter.Seq[Archetype] {
	w.mustNotBeNil("World.Archetypes")
	return func(yield func(Archetype) bool) {
		w.gate.mustNotBeLent("World.Archetypes")
		for _, a := range w.tables.archetypes {
			if !yield(Archetype{a}) {
				return
			}
		}
	}
}

// MetaOf returns the meta entity of e's chunk, which has the chunk components of that chunk. MetaOf
// returns the null entity if e does not exist or its chunk has no chunk components.
func (w *World) MetaOf(e Entity) Entity {
	w.mustNotBeNil("World.MetaOf")
	if s := w.tables.entities.find(e); s != nil {
		return w.tables.chunks[s.chunk].meta
	}
	w.gate.mustNotBeLent("World.MetaOf")
	return Entity{}
}

// NeverMatched reports whether no entity has ever matched q. It ignores filters by version. It is
// the same as q.OrderCount() == 0, but stops at the first archetype that has had an entity.
func (q *Query) NeverMatched() bool {
	if q == nil || q.world == nil {
		panic(noQueryError("Query.NeverMatched"))
	}
	q.world.gate.mustNotBeLent("Query.NeverMatched")
	for _, m := range q.matches {
		if m.orderCount() != 0 {
			return false
		}
	}
	return true
}

// SlabBytes returns the number of bytes of all slabs of w, and the number of these bytes that chunks
// use. These are the fields Bytes and Live of [Stats], but SlabBytes does not read every archetype.
func (w *World) SlabBytes() (bytes, live int) {
	w.mustNotBeNil("World.SlabBytes")
	w.gate.mustNotBeLent("World.SlabBytes")
	if w.gate.changeVersion == 0 {
		return 0, 0 // the zero World
	}
	return w.tables.memory.ReservedBytes(), w.tables.memory.LiveBytes()
}

// ImageBytes returns the number of bytes of rows in all images of w that are not released. It counts
// rows only once if several images share them. For example, a program with a ring of images can use it
// to limit their memory. Bytes of managed components and of lists are not included. Memory that
// released images leave for the next image of w is not included either. That memory is at most about as
// large as the result or as the rows of w, whichever is larger.
func (w *World) ImageBytes() int {
	w.mustNotBeNil("World.ImageBytes")
	w.gate.mustNotBeLent("World.ImageBytes")
	p := w.imagePool
	if p == nil {
		return 0
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.usedBytes + p.blockBytes
}

// RowBytes returns how many bytes the rows of the archetype use in its chunks, without scratch
// rows. To compute the wasted memory, subtract the sum over all archetypes from Bytes of [Stats].
func (a Archetype) RowBytes() int {
	own := a.derefAvailable("Archetype.RowBytes")
	return own.rowCount * own.shape.RowBytes()
}

// Get returns the component of type t that e has. If a program names the type in Go, it should use
// [ecs.Get]. The value of a buffer is a slice with a copy of its elements. The value of a [PerChunk] is
// the value of e's chunk. The value of a tag is its zero value. Get first waits for jobs that write the
// component. The error is of category [ErrArgument] if e does not exist, or has no such component.
func (u Untyped) Get(e Entity, t reflect.Type) (any, error) {
	w := u.world
	v, _, err := valueOf("Untyped.Get", w, e, t, math.MaxInt)
	return v, err
}

// Head is like [Untyped.Get], but copies at most the first n elements of a buffer, because a buffer may
// be long. It also returns the number of all elements, which is 0 if the component is not a buffer. The
// errors are the same as for [Untyped.Get].
func (u Untyped) Head(e Entity, t reflect.Type, n int) (v any, elements int, err error) {
	w := u.world
	return valueOf("Untyped.Head", w, e, t, max(n, 0))
}

func valueOf(op string, w *World, e Entity, t reflect.Type, most int) (v any, elements int, err error) {
	r, i, row, err := findComponentRow(op, w, e, t)
	if err != nil {
		return nil, 0, err
	}
	c := &r.arch.columns[i]
	if err := w.awaitComponent(op, c.comp, false); err != nil {
		return nil, 0, err
	}
	box := reflect.New(t)
	switch {
	case c.comp.kind.has(isShared):
		return r.arch.sharedStores[c.sharedIndex].values[r.group.valueIndices[c.sharedIndex]], 0, nil
	case c.comp.kind.has(isManaged):
		return r.managedColumns[c.managedIndex].sliceValue.Index(row).Interface(), 0, nil
	case c.comp.kind.has(isBuffer):
		s := bufferAt(r, c, row)
		elements = int(s.head()[0])
		n := min(elements, most)
		list := reflect.MakeSlice(reflect.SliceOf(c.comp.buffer.elem), n, n)
		if content := s.elementBytes(); n > 0 && len(content) > 0 {
			content = content[:len(content)/elements*n]
			copy(newBytes(list, uintptr(len(content))), content)
		}
		return list.Interface(), elements, nil
	case c.comp.perChunkValue != nil && t.Size() > 0:
		w.tables.gatherChunk(r, c.comp.perChunkValue, newBytes(box, t.Size()))
	case len(c.lanes) > 0:
		c.gather(&r.Place, row, newBytes(box, t.Size()))
	}
	return box.Elem().Interface(), 0, nil
}

// Set replaces the value of a component that e has. The type of v selects the component. If a program
// names the type in Go, it should use [ecs.Set]. Set marks the component as changed, and first waits for
// jobs that read or write it. The error is of category [ErrArgument], and nothing is changed, if e does
// not exist or has no such component. The error is also of this category for a component whose rows do
// not hold values: a tag, a buffer, a shared or managed component, or a [PerChunk].
func (u Untyped) Set(e Entity, v any) error {
	w := u.world
	const op = "Untyped.Set"
	t := reflect.TypeOf(v)
	if t == nil && w != nil {
		return w.gate.fault(ErrArgument, op, "the value is nil")
	}
	r, i, row, err := findComponentRow(op, w, e, t)
	if err != nil {
		return err
	}
	c := &r.arch.columns[i]
	if c.comp.kind&(isShared|isManaged|isBuffer|isPerChunk|isTag) != 0 {
		return w.gate.fault(ErrArgument, op, "the component has no value in rows: it is a tag, a buffer, shared, managed or of chunks").forEntity(e).forComponent(c.comp)
	}
	if err := w.awaitComponent(op, c.comp, true); err != nil {
		return err
	}
	if guard {
		w.tables.noteOwnerWrite()
	}
	r.mark(i, w.gate.changeVersion)
	c.scatter(&r.Place, row, boxBytes(v, c.comp.size))
	return nil
}

// Enabled reports whether the component of type t that e has is on, as the function [ecs.Enabled] does. A
// component that is not enableable is always on. The errors are the same as for [Untyped.Get].
func (u Untyped) Enabled(e Entity, t reflect.Type) (bool, error) {
	w := u.world
	const op = "Untyped.Enabled"
	r, i, row, err := findComponentRow(op, w, e, t)
	if err != nil {
		return false, err
	}
	c := &r.arch.columns[i]
	if c.enabledIndex < 0 {
		return true, nil
	}
	if err := w.awaitComponent(op, c.comp, false); err != nil {
		return false, err
	}
	return r.enabledBits[c.enabledIndex].isOn(row), nil
}

// findComponentRow returns the chunk, the column and the row of a component of e.
func findComponentRow(op string, w *World, e Entity, t reflect.Type) (r *chunkData, column, row int, err error) {
	if w == nil {
		return nil, 0, 0, noWorldError(op)
	}
	s := w.tables.entities.find(e)
	if s == nil {
		return nil, 0, 0, w.entityError(op, e)
	}
	if t == nil {
		return nil, 0, 0, w.gate.fault(ErrArgument, op, "the type is nil")
	}
	r = w.tables.chunks[s.chunk]
	if column = r.arch.findColumn(typeKey(t)); column < 0 {
		err := w.gate.fault(ErrArgument, op, "the entity has no such component, it has %v: use Add", r.arch).forEntity(e)
		err.Component = fullName(t)
		return nil, 0, 0, err
	}
	return r, column, int(s.row), nil
}

// Add sets the component of type t of e to v. If e does not have the component, Add adds it. If a program
// names the type in Go, it should use [ecs.Add]. The value has the form that [Untyped.Get] returns: a
// slice of the elements for a buffer, the value of the chunk for a [PerChunk]. Add marks the component as
// changed, and first waits for jobs that read or write it. The error is of category [ErrArgument], and
// nothing is changed, if e does not exist, t is not a component, or the value is of another type.
func (u Untyped) Add(e Entity, t reflect.Type, v any) error {
	w := u.world
	const op = "Untyped.Add"
	if err := w.checkOpen(op); err != nil {
		return err
	}
	if t == nil {
		return w.gate.fault(ErrArgument, op, "the type is nil")
	}
	c, err := w.types.componentOf(op, t)
	if err != nil {
		return err
	}
	want := t
	if c.kind.has(isBuffer) {
		want = reflect.SliceOf(c.buffer.elem)
	}
	if reflect.TypeOf(v) != want {
		return w.gate.fault(ErrArgument, op, "the value is of type %v, not %v", reflect.TypeOf(v), want).forEntity(e).forComponent(c)
	}
	s := w.tables.entities.find(e)
	if s == nil {
		return w.entityError(op, e)
	}
	if c.kind.has(isShared) { // in one move, because it first has to find out whether the value can be compared
		return w.setShared(op, rowRange{w.tables.chunks[s.chunk], int(s.row), 1}, c, v)
	}
	if !w.tables.chunks[s.chunk].arch.has(c) {
		if err := editTypes(op, opAddTypes, w, One(e), []Term{With[struct{}]().OfType(t)}); err != nil {
			return err
		}
	}
	r, i, row, err := findComponentRow(op, w, e, t)
	if err != nil {
		return err
	}
	if err := w.awaitComponent(op, c, true); err != nil {
		return err
	}
	if guard {
		w.tables.noteOwnerWrite()
	}
	r.mark(i, w.gate.changeVersion)
	col := &r.arch.columns[i]
	switch {
	case c.kind.has(isTag):
	case c.perChunkValue != nil:
		w.tables.scatterChunk(r, i, boxBytes(v, c.size), w.gate.changeVersion)
	case c.kind.has(isManaged):
		r.managedColumns[col.managedIndex].sliceValue.Index(row).Set(reflect.ValueOf(v))
	case c.kind.has(isBuffer):
		list := reflect.ValueOf(v)
		n := list.Len()
		var content []byte
		if n > 0 {
			content = newBytes(list, uintptr(n*c.buffer.elemSize))
		}
		bufferAt(r, col, row).replaceAll(content, n)
	default:
		col.scatter(&r.Place, row, boxBytes(v, c.size))
	}
	return nil
}
