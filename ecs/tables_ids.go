package ecs

import (
	"slices"

	"github.com/lanewise/lanewise/chunk"
)

// entitySlot is one entry of the entity table. It holds the chunk and the row of the entity with
// this index.
type entitySlot struct {
	version int32
	chunk   int32 // id of the chunk that holds the row, or free
	row     int32
}

// put stores the chunk and the row of the slot's entity.
func (s *entitySlot) put(record int32, row int) { s.chunk, s.row = record, int32(row) }

// freeSlot marks a slot without an entity.
const freeSlot = -1

// entities is the table of all ids of a world.
type entities struct {
	slots       []entitySlot
	freeSlots   []int32 // stack of the slots to reuse
	topReserved bool    // the top of the stack has a reserved id, which the next call of assignIDs uses
	retired     int     // number of slots that are neither used nor free, because their last version was used

	// idState gets a new value after each change of ids that adds or removes no row, so that a Restore
	// notices the change. It is a value that idState has never had before. Only Restore sets idState
	// to an earlier value, namely to the value of the image.
	idState, lastIDState uint64
}

// noteIDsChanged says that ids have changed although no row came or went.
func (t *entities) noteIDsChanged() {
	t.lastIDState++
	t.idState = t.lastIDState
}

// liveCount returns the number of entities that exist.
func (t *entities) liveCount() int { return len(t.slots) - len(t.freeSlots) - t.retired }

// find returns the slot of e, or nil if e does not exist.
func (t *entities) find(e Entity) *entitySlot {
	i := uint(e.Index)
	if i >= uint(len(t.slots)) {
		return nil
	}
	s := &t.slots[i]
	if s.version != e.Version || s.chunk == freeSlot {
		return nil
	}
	return s
}

// growFor makes the table large enough for n more entities, in one step, because several smaller
// steps would copy the table several times. The table should be in huge pages, because look-ups
// access it at random.
func (t *entities) growFor(n int) {
	if fresh := n - len(t.freeSlots); fresh > cap(t.slots)-len(t.slots) {
		t.grow(fresh)
	}
}

// grow makes the table longer by at least fresh slots.
func (t *entities) grow(fresh int) {
	more := make([]entitySlot, len(t.slots), max(len(t.slots)+fresh, 2*len(t.slots), minSlots))
	chunk.Advise(sliceBytes(more[:cap(more)]))
	copy(more, t.slots)
	t.slots = more
}

// minSlots is the initial size of the table.
const minSlots = 16

// assignIDs assigns ids to the rows first, first+1, … of a chunk, and writes them to ids.
func (t *entities) assignIDs(ids []Entity, record int32, first int) {
	t.growFor(len(ids))
	t.topReserved = false
	row := int32(first)
	left := max(0, len(t.freeSlots)-len(ids))
	again := t.freeSlots[left:]
	t.freeSlots = t.freeSlots[:left]
	slots := t.slots
	for i := range again {
		index := again[len(again)-1-i]
		s := &slots[index]
		s.chunk, s.row = record, row
		ids[i] = Entity{index, s.version}
		row++
	}
	ids = ids[len(again):]
	next := int32(len(slots))
	t.slots = slots[:len(slots)+len(ids)]
	fresh := t.slots[next:]
	for i := range ids {
		fresh[i] = entitySlot{1, record, row}
		ids[i] = Entity{next, 1}
		next, row = next+1, row+1
	}
}

// assignID does the work of assignIDs for one row, and returns the id.
func (t *entities) assignID(record int32, row int) Entity {
	t.topReserved = false
	if last := len(t.freeSlots) - 1; last >= 0 {
		index := t.freeSlots[last]
		t.freeSlots = t.freeSlots[:last]
		s := &t.slots[index]
		s.chunk, s.row = record, int32(row)
		return Entity{index, s.version}
	}
	next := len(t.slots)
	if next == cap(t.slots) {
		t.grow(1)
	}
	t.slots = t.slots[:next+1]
	t.slots[next] = entitySlot{1, record, int32(row)}
	return Entity{int32(next), 1}
}

// peekIDs fills the slice ids with the ids that the next call of assignIDs will assign.
func (t *entities) peekIDs(ids []Entity) {
	for i := range ids {
		if k := len(t.freeSlots) - 1 - i; k >= 0 {
			index := t.freeSlots[k]
			ids[i] = Entity{index, t.slots[index].version}
		} else {
			ids[i] = Entity{int32(len(t.slots) - 1 - k), 1}
		}
	}
}

// freeIDs frees the slots of the given entities, in their order.
func (t *entities) freeIDs(ids []Entity) {
	n := len(t.freeSlots)
	t.freeSlots = slices.Grow(t.freeSlots, len(ids))[:n+len(ids)]
	freed, slots := t.freeSlots[n:], t.slots
	spent := int32(0)
	for i, e := range ids {
		s := &slots[e.Index]
		s.version, s.chunk = s.version+1, freeSlot
		spent |= s.version
		freed[i] = e.Index
	}
	if spent < 0 {
		t.retireSlots(n)
	}
}

// retireSlots removes slots that have used all versions from the free list. It checks the elements of
// the list from index from on. Reusing such a slot would repeat an old id, which would then refer to
// another entity.
//
//go:noinline
func (t *entities) retireSlots(from int) {
	kept := t.freeSlots[:from]
	for _, index := range t.freeSlots[from:] {
		if s := &t.slots[index]; s.version < 0 {
			s.version = 1
			t.retired++
			continue
		}
		kept = append(kept, index)
	}
	t.freeSlots = kept
}

// setRows records that the entities ids are now in the rows first, first+1, … of a chunk.
func (t *entities) setRows(ids []Entity, record int32, first int) {
	for i, e := range ids {
		t.slots[e.Index].put(record, first+i)
	}
}

// setFirstRows records that entities with known ids are the first rows of a chunk.
func (t *entities) setFirstRows(ids []Entity, record int32) {
	for row, e := range ids {
		t.slots[e.Index] = entitySlot{e.Version, record, int32(row)}
	}
}

// reservedIDs holds the ids of entities that commands of the present playback have not created yet.
type reservedIDs struct {
	list      []reservedID
	doneCount int // the first of the list whose commands are done: a failure leaves these as they are
}

// reservedID is the id of an entity that is referred to before the command that creates it is
// played; see pushReserved.
type reservedID struct {
	created      *[]Entity // of the buffer that creates the entity
	createdIndex int32     // index in created; until the entity exists, this element is ^index and version
	newSlot      bool      // the slot is a new one
}

// isReserved reports whether e, which does not exist yet, will be created by the current playback.
func (w *World) isReserved(e Entity) bool {
	return slices.ContainsFunc(w.reservedIDs.list, func(p reservedID) bool {
		return (*p.created)[p.createdIndex] == Entity{^e.Index, e.Version}
	})
}

// cancelReserved cancels the reservations from index from on, because the playback has ended or has
// stopped. If the failed command itself has reserved an id, the id counts as never used. If another
// reserved id has no entity, it counts as the id of a destroyed entity.
func (w *World) cancelReserved(from int) {
	t := &w.tables.entities
	if len(w.reservedIDs.list) > 0 {
		t.noteIDsChanged()
	}
	t.popReserved()
	for last := len(w.reservedIDs.list) - 1; last >= max(from, w.reservedIDs.doneCount); last-- {
		p := w.reservedIDs.list[last]
		t.undoAssign(^(*p.created)[p.createdIndex].Index, p.newSlot)
		(*p.created)[p.createdIndex] = Entity{}
		w.reservedIDs.list = w.reservedIDs.list[:last]
	}
	for _, p := range w.reservedIDs.list[from:] {
		if id := (*p.created)[p.createdIndex]; id.Index < 0 {
			t.freeIDs([]Entity{{^id.Index, id.Version}})
			(*p.created)[p.createdIndex] = Entity{}
		}
	}
	clear(w.reservedIDs.list[from:])
	w.reservedIDs.list = w.reservedIDs.list[:from]
	w.reservedIDs.doneCount = min(w.reservedIDs.doneCount, from)
	w.gate.endWorkPending = len(w.reservedIDs.list) > 0 || w.shared.notices != nil
}

// A command may refer to an entity that a later command of the same buffer creates, because jobs
// record in any order. The reference may be in a component, an element or a shared value. Playback
// plays the commands in the order of their keys. So the id of such an entity is reserved when
// playback comes to the first reference. The command that creates the entity then uses this id. All
// other entities get their ids when they are created, as usual.
//
// While its id is reserved, the entity does not exist. Its slot is free, but is not in the list of
// free slots. The slot already has the version that the entity will have.

// pushReserved makes the next call of assignIDs use the reserved slot with the given index first.
func (t *entities) pushReserved(index int32) {
	t.freeSlots = append(t.freeSlots, index)
	t.topReserved = true
}

// popReserved takes back the slot that pushReserved has added, if assignIDs has not used it, and
// returns its index. It returns -1 if there is no such slot.
func (t *entities) popReserved() (index int32) {
	if !t.topReserved {
		return -1
	}
	t.topReserved = false
	last := len(t.freeSlots) - 1
	index, t.freeSlots = t.freeSlots[last], t.freeSlots[:last]
	return index
}

// undoAssign undoes the last call of assignIDs, which has assigned one id.
func (t *entities) undoAssign(index int32, fresh bool) {
	if fresh {
		t.slots = t.slots[:index]
		return
	}
	t.freeSlots = append(t.freeSlots, index)
}
