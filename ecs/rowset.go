package ecs

import (
	"reflect"
	"slices"
)

// rowSet is rows.Set.
type rowSet struct {
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

// NewSet is rows.NewSet.
func (rowRoom) NewSet(w *World, types ...reflect.Type) (*rowSet, error) {
	const op = "rows.NewSet"
	if err := w.open(op); err != nil {
		return nil, err
	}
	s := &rowSet{world: w}
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

// RowBytes is rows.Set.RowBytes.
func (s *rowSet) RowBytes() int { return s.bytes }

// made returns an error if s is the zero Set.
func (s *rowSet) made(op string) error {
	if s.world == nil {
		return fault(ErrState, op, "the set is the zero Set: make it with rows.NewSet")
	}
	return nil
}

// Gather is rows.Set.Gather.
func (s *rowSet) Gather(dst []byte, ids []Entity) ([]byte, error) {
	const op = "rows.Set.Gather"
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

// Scatter is rows.Set.Scatter.
func (s *rowSet) Scatter(ids []Entity, src []byte) error {
	const op = "rows.Set.Scatter"
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
