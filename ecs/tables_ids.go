package ecs

import (
	"slices"

	"github.com/lanewise/lanewise/chunk"
)

// slot is one entry of the entity table: the chunk and row of the entity with this index.
type slot struct {
	version int32
	record  int32 // id of the chunk that holds the row, or free
	row     int32
}

// put stores the chunk and the row of the slot's entity.
func (s *slot) put(record int32, row int) { s.record, s.row = record, int32(row) }

// free marks a slot without an entity.
const free = -1

// entities is the table of all ids of a world.
type entities struct {
	slots   []slot
	free    []int32 // stack of the slots to reuse
	offered bool    // the top of the stack has a reserved id, which the next call of take uses
	retired int     // number of slots that are neither used nor free, because their last version was used
}

// live returns the number of entities that exist.
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

// reserve grows the table once for n more entities, because growing in steps would copy it several
// times. The table should be in huge pages, because look-ups access it at random.
func (t *entities) reserve(n int) {
	if fresh := n - len(t.free); fresh > cap(t.slots)-len(t.slots) {
		t.grow(fresh)
	}
}

// grow makes the table longer, by at least fresh slots.
func (t *entities) grow(fresh int) {
	more := make([]slot, len(t.slots), max(len(t.slots)+fresh, 2*len(t.slots), minSlots))
	chunk.Advise(sliceBytes(more[:cap(more)]))
	copy(more, t.slots)
	t.slots = more
}

// minSlots is the size of the first table.
const minSlots = 16

// take assigns ids to the rows first, first+1, … of a chunk, and writes them to ids.
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

// peek writes the ids to ids that the next call of take will assign.
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

// release frees the slots of the entities ids, in their order.
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

// retire removes the slots whose versions are used up from the free list, starting at index from. A
// reuse would repeat an old id, which would then refer to another entity.
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

// place stores that the entities ids are now in the rows first, first+1, … of a chunk.
func (t *entities) place(ids []Entity, record int32, first int) {
	for i, e := range ids {
		t.slots[e.Index].put(record, first+i)
	}
}

// number stores that entities with known ids are the first rows of a chunk.
func (t *entities) number(ids []Entity, record int32) {
	for row, e := range ids {
		t.slots[e.Index] = slot{e.Version, record, int32(row)}
	}
}

// reservedIDs holds the ids of entities that the Commands that are being played have still to make.
type reservedIDs struct {
	list []reservedID
	made int // the first of the list whose commands are done: a failure leaves these as they are
}

// reservedID is the id of an entity to which a value refers before a command makes the entity: see offer.
type reservedID struct {
	made  *[]Entity // of the buffer that creates the entity
	k     int32     // index in made; until the entity exists, this element is ^index and version
	fresh bool      // the slot is a new one
}

// isReserved reports whether e, which does not exist, is to be made by the playback
// that is going on.
func (w *World) isReserved(e Entity) bool {
	return slices.ContainsFunc(w.reserved.list, func(p reservedID) bool {
		return (*p.made)[p.k] == Entity{^e.Index, e.Version}
	})
}

// cancelReserved ends the reservations from a place on: playback is over, or was stopped.
// Ids that the failed command has reserved were never taken. Ids that earlier commands have reserved,
// and whose entities were not made, do not exist any more.
func (w *World) cancelReserved(from int) {
	t := &w.tables.entities
	t.withdraw()
	for last := len(w.reserved.list) - 1; last >= max(from, w.reserved.made); last-- {
		p := w.reserved.list[last]
		t.untake(^(*p.made)[p.k].Index, p.fresh)
		(*p.made)[p.k] = Entity{}
		w.reserved.list = w.reserved.list[:last]
	}
	for _, p := range w.reserved.list[from:] {
		if id := (*p.made)[p.k]; id.Index < 0 {
			t.release([]Entity{{^id.Index, id.Version}})
			(*p.made)[p.k] = Entity{}
		}
	}
	clear(w.reserved.list[from:])
	w.reserved.list = w.reserved.list[:from]
	w.reserved.made = min(w.reserved.made, from)
	w.gate.concludes = len(w.reserved.list) > 0 || w.shared.notices != nil
}

// A command may refer to an entity that a later one of the same buffer makes: in a
// component, an element, a shared value. Jobs record in any order, and what they
// record is played in the order of their keys. Such an id is reserved: the entity gets its
// id when the first reference to it is played, and the command that makes it uses that
// id. All others get their ids when they are made, as ever.
//
// While its id is reserved the entity does not exist: its slot is free, but not in the
// list of those to be used again, and has the version that the entity will have.

// offer makes the next take begin with the id of a slot that is reserved.
func (t *entities) offer(index int32) {
	t.free = append(t.free, index)
	t.offered = true
}

// withdraw takes back an offer that take has not used, and returns its index. It returns -1 if
// there is none.
func (t *entities) withdraw() (index int32) {
	if !t.offered {
		return -1
	}
	t.offered = false
	last := len(t.free) - 1
	index, t.free = t.free[last], t.free[:last]
	return index
}

// untake undoes the last take of one id.
func (t *entities) untake(index int32, fresh bool) {
	if fresh {
		t.slots = t.slots[:index]
		return
	}
	t.free = append(t.free, index)
}
