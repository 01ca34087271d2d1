package ecs

import (
	"reflect"
	"slices"
)

// RowSet copies some columns of entities, named by their ids, out to bytes and in again, in the order of the ids. It
// updates ghosts, which are pictures of entities that live in another world. A program may choose the columns at run time.
//
// The bytes are those of memory on this machine: for each component, in the order of [NewRowSet], and for each of its lanes, the values of all
// ids, one behind the other. A RowSet is for the owner of its world. Methods of a nil or zero RowSet return an error of category [ErrState].
type RowSet struct {
	world *World
	comps []*component
	bytes int
	bools [][]uintptr // of the lanes of all components, one behind the other

	places   [][]int32 // by archetype: the columns
	orders   uint32    // the world's archetypes in that order
	found    rowsFound // scratch
	chunks   []int32   // the same: of each record of the world, its place among the chunks found, from 1
	from, to foundRows // of Gather, of Scatter
}

// foundRows is where some entities are, until a structural change.
type foundRows struct {
	ids   []Entity
	at    []int32 // chunks of all
	rows  []int32 // rows in them
	runs  []foundRun
	all   []*record     // the chunks, each once
	views [][3][]uint32 // scratch: lanes of these
	stamp uint32
}

// foundRun is neighbours in the list that are of one archetype.
type foundRun struct {
	arch     *archetype
	first, n int
}

// NewRowSet returns a set that copies columns of the given types. They must be plain components: the error is of category [ErrArgument] if a type is no component or comes
// twice, or is shared, managed, a buffer or of chunks. It is also an error if a type refers to entities or blobs, because these references mean
// something else in another world.
func NewRowSet(w *World, types ...reflect.Type) (*RowSet, error) {
	const op = "NewRowSet"
	if err := w.open(op); err != nil {
		return nil, err
	}
	s := &RowSet{world: w}
	for i, t := range types {
		c, err := w.componentOf(op, t)
		if err != nil {
			return nil, err
		}
		switch {
		case c.kind&(isShared|isManaged|isBuffer|isPerChunk) != 0:
			return nil, w.fault(ErrArgument, op, "the component has no values of one size in rows: it is shared, managed, a buffer or of chunks").on(c)
		case len(c.refs)+len(blobsOf(c.typ, 0, nil)) > 0:
			return nil, w.fault(ErrArgument, op, "the component refers to entities or blobs, which are others elsewhere: keep a global id in it").on(c)
		}
		if slices.Contains(types[:i], t) {
			return nil, w.fault(ErrArgument, op, "the type is named twice").on(c)
		}
		s.comps = append(s.comps, c)
		s.bytes += bytesOfLanes(c)
		for _, l := range c.lanes {
			s.bools = append(s.bools, boolsOf(l.Type, 0, nil))
		}
	}
	return s, nil
}

// RowBytes returns the number of bytes of one entity.
func (s *RowSet) RowBytes() int {
	if s == nil {
		return 0
	}
	return s.bytes
}

// made returns an error if s is nil or the zero RowSet.
func (s *RowSet) made(op string) error {
	if s == nil || s.world == nil {
		return fault(ErrState, op, "the set is the zero RowSet: make it with NewRowSet")
	}
	return nil
}

// Gather appends the values of the entities to dst. It first waits for jobs that write the columns. The error is of category [ErrArgument] if an entity does not exist
// or lacks a component, and then dst has its old length. If the ids are those of the last call, and there was no structural change since, it does not look them up again.
func (s *RowSet) Gather(dst []byte, ids []Entity) ([]byte, error) {
	const op = "RowSet.Gather"
	if err := s.made(op); err != nil {
		return dst, err
	}
	if err := s.find(op, &s.from, ids, false); err != nil {
		return dst, err
	}
	at := len(dst)
	out := slices.Grow(dst, len(ids)*s.bytes)[:at+len(ids)*s.bytes]
	for k, c := range s.comps {
		size := len(ids) * bytesOfLanes(c)
		for i := range s.from.runs {
			s.from.gather(&s.from.runs[i], s.places, k, out[at:at+size])
		}
		at += size
	}
	return out, nil
}

// Scatter writes bytes of a Gather for as many entities, from this or another machine, to entities, and marks the columns as changed in their chunks.
// It first waits for jobs that read or write the columns. The error is of category [ErrArgument], and nothing is
// written, if an entity does not exist or lacks a component, if src has not len(ids)*RowBytes bytes, or if a bool in it is neither 0 nor 1.
// If an entity comes twice, its last values stay.
func (s *RowSet) Scatter(ids []Entity, src []byte) error {
	const op = "RowSet.Scatter"
	if err := s.made(op); err != nil {
		return err
	}
	if len(src) != len(ids)*s.bytes {
		return s.world.fault(ErrArgument, op, "there are %d bytes for %d entities of %d", len(src), len(ids), s.bytes)
	}
	if err := s.check(op, src, len(ids)); err != nil {
		return err
	}
	if err := s.find(op, &s.to, ids, true); err != nil {
		return err
	}
	for k, c := range s.comps {
		size := len(ids) * bytesOfLanes(c)
		for i := range s.to.runs {
			s.to.scatter(&s.to.runs[i], s.places, k, src[:size])
		}
		src = src[size:]
	}
	return nil
}
