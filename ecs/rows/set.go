package rows

import (
	"reflect"

	"github.com/lanewise/lanewise/ecs"
)

// Set copies some columns of entities that are named by their ids, out to bytes and in again, in the order of the ids: what keeps
// ghosts, which are pictures of entities that live elsewhere, up to date while they stay the same ones. Which columns is known at run time.
//
// The bytes are those of memory on this machine: for each component, as they were given, for each lane of it the values of all
// ids, one behind the other. A Set is for the owner of its world.
type Set struct{ of set }

// set is what package ecs has for a Set: it is called once for all rows.
type set interface {
	RowBytes() int
	Gather(dst []byte, ids []ecs.Entity) ([]byte, error)
	Scatter(ids []ecs.Entity, src []byte) error
}

// NewSet returns what copies columns of the given types. They are plain components: the error is of category [ecs.ErrArgument] if one is none or comes
// twice, or is shared, managed, a buffer or of chunks, or refers to entities or blobs: that means
// something else in another world.
func NewSet(w *ecs.World, types ...reflect.Type) (*Set, error) {
	s, err := room.NewSet(w, types...)
	if err != nil {
		return nil, err
	}
	return &Set{s}, nil
}

// inner is what s is about; what says that there is nothing if s was not made.
func (s *Set) inner() set {
	if s == nil || s.of == nil {
		return room.NoSet()
	}
	return s.of
}

// RowBytes returns how many bytes an entity takes.
func (s *Set) RowBytes() int { return s.inner().RowBytes() }

// Gather appends what the entities have to dst. It completes jobs that write the columns. The error is of category [ecs.ErrArgument] if one does not exist
// or lacks a component; dst is what it was then. A list of ids that is that of the last time, with no structural change since, is not looked up again.
func (s *Set) Gather(dst []byte, ids []ecs.Entity) ([]byte, error) { return s.inner().Gather(dst, ids) }

// Scatter writes what Gather has read of as many entities, here or on another machine, to entities, and marks the columns as changed in their chunks.
// It completes jobs that touch the columns. The error is of category [ecs.ErrArgument], and nothing is
// written, if an entity does not exist or lacks a component, or src has other than len(ids)*RowBytes bytes, or a bool in it is neither 0 nor 1.
// Of an entity that comes twice the last values stay.
func (s *Set) Scatter(ids []ecs.Entity, src []byte) error { return s.inner().Scatter(ids, src) }
