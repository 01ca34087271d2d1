package ecs

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/lanewise/lanewise/chunk"
)

// Entity is the id of an entity: a slot and how often the slot was used before.
// The zero Entity is the null entity, which never exists. Ids are unique in one
// world.
//
// The version of a slot grows when its entity is destroyed, so every older id of
// it stays dead. Slots are used again in the order last freed, first taken;
// fresh slots follow in ascending order, their versions start at 1. A slot that has
// had the last version, 2³¹−1, is never used again. An Index below zero belongs to an
// entity that a Commands buffer has still to make.
type Entity struct{ Index, Version int32 }

// IsZero reports whether e is the null entity.
func (e Entity) IsZero() bool { return e == Entity{} }

// Compare orders entities by index, then version.
func (e Entity) Compare(o Entity) int {
	return cmp.Or(cmp.Compare(e.Index, o.Index), cmp.Compare(e.Version, o.Version))
}

// String returns e as "7v2": index 7, version 2.
func (e Entity) String() string { return fmt.Sprintf("%dv%d", e.Index, e.Version) }

// slot is one entry of the entity table: where the entity of this index is.
type slot struct {
	version int32
	record  int32 // the chunk that holds the row, or free
	row     int32
}

// put says that the entity of the slot is now in a row of a chunk.
func (s *slot) put(record int32, row int) { s.record, s.row = record, int32(row) }

// free marks a slot that no entity has.
const free = -1

// entities is the table of all ids of a world.
type entities struct {
	slots   []slot
	free    []int32 // indices to be used again, the last one first
	offered bool    // the last of these is promised to the next row
	retired int     // slots that had every version: no entity has them, and free has not
}

// live returns how many entities exist.
func (t *entities) live() int { return len(t.slots) - len(t.free) - t.retired }

// find returns the slot of e, or nil if e does not exist.
func (t *entities) find(e Entity) *slot {
	i := uint(e.Index)
	if i >= uint(len(t.slots)) {
		return nil
	}
	s := &t.slots[i]
	if s.version != e.Version || s.record == free {
		return nil
	}
	return s
}

// reserve makes room so that n more entities can be taken without growing step
// by step. Look-ups go through the table at random, so it lies in huge pages
// where it can.
func (t *entities) reserve(n int) {
	if fresh := n - len(t.free); fresh > cap(t.slots)-len(t.slots) {
		t.grow(fresh)
	}
}

// grow makes room for so many slots behind those that there are, and more.
func (t *entities) grow(fresh int) {
	more := make([]slot, len(t.slots), max(len(t.slots)+fresh, 2*len(t.slots), minSlots))
	chunk.Advise(sliceBytes(more[:cap(more)]))
	copy(more, t.slots)
	t.slots = more
}

// minSlots is the size of the first table.
const minSlots = 16

// take gives ids to the rows first, first+1, … of the chunk record, and writes
// them to ids.
func (t *entities) take(ids []Entity, record int32, first int) {
	t.reserve(len(ids))
	t.offered = false
	row := int32(first)
	left := max(0, len(t.free)-len(ids))
	again := t.free[left:]
	t.free = t.free[:left]
	slots := t.slots
	for i := range again {
		index := again[len(again)-1-i]
		s := &slots[index]
		s.record, s.row = record, row
		ids[i] = Entity{index, s.version}
		row++
	}
	ids = ids[len(again):]
	next := int32(len(slots))
	t.slots = slots[:len(slots)+len(ids)]
	fresh := t.slots[next:]
	for i := range ids {
		fresh[i] = slot{1, record, row}
		ids[i] = Entity{next, 1}
		next, row = next+1, row+1
	}
}

// peek writes the ids to ids that take will give next.
func (t *entities) peek(ids []Entity) {
	for i := range ids {
		if k := len(t.free) - 1 - i; k >= 0 {
			index := t.free[k]
			ids[i] = Entity{index, t.slots[index].version}
		} else {
			ids[i] = Entity{int32(len(t.slots) - 1 - k), 1}
		}
	}
}

// release ends the entities ids, the first one first.
func (t *entities) release(ids []Entity) {
	n := len(t.free)
	t.free = slices.Grow(t.free, len(ids))[:n+len(ids)]
	freed, slots := t.free[n:], t.slots
	spent := int32(0)
	for i, e := range ids {
		s := &slots[e.Index]
		s.version, s.record = s.version+1, free
		spent |= s.version
		freed[i] = e.Index
	}
	if spent < 0 {
		t.retire(n)
	}
}

// retire takes those of the slots from a place of free on that had the last version
// out of there: no entity gets them, for ids of such a slot would come alive again.
//
//go:noinline
func (t *entities) retire(from int) {
	kept := t.free[:from]
	for _, index := range t.free[from:] {
		if s := &t.slots[index]; s.version < 0 {
			s.version = 1
			t.retired++
			continue
		}
		kept = append(kept, index)
	}
	t.free = kept
}

// place says that the entities ids are now the rows first, first+1, … of the
// chunk record.
func (t *entities) place(ids []Entity, record int32, first int) {
	for i, e := range ids {
		t.slots[e.Index].put(record, first+i)
	}
}

// number says that entities are the first rows of a chunk, under ids that they have already.
func (t *entities) number(ids []Entity, record int32) {
	for row, e := range ids {
		t.slots[e.Index] = slot{e.Version, record, int32(row)}
	}
}
