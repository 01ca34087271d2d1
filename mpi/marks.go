package mpi

import (
	"encoding/binary"
	"fmt"
	"reflect"

	"github.com/lanewise/lanewise/ecs"
)

// rowMarks describe how queries see a row: whether it is inactive or a prefab,
// and which of its components in Halo are disabled. A ghost gets the marks of
// its row, because otherwise the rows that a query finds would depend on the
// number of ranks. In most worlds no row has marks, and no marks are sent.
type rowMarks uint64

const (
	inactiveMark rowMarks = 1 << iota
	prefabMark
	firstSwitch = 2 // the bit of the first enableable component
)

var (
	inactiveType = reflect.TypeFor[ecs.Inactive]()
	prefabType   = reflect.TypeFor[ecs.Prefab]()
)

// marksBytes is the number of bytes that the marks of one row occupy in a message.
const marksBytes = 8

// switchesOf returns the enableable types of a list.
func switchesOf(types []reflect.Type) ([]reflect.Type, error) {
	var list []reflect.Type
	for _, t := range types {
		for _, c := range ecs.TermTypes(ecs.With[struct{}]().OfType(t)) {
			if c.Enableable {
				list = append(list, t)
			}
		}
	}
	if most := 64 - firstSwitch; len(list) > most {
		return nil, fmt.Errorf("%d of ID, Place and Halo can be switched off: ghosts have %d at most: take fewer into Halo", len(list), most)
	}
	return list, nil
}

// chunkMarks are the marks of the rows of a chunk.
type chunkMarks struct {
	all      rowMarks
	lacks    reflect.Type // a tag of Halo that the rows lack
	switches [][]uint64   // for each enableable component, a bit for each row that has it enabled
}

// look reads the marks of a chunk. The marks are valid until rows are added or
// removed.
func (m *chunkMarks) look(c *ecs.Chunk, switches, tags []reflect.Type) {
	m.all, m.lacks = 0, nil
	for _, t := range tags {
		if !c.HasType(t) {
			m.lacks = t
		}
	}
	if c.HasType(inactiveType) {
		m.all |= inactiveMark
	}
	if c.HasType(prefabType) {
		m.all |= prefabMark
	}
	m.switches = m.switches[:0]
	for _, t := range switches {
		m.switches = append(m.switches, c.EnabledBits(t))
	}
}

// marksOf returns the marks of one row.
func (m *chunkMarks) marksOf(row int32) rowMarks {
	all := m.all
	for k, words := range m.switches {
		if words != nil && words[row/64]>>(row%64)&1 == 0 {
			all |= 1 << (firstSwitch + k)
		}
	}
	return all
}

// readMarks reads the marks of the rows at the border of a chunk.
func (h *halo[T]) readMarks(c *chunk[T], rows, place []int32) error {
	if t := c.marks.lacks; t != nil {
		return lacksOfHalo(c.ids[rows[0]], t)
	}
	if c.marks.all == 0 && len(h.switches) == 0 {
		return nil // they are zero
	}
	for i, row := range rows {
		m := c.marks.marksOf(row)
		h.marks[place[i]] = m
		h.marked = h.marked || m != 0
	}
	return nil
}

// lacksOfHalo returns the error for a row that lacks a component of Halo.
func lacksOfHalo(id uint64, t reflect.Type) error {
	return fmt.Errorf("the row with ID %d has no %v, which is of Halo: rows have all of that", id, t)
}

// appendMarks appends the marks of the rows that a peer sees, if any of these
// rows has marks.
func (h *halo[T]) appendMarks(b []byte, rows []int32) (all []byte, any bool) {
	if !h.marked {
		return b, false
	}
	begin := len(b)
	for _, row := range rows {
		m := h.marks[row]
		any = any || m != 0
		b = binary.LittleEndian.AppendUint64(b, uint64(m))
	}
	if !any {
		return b[:begin], false
	}
	return b, true
}

// change is a ghost whose marks must be changed, because they differ from the marks of its row.
type change struct {
	ghost    ecs.Entity
	is, want rowMarks
}

// mark sets the marks of ghosts to the marks of their rows. Call it after the
// messages of all peers have been joined.
func (h *halo[T]) mark(w *ecs.World) error {
	h.changes = h.changes[:0]
	for c := range h.ghosts.Chunks() {
		h.seen.look(c, h.switches, nil)
		if h.seen.all == 0 && len(h.switches) == 0 && !h.wanted {
			continue
		}
		for i, e := range c.Entities() {
			at := h.of.position(e.Index)
			if at < 0 {
				continue
			}
			if is, want := h.seen.marksOf(int32(i)), h.want[at]; is != want {
				h.changes = append(h.changes, change{e, is, want})
			}
		}
	}
	for _, c := range h.changes {
		if err := h.apply(w, c); err != nil {
			return err
		}
	}
	return nil
}

// apply sets the marks of one ghost to the marks of its row.
func (h *halo[T]) apply(w *ecs.World, c change) error {
	differs := c.is ^ c.want
	for k, t := range h.switches {
		if bit := rowMarks(1) << (firstSwitch + k); differs&bit != 0 {
			if err := w.Untyped().SetEnabled(c.ghost, t, c.want&bit == 0); err != nil {
				return err
			}
		}
	}
	// Make all changes of a ghost in one move: an intermediate archetype
	// would get an index in the world, and so change the world's hash.
	var add, remove []ecs.Term
	for _, tag := range [...]struct {
		bit  rowMarks
		term ecs.Term
	}{{inactiveMark, ecs.With[ecs.Inactive]()}, {prefabMark, ecs.With[ecs.Prefab]()}} {
		switch {
		case differs&tag.bit == 0:
		case c.want&tag.bit != 0:
			add = append(add, tag.term)
		default:
			remove = append(remove, tag.term)
		}
	}
	at := ecs.Entities([]ecs.Entity{c.ghost})
	if len(add) > 0 {
		if err := ecs.AddTypes(w, at, add...); err != nil {
			return err
		}
	}
	if len(remove) > 0 {
		return ecs.RemoveTypes(w, at, remove...)
	}
	return nil
}
