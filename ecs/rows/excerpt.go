package rows

import (
	"reflect"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/tool"
)

// Excerpt is whole entities outside of any world, with all they have: on their way to another
// world, which may be one of another machine. [Excerpt.Copy] fills it with entities of a world, or [Excerpt.Reset] and
// [Excerpt.Part] with what has arrived as bytes, which nobody trusts; [Excerpt.Enter] lets the
// entities come into a world. Package ecs/pack makes bytes of it, and it again of those.
//
// Lanes and elements are as on every machine: numbers with the little end first, one behind the other
// without padding. An id in a value, wherever it is, says how it is found again:
//
//	{0, 0}      no entity
//	{k, 1}      entity k of the excerpt
//	{−1−k, 1}   key k of [Excerpt.Outside]: an entity that is none of the excerpt
//
// Copy keeps memory for the next one. An Excerpt is for one goroutine at a time.
type Excerpt struct {
	Outside []uint64 // keys of the entities outside that values refer to
	Names   []string // of the entities; nil if they have none

	of excerpt
}

// Part is entities with the same components, the same shared values, and the same values of
// chunk components.
type Part = struct {
	Places  []int32 // of the rows: which of the entities each is
	Columns []Column
}

// Column is what the entities of a part have of one component.
type Column = struct {
	Component tool.ComponentType
	Lanes     [][]byte // of plain components: what the rows have of each lane; of a chunk component what they have together, as of one row
	On        []uint64 // of an enableable component: the bits of rows that are on, row i in bit i mod 64
	Counts    []int32  // of a buffer: how many elements the rows have
	Elements  []byte   // of a buffer: those of all rows, one row behind the other
	Value     any      // of a shared component: what the rows have together; of a managed one: a []T with an element for each row
}

// excerpt is what package ecs has for an Excerpt, whose fields it is told.
type excerpt interface {
	Len() int
	Parts() []*Part
	Reset(n int)
	Part(types []reflect.Type, rows int) (*Part, error)
	Copy(w *ecs.World, ids []ecs.Entity, outside func(ecs.Entity) (uint64, error)) error
	Leave() error
	Enter(w *ecs.World, inside func(uint64) (ecs.Entity, error)) ([]ecs.Entity, error)
	Refs() (outside []uint64, names []string)
	SetRefs(outside []uint64, names []string)
}

// inner is what x is about.
func (x *Excerpt) inner() excerpt {
	if x.of == nil {
		x.of = room.NewExcerpt()
	}
	return x.of
}

// Len returns how many entities there are.
func (x *Excerpt) Len() int { return x.inner().Len() }

// Parts returns what there is of them, good until the next Copy or Reset.
func (x *Excerpt) Parts() []*Part { return x.inner().Parts() }

// Reset makes it an excerpt of n entities, whose parts are given by [Excerpt.Part].
func (x *Excerpt) Reset(n int) {
	x.inner().Reset(n)
	x.Outside, x.Names = x.of.Refs()
}

// Part gives the next entities: so many rows of the given components, which is what is to be filled in then: Places, and of
// each column the Lanes, which are zero, On, where all are on, Counts, Elements, and Value. The error is of category [ecs.ErrArgument] if a type is
// no component. Memory is taken for the rows: whoever reads what he does not trust bounds their number.
func (x *Excerpt) Part(types []reflect.Type, rows int) (*Part, error) {
	return x.inner().Part(types, rows)
}

// Copy makes x an excerpt of entities of a world, in the order of ids; the world stays as it is. Entities that were destroyed
// and wait for their cleanup can be among them. The room that buffers have beyond their elements is left out.
//
// References from one of them to another one lead there again. Where a value refers to an
// entity that exists and is none of them, outside says by which key the other world knows it; an error of it is
// one of Copy. Without a function, and where the key is 0, the reference is null.
//
// Copy is a sync point. The error is of category [ecs.ErrArgument] if an entity does not exist, comes twice, or is
// the meta entity of a chunk, or a value refers to a blob: these stay where they are. After an error x is empty.
func (x *Excerpt) Copy(w *ecs.World, ids []ecs.Entity, outside func(ecs.Entity) (key uint64, err error)) error {
	in := x.inner()
	defer func() { x.Outside, x.Names = in.Refs() }() // outside may panic
	return in.Copy(w, ids, outside)
}

// Leave ends the entities of the last Copy in their world, for they are in another one now: all they have is gone, cleanup
// components too, as with [MoveFrom]. Parts of an [ecs.LinkedGroup] that were not copied stay. It is a structural change. The error is of
// category [ecs.ErrState], and nothing is changed, if x was not filled by Copy, one of its entities has gone since, or the world was restored since.
// If a method Release of a shared value panics, the entities have left nevertheless: the next [ecs.World.Sync] returns the panic as an error, and
// Leave returns nil, because only x has the entities now and the caller must still send them.
func (x *Excerpt) Leave() error { return x.inner().Leave() }

// Enter lets the entities of an excerpt come into a world, and returns their ids there, in the order of the excerpt: to be
// read, and good until the next Enter. They are found among those that are there as if they had been spawned: their rows go where there
// is room, shared values are found in the world or come new, and rows with chunk
// components go to a chunk in which these have the same values, or a new one.
//
// Inside returns the entity of a key of an excerpt's Outside, or the null entity, or an error, which is one of Enter. It is called once for each key,
// before anything is changed. Without a function these references are null.
//
// It is a structural change, and happens whole: an error, or a panic of inside or of a method of a shared value,
// changes nothing. The error is of category [ecs.ErrArgument] if what was given by [Excerpt.Part] is no
// excerpt: rows that are there twice or not at all, ids of no entity, a bool that is neither 0 nor 1, an archetype whose entities
// fit no chunk, and so on.
func (x *Excerpt) Enter(w *ecs.World, inside func(key uint64) (ecs.Entity, error)) ([]ecs.Entity, error) {
	x.inner().SetRefs(x.Outside, x.Names)
	return x.of.Enter(w, inside)
}
