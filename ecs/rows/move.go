package rows

import "github.com/lanewise/lanewise/ecs"

// Moved tells which ids entities have after a move from one world to another. Keep
// it and use it again: that allocates nothing.
type Moved struct {
	Entities []ecs.Entity // their ids in the new world: archetypes, chunks and rows in order

	of moved // nil before the first move
}

// moved is what package ecs has for a Moved.
type moved interface {
	List() []ecs.Entity
	Of(old ecs.Entity) ecs.Entity
}

// Of returns the id in the new world of what was old in the old one; the null
// entity if that was not moved.
func (m *Moved) Of(old ecs.Entity) ecs.Entity {
	if m.of == nil {
		return ecs.Entity{}
	}
	return m.of.Of(old)
}

// told calls a move with what m has, and shows what that knows then.
func (m *Moved) told(move func(m any) error) error {
	if m == nil {
		return move(nil)
	}
	if m.of == nil {
		m.of = room.NewMoved()
	}
	defer func() { m.Entities = m.of.List() }() // a method of a shared value may panic
	return move(m.of)
}

// MoveFrom moves all entities of the world src to w, whole chunks at a time. Their
// memory comes along: a slab of which nothing else is in use changes hands as it is, and
// the rows of others are copied, so that w never keeps memory alive for the
// sake of what was in src. The chunks come behind those that are there, rows stay in
// their order, and all of it counts as changed. Enabled bits, cleanup components,
// chunk components and managed components come along, shared values are found in
// w or come new.
//
// The entities have new ids, and so does every reference to them in components,
// buffers, chunk components, shared and managed values; references to anything
// else become null. Moved, unless it is nil, tells which id became which.
//
// It is a structural change of both worlds. The error is of category [ecs.ErrArgument],
// and nothing is moved, if both are one, or an open query of src has an [ecs.Only]: that
// holds on to a value which would be left behind.
func MoveFrom(w, src *ecs.World, m *Moved) error {
	return m.told(func(m any) error { return room.MoveFrom(w, src, m) })
}

// MoveMatchingFrom is [MoveFrom] for the chunks that a query of another world
// matches, its filters heeded. The error is of category [ecs.ErrArgument] too if the query
// asks for enableable components, which are each row's own, or matches meta
// entities.
func MoveMatchingFrom(w *ecs.World, q *ecs.Query, m *Moved) error {
	return m.told(func(m any) error { return room.MoveMatchingFrom(w, q, m) })
}

// CopyFrom makes copies in w of entities of the world src, and returns them in the
// order of ids. They have all components but those of cleanup; what managed
// components point to is shared. References between the entities lead to the copies
// in the copies, references to others become null: those are of the other world.
//
// The error is of category [ecs.ErrArgument], and nothing is made, if one of the entities
// does not exist, was destroyed, or comes twice, or both worlds are one: that is
// what [ecs.World.CopyAll] is for.
func CopyFrom(w, src *ecs.World, ids []ecs.Entity) ([]ecs.Entity, error) {
	return room.CopyFrom(w, src, ids)
}
