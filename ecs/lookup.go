package ecs

import (
	"fmt"
	"reflect"
)

// Lookup reads or writes the T of any entity, like ComponentLookup of Unity or Map of Ark. Jobs use it to
// access entities outside of their chunk. The owner of the world uses it for many random accesses.
// A Lookup is much faster than Get and Set.
//
// A Lookup made from a query needs an Anywhere or Elsewhere term for its access. It is valid in the jobs
// and loops of that query. The jobs and loops wait for conflicting jobs, and renew the Lookup after
// structural changes. A Lookup that is made from the world is for the world's owner, and it is valid until
// the next structural change. Refresh renews it. Like Get and Set, such a Lookup completes the jobs that
// access T, including jobs that were scheduled after the Lookup was made.
//
// Nothing prevents two workers from writing the T of one entity at the same time, which is a data race.
// To avoid such a race, let each job write only entities that no other job writes.
type Lookup[T any] struct {
	world             *World
	epoch             *uint32     // the world's structuralVersion or, for a lookup of the owner, its ownerEpoch
	places            *reachTable // where the values of T are
	seenEpoch         uint32      // *epoch when the lookup was ready last
	write             bool
	forOwner          bool // made from a world, for its owner
	structuralVersion uint32
	changeVersion     uint32
	comp              *component
	guardLookup
}

// refresher is a Lookup of any type.
type refresher interface {
	isStale() bool
	refresh()
}

// NewLookup returns a lookup of T for the jobs and loops of q, which must have an Anywhere or Elsewhere
// term for T. NewLookup panics with an *Error if q has none, if T is a shared component, or in a job.
func NewLookup[T any](q *Query) *Lookup[T] {
	const op = "NewLookup"
	if err := checkOpenQuery(q, op); err != nil {
		panic(err)
	}
	w := q.world
	if err := w.gate.checkNotInJob(op); err != nil {
		panic(err)
	}
	for _, d := range q.reachTerms {
		if d.comp.key == keyOf[T]() && !d.comp.worldwide {
			l := &Lookup[T]{world: w, comp: d.comp, write: d.write}
			l.mustFit(op)
			l.epoch, l.places = &w.gate.structuralVersion, w.tables.reachTableOf(d.comp)
			l.setQuery(q, d)
			l.refresh()
			q.lookups = append(q.lookups, l)
			return l
		}
	}
	e := w.gate.fault(ErrArgument, op, "the query does not say that it reaches this component: add Anywhere(Read…) or Anywhere(Write…) to its terms, or Elsewhere for a component that it also has by chunk")
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

// Refresh completes the jobs that access T and makes the lookup valid until the next structural change.
// The error is of category [ErrState] in a job, and of category [ErrDisposed] if the world is closed.
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

// await completes the jobs that access T.
func (l *Lookup[T]) await(op string) error {
	if l.world.gate.jobs.jobsPending {
		if err := l.world.awaitComponent(op, l.comp, l.write); err != nil {
			return err
		}
	}
	l.seenEpoch = *l.epoch
	return nil
}

// isStale reports whether the lookup was made for an earlier state of the world.
func (l *Lookup[T]) isStale() bool {
	return l.structuralVersion != l.world.gate.structuralVersion || l.changeVersion != l.world.gate.changeVersion
}

// refresh stores the world's current versions in the lookup, which makes it valid.
func (l *Lookup[T]) refresh() {
	g := &l.world.gate
	l.structuralVersion, l.changeVersion, l.seenEpoch = g.structuralVersion, g.changeVersion, *l.epoch
}

// isReady reports whether the lookup may be used without prepareOwned.
func (l *Lookup[T]) isReady() bool { return *l.epoch == l.seenEpoch }

// findRow returns the chunk, the column and the row of the T of e; the chunk is nil if e has no T.
func (l *Lookup[T]) findRow(op string, e Entity) (*chunkData, int, int) {
	if !l.isReady() {
		l.prepareOwned(op)
	}
	p, s := l.places.find(l.world.tables.entities.slots, e)
	if p == nil {
		return nil, 0, 0
	}
	r := l.world.tables.chunks[s.chunk]
	if guard {
		l.mustBeOwnChunk(op, l.comp, r, int(s.row))
	}
	return r, int(p.column), int(s.row)
}

// prepareOwned prepares a lookup of the world's owner for use. It waits for the jobs that were
// scheduled since the last use of the lookup. prepareOwned panics if the lookup is stale.
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

// Has reports whether e exists and has a T. Has, Get, Set and Ref panic with an *Error if the lookup is
// stale.
func (l *Lookup[T]) Has(e Entity) bool {
	if !l.isReady() {
		l.prepareOwned("Lookup.Has")
	}
	p, _ := l.places.find(l.world.tables.entities.slots, e)
	return p != nil
}

// Get returns the T of e, and reports whether e has one. If T is a tag, the result is the zero value.
// If T is a Buffer, the result is a handle, which may be written if the lookup may write.
func (l *Lookup[T]) Get(e Entity) (T, bool) {
	if guard || !l.isReady() {
		return l.getSlow(e)
	}
	slots := l.world.tables.entities.slots
	if i := uint(uint32(e.Index)); i < uint(len(slots)) {
		s := &slots[i]
		k, t := uint(uint32(s.chunk)), l.places // k is large for a free slot
		if s.version == e.Version && k < uint(len(t.reaches)) {
			p := &t.reaches[k]
			switch {
			case wordCount[uint32, T]() == 3 && p.kind == reachFloats:
				return threeFloatsAt[T](p, s.row), true
			case wordCount[uint32, T]() == 3 && p.kind == reachWords:
				return threeWordsAt[T](p, s.row), true
			case wordCount[uint32, T]() == 2 && p.kind == reachFloats:
				return twoFloatsAt[T](p, s.row), true
			case wordCount[uint32, T]() == 2 && p.kind == reachWords:
				return twoWordsAt[T](p, s.row), true
			case wordCount[uint64, T]() == 3 && p.kind == reachDoubles:
				return threeDoublesAt[T](p, s.row), true
			case wordCount[uint64, T]() == 2 && p.kind == reachDoubles:
				return twoDoublesAt[T](p, s.row), true
			case p.kind == reachOneLane:
				return *rowAt[T](p, s.row), true
			case p.kind == reachFloats || p.kind == reachWords:
				return wordsAt[uint32, T](p, s.row), true
			case p.kind == reachDoubles || p.kind == reachLongWords:
				return wordsAt[uint64, T](p, s.row), true
			case p.kind == reachOther:
				return l.getSlow(e)
			}
		}
	}
	var zero T
	return zero, false
}

// getSlow is like Get, but works for every kind of component and makes all checks.
func (l *Lookup[T]) getSlow(e Entity) (v T, ok bool) {
	r, i, row := l.findRow("Lookup.Get", e)
	if r == nil {
		return v, false
	}
	switch l.comp.layoutKind {
	case layoutBuffer:
		if l.write {
			r.mark(i, l.writeVersion())
		}
		*bufferPlaceOf(&v) = bufferPlace{l.world, r, l.structuralVersion, int32(row), int32(i), l.write}
	case layoutOther:
	default:
		readRow(r, i, row, &v)
	}
	return v, true
}

// Set sets the T of e to v, and reports whether e has a T. It marks T as changed in the chunk of e.
func (l *Lookup[T]) Set(e Entity, v T) bool {
	if guard || !l.write || !l.isReady() {
		return l.setSlow(e, v)
	}
	slots := l.world.tables.entities.slots
	if i := uint(uint32(e.Index)); i < uint(len(slots)) {
		s := &slots[i]
		k, t := uint(uint32(s.chunk)), l.places // k is large for a free slot
		if s.version == e.Version && k < uint(len(t.reaches)) {
			p := &t.reaches[k]
			switch {
			case wordCount[uint32, T]() == 3 && p.kind == reachFloats:
				putThreeFloats(p, s.row, v)
			case wordCount[uint32, T]() == 3 && p.kind == reachWords:
				putThreeWords(p, s.row, v)
			case wordCount[uint32, T]() == 2 && p.kind == reachFloats:
				putTwoFloats(p, s.row, v)
			case wordCount[uint32, T]() == 2 && p.kind == reachWords:
				putTwoWords(p, s.row, v)
			case wordCount[uint64, T]() == 3 && p.kind == reachDoubles:
				putThreeDoubles(p, s.row, v)
			case wordCount[uint64, T]() == 2 && p.kind == reachDoubles:
				putTwoDoubles(p, s.row, v)
			case p.kind == reachOneLane:
				*rowAt[T](p, s.row) = v
			case p.kind == reachFloats || p.kind == reachWords:
				putWords[uint32](p, s.row, v)
			case p.kind == reachDoubles || p.kind == reachLongWords:
				putWords[uint64](p, s.row, v)
			default:
				return l.setSlow(e, v)
			}
			l.world.tables.chunks[k].markIfOlder(int(p.column), l.writeVersion())
			return true
		}
	}
	return false
}

// setSlow is like Set, but works for every kind of component and makes all checks.
func (l *Lookup[T]) setSlow(e Entity, v T) bool {
	const op = "Lookup.Set"
	l.mustBeWritable(op)
	r, i, row := l.findRow(op, e)
	if r == nil {
		return false
	}
	r.mark(i, l.writeVersion())
	switch l.comp.layoutKind {
	case layoutBuffer:
		bufferAt(r, &r.arch.columns[i], row).replaceAll(bufferContent(&v, l.comp.buffer.elemSize))
	case layoutOther:
	default:
		writeRow(r, i, row, &v)
	}
	return true
}

// Ref returns a pointer to the T of e in the chunk. The pointer is valid until the next structural
// change. T must consist of a single lane; otherwise Ref panics with an *Error. If the lookup may write,
// the caller may write to the value, and Ref marks T as changed. The pointer is nil if e has no T.
func (l *Lookup[T]) Ref(e Entity) *T {
	const op = "Lookup.Ref"
	if l.comp.reachKind != reachOneLane {
		panic(l.world.gate.fault(ErrArgument, op, "the component is not one lane: use Get and Set").forComponent(l.comp))
	}
	if guard {
		l.findRow(op, e) // for its checks
	} else if !l.isReady() {
		l.prepareOwned(op)
	}
	p, s := l.places.find(l.world.tables.entities.slots, e)
	if p == nil {
		return nil
	}
	if l.write {
		l.world.tables.chunks[s.chunk].markIfOlder(int(p.column), l.writeVersion())
	}
	return rowAt[T](p, s.row)
}

// ChangedSince reports whether any code got write access to the T of the chunk of e after the
// version since. ChangedSince returns false if e has no T.
func (l *Lookup[T]) ChangedSince(e Entity, since uint32) bool {
	r, i, _ := l.findRow("Lookup.ChangedSince", e)
	return r != nil && changedSince(r.changedAt(i), since)
}

// writeVersion returns the version with which a written column is marked.
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

// NewWorldLookup returns a lookup for the owner of w that may read and write T. NewWorldLookup completes
// the jobs that access T. It panics with an *Error if T is not a component or is a shared component, or
// in a job.
func NewWorldLookup[T any](w *World) *Lookup[T] {
	const op = "NewWorldLookup"
	w.mustBeOpen(op)
	if err := w.gate.checkNotInJob(op); err != nil {
		panic(err)
	}
	c, err := componentIn[T](w, op)
	if err != nil {
		panic(err)
	}
	l := &Lookup[T]{world: w, comp: c, write: true, forOwner: true}
	l.mustFit(op)
	l.epoch = &w.gate.jobs.ownerEpoch
	if err := l.Refresh(); err != nil {
		panic(err)
	}
	l.places = w.tables.reachTableOf(c) // last, so that a call that is refused changes nothing
	return l
}

// Gather sets dst[i] to the T of ids[i], or to zero if that entity has none, and returns the number of
// entities with a T. Gather has the same effect as a [Lookup.Get] for each id. It is faster because it
// fetches the memory of many rows at the same time. If T is a tag, an entity with a T is counted, and its
// element of dst is zero. If T is a Buffer and the lookup may write, the caller may write through the
// handles in dst, and Gather marks the buffers as changed. Gather allocates nothing. Gather panics with an
// *Error if the lengths differ.
func (l *Lookup[T]) Gather(dst []T, ids []Entity) int {
	const op = "Lookup.Gather"
	if len(dst) != len(ids) {
		panic(l.world.gate.fault(ErrArgument, op, "len(dst) is %d, len(ids) is %d", len(dst), len(ids)).forComponent(l.comp))
	}
	l.findRow(op, Entity{}) // check the lookup even if there are no ids
	if guard {
		l.checkFindAll(op, ids)
	}
	slots, reaches := l.world.tables.entities.slots, l.places.reaches
	switch kind := l.comp.reachKind; {
	case kind == reachOneLane:
		return gatherOne(dst, ids, slots, reaches)
	case wordCount[uint32, T]() == 3 && (kind == reachFloats || kind == reachWords):
		return gatherThree(asThree[uint32](dst), ids, slots, reaches)
	case wordCount[uint32, T]() == 2 && (kind == reachFloats || kind == reachWords):
		return gatherTwo(asTwo[uint32](dst), ids, slots, reaches)
	case wordCount[uint64, T]() == 3 && (kind == reachDoubles || kind == reachLongWords):
		return gatherThree(asThree[uint64](dst), ids, slots, reaches)
	case wordCount[uint64, T]() == 2 && (kind == reachDoubles || kind == reachLongWords):
		return gatherTwo(asTwo[uint64](dst), ids, slots, reaches)
	case kind == reachFloats || kind == reachWords:
		return gatherWords(asWords[uint32](dst), wordCount[uint32, T](), ids, slots, reaches)
	case kind == reachDoubles || kind == reachLongWords:
		return gatherWords(asWords[uint64](dst), wordCount[uint64, T](), ids, slots, reaches)
	}
	n := 0
	for i, e := range ids {
		var ok bool
		if dst[i], ok = l.Get(e); ok {
			n++
		}
	}
	return n
}

// checkFindAll calls findRow for each entity, only because findRow makes the checks of a lookup.
func (l *Lookup[T]) checkFindAll(op string, ids []Entity) {
	for _, e := range ids {
		l.findRow(op, e)
	}
}

// Scatter sets the T of ids[i] to src[i] for every i in ascending order, and returns the number of
// entities with a T. It skips the other entities. Scatter marks T as changed in the chunks of these
// entities. Scatter has the same effect as a [Lookup.Set] for each id, but is faster. If an id occurs
// twice, the later value remains. It panics with an *Error if the lengths differ.
func (l *Lookup[T]) Scatter(ids []Entity, src []T) int {
	const op = "Lookup.Scatter"
	l.mustBeWritable(op)
	if len(src) != len(ids) {
		panic(l.world.gate.fault(ErrArgument, op, "len(ids) is %d, len(src) is %d", len(ids), len(src)).forComponent(l.comp))
	}
	l.findRow(op, Entity{})
	if guard {
		l.checkFindAll(op, ids)
	}
	w, version := &l.world.tables, l.writeVersion()
	switch kind := l.comp.reachKind; {
	case kind == reachOneLane:
		return scatterOne(w, l.places.reaches, ids, src, version)
	case wordCount[uint32, T]() == 3 && (kind == reachFloats || kind == reachWords):
		return scatterThree(w, l.places.reaches, ids, asThree[uint32](src), version)
	case wordCount[uint32, T]() == 2 && (kind == reachFloats || kind == reachWords):
		return scatterTwo(w, l.places.reaches, ids, asTwo[uint32](src), version)
	case wordCount[uint64, T]() == 3 && (kind == reachDoubles || kind == reachLongWords):
		return scatterThree(w, l.places.reaches, ids, asThree[uint64](src), version)
	case wordCount[uint64, T]() == 2 && (kind == reachDoubles || kind == reachLongWords):
		return scatterTwo(w, l.places.reaches, ids, asTwo[uint64](src), version)
	case kind == reachFloats || kind == reachWords:
		return scatterWords(w, l.places.reaches, ids, asWords[uint32](src), wordCount[uint32, T](), version)
	case kind == reachDoubles || kind == reachLongWords:
		return scatterWords(w, l.places.reaches, ids, asWords[uint64](src), wordCount[uint64, T](), version)
	}
	n := 0
	for i, e := range ids {
		if l.Set(e, src[i]) {
			n++
		}
	}
	return n
}

// String returns a text with the component type and the name of the world.
func (l *Lookup[T]) String() string {
	switch {
	case l == nil:
		return "<nil>"
	case l.world == nil:
		return "the zero Lookup"
	}
	return fmt.Sprintf("look-up of %v in world %q", reflect.TypeFor[T](), l.world.gate.name)
}
