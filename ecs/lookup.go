package ecs

import (
	"fmt"
	"reflect"

	"github.com/lanewise/lanewise/ecs/internal/table"
)

// Lookup reads or writes the T of any entity, like ComponentLookup of Unity or Map of Ark. It is for jobs
// that reach from their chunk to other entities, and for many random accesses by the owner of the world.
// It is much faster than Get and Set.
//
// A Lookup made from a query needs an Anywhere or Elsewhere term for its access. It is valid in the jobs
// and loops of that query: they wait for conflicting jobs, and renew it after structural changes. A Lookup
// made from the world is for its owner and valid until the next structural change; Refresh renews it. Like
// Get and Set it completes jobs that touch T, also those that were scheduled after it was made.
//
// Nothing prevents two workers from writing the T of one entity at the same time, which is a data race.
// For example, let each job write only entities that no other job writes.
type Lookup[T any] struct {
	world             *World
	comp              *component
	structuralVersion uint32
	changeVersion     uint32
	write             bool
	forOwner          bool           // made from a world, for its owner
	jobsSeen          uint32         // number of jobs of the world that an owned lookup has waited for
	orderCount        uint32         // the count of reorderings of archetypes that columns are for
	columns           []lookupColumn // by archetype
	guardLookup
}

// lookupColumn is the column of T in one archetype, with the fields of it that each access needs.
type lookupColumn struct {
	column int32 // -1: the archetype has no T
	rowAccess
}

// refresher is a Lookup of any type.
type refresher interface {
	isStale() bool
	refresh()
}

// NewLookup returns a lookup of T for the jobs and loops of q, which must have an Anywhere or Elsewhere
// term for T. It panics with an *Error if q has none, or if T is a shared component.
func NewLookup[T any](q *Query) *Lookup[T] {
	const op = "NewLookup"
	if err := checkOpenQuery(q, op); err != nil {
		panic(err)
	}
	w := q.world
	for _, d := range q.reachTerms {
		if d.comp.key == keyOf[T]() && !d.comp.worldwide {
			l := &Lookup[T]{world: w, comp: d.comp, write: d.write}
			l.mustFit(op)
			l.setQuery(q, d)
			l.refresh()
			q.lookups = append(q.lookups, l)
			return l
		}
	}
	e := w.gate.fault(ErrArgument, op, "the query does not say that it reaches this component: add Anywhere(Read…) or Anywhere(Write…) to its terms, or Elsewhere for what it has by chunk too")
	e.Component = fullName(reflect.TypeFor[T]())
	panic(e)
}

func (l *Lookup[T]) mustFit(op string) {
	if l.comp.perChunkValue != nil {
		panic(l.world.gate.fault(ErrArgument, op, "a chunk component is not looked up: look up its value, by the meta entity").forComponent(l.comp))
	}
	if l.comp.kind.has(isShared) {
		panic(l.world.gate.fault(ErrArgument, op, "a shared component is not looked up: use Get").forComponent(l.comp))
	}
}

// Refresh completes the jobs that touch T and makes the lookup valid until the next structural change. The
// error is of category [ErrState] in a job, and of category [ErrDisposed] if the world is closed.
func (l *Lookup[T]) Refresh() error {
	const op = "Lookup.Refresh"
	if err := l.world.gate.checkOpen(op); err != nil {
		return err
	}
	if err := l.await(op); err != nil {
		return err
	}
	l.refresh()
	return nil
}

// await completes the jobs that touch T.
func (l *Lookup[T]) await(op string) error {
	if l.world.gate.jobs.jobsPending {
		if err := l.world.awaitComponent(op, l.comp, l.write); err != nil {
			return err
		}
	}
	l.jobsSeen = l.world.gate.jobs.expectedCount
	return nil
}

// isStale reports whether the lookup was made for an earlier state of the world.
func (l *Lookup[T]) isStale() bool {
	return l.structuralVersion != l.world.gate.structuralVersion || l.changeVersion != l.world.gate.changeVersion || len(l.columns) != len(l.world.tables.archetypes)
}

// refresh adds the columns of new archetypes and takes over the world's versions.
func (l *Lookup[T]) refresh() {
	w := l.world
	l.structuralVersion, l.changeVersion = w.gate.structuralVersion, w.gate.changeVersion
	if l.orderCount != w.tables.restoreMemo.delistCount {
		l.orderCount, l.columns = w.tables.restoreMemo.delistCount, l.columns[:0]
	}
	for i := len(l.columns); i < len(w.tables.archetypes); i++ {
		a := w.tables.archetypes[i]
		c := lookupColumn{column: int32(a.findColumn(l.comp.key))}
		if c.column >= 0 {
			c.rowAccess = a.columns[c.column].rowAccess
		}
		l.columns = append(l.columns, c)
	}
}

// findRow returns the chunk, the column and the row of the T of e; the chunk is nil if e has no T.
func (l *Lookup[T]) findRow(op string, e Entity) (*chunkData, *lookupColumn, int) {
	w := l.world
	if l.structuralVersion != w.gate.structuralVersion || l.forOwner && l.jobsSeen != w.gate.jobs.expectedCount {
		l.prepareOwned(op)
	}
	s := w.tables.entities.find(e)
	if s == nil {
		return nil, nil, 0
	}
	r := w.tables.chunks[s.chunk]
	c := &l.columns[r.arch.index]
	if c.column < 0 {
		return nil, nil, 0
	}
	if guard {
		l.mustBeOwnChunk(op, l.comp, r, int(s.row))
	}
	return r, c, int(s.row)
}

// prepareOwned waits for jobs that were scheduled since the last use of an owned lookup. It panics if the lookup
// is stale.
func (l *Lookup[T]) prepareOwned(op string) {
	if l.structuralVersion != l.world.gate.structuralVersion {
		panic(l.staleError(op))
	}
	if err := l.await(op); err != nil {
		panic(err)
	}
}

func (l *Lookup[T]) staleError(op string) error {
	return l.world.gate.fault(ErrDisposed, op, "a structural change has ended the life of this Lookup: Refresh it").forComponent(l.comp)
}

// Has reports whether e exists and has a T. It panics with an *Error if the lookup is stale, as Get, Set
// and Ref do.
func (l *Lookup[T]) Has(e Entity) bool {
	r, _, _ := l.findRow("Lookup.Has", e)
	return r != nil
}

// Get returns the T of e, and reports whether e has one. The T of a tag is zero. If T is a Buffer, the
// result is a handle, which may be written if the lookup may write.
func (l *Lookup[T]) Get(e Entity) (v T, ok bool) {
	r, c, row := l.findRow("Lookup.Get", e)
	if r == nil {
		return v, false
	}
	switch c.layoutKind {
	case layoutOneLane:
		v = *table.At[T](&r.Place, c.firstLane, row)
	case layoutWords:
		table.Gather(&v, &r.Place, c.firstLane, row)
	case layoutLanes:
		r.arch.columns[c.column].gather(&r.Place, row, bytesOf(&v))
	case layoutBuffer:
		if l.write {
			l.markWritten(r, c)
		}
		*bufferPlaceOf(&v) = bufferPlace{l.world, r, l.structuralVersion, int32(row), c.column, l.write}
	case layoutManaged:
		v = *managedOf[T](r, &r.arch.columns[c.column], row)
	}
	return v, true
}

// Set sets the T of e to v, and reports whether e has a T. It marks T as changed in the chunk of e.
func (l *Lookup[T]) Set(e Entity, v T) bool {
	const op = "Lookup.Set"
	l.mustBeWritable(op)
	r, c, row := l.findRow(op, e)
	if r == nil {
		return false
	}
	l.markWritten(r, c)
	switch c.layoutKind {
	case layoutOneLane:
		*table.At[T](&r.Place, c.firstLane, row) = v
	case layoutWords:
		table.Scatter(&r.Place, c.firstLane, row, &v)
	case layoutLanes:
		r.arch.columns[c.column].scatter(&r.Place, row, bytesOf(&v))
	case layoutBuffer:
		bufferAt(r, &r.arch.columns[c.column], row).replaceAll(bufferContent(&v, l.comp.buffer.elemSize))
	case layoutManaged:
		*managedOf[T](r, &r.arch.columns[c.column], row) = v
	}
	return true
}

// Ref returns a pointer to the T of e in the chunk, valid until the next structural change. The component
// must be a single lane that is all of T; it panics with an *Error if it is not. The value may be written
// if the lookup may write, and Ref then marks T as changed. The pointer is nil if e has no T.
func (l *Lookup[T]) Ref(e Entity) *T {
	const op = "Lookup.Ref"
	if !l.comp.isOneLane() {
		panic(l.world.gate.fault(ErrArgument, op, "the component is not one lane: use Get and Set").forComponent(l.comp))
	}
	r, c, row := l.findRow(op, e)
	if r == nil {
		return nil
	}
	if l.write {
		l.markWritten(r, c)
	}
	return table.At[T](&r.Place, c.firstLane, row)
}

// ChangedSince reports whether the chunk of e gave write access to its T after the given version. It is
// false if e has no T.
func (l *Lookup[T]) ChangedSince(e Entity, since uint32) bool {
	r, c, _ := l.findRow("Lookup.ChangedSince", e)
	return r != nil && changedSince(r.changedAt(int(c.column)), since)
}

// markWritten marks T as changed in a chunk.
func (l *Lookup[T]) markWritten(r *chunkData, c *lookupColumn) {
	r.mark(int(c.column), l.writeVersion())
}

// writeVersion returns the version for marking a write.
func (l *Lookup[T]) writeVersion() uint32 {
	if !l.forOwner {
		return l.changeVersion // the version when the job was scheduled
	}
	if guard {
		l.world.tables.noteOwnerWrite()
	}
	return l.world.gate.changeVersion
}

func (l *Lookup[T]) mustBeWritable(op string) {
	if !l.write {
		panic(l.world.gate.fault(ErrState, op, "the query only reads this component: say Anywhere(Write…) or Elsewhere(Write…)").forComponent(l.comp))
	}
}

// NewWorldLookup returns a lookup for the owner of w that may read and write T. It completes the jobs that
// touch T, and panics with an *Error if T is no component or a shared one.
func NewWorldLookup[T any](w *World) *Lookup[T] {
	const op = "NewWorldLookup"
	w.mustBeOpen(op)
	c, err := componentIn[T](w, op)
	if err != nil {
		panic(err)
	}
	l := &Lookup[T]{world: w, comp: c, write: true, forOwner: true}
	l.mustFit(op)
	if err := l.Refresh(); err != nil {
		panic(err)
	}
	return l
}

// Gather sets dst[i] to the T of ids[i], or to zero if that entity has none, and returns the number of
// entities with a T. It has the effect of a [Lookup.Get] for each id and is faster, because it fetches the
// memory of many rows at the same time. A tag counts, with a zero in dst. The handle of a buffer may be
// written if the lookup may write, which marks the buffer as changed. Gather allocates nothing. It panics
// with an *Error if the lengths differ.
func (l *Lookup[T]) Gather(dst []T, ids []Entity) int {
	const op = "Lookup.Gather"
	if len(dst) != len(ids) {
		panic(l.world.gate.fault(ErrArgument, op, "len(dst) is %d, len(ids) is %d", len(dst), len(ids)).forComponent(l.comp))
	}
	l.findRow(op, Entity{}) // check the lookup even if there are no ids
	var f rowLocations
	n := 0
	for len(ids) > 0 {
		k := min(len(ids), gatherStep)
		l.world.tables.locate(&f, ids[:k])
		if guard {
			l.checkFindAll(op, ids[:k])
		}
		n += l.gather(dst[:k], ids[:k], &f)
		dst, ids = dst[k:], ids[k:]
	}
	return n
}

// checkFindAll calls findRow for each entity, for the checks that findRow makes.
func (l *Lookup[T]) checkFindAll(op string, ids []Entity) {
	for _, e := range ids {
		l.findRow(op, e)
	}
}

// gather reads the rows of located entities, and returns their number.
func (l *Lookup[T]) gather(dst []T, ids []Entity, f *rowLocations) (n int) {
	if l.comp.isThreeWords() {
		return f.gatherThreeLanes(table.ThreeWords(dst), l.world.tables.chunks, l.columns)
	}
	var of *archetype // the archetype of the column
	var c *lookupColumn
	for i := range dst {
		r := f.chunkAt(&l.world.tables, i)
		if r == nil {
			clear(dst[i : i+1])
			continue
		}
		if r.arch != of {
			of, c = r.arch, &l.columns[r.arch.index]
		}
		switch {
		case c.column < 0:
			clear(dst[i : i+1])
			continue
		case c.layoutKind == layoutWords:
			table.Gather(&dst[i], &r.Place, c.firstLane, int(f.rows[i]))
		case c.layoutKind == layoutOneLane:
			dst[i] = *table.At[T](&r.Place, c.firstLane, int(f.rows[i]))
		default:
			dst[i], _ = l.Get(ids[i])
		}
		n++
	}
	return n
}

// gatherThreeLanes is gather for three lanes of words, as most vectors have. Its loop makes no call, so that
// the CPU fetches many rows at the same time.
func (f *rowLocations) gatherThreeLanes(dst [][3]uint32, records []*chunkData, columns []lookupColumn) (n int) {
	var of *archetype
	var c lookupColumn
	for i, chunk := range f.chunks[:len(dst)] {
		if chunk == freeSlot {
			dst[i] = [3]uint32{}
			continue
		}
		r := records[chunk]
		if r.arch != of {
			of, c = r.arch, columns[r.arch.index]
		}
		if c.column < 0 {
			dst[i] = [3]uint32{}
			continue
		}
		x, y, z := r.WordsOfThree(c.firstLane, f.rows[i])
		dst[i] = [3]uint32{*x, *y, *z}
		n++
	}
	return n
}

// Scatter sets the T of ids[i] to src[i] for every i in ascending order, and returns the number of
// entities with a T; it skips the others. It marks T as changed in their chunks. It has the effect of a
// [Lookup.Set] for each id and is faster. If an id comes twice, the later value remains. It panics with an
// *Error if the lengths differ.
func (l *Lookup[T]) Scatter(ids []Entity, src []T) int {
	const op = "Lookup.Scatter"
	l.mustBeWritable(op)
	if len(src) != len(ids) {
		panic(l.world.gate.fault(ErrArgument, op, "len(ids) is %d, len(src) is %d", len(ids), len(src)).forComponent(l.comp))
	}
	l.findRow(op, Entity{})
	var f rowLocations
	n := 0
	for len(ids) > 0 {
		k := min(len(ids), gatherStep)
		l.world.tables.locate(&f, ids[:k])
		if guard {
			l.checkFindAll(op, ids[:k])
		}
		n += l.scatter(ids[:k], src[:k], &f)
		ids, src = ids[k:], src[k:]
	}
	return n
}

// scatter writes the rows of located entities, and returns their number.
func (l *Lookup[T]) scatter(ids []Entity, src []T, f *rowLocations) (n int) {
	if l.comp.isThreeWords() {
		return f.scatterThreeLanes(table.ThreeWords(src), l.world.tables.chunks, l.columns, l.writeVersion())
	}
	var last *chunkData // the chunk whose column is marked
	var of *archetype
	var c *lookupColumn
	for i := range src {
		r := f.chunkAt(&l.world.tables, i)
		if r == nil {
			continue
		}
		if r.arch != of {
			of, c = r.arch, &l.columns[r.arch.index]
		}
		if c.column < 0 {
			continue
		}
		n++
		if r != last {
			l.markWritten(r, c)
			last = r
		}
		switch c.layoutKind {
		case layoutWords:
			table.Scatter(&r.Place, c.firstLane, int(f.rows[i]), &src[i])
		case layoutOneLane:
			*table.At[T](&r.Place, c.firstLane, int(f.rows[i])) = src[i]
		default:
			l.Set(ids[i], src[i])
		}
	}
	return n
}

// scatterThreeLanes is scatter for three lanes of words; version is the version of the write.
func (f *rowLocations) scatterThreeLanes(src [][3]uint32, records []*chunkData, columns []lookupColumn, version uint32) (n int) {
	var of *archetype
	var c lookupColumn
	for i, chunk := range f.chunks[:len(src)] {
		if chunk == freeSlot {
			continue
		}
		r := records[chunk]
		if r.arch != of {
			of, c = r.arch, columns[r.arch.index]
		}
		if c.column < 0 {
			continue
		}
		r.mark(int(c.column), version)
		x, y, z := r.WordsOfThree(c.firstLane, f.rows[i])
		v := &src[i]
		*x, *y, *z = v[0], v[1], v[2]
		n++
	}
	return n
}

// String returns the component and the world's name.
func (l *Lookup[T]) String() string {
	switch {
	case l == nil:
		return "<nil>"
	case l.world == nil:
		return "the zero Lookup"
	}
	return fmt.Sprintf("look-up of %v in world %q", reflect.TypeFor[T](), l.world.gate.name)
}
